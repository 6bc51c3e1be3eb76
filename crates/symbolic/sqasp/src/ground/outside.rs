//! What clingo takes and has no probability here.

use super::Message;
use crate::places::{Extent, Outside, Places};

impl Outside {
    fn name(self) -> &'static str {
        match self {
            Self::Disjunction => "disjunction in a head",
            Self::Optimisation => "optimisation (`#minimize`, `#maximize` or a weak constraint)",
            Self::Projection => "projection (`#project`)",
            Self::External => "an external atom (`#external`)",
            Self::Heuristic => "a heuristic (`#heuristic`)",
            Self::Edge => "acyclicity (`#edge`)",
            Self::Theory => "a theory atom",
        }
    }
}

/// The refusal of constructs that were met, at each place where they can come from.
pub(crate) fn refusals(text: &str, met: &[Outside]) -> Vec<Message> {
    let places = Places::new(text);
    let mut messages = Vec::new();
    for kind in met {
        let name = kind.name();
        let said = format!("{name}: outside the class of programs that have a probability here");
        let found = places.of(*kind);
        let at = found.iter().map(|extent| Message {
            place: Some(places.line_and_column(extent.start)),
            end: Some(places.line_and_column(extent.end)),
            text: said.clone(),
        });
        messages.extend(at);
        if found.is_empty() {
            messages.push(Message::nowhere(said));
        }
    }
    messages.sort_by_key(|message| message.place);
    messages
}

/// The refusal of parts of a program that would never be ground.
pub(crate) fn parts(text: &str) -> Vec<Message> {
    if !text.contains("#program") {
        return Vec::new();
    }
    let places = Places::new(text);
    let refusal = |(name, extent): (String, Extent)| Message {
        place: Some(places.line_and_column(extent.start)),
        end: Some(places.line_and_column(extent.end)),
        text: format!("the part `{name}` of a program: only `base` is made ground here"),
    };
    places.parts().into_iter().map(refusal).collect()
}
