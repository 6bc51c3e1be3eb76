//! The moves of each kind of role.

use gdl::{RoleId, keyword};

use super::domains::Move;
use super::program::Text;
use super::sheet::Sheet;

/// With more moves than this, "at most one" is counted instead of said pair by pair.
const PAIRS_LIMIT: usize = 24;

/// What the rules of a role speak of.
struct Speech<'a> {
    role: String,
    name: &'a str,
    does: &'a str,
    legal: &'a str,
    plays: &'a str,
    step: &'a str,
    nth_move: &'a str,
}

impl<'a> Speech<'a> {
    fn new(sheet: &'a Sheet<'_>, role: RoleId) -> Self {
        Self {
            role: sheet.role(role),
            name: sheet.question.rulebook.role_name(role),
            does: sheet.predicate((keyword::DOES, 2)),
            legal: sheet.predicate((keyword::LEGAL, 2)),
            plays: &sheet.own.plays,
            step: &sheet.own.step,
            nth_move: &sheet.own.nth_move,
        }
    }

    /// The numbered moves of the role.
    fn numbers(&self, text: &mut Text, moves: &[Move]) {
        for (at, one) in moves.iter().enumerate() {
            text.rule(&format!("{}({},{},{}).", self.nth_move, self.role, at + 1, one.text));
        }
    }

    /// Exactly one legal move at each step while the game goes on.
    fn chooses_one(&self, text: &mut Text, moves: &[Move]) {
        let Self { role, does, legal, plays, step, nth_move, .. } = self;
        text.rule(&format!(
            "{{ {does}({role},M,T) }} :- {legal}({role},M,T), {plays}(T), {step}(T)."
        ));
        text.rule(&format!(
            ":- {plays}(T), {step}(T), not {does}({role},M,T) : {nth_move}({role},_,M)."
        ));
        if moves.len() > PAIRS_LIMIT {
            text.rule(&format!(":- 2 {{ {does}({role},M,T) }}, {step}(T)."));
        } else if moves.len() > 1 {
            text.rule(&format!(":- {does}({role},M,T), {does}({role},N,T), M < N."));
        }
    }
}

/// The asked role: its moves are exists, first in each step.
pub(super) fn asked_role(text: &mut Text, sheet: &Sheet<'_>, role: RoleId, moves: &[Move]) {
    let speech = Speech::new(sheet, role);
    let Speech { name, role, does, step, nth_move, .. } = &speech;
    text.group(&format!("{name} makes one legal move a step, the best one"));
    speech.numbers(text, moves);
    speech.chooses_one(text, moves);
    text.rule(&format!("_exists(5*T,{does}({role},M,T)) :- {step}(T), {nth_move}({role},_,M)."));
}

/// An opponent: a code of forall atoms forces its move.
pub(super) fn opponent(text: &mut Text, sheet: &Sheet<'_>, role: RoleId, moves: &[Move]) {
    let speech = Speech::new(sheet, role);
    let Speech { name, role, does, legal, plays, step, nth_move } = &speech;
    text.group(&format!("{name} makes one legal move a step"));
    speech.numbers(text, moves);
    speech.chooses_one(text, moves);
    text.rule(&format!("_exists(5*T+2,{does}({role},M,T)) :- {step}(T), {nth_move}({role},_,M)."));
    let bits = usize::BITS - moves.len().saturating_sub(1).leading_zeros();
    if bits == 0 {
        return;
    }
    let (code, bit, no_bit) = (&sheet.own.code, &sheet.own.bit, &sheet.own.no_bit);
    text.group(&format!(
        "the worst one for the asked role: a code of {bits} bits forces the move of its number,\n\
         where that is legal"
    ));
    for at in 0..moves.len() {
        let facts: Vec<String> = (0..bits)
            .map(|place| {
                let predicate = if at >> place & 1 == 1 { bit } else { no_bit };
                format!("{predicate}({role},{},{place}).", at + 1)
            })
            .collect();
        text.rule(&facts.join(" "));
    }
    let last = bits - 1;
    text.rule(&format!("{{ {code}({role},0..{last},T) }} :- {step}(T)."));
    text.rule(&format!("_forall(5*T+1,{code}({role},0..{last},T)) :- {step}(T)."));
    text.rule(&format!(
        ":- {plays}(T), {step}(T), {legal}({role},M,T), not {does}({role},M,T), {nth_move}({role},I,M);\n   \
         {code}({role},B,T) : {bit}({role},I,B); not {code}({role},B,T) : {no_bit}({role},I,B)."
    ));
}

/// A chance role: draws define its move, each legal one as probable as the others.
pub(super) fn chance_role(text: &mut Text, sheet: &Sheet<'_>, role: RoleId, moves: &[Move]) {
    let speech = Speech::new(sheet, role);
    let Speech { name, role, does, legal, plays, step, nth_move } = &speech;
    let own = &sheet.own;
    let (dec, among) = (&own.dec, &own.legal_among);
    let (drawn, after) = (&own.drawn, &own.drawn_after);
    let count = moves.len();
    text.group(&format!(
        "{name} draws one of its legal moves: the draw passes to the J-th legal one with\n\
         probability 1/J, and stays with the last that it passes to"
    ));
    speech.numbers(text, moves);
    text.rule(&format!("{dec}({role},1,T) :- {step}(T)."));
    if count > 1 {
        text.rule(&format!("{{ {dec}({role},2..{count},T) }} :- {step}(T)."));
        text.rule(&format!("_chance(5*T+3,1,J,{dec}({role},J,T)) :- {step}(T), J = 2..{count}."));
    }
    text.rule(&format!("{among}({role},0,0,T) :- {step}(T)."));
    text.rule(&format!(
        "{among}({role},I,C+1,T) :- {among}({role},I-1,C,T), {nth_move}({role},I,M), {legal}({role},M,T)."
    ));
    text.rule(&format!(
        "{among}({role},I,C,T) :- {among}({role},I-1,C,T), {nth_move}({role},I,M), not {legal}({role},M,T)."
    ));
    text.rule(&format!(
        "{drawn}({role},I,T) :- {among}({role},I-1,C,T), {nth_move}({role},I,M), {legal}({role},M,T), {dec}({role},C+1,T)."
    ));
    text.rule(&format!("{after}({role},I-1,T) :- {drawn}({role},I,T), I > 1."));
    text.rule(&format!("{after}({role},I-1,T) :- {after}({role},I,T), I > 1."));
    text.rule(&format!(
        "{does}({role},M,T) :- {plays}(T), {drawn}({role},I,T), not {after}({role},I,T), {nth_move}({role},I,M)."
    ));
    text.rule(&format!(":- {plays}(T), {step}(T), {among}({role},{count},0,T)."));
}
