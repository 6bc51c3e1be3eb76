//! `--backend` and `devices`, as a user meets them, with the feature `gpu` and without.
//!
//! With it and without an adapter, tests that need one say so in a line and do no more, unless
//! `ODDSMITH_GPU` is set, as `cargo xtask test` does in the part `gpu`.
#![forbid(unsafe_code)]

mod support;

use support::{CYCLE, run, solve};

#[cfg(not(feature = "gpu"))]
#[test]
fn a_build_without_devices_says_how_to_get_one() {
    for words in [&["devices"][..], &["solve", "-", "--backend", "gpu"]] {
        run(words).refused(3, &["built without graphics devices", "cargo xtask", "--features gpu"]);
    }
    let ran = run(&["crosscheck", "--random", "3", "--gpu"]);
    ran.refused(3, &["built without graphics devices"]);
}

#[test]
fn what_a_device_does_not_do_is_refused() {
    for (flags, word) in [
        (&["--backend", "gpu", "--engine", "reference"][..], "--engine search"),
        (&["--backend", "gpu", "--engine", "search", "--check"], "--check"),
        (&["--backend", "gpu", "--engine", "search", "--stream"], "--engine sweep"),
        (&["--backend", "gpu", "--tier", "dense"], "--tier"),
        (&["--backend", "gpu", "--table", "t"], "--table"),
        (&["--backend", "auto", "--approximate"], "--approximate"),
        (&["--device", "0"], "--backend gpu"),
        (&["--profile"], "--backend gpu"),
        (&["--stream=1GiB"], "--backend gpu"),
    ] {
        solve(support::GUESS, flags).refused(2, &[word]);
    }
}

