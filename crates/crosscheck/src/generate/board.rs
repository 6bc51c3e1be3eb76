//! What a state holds, how it begins, changes and ends.

use super::Sheet;

impl Sheet {
    /// The literal that the game stands at a post.
    pub(super) fn post(&self, post: &str) -> String {
        format!("(true ({} {post}))", self.forward)
    }

    pub(super) fn write_board(&mut self) {
        self.say(format!("(init ({} 0))", self.forward));
        for post in 0..=self.end {
            self.say(format!("(plus {post} 1 {})", post + 1));
            self.say(format!("(plus {post} 2 {})", post + 2));
        }
        for post in [self.end, self.end + 1] {
            self.say(format!("(last {post})"));
        }
        for flag in self.flags.clone() {
            if self.dice.chance(40) {
                self.say(format!("(init {flag})"));
            }
            self.say(format!("(flag {flag})"));
            self.conditions.push(format!("(true {flag})"));
            self.conditions.push(format!("(not (true {flag}))"));
        }
        for colour in self.colours.clone() {
            self.say(format!("(colour {colour})"));
            self.conditions.push(format!("(true (val {colour}))"));
        }
        if !self.colours.is_empty() {
            self.say("(init (val red))");
        }
        let odd = self.dice.below(self.end);
        self.conditions.push(self.post(&odd.to_string()));
    }

    /// How flags and the field follow from the joint move.
    pub(super) fn write_effects(&mut self) {
        for flag in self.flags.clone() {
            let (deed, other) = (self.deed(), self.deed());
            let condition = self.maybe_condition(40);
            let head = format!("(next {flag})");
            self.rule(&format!("(sets {flag})"), &[&deed, &condition]);
            if self.dice.chance(50) {
                let (deed, condition) = (self.deed(), self.condition());
                self.rule(&format!("(sets {flag})"), &[&deed, &condition]);
            }
            self.rule(&format!("(clears {flag})"), &[&other]);
            self.rule(&head, &[&format!("(sets {flag})")]);
            let keeps = [format!("(true {flag})"), format!("(not (clears {flag}))")];
            self.rule(&head, &[&keeps[0], &keeps[1]]);
        }
        if !self.colours.is_empty() {
            // Nobody may be able to paint: then the relation has no rules, and nothing holds of it.
            let deed = self.deed();
            self.rule("(painted green)", &[&deed, "(true (val red))"]);
            self.rule("brushed", &["(painted ?c)"]);
            self.rule("(next (val ?c))", &["(painted ?c)"]);
            self.rule("(next (val ?c))", &["(true (val ?c))", "(not brushed)"]);
        }
    }

    /// One post further, or two where somebody hurries.
    pub(super) fn write_progress(&mut self) {
        let (from, head) = (self.post("?n"), format!("(next ({} ?m))", self.forward));
        if self.forward == "clock" {
            self.rule(&head, &[&from, "(plus ?n 1 ?m)"]);
            return;
        }
        let (deed, condition) = (self.deed(), self.maybe_condition(30));
        self.rule("hurry", &[&deed, &condition]);
        self.rule(&head, &[&from, "(plus ?n 1 ?m)", "(not hurry)"]);
        self.rule(&head, &[&from, "(plus ?n 2 ?m)", "hurry"]);
    }

    /// When play ends and what it is worth.
    pub(super) fn write_ends(&mut self) {
        let end = self.post("?n");
        self.rule("terminal", &[&end, "(last ?n)"]);
        if self.dice.chance(35) {
            let (one, other) = (self.condition(), self.condition());
            let (from, late) = (self.post("?n"), "(late ?n)");
            self.rule("terminal", &[&one, &other, &from, late]);
            (self.end / 2..self.end).for_each(|post| self.say(format!("(late {post})")));
        }
        for role in self.players() {
            self.write_goals(&role);
        }
        if self.roles.iter().any(|role| role == "random") && self.dice.chance(50) {
            self.say("(goal random 0)");
        }
    }

    /// Full marks on one condition, something between on another, else little.
    fn write_goals(&mut self, role: &str) {
        let (win, draw) = (format!("(best {role})"), format!("(fair {role})"));
        for _ in 0..self.dice.between(1, 3) {
            let (a, b, c) = (self.condition(), self.condition(), self.maybe_condition(40));
            self.rule(&win, &[&a, &b, &c]);
        }
        let e = self.condition();
        self.rule(&draw, &[&e]);
        let (middle, low) = (self.dice.between(1, 99), *self.dice.pick(&[0, 0, 3]));
        self.rule(&format!("(goal {role} 100)"), &[&win]);
        let (no_win, no_draw) = (format!("(not {win})"), format!("(not {draw})"));
        self.rule(&format!("(goal {role} {middle})"), &[&no_win, &draw]);
        self.rule(&format!("(goal {role} {low})"), &[&no_win, &no_draw]);
        if self.dice.chance(30) {
            self.rule(&format!("(goal {role} 41)"), &["(not terminal)"]);
        }
    }

    /// Declarations of what can be true.
    pub(super) fn write_base(&mut self) {
        let forward = self.forward;
        self.say(format!("(<= (base ({forward} ?m)) (plus ?n ?d ?m))"));
        self.say(format!("(base ({forward} 0))"));
        self.say("(<= (base ?f) (flag ?f))");
        if !self.colours.is_empty() {
            self.say("(<= (base (val ?c)) (colour ?c))");
        }
    }

    /// Declarations of what can be done.
    pub(super) fn write_input(&mut self) {
        self.say("(<= (input ?r ?m) (role ?r) (may ?r ?m))");
    }
}
