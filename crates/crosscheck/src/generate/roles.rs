//! Roles and their moves: who chooses where, and from what.

use super::Sheet;

impl Sheet {
    pub(super) fn write_roles(&mut self) {
        let count = *self.dice.pick(&[1, 2, 2, 2, 2, 3]);
        let mut names = ["white", "black", "umber"].map(String::from).to_vec();
        self.dice.shuffle(&mut names);
        names.truncate(count);
        if self.dice.chance(75) {
            names.push("random".into());
        }
        self.dice.shuffle(&mut names);
        self.roles = names;
    }

    pub(super) fn write_moves(&mut self) {
        let taking_turns = self.dice.chance(50);
        for at in 0..self.roles.len() {
            let role = self.roles[at].clone();
            self.write_turns(&role, at, taking_turns);
            self.write_waiting(&role);
            self.write_choices(&role);
        }
    }

    /// At which posts a role may choose.
    fn write_turns(&mut self, role: &str, at: usize, taking_turns: bool) {
        for post in 0..self.end {
            let mine = post % self.roles.len() == at;
            if if taking_turns { mine } else { self.dice.chance(60) } {
                self.say(format!("(turn {role} {post})"));
            }
        }
    }

    /// The one move where it is not the role's turn.
    fn write_waiting(&mut self, role: &str) {
        let name = *self.dice.pick(&["noop", "wait", "(pass 0)"]);
        let post = self.post("?n");
        let head = format!("(legal {role} {name})");
        self.rule(&head, &[&post, &format!("(not (turn {role} ?n))")]);
        self.rule(&format!("(may {role} {name})"), &[]);
    }

    /// The moves where it is: some always, some on a condition, one perhaps twice derived.
    fn write_choices(&mut self, role: &str) {
        let turn = format!("(turn {role} ?n)");
        let post = self.post("?n");
        let most = if role == "random" { 5 } else { 3 };
        for option in 0..self.dice.between(2, most) {
            self.rule(&format!("(option {role} {option})"), &[]);
            self.rule(&format!("(may {role} (pick {option}))"), &[]);
            self.deeds.push(format!("(does {role} (pick {option}))"));
        }
        let options = format!("(option {role} ?o)");
        self.rule(&format!("(legal {role} (pick ?o))"), &[&post, &turn, &options]);
        if self.dice.chance(50) {
            let condition = self.condition();
            self.rule(&format!("(legal {role} dare)"), &[&post, &turn, &condition]);
            self.rule(&format!("(may {role} dare)"), &[]);
            self.deeds.push(format!("(does {role} dare)"));
        }
        if self.dice.chance(25) {
            self.rule(&format!("(legal {role} (pick 0))"), &[&post, &turn]);
        }
        if !self.colours.is_empty() && self.dice.chance(60) {
            let body = [&post, &turn, "(colour ?c)", "(true (val ?d))", "(distinct ?c ?d)"];
            let deep = self.dice.chance(50);
            let paint =
                |c| if deep { format!("(paint (tone {c}))") } else { format!("(paint {c})") };
            self.rule(&format!("(legal {role} {})", paint("?c")), &body);
            self.rule(&format!("(may {role} {})", paint("?c")), &["(colour ?c)"]);
            self.deeds.push(format!("(does {role} {})", paint("red")));
            self.say(format!("(<= (painted ?c) (does {role} {}))", paint("?c")));
        }
    }
}