#[test]
fn auto_answers_on_any_machine() {
    let ran = solve(support::GUESS, &["--backend", "auto"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.contains("1/2 = 0.5"), "{ran:?}");
    let ran = solve(CYCLE, &["--backend", "auto"]);
    assert!(ran.status == 0 && ran.out.contains("by sweep on cpu"), "{ran:?}");
}

#[cfg(feature = "gpu")]
mod with_a_device {
    use std::time::{Duration, Instant};

    use super::*;
    use support::{game, run_with};

    /// Whether there is a device.
    fn there_is_one() -> bool {
        let ran = run(&["devices"]);
        if ran.status == 0 {
            return true;
        }
        assert_eq!(ran.status, 3, "{ran:?}");
        assert!(ran.err.contains("mesa-vulkan-drivers"), "it says what to install: {ran:?}");
        assert!(std::env::var_os("ODDSMITH_GPU").is_none(), "a device is required: {ran:?}");
        eprintln!("commands on a graphics device: left out, there is no adapter");
        false
    }

    #[test]
    fn devices_are_listed_and_chosen_by_number_or_name() {
        if !there_is_one() {
            return;
        }
        let listed = run(&["devices", "--json"]).json();
        let name = listed["devices"][0]["name"].as_str().expect("a name").to_owned();
        assert!(run(&["devices"]).out.contains(&name));
        for device in ["0", &name] {
            let ran = solve(support::GUESS, &["--backend", "gpu", "--device", device]);
            assert!(ran.status == 0 && ran.out.contains("by sweep on gpu"), "{ran:?}");
        }
        let ran = solve(support::GUESS, &["--backend", "gpu", "--device", "no such device"]);
        ran.refused(3, &["no such device", &name]);
    }

    #[test]
    fn a_game_that_comes_back_is_refused_by_the_name_of_the_device() {
        if there_is_one() {
            let ran = run_with(&["solve", "-", "--backend", "gpu"], CYCLE.as_bytes());
            ran.refused(2, &["how many steps were played", "--backend gpu", "--backend cpu"]);
        }
    }

    #[test]
    fn a_search_has_states_taken_apart_on_a_device() {
        if !there_is_one() {
            return;
        }
        let path = game("stochastic-nim-20.gdl");
        let search = ["solve", &path, "--engine", "search", "--threads", "1"];
        let here = run(&search);
        let there = run(&[&search[..], &["--backend", "gpu", "--profile"]].concat());
        assert_eq!((here.status, there.status), (0, 0), "{there:?}");
        let said = |out: &str| out.split("\ntime ").next().unwrap_or_default().to_owned();
        assert_eq!(said(&there.out), said(&here.out), "value, moves and stored positions");
        for part in ["by search on gpu", "search    ", " batches: ", "pass      deal"] {
            assert!(there.out.contains(part), "`{part}` is not in\n{}", there.out);
        }
        let ran = solve(CYCLE, &["--engine", "search", "--backend", "gpu", "--json"]);
        assert_eq!(ran.status, 0, "a game that comes back is searched: {ran:?}");
        assert_eq!(ran.json()["value"], "1/1");
        let ran = solve(support::GUESS, &["--engine", "search", "--backend", "auto"]);
        assert!(ran.status == 0 && ran.out.contains("by search on"), "{ran:?}");
    }

    #[test]
    fn where_the_processor_answers_there_is_no_profile() {
        let ran = solve(CYCLE, &["--backend", "auto", "--profile"]);
        assert_eq!(ran.status, 0, "{ran:?}");
        for part in ["by sweep on cpu", "profile   none: the processor answered"] {
            assert!(ran.out.contains(part), "`{part}` is not in\n{}", ran.out);
        }
    }

    #[test]
    fn a_device_is_compared_with_all_engines() {
        if there_is_one() {
            let ran = run(&["crosscheck", &game("coin-guess.gdl"), "--gpu", "--json"]);
            assert_eq!(ran.status, 0, "{ran:?}");
            let object = ran.json();
            let rows = object["questions"][0]["engines"].as_array().expect("rows").clone();
            let row = rows.iter().find(|row| row["engine"] == "sweep on gpu").expect("a row");
            assert_eq!((&row["value"], &row["states"]), (&rows[0]["value"], &rows[0]["states"]));
            let row = rows.iter().find(|row| row["engine"] == "search on gpu").expect("a row");
            assert_eq!(&row["value"], &rows[0]["value"]);
            let ran = run(&["crosscheck", &game("pig-5.gdl"), &game("reroll.gdl"), "--gpu"]);
            assert_eq!(ran.status, 0, "what a device does not do takes nothing away: {ran:?}");
            let ran = run(&["crosscheck", "--random", "40", "--gpu", "--json"]);
            assert_eq!(ran.status, 0, "{ran:?}");
            let ends = &ran.json()["games"]["engines"]["sweep on gpu"];
            assert!(ends["exact"].as_u64() >= Some(20), "{ends}");
            assert_eq!(ends["faulty"], 0);
        }
    }

    #[test]
    fn a_profile_tells_of_plies_and_passes() {
        if there_is_one() {
            let path = game("tic-tac-toe.gdl");
            let ran = run(&["solve", &path, "--backend", "gpu", "--profile"]);
            assert_eq!(ran.status, 0, "{ran:?}");
            for part in ["device    ", "shaders compiled in", "ply 4     forward: ", "claim"] {
                assert!(ran.out.contains(part), "`{part}` is not in\n{}", ran.out);
            }
        }
    }

    #[test]
    fn plies_that_wait_go_through_the_memory_of_this_machine() {
        if !there_is_one() {
            return;
        }
        let path = game("stochastic-tic-tac-toe-3x3.gdl");
        let here = run(&["solve", &path, "--json"]).json();
        let flags = ["solve", &path, "--backend", "gpu", "--json"];
        for stream in ["--stream", "--stream=64MiB"] {
            let ran = run(&[&flags[..], &[stream]].concat());
            assert_eq!(ran.status, 0, "{ran:?}");
            assert_eq!(ran.json()["value"], here["value"], "{stream}");
        }
        let ran = run(&[&flags[..], &["--stream=1KiB"]].concat());
        assert_eq!(ran.status, 1, "{ran:?}");
        assert_eq!(ran.json()["halt"]["reason"], "memory");
        let ran = run(&["solve", &path, "--backend", "gpu", "--stream=1KiB"]);
        assert!(ran.status == 1 && ran.err.contains("give `--stream` more"), "{ran:?}");
    }

    #[test]
    fn a_time_limit_ends_in_bounds_at_once() {
        if there_is_one() {
            let sheet = run(&["generate", "connect", "7", "6", "4", "--own", "3/4"]);
            let begun = Instant::now();
            let flags = ["solve", "-", "--backend", "gpu", "--time", "12s", "--json"];
            let ran = run_with(&flags, sheet.out.as_bytes());
            assert!(begun.elapsed() < Duration::from_secs(25), "{:?}", begun.elapsed());
            assert_eq!(ran.status, 1, "{ran:?}");
            assert_eq!(ran.json()["halt"]["reason"], "time");
        }
    }
}
