//! Lowering of hand-built ground rules: what the network means, and what is refused.

use gdl::{RoleId, Span};
use ground::{
    AtomId, AtomKind, BaseId, GroundLiteral, GroundRole, GroundRule, GroundRules, Input, InputId,
    Terms,
};
use index::{Id, IndexVec};
use net::{LowerFault, LowerLimits, Net, State, interpret, lower, parse_net, verify};

/// Ground rules of a game with one role, written atom by atom.
struct Builder {
    rules: GroundRules,
}

impl Builder {
    fn new(bases: usize, inputs: usize) -> Self {
        let (mut terms, zero) = (Terms::default(), Id::from_index(0));
        let term = terms.nodes.push((zero, Box::default()));
        let role = RoleId::from_index(0);
        let input = |at| Input { role, term, text: format!("m{at}") };
        let player = GroundRole { name: "player".to_owned(), inputs: 0..inputs };
        Self {
            rules: GroundRules {
                terms,
                bases: IndexVec::filled(term, bases),
                base_texts: (0..bases).map(|at| format!("p{at}")).collect(),
                init: vec![],
                roles: [player].into_iter().collect(),
                inputs: (0..inputs).map(input).collect(),
                atoms: IndexVec::new(),
                rules: vec![],
                spans: vec![],
            },
        }
    }

    fn atom(&mut self, kind: AtomKind) -> AtomId {
        self.rules.atoms.push(kind)
    }

    fn truths(&mut self) -> Vec<AtomId> {
        self.rules.bases.ids().map(|base| self.rules.atoms.push(AtomKind::True(base))).collect()
    }

    fn helpers(&mut self, count: usize) -> Vec<AtomId> {
        (0..count).map(|_| self.atom(AtomKind::Helper)).collect()
    }

    fn rule(&mut self, head: AtomId, positive: &[AtomId], negative: &[AtomId]) {
        let literal = |negated| move |atom: &AtomId| GroundLiteral { atom: *atom, negated };
        let mut body: Vec<GroundLiteral> =
            positive.iter().map(literal(false)).chain(negative.iter().map(literal(true))).collect();
        body.sort_unstable();
        self.rules.rules.push(GroundRule { head, body: body.into() });
        self.rules.spans.push(Span { start: self.rules.spans.len() as u32, end: u32::MAX });
    }

    fn goal(&mut self, value: u8, body: &[AtomId]) {
        let head = self.atom(AtomKind::Goal(RoleId::from_index(0), value));
        self.rule(head, body, &[]);
    }

    fn lower(&self) -> Result<Net, LowerFault> {
        lower(&self.rules, &LowerLimits::default())
    }

    fn net(&self) -> Net {
        let net = self.lower().expect("the rules are in order");
        assert_eq!(verify(&net), Ok(()));
        assert_eq!(parse_net(&net.to_string()).as_ref(), Ok(&net));
        net
    }
}

fn state(bits: usize) -> State {
    (0..usize::BITS as usize).filter(|at| bits >> at & 1 == 1).map(BaseId::from_index).collect()
}

#[test]
fn atoms_are_disjunctions_of_their_rules() {
    let mut builder = Builder::new(3, 1);
    let truths = builder.truths();
    let does = builder.atom(AtomKind::Does(InputId::from_index(0)));
    let helper = builder.atom(AtomKind::Helper);
    builder.rule(helper, &[truths[0]], &[truths[1]]);
    builder.rule(helper, &[truths[2]], &[]);
    let terminal = builder.atom(AtomKind::Terminal);
    builder.rule(terminal, &[], &[helper]);
    let legal = builder.atom(AtomKind::Legal(InputId::from_index(0)));
    builder.rule(legal, &[], &[]);
    let next = builder.atom(AtomKind::Next(BaseId::from_index(1)));
    builder.rule(next, &[does, helper], &[]);
    let unused = builder.atom(AtomKind::Helper);
    builder.rule(unused, &[truths[1], truths[2]], &[]);
    let net = builder.net();
    for bits in 0..8 {
        let holds = bits & 1 == 1 && bits & 2 == 0 || bits & 4 == 4;
        let view = interpret::view(&net, &state(bits));
        assert_eq!(view.terminal, !holds);
        assert!(view.legal[InputId::from_index(0)]);
        let next = |joint: &[InputId]| interpret::update(&net, &state(bits), joint);
        assert_eq!(next(&[InputId::from_index(0)]), state(if holds { 2 } else { 0 }));
        assert_eq!(next(&[]), state(0));
    }
    assert_eq!(net.gates.len(), 2 + 4 + 5, "nothing of the unused helper is left:\n{net}");
}

