//! Whether a case shows the disagreement that another one showed: what shrinking holds on to.
//!
//! The same two engines must differ in the same aspect. Where that is no fault of the game, neither
//! they nor the reference may find one: else a game would come down to one that is merely broken, on
//! which engines that check less answer something else than those that check more.

use verdict::{Engine, Stop, Watch};

use crate::agree::{Aspect, Row, agree};
use crate::reference::Reference;
use crate::shrink::Case;

/// Whether two engines differ on the case in this aspect, and the case is well-formed.
pub fn quarrel(case: &Case, engines: [&dyn Engine; 2], aspect: Aspect, watch: &Watch<'_>) -> bool {
    let Some(question) = case.question() else { return false };
    let agreement = agree(&question, &engines, watch);
    let faulty = |rows: &[Row]| rows.iter().any(|row| matches!(row.result, Err(Stop::Faulty(_))));
    if agreement.disagreement.is_none_or(|difference| difference.aspect != aspect) {
        return false;
    }
    if aspect == Aspect::Fault {
        return true;
    }
    let is_asked = engines.iter().any(|engine| engine.name() == Reference.name());
    !faulty(&agreement.rows) && (is_asked || !faulty(&agree(&question, &[&Reference], watch).rows))
}

#[cfg(test)]
mod tests {
    use verdict::Question;

    use super::*;
    use crate::planted::{Planted, question, watched};

    #[test]
    fn a_game_that_breaks_shows_no_other_value() {
        let sound = "(role a) (init s) (legal a m) (<= (next t) (does a m)) (<= terminal (true t))
            (goal a 100)";
        let half = Planted(|_: &Question| true);
        let third = Planted(|asked: &Question| asked.horizon.is_none());
        let shows = |sheet: &str, engines: [&dyn Engine; 2], aspect| {
            let case = Case::new(&question(sheet));
            watched(|watch| quarrel(&case, engines, aspect, watch))
        };
        assert!(shows(sound, [&Reference, &half], Aspect::Value));
        assert!(!shows(sound, [&Reference, &half], Aspect::Counts));
        assert!(!shows(sound, [&half, &third], Aspect::Value), "they say the same");
        let stuck = sound.replace("(legal a m)", "(<= (legal a m) (true u))");
        assert!(!shows(&stuck, [&Reference, &half], Aspect::Value));
    }
}
