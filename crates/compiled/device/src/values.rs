//! Values of a ply on the device, in as many buffers as they need, and what is read of them.
//!
//! Two plies of values exist at a time. A buffer holds a *span*: states of one part that follow each
//! other, so many as a shader sees the values of at once. Mostly there is one.

use std::sync::Arc;

use kernel::Expander;
use solve::Trouble;
use verdict::Watch;

use crate::arena::Grown;
use crate::backend::{Plies, widen, words_of};
use crate::batch::View;
use crate::fault::unlike;
use crate::parts::Part;
use crate::session::Session;

/// States of one part whose values lie in one buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) part: usize,
    /// Its first state's place in the part.
    pub(crate) first: usize,
    pub(crate) states: usize,
}

/// The spans of a ply where a buffer holds the values of `most` states.
pub(crate) fn spans(parts: &[Part], most: usize) -> Vec<Span> {
    assert!(most > 0, "a shader sees a value at once");
    let cut = |(part, one): (usize, &Part)| {
        let states = one.states;
        let from = (0..states).step_by(most);
        from.map(move |first| Span { part, first, states: most.min(states - first) })
    };
    parts.iter().enumerate().flat_map(cut).collect()
}

/// Values of one ply.
#[derive(Debug, Default)]
pub(crate) struct Values {
    buffers: Vec<Grown>,
    pub(crate) spans: Vec<Span>,
    /// The ply whose values these are.
    pub(crate) ply: Option<usize>,
    /// Words of a value.
    pub(crate) limbs: usize,
}

impl Values {
    /// Bytes that spans of values of so many words need beyond what is there.
    pub(crate) fn growth(&self, session: &Session, spans: &[Span], limbs: usize) -> u64 {
        let more = |(at, span): (usize, &Span)| {
            let bytes = 4 * (span.states * limbs) as u64;
            match self.buffers.get(at) {
                Some(buffer) => buffer.size_for(session, bytes) - buffer.bytes(),
                None => bytes,
            }
        };
        spans.iter().enumerate().map(more).sum()
    }

    /// Makes room for the values of spans; what was there is lost.
    pub(crate) fn reserve(
        &mut self,
        session: &Session,
        spans: Vec<Span>,
        limbs: usize,
    ) -> Result<(), Trouble> {
        self.ply = None;
        self.limbs = limbs;
        self.buffers.resize_with(spans.len().max(1), Grown::default);
        for (buffer, span) in self.buffers.iter_mut().zip(&spans) {
            buffer.reserve(session, 4 * (span.states * limbs) as u64)?;
        }
        self.spans = spans;
        Ok(())
    }

    /// The values of a span.
    pub(crate) fn view(&self, at: usize) -> View<'_> {
        let bytes = 4 * (self.spans[at].states * self.limbs) as u64;
        View::of(self.buffers[at].buffer(), bytes)
    }

    /// The span in which a state of a part lies.
    pub(crate) fn span_of(&self, part: usize, state: usize) -> usize {
        let holds = |span: &Span| {
            span.part == part && (span.first..span.first + span.states).contains(&state)
        };
        self.spans.iter().position(holds).expect("a state of the ply")
    }

    /// Whether numbers of states are places in the one buffer that there is.
    pub(crate) fn is_whole(&self) -> bool {
        match &self.spans[..] {
            [] => true,
            [span] => (span.part, span.first) == (0, 0),
            _ => false,
        }
    }
}

impl Plies {
    /// Learns the states of ply 1, once it is there.
    pub(crate) fn learn_first(&mut self, watch: &Watch<'_>) -> Result<(), Trouble> {
        let session = Arc::clone(&self.session);
        let mut keys = Vec::new();
        for (part, buffer) in self.plies[1].parts.iter().zip(&self.keys[0]) {
            let bytes = 4 * (part.states * self.shape.words) as u64;
            if bytes > 0 {
                let encoder = session.device.create_command_encoder(&Default::default());
                let read = session.ask(encoder, &[(buffer.buffer(), 0, bytes)], watch)?;
                keys.extend(words_of(&read));
            }
        }
        let width = self.kernel.words();
        let keys = keys.chunks_exact(self.shape.words);
        self.first_states = keys.map(|key| widen(key, width)).zip(0..).collect();
        // What a device tells is no fault of this program.
        let all = self.first_states.len() == self.plies[1].states;
        if all { Ok(()) } else { Err(unlike("two states are one")) }
    }

    /// Reads the values of all states of a ply that was backed up, part after part.
    pub(crate) fn read_values(&self, at: usize, watch: &Watch<'_>) -> Result<Vec<u64>, Trouble> {
        let values = &self.values[at];
        let mut words = Vec::new();
        for span in 0..values.spans.len() {
            let view = values.view(span);
            let bytes = 4 * (values.spans[span].states * values.limbs) as u64;
            let encoder = self.session.device.create_command_encoder(&Default::default());
            let read = self.session.ask(encoder, &[(view.buffer, view.offset, bytes)], watch)?;
            words.extend(words_of(&read));
        }
        let pair = |pair: &[u32]| u64::from(pair[0]) | u64::from(pair[1]) << 32;
        Ok(words.chunks_exact(2).map(pair).collect())
    }

    /// Keeps the value of the root, which was backed up last.
    pub(crate) fn keep_root(&mut self, watch: &Watch<'_>) -> Result<(), Trouble> {
        self.root_value = Some(self.read_values(0, watch)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(states: &[usize]) -> Vec<Part> {
        states.iter().map(|states| Part { states: *states, infos: None }).collect()
    }

    #[test]
    fn spans_cover_each_state_of_each_part_once() {
        let found = spans(&parts(&[5, 0, 3]), 2);
        let told: Vec<_> = found.iter().map(|span| (span.part, span.first, span.states)).collect();
        assert_eq!(told, [(0, 0, 2), (0, 2, 2), (0, 4, 1), (2, 0, 2), (2, 2, 1)]);
        let values = Values { spans: found, ..Values::default() };
        assert_eq!((values.span_of(0, 4), values.span_of(2, 1)), (2, 3));
        assert!(!values.is_whole());
    }

    #[test]
    fn numbers_are_places_only_in_the_first_part() {
        let of = |states: &[usize]| Values { spans: spans(&parts(states), 9), ..Values::default() };
        assert!(of(&[]).is_whole() && of(&[7]).is_whole() && of(&[7, 0]).is_whole());
        assert!(!of(&[0, 7]).is_whole() && !of(&[10]).is_whole());
    }
}