/// Rooms in a circle, doors between neighbours; reach has no rule that could support itself.
fn rooms(count: usize) -> Builder {
    let mut builder = Builder::new(count, 0);
    let doors = builder.truths();
    let reach = builder.helpers(count);
    builder.rule(reach[0], &[], &[]);
    for room in 0..count {
        let beyond = (room + 1) % count;
        builder.rule(reach[beyond], &[reach[room], doors[room]], &[]);
        builder.rule(reach[room], &[reach[beyond], doors[room]], &[]);
    }
    for (room, atom) in reach.iter().enumerate().take(100) {
        builder.goal(room as u8, &[*atom]);
    }
    builder
}

#[test]
fn recursion_is_the_least_fixpoint() {
    let net = rooms(7).net();
    for bits in 0..128usize {
        let open = |door: usize| bits >> door & 1 == 1;
        let reached = |room: usize| (0..room).all(open) || (room..7).all(open);
        let expected: Vec<u8> =
            (0..7).filter(|room| reached(*room)).map(|room| room as u8).collect();
        let view = interpret::view(&net, &state(bits));
        assert_eq!(view.goals[RoleId::from_index(0)], expected, "doors {bits:b}");
    }
}

#[test]
fn a_large_circle_stays_linear() {
    let net = rooms(2000).net();
    assert!(net.gates.len() < 30_000, "{} gates", net.gates.len());
}

/// Pairs joined through any third: a rule with two atoms of the component in its body.
#[test]
fn rules_that_need_two_atoms_of_a_component_are_unrolled() {
    const NODES: usize = 4;
    let mut builder = Builder::new(NODES * NODES, 0);
    let edges = builder.truths();
    let paths = builder.helpers(NODES * NODES);
    for from in 0..NODES {
        for to in 0..NODES {
            builder.rule(paths[from * NODES + to], &[edges[from * NODES + to]], &[]);
            for via in 0..NODES {
                let halves = [paths[from * NODES + via], paths[via * NODES + to]];
                builder.rule(paths[from * NODES + to], &halves, &[]);
            }
        }
    }
    builder.goal(100, &[paths[1]]);
    let net = builder.net();
    let holds = |edges: &[(usize, usize)]| {
        let bits = edges.iter().map(|(from, to)| 1 << (from * NODES + to)).sum();
        !interpret::view(&net, &state(bits)).goals[RoleId::from_index(0)].is_empty()
    };
    assert!(holds(&[(0, 1)]) && holds(&[(0, 2), (2, 3), (3, 1)]));
    assert!(!holds(&[(1, 0)]) && !holds(&[(0, 2), (3, 1), (2, 0)]) && !holds(&[]));
}

#[test]
fn a_long_chain_of_helpers_and_many_rules_are_no_burden() {
    let mut builder = Builder::new(60, 0);
    let truths = builder.truths();
    let helpers = builder.helpers(150_000);
    builder.rule(helpers[0], &[truths[0]], &[]);
    for at in 1..helpers.len() {
        let other = truths[at * 7 % 60];
        if at % 2 == 0 {
            builder.rule(helpers[at], &[helpers[at - 1]], &[other]);
        } else {
            builder.rule(helpers[at], &[helpers[at - 1]], &[]);
            builder.rule(helpers[at], &[other], &[truths[at * 11 % 60]]);
        }
    }
    builder.goal(100, &[helpers[helpers.len() - 1]]);
    assert!(builder.net().gates.len() > 1000);
}

