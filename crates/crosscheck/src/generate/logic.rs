//! Helpers between the state and what is asked of it, and conditions drawn from them.

use super::Sheet;

impl Sheet {
    /// A literal about the state.
    pub(super) fn condition(&mut self) -> String {
        self.dice.pick(&self.conditions).clone()
    }

    /// A literal about the state, or nothing.
    pub(super) fn maybe_condition(&mut self, percent: usize) -> String {
        if self.dice.chance(percent) { self.condition() } else { String::new() }
    }

    /// A literal about the joint move; one of chance more often than its share.
    pub(super) fn deed(&mut self) -> String {
        let by_chance: Vec<&String> =
            self.deeds.iter().filter(|deed| deed.starts_with("(does random")).collect();
        if !by_chance.is_empty() && self.dice.chance(35) {
            return (*self.dice.pick(&by_chance)).clone();
        }
        self.dice.pick(&self.deeds).clone()
    }

    /// A chain of helpers, each over the state and the helpers before it, and a web of places
    /// that are reached or not; both become conditions.
    pub(super) fn write_helpers(&mut self) {
        for number in 0..self.dice.between(0, 3) {
            self.write_helper(number);
        }
        if self.dice.chance(60) {
            self.write_web();
        }
    }

    fn write_helper(&mut self, number: usize) {
        let name = format!("helper{number}");
        for _ in 0..self.dice.between(1, 2) {
            let (one, other) = (self.condition(), self.maybe_condition(70));
            let either = self.dice.chance(30).then(|| (self.condition(), self.condition()));
            let either = either.map_or(String::new(), |(a, b)| format!("(or {a} {b})"));
            self.rule(&name, &[&one, &other, &either]);
        }
        // With and without parentheses it is the same relation.
        let shown = if self.dice.chance(30) { format!("({name})") } else { name };
        self.conditions.push(shown.clone());
        self.conditions.push(format!("(not {shown})"));
    }

    /// Reachability along links, some of which are there only in some states; loops and all.
    fn write_web(&mut self) {
        let places = self.dice.between(3, 4);
        for _ in 0..self.dice.between(3, 6) {
            let (from, to) = (self.dice.below(places), self.dice.below(places));
            let condition = self.maybe_condition(50);
            self.rule(&format!("(link p{from} p{to})"), &[&condition]);
        }
        self.rule("(reached p0)", &[]);
        if self.dice.chance(50) {
            self.rule("(reached ?y)", &["(reached ?x)", "(link ?x ?y)"]);
        } else {
            self.rule("(reached ?y)", &["(stepped ?y ?x)", "(distinct ?x ?y)"]);
            self.rule("(stepped ?y ?x)", &["(reached ?x)", "(link ?x ?y)"]);
        }
        let goal = self.dice.between(1, places - 1);
        self.conditions.push(format!("(reached p{goal})"));
        self.conditions.push(format!("(not (reached p{goal}))"));
    }
}
