//! Games without structure that the compiler could use: bits that are mixed anew in each step.
//!
//! No group of propositions but the counter of steps, nothing that comes apart into digits, no
//! symmetry: what is measured is the expansion of bit planes, one hash table and the fold. In each
//! sheet whoever has the turn has the same number of moves and the die the same number of faces in
//! every step, so that the edges follow from the states that are decided.

use crate::connect::threads;
use crate::contest::{Contender, Setup, contest, json_number, on_all_cores};
use crate::record::{Page, megabytes, ratio, seconds};

/// A sheet of `benches/sheets`: name, moves in a step, faces of the die, odds of x.
const SHEETS: &[(&str, u64, u64, &str)] =
    &[("register", 3, 2, "5/16"), ("circuit", 4, 3, "4784/6561"), ("automaton", 4, 3, "1103/6561")];

/// What an edge costs in each of them.
///
/// # Errors
/// Where a run fails or gives another answer.
pub(crate) fn bench(setup: &Setup, page: &mut Page) -> Result<(), String> {
    page.say(
        "An edge is a move with a face of the die. The time of the whole process is divided by their \
         number.",
    );
    let mut rows = Vec::new();
    let sheets = if setup.quick { &SHEETS[..1] } else { SHEETS };
    for (name, moves, faces, value) in sheets {
        let sheet = setup.root.join(format!("benches/sheets/{name}.gdl"));
        let solver = Contender { turns: setup.turns.min(3), ..setup.solver(&sheet) };
        let both = on_all_cores(&[threads(&solver, 1), threads(&solver, 2)], value)?;
        let costs = contest(&[solver], value)?;
        let cost = &costs[0];
        let count = |field: &str| json_number(&cost.output, field).ok_or("a count is missing");
        let (states, decided) = (count("states")?, count("decision_states")?);
        let edges = decided * moves * faces;
        rows.push(vec![
            (*name).to_owned(),
            states.to_string(),
            edges.to_string(),
            seconds(cost.cpu),
            ratio(cost.cpu, std::time::Duration::from_nanos(edges)),
            megabytes(cost.peak_bytes),
            seconds(both[0].wall),
            seconds(both[1].wall),
        ]);
    }
    let head = [
        "sheet",
        "states",
        "edges",
        "CPU s",
        "ns an edge",
        "peak MB",
        "wall s, 1 thread",
        "2 threads",
    ];
    page.table(&head, &rows);
    Ok(())
}