#[test]
fn rules_out_of_order_are_refused_with_their_place() {
    let mut loops = Builder::new(1, 0);
    let helpers = loops.helpers(2);
    loops.rule(helpers[0], &[helpers[1]], &[]);
    loops.rule(helpers[1], &[], &[helpers[0]]);
    loops.goal(100, &[helpers[0]]);
    let span = Some(Span { start: 1, end: u32::MAX });
    assert_eq!(loops.lower(), Err(LowerFault::NegativeCycle { span }));

    let mut moved = Builder::new(1, 1);
    let truths = moved.truths();
    let does = moved.atom(AtomKind::Does(InputId::from_index(0)));
    let helper = moved.atom(AtomKind::Helper);
    moved.rule(helper, &[does, truths[0]], &[]);
    moved.goal(100, &[helper]);
    let span = Some(Span { start: 1, end: u32::MAX });
    assert_eq!(moved.lower(), Err(LowerFault::ViewNeedsMoves { span }));
    // Two moves do not make up for each other.
    let mut twice = Builder::new(1, 2);
    let _ = twice.truths();
    let does = [0, 1].map(|at| twice.atom(AtomKind::Does(InputId::from_index(at))));
    let helper = twice.atom(AtomKind::Helper);
    twice.rule(helper, &does, &[]);
    twice.goal(100, &[helper]);
    assert!(matches!(twice.lower(), Err(LowerFault::ViewNeedsMoves { .. })));
    assert!(matches!(
        lower(&rooms(50).rules, &LowerLimits { gates: 100, ..Default::default() }),
        Err(LowerFault::GateLimit { limit_gates: 100, span: Some(_) })
    ));
}

#[test]
fn limits_of_time_memory_and_patience_stop() {
    let rules = rooms(5).rules;
    let flag = std::sync::atomic::AtomicBool::new(true);
    let interrupt = Some(&flag);
    let stopped = lower(&rules, &LowerLimits { interrupt, ..Default::default() });
    assert_eq!(stopped, Err(LowerFault::Interrupted));
    let deadline = Some(std::time::Instant::now());
    let stopped = lower(&rules, &LowerLimits { deadline, ..Default::default() });
    assert_eq!(stopped, Err(LowerFault::OutOfTime));
    if cfg!(target_os = "linux") {
        let stopped = lower(&rules, &LowerLimits { memory: Some(1), ..Default::default() });
        assert!(matches!(stopped, Err(LowerFault::OutOfMemory { held: 2.. })), "{stopped:?}");
    }
    let enough = lower(&rules, &LowerLimits { memory: Some(u64::MAX), ..Default::default() });
    assert_eq!(enough, lower(&rules, &LowerLimits::default()));
}

/// A limit that is just met is no fault: of rules one after the other, of a component that is
/// eliminated, and of one that is unrolled.
#[test]
fn as_many_gates_as_allowed_are_allowed() {
    let mut line = Builder::new(3, 0);
    let truths = line.truths();
    line.goal(100, &truths);
    let mut pair = Builder::new(2, 0);
    let truths = pair.truths();
    let [one, other]: [AtomId; 2] = pair.helpers(2).try_into().expect("two");
    pair.rule(one, &[truths[0]], &[]);
    pair.rule(one, &[other, truths[1]], &[]);
    pair.rule(other, &[one, one], &[]);
    pair.goal(100, &[other]);
    let mut both = Builder::new(3, 0);
    let truths = both.truths();
    let helpers = both.helpers(3);
    both.rule(helpers[0], &[truths[0]], &[]);
    both.rule(helpers[1], &[helpers[0], truths[1]], &[]);
    both.rule(helpers[2], &[helpers[0], helpers[1]], &[]);
    both.rule(helpers[0], &[helpers[1], helpers[2], truths[2]], &[]);
    both.goal(100, &[helpers[2]]);
    let of_line = 2 + 3 + 2;
    let with = |gates| lower(&line.rules, &LowerLimits { gates, ..Default::default() });
    assert!(with(of_line).is_ok() && with(of_line - 1).is_err());
    for rules in [line.rules, pair.rules, both.rules, rooms(6).rules] {
        let with = |gates| lower(&rules, &LowerLimits { gates, ..Default::default() });
        let fits: Vec<bool> = (2..200).map(|gates| with(gates).is_ok()).collect();
        let least = 2 + fits.iter().position(|fits| *fits).expect("some number is enough");
        assert!(fits[least - 2..].iter().all(|fits| *fits), "more are enough as well");
        let made = with(least).expect("it fits").gates.len();
        assert!(made <= least, "{made} gates, {least} allowed");
        assert_eq!(with(usize::MAX), with(least));
    }
}
