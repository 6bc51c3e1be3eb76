//! The examples and tables under each command's help: a user learns the program from these.
//!
//! A test of the binary asserts that every command has some and that no line is too wide.

pub(super) const GENERAL_HELP: &str = "\
Examples:
  oddsmith solve games/stochastic-tic-tac-toe-3x3.gdl
  oddsmith generate nim 100 --add 1/2 | oddsmith solve -
  oddsmith check my-game.gdl
  oddsmith play games/stochastic-connect-3-4x4.gdl

Exit status:
  0  answered
  1  halted at a limit, with bounds; engines that disagree; sheets that `fmt --check` would change
  2  the input is at fault: the sheet, the question or the command line
  3  the environment is at fault: a full disk, a missing library";

pub(super) const SOLVE_HELP: &str = "\
Examples:
  The odds of the first role, with every first move:
    oddsmith solve games/stochastic-tic-tac-toe-3x3.gdl
  The other role's odds, or all of them:
    oddsmith solve GAME --role o
    oddsmith solve GAME --roles
  Against an opponent who plays at random:
    oddsmith solve GAME --chance others
  The chance to win within 6 steps; the expected goal value:
    oddsmith solve GAME --horizon 6
    oddsmith solve GAME --objective goal
  From another state, given as the facts that hold in it:
    oddsmith solve GAME --from '(cell 1 1 x) (cell 1 2 b) ... (control o)'
    oddsmith solve GAME --from @state.txt
  Every role for its own goal value, instead of all against one:
    oddsmith solve GAME --players each
  A position too large to solve, deeper and deeper, with an estimate beside the bounds:
    oddsmith solve GAME --engine search --time 10s --evaluate rollout
  With limits: where one is met, sound bounds are printed and the exit status is 1:
    oddsmith solve GAME --time 60s --memory 8GiB
  For hours, on a machine that may fail; the same line begins and continues:
    oddsmith solve GAME --memory 8GiB --checkpoint kept --resume
  On a graphics device (a build with the feature `gpu`; `cargo xtask solve` makes one):
    oddsmith solve GAME --backend gpu
  To keep the solved game, for `oddsmith query` and `oddsmith verify`:
    oddsmith solve GAME --table solved.table
  For another program; the schema is crates/cli/schema/solve.schema.json:
    oddsmith solve GAME --json

The value of a state is the largest over the asked role's moves, of the smallest over the
opponents' moves, of the mean over the chance roles' moves, of the next state's value. Where a play
can return to a state, endless play is worth nothing; `--width 1e-12` asks for bounds there.

Bounds are certified and an estimate is not: `--evaluate goal` takes the goal value that holds where
the look ahead ends, `mobility` the share of legal moves, `rollout` the mean of random plays. With
`--players each` a role takes, of equally good moves, the one that is listed first: numbers by size
and before names, names by their text; no two roles may choose in one step.";

pub(super) const VERIFY_HELP: &str = "\
Examples:
  oddsmith solve GAME --table solved.table
  oddsmith verify GAME solved.table
  For another program; the schema is crates/cli/schema/verify.schema.json:
    oddsmith verify GAME solved.table --json

Exit status:
  0  proven
  1  a limit was met before the end
  2  not proven: damaged, of other rules, or an entry is wrong, which is shown
  3  the environment is at fault";

pub(super) const QUERY_HELP: &str = "\
Examples:
  The state that the table is about, and another one:
    oddsmith query solved.table
    oddsmith query solved.table --state '(cell 1 1 x) (cell 1 2 b) ... (control o)'
  For another program; the schema is crates/cli/schema/query.schema.json:
    oddsmith query solved.table --state @state.txt --json

What a table says is as good as its proof: see oddsmith verify.";

pub(super) const CHECK_HELP: &str = "\
Examples:
  oddsmith check my-game.gdl
  oddsmith check games/*.gdl --strict
  oddsmith generate connect 4 4 4 | oddsmith check -
  oddsmith check GAME --playouts 20000 --steps 5000 --seed 7
  For an editor; the schema is crates/cli/schema/check.schema.json:
    oddsmith check GAME --json

The rules are read and grounded, and some thousand games are played at random: a sample, which can
show that something is wrong and never that nothing is. `oddsmith solve --check` visits all states.
docs/diagnostics.md explains each code. Exit status: 0 passed (notes and warnings do not count), 2 an
error (with --strict also a warning), 1 a limit was met before the game was built.";

pub(super) const FMT_HELP: &str = "\
Examples:
  oddsmith fmt my-game.gdl                  in place
  oddsmith fmt games/*.gdl
  oddsmith fmt --check games/*.gdl          for a test: writes nothing
  oddsmith generate nim 20 | oddsmith fmt - to standard output

  (<= (legal ?p (mark ?x ?y))
      (true (cell ?x ?y b))     ; comments stay where they are
      (true (control ?p)))

Facts of one relation that share a line go on sharing it. A line holds up to 100 characters; lines
end with LF, and the byte order mark goes. A sheet is laid out whatever its rules say; only where a
parenthesis or a quotation has no other half, it is left as it is, with a message. A file that changes
is replaced by a new one, whole or not at all: other hard links to it keep the old text.

Exit status: 0 all is laid out; 1 with --check, some sheet is not; 2 a sheet cannot be read;
3 a sheet cannot be written.";

pub(super) const PERFT_HELP: &str = "\
Examples:
  oddsmith perft games/tic-tac-toe.gdl
  oddsmith perft games/stochastic-connect-4-5x4.gdl --depth 8
  oddsmith perft GAME --json

The number of move paths counts every joint move, chance included, as often as it is a different
move; states are distinct facts.";

pub(super) const INSPECT_HELP: &str = "\
Examples:
  oddsmith inspect games/tic-tac-toe.gdl
  oddsmith inspect GAME --plays 100 --seed 7
  oddsmith inspect GAME --time 20s --memory 4GiB --json

The time limit is that of compiling; plays have one of their own. Exit status 0 where both showed
the same in every state that was met, 1 where they did not or a limit ended the compilation.";

pub(super) const PLAY_HELP: &str = "\
Examples:
  oddsmith play games/stochastic-tic-tac-toe-3x3.gdl
  oddsmith play GAME --role o --seed 7
  oddsmith play GAME --choose-chance

At each step type the number or the text of a move, or
  b  the best move            r  a random move
  u  undo                     h  help
  q  quit";

pub(super) const GENERATE_HELP: &str = "\
Examples:
  oddsmith generate tic-tac-toe 3 3 3 --own 3/4 --output game.gdl
  oddsmith generate connect --columns 5 --rows 4 --line 4
  oddsmith generate nim 100 --add 1/2 | oddsmith solve -
  oddsmith generate parity 20 --variant chance | oddsmith xssat -
  oddsmith generate adder 8 --dialect qdimacs --output adder-8.qdimacs

Formulas are written with their value, known by theory, in the first lines.";

pub(super) const BOARD_HELP: &str = "\
Examples:
  oddsmith generate tic-tac-toe 3 3 3 --own 3/4
  oddsmith generate connect --columns 5 --rows 4 --line 4";

pub(super) const NIM_HELP: &str = "\
Examples:
  oddsmith generate nim 20
  oddsmith generate nim 100 --add 1/2 --output nim-100.gdl";

pub(super) const PIG_HELP: &str = "\
Examples:
  oddsmith generate pig 10
  oddsmith generate pig 100 --die 6 --output pig-100.gdl";

pub(super) const DEVICES_HELP: &str = "\
Examples:
  oddsmith devices
  oddsmith solve GAME --backend gpu --device 0
  oddsmith solve GAME --backend gpu --device llvmpipe --profile

A device of software runs on the processor: it shows that a game can be done on a device, and is
slower than `--backend cpu`. docs/gpu.md tells what a device does and what it costs.";

pub(super) const CROSSCHECK_HELP: &str = "\
Examples:
  oddsmith crosscheck games/tic-tac-toe.gdl
  oddsmith crosscheck games/*.gdl --roles
  oddsmith crosscheck GAME --horizon 4 --time 60s
  Cut a game on which engines differ down to a few rules, in the folder `differ`:
    oddsmith crosscheck GAME --shrink differ
  Random games, formulas and logic programs, for as long as one likes; the same line goes on:
    oddsmith crosscheck --random 1000 --formulas 10000 --programs 1000 --log counted.json

The reference evaluates the rules directly and is slow: choose games of some ten thousand states,
or a horizon. The exit status is 0 where at least two engines have one exact value and no bounds
speak against it; 1 where engines disagree, and where too few came to an end. Where they disagree,
the moves to a state are shown at which two part: where every next state was asked about, they
agree on all of those. Of a random game one player is asked about; an answer that a limit cut short
is counted apart.";

pub(super) const TRANSLATE_HELP: &str = "\
Examples:
  oddsmith translate games/tic-tac-toe.gdl --to propnet
  oddsmith translate GAME --to dot | dot -Tsvg > game.svg
  oddsmith translate GAME --to gdl        the normal form of the sheet
  oddsmith translate GAME --to prism --role x > game.prism
  oddsmith translate GAME --to wgsl       the code for a graphics device
  oddsmith translate GAME --to sqasp --horizon 18
  oddsmith translate GAME --to sdimacs --horizon 18 | oddsmith xssat -";

pub(super) const SQASP_HELP: &str = "\
Examples:
  oddsmith sqasp coins.lp
  oddsmith sqasp coins.lp --to sdimacs > coins.sdimacs
  A guess before a toss is right half the time:
    echo '{ guess; toss }. _exists(1,guess). _chance(2,1,2,toss).
          :- guess, not toss. :- toss, not guess.' | oddsmith sqasp -";

pub(super) const XSSAT_HELP: &str = "\
Examples:
  oddsmith xssat formula.sdimacs
  oddsmith xssat formula.qdimacs --stats
  oddsmith xssat formula.sdimacs --to trace -o formula.trace
  oddsmith xssat formula.trace --check
  oddsmith translate GAME --to sdimacs --horizon 18 | oddsmith xssat - --witness";

pub(super) const COMPLETIONS_HELP: &str = "\
Examples:
  oddsmith completions bash > ~/.local/share/bash-completion/completions/oddsmith
  oddsmith completions fish > ~/.config/fish/completions/oddsmith.fish";
