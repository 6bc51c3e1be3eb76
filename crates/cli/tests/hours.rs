//! Solves that are killed, that run out of disk or memory, and that another process is in the way
//! of: what users of solves of hours meet.

mod support;

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Folder, Ran, command, game, run, schema, solve};

/// An answer without what differs from run to run.
fn answer(ran: &Ran) -> Value {
    assert_eq!(ran.status, 0, "{ran:?}");
    let mut object = ran.json();
    let fields = object.as_object_mut().expect("an object");
    for cost in ["seconds", "peak_bytes"] {
        assert!(fields.remove(cost).is_some(), "`{cost}` tells what the run cost: {fields:?}");
    }
    object
}

/// The game that is killed: some hundred milliseconds of work in 32 plies.
fn connect() -> (Folder, String) {
    let sheet = run(&["generate", "connect", "4", "4", "4", "--own", "3/4"]);
    let folder = Folder::new();
    let path = folder.file("connect-4-4x4.gdl", sheet.out.as_bytes());
    (folder, path)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

/// Ends a process as the system does when memory is short, and waits for it.
fn kill(mut child: Child) {
    child.kill().expect("killed");
    child.wait().expect("ended");
}

/// Numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % bound
    }
}

#[test]
fn a_solve_that_is_killed_fifty_times_gives_the_same_answer() {
    let (folder, sheet) = connect();
    let begun = Instant::now();
    let whole = answer(&run(&["solve", &sheet, "--json", "--tier", "table"]));
    let usual = begun.elapsed().max(Duration::from_millis(40));
    let (mut dice, mut kills, mut rounds) = (Dice(7), 0, 0);
    while kills < 50 {
        let checkpoint = folder.path().join(format!("round-{rounds}"));
        let flags = ["solve", &sheet, "--json", "--checkpoint", text(&checkpoint), "--resume"];
        let flags = [&flags[..], &["--checkpoint-pace", "0ms"]].concat();
        for _ in 0..8 {
            let mut child = command(&flags)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("the binary starts");
            std::thread::sleep(usual.mul_f64(dice.below(1000) as f64 / 1000.0));
            if let Some(status) = child.try_wait().expect("asked") {
                assert_eq!(status.code(), Some(0), "it ended by itself with an answer");
                break;
            }
            kill(child);
            kills += 1;
        }
        assert_eq!(answer(&run(&flags)), whole, "round {rounds}");
        assert_eq!(answer(&run(&flags)), whole, "a finished solve answers again");
        rounds += 1;
        assert!(rounds < 200, "solves are killed on their way: {kills} kills");
    }
}

#[test]
fn two_processes_do_not_share_a_checkpoint() {
    let sheet = run(&["generate", "connect", "5", "5", "4", "--own", "3/4"]);
    let folder = Folder::new();
    let path = folder.file("connect-4-5x5.gdl", sheet.out.as_bytes());
    let checkpoint = folder.path().join("kept");
    let flags = ["solve", &path, "--checkpoint", text(&checkpoint)];
    let first = command(&flags)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !checkpoint.join("manifest").exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    let second = run(&[&flags[..], &["--resume"]].concat());
    kill(first);
    second.refused(2, &["another process works on the checkpoint"]);
    let third = run(&[&flags[..], &["--resume", "--time", "1s", "--json"]].concat());
    assert_eq!(third.status, 1, "the lock went with the process: {third:?}");
}

#[test]
fn a_checkpoint_of_something_else_is_refused_in_one_line() {
    let folder = Folder::new();
    let (kept, sheet) = (folder.path().join("kept"), game("stochastic-tic-tac-toe-3x3.gdl"));
    let flags =
        |sheet: &str| ["solve", sheet, "--checkpoint", text(&kept)].map(str::to_owned).to_vec();
    let ask = |sheet: &str, more: &[&str]| {
        let flags = flags(sheet);
        let mut words: Vec<&str> = flags.iter().map(String::as_str).collect();
        words.extend(more);
        run(&words)
    };
    assert_eq!(ask(&sheet, &[]).status, 0);
    ask(&sheet, &[]).refused(2, &["already holds a checkpoint", "--resume"]);
    ask(&game("tic-tac-toe.gdl"), &["--resume"]).refused(2, &["of other rules"]);
    ask(&sheet, &["--resume", "--role", "o"]).refused(2, &["its role is `x`, not `o`"]);
    ask(&sheet, &["--resume", "--horizon", "4"]).refused(2, &["its horizon is `none`, not `4`"]);
    ask(&sheet, &["--engine", "search"]).refused(2, &["needs --engine sweep"]);
    let foreign = run(&["solve", &sheet, "--checkpoint", env!("CARGO_MANIFEST_DIR")]);
    foreign.refused(2, &["no part of a checkpoint"]);
    assert_eq!(ask(&sheet, &["--resume"]).status, 0, "nothing was lost");
}

/// The largest resident size that the system saw of a child, and its exit status.
#[cfg(target_os = "linux")]
fn peak_of(flags: &[&str]) -> (u64, i32) {
    let mut child = command(flags)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let ended = loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        peak = peak.max(kib.unwrap_or(0) << 10);
        if let Some(ended) = child.try_wait().expect("asked") {
            break ended;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    (peak, ended.code().expect("no signal"))
}

#[cfg(target_os = "linux")]
#[test]
fn a_memory_limit_holds_from_disk_and_in_memory() {
    let sheet = run(&["generate", "connect", "5", "5", "4", "--own", "3/4"]);
    let folder = Folder::new();
    let path = folder.file("connect-4-5x5.gdl", sheet.out.as_bytes());
    let deep = folder.file("counter.gdl", counter().as_bytes());
    let runs = [(&path, "sweep", 48), (&path, "sweep", 120), (&path, "search", 64)];
    let pig = folder.file("pig.gdl", run(&["generate", "pig", "100"]).out.as_bytes());
    let others = [(&deep, "search", 100), (&pig, "sweep", 60)];
    for (sheet, engine, mebibytes) in runs.into_iter().chain(others) {
        let memory = format!("{mebibytes}MiB");
        let flags = ["solve", sheet, "--memory", &memory, "--time", "5s", "--engine", engine];
        let (peak, status) = peak_of(&flags);
        assert_eq!(status, 1, "{engine} under {memory} ends in bounds");
        let allowed = ((mebibytes << 20) * 105 / 100) + (32 << 20);
        assert!(peak > 8 << 20 && peak <= allowed, "{engine} under {memory}: {peak} bytes");
    }
}

#[test]
fn less_memory_than_a_solve_takes_is_enough_with_a_disk() {
    let (folder, sheet) = connect();
    let whole = answer(&run(&["solve", &sheet, "--json"]));
    let spill = folder.path().join("spill");
    let flags = ["solve", &sheet, "--json", "--memory", "24MiB", "--spill", text(&spill)];
    assert_eq!(answer(&run(&[&flags[..], &["--no-symmetry"]].concat())), whole);
    assert_eq!(std::fs::read_dir(&spill).expect("made").count(), 0, "nothing is left");
}

/// A small file system, where the test may mount one.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    fn new(folder: &Folder, size: &str) -> Option<Self> {
        let path = folder.path().join("small");
        std::fs::create_dir(&path).expect("made");
        let mounted = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs", text(&path)])
            .stderr(Stdio::null())
            .status();
        mounted.is_ok_and(|status| status.success()).then_some(Self(path))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        std::process::Command::new("umount").arg(&self.0).status().ok();
    }
}

/// Without a checkpoint nothing can be kept where the disk for what leaves memory is full.
#[test]
fn a_full_scratch_disk_is_told_with_its_folder() {
    let (folder, sheet) = connect();
    let Some(disk) = SmallDisk::new(&folder, "1m") else {
        println!("left out: a full disk needs the right to mount a small file system");
        return;
    };
    let spill = text(&disk.0);
    let begun = Instant::now();
    let flags = ["solve", &sheet, "--memory", "24MiB", "--spill", spill, "--no-symmetry"];
    let full = run(&flags);
    full.refused(3, &["No space left", spill]);
    assert!(begun.elapsed() < Duration::from_secs(60), "it ends at once");
    assert_eq!(std::fs::read_dir(&disk.0).expect("there").count(), 0, "nothing is left");
}

#[test]
fn a_full_disk_stops_a_solve_and_loses_nothing() {
    let (folder, sheet) = connect();
    let Some(disk) = SmallDisk::new(&folder, "1m") else {
        println!("left out: a full disk needs the right to mount a small file system");
        return;
    };
    let whole = answer(&run(&["solve", &sheet, "--json"]));
    let kept = disk.0.join("kept");
    let flags = ["solve", &sheet, "--json", "--checkpoint", text(&kept), "--resume"];
    let flags = [&flags[..], &["--checkpoint-pace", "0ms", "--no-symmetry"]].concat();
    for _ in 0..2 {
        let full = run(&flags);
        assert_eq!(full.status, 3, "{full:?}");
        assert!(full.out.contains("No space left"), "{full:?}");
    }
    // What was finished is whole: it goes on where there is room.
    let roomy = folder.path().join("roomy");
    std::fs::create_dir(&roomy).expect("made");
    let mut files = 0;
    for entry in std::fs::read_dir(&kept).expect("the checkpoint") {
        let entry = entry.expect("entry");
        std::fs::copy(entry.path(), roomy.join(entry.file_name())).expect("copied");
        files += 1;
    }
    assert!(files > 4, "some plies were finished: {files} files");
    let flags = ["solve", &sheet, "--json", "--checkpoint", text(&roomy), "--resume"];
    assert_eq!(answer(&run(&[&flags[..], &["--no-symmetry"]].concat())), whole);
}

#[test]
fn players_for_themselves_keep_to_limits_with_either_engine() {
    let path = game("stochastic-connect-4-4x4.gdl");
    for engine in ["search", "reference"] {
        let flags = ["solve", &path, "--players", "each", "--engine", engine, "--time", "100ms"];
        let ran = run(&[&flags[..], &["--json"]].concat());
        let object = ran.json();
        let fault = schema::fault(&schema::load("solve.schema.json"), &object);
        assert_eq!(fault, None, "{object:#}");
        assert_eq!((ran.status, &object["halt"]["reason"]), (1, &json!("time")), "{ran:?}");
        assert_eq!((&object["goals"], &object["tied"]), (&Value::Null, &Value::Null));
    }
}

/// A binary counter counts for 2^18 steps before the game is won; half can be had at any time.
fn counter() -> String {
    let mut sheet = String::from(
        "(role p) (legal p go) (<= (legal p stop) (not (true over))) (init start)
         (<= (next over) (does p stop)) (<= terminal (true over)) (<= terminal full)
         (<= (goal p 50) (true over)) (<= (goal p 100) full (not (true over)))
         (<= (goal p 0) (not (true over)) (not full))
         (<= (next (on ?b)) (true (on ?b)) (not (flips ?b)) (does p go))
         (<= (next (on ?b)) (bit ?b) (not (true (on ?b))) (flips ?b) (does p go))
         (flips 0) (<= (flips ?c) (after ?b ?c) (true (on ?b)) (flips ?b))\n",
    );
    let mut full = String::from("(<= full");
    for bit in 0..18 {
        sheet += &format!("(bit {bit}) (after {bit} {})\n", bit + 1);
        full += &format!(" (true (on {bit}))");
    }
    sheet + &full + ")\n"
}

#[test]
fn a_play_that_is_too_long_to_be_followed_ends_in_bounds() {
    let sheet = counter();
    let flags = ["--engine", "search", "--objective", "goal"];
    for time in [&[][..], &["--time", "1s"]] {
        let ran = solve(&sheet, &[&flags[..], time].concat());
        assert_eq!(ran.status, 1, "{ran:?}");
        assert!(ran.out.contains("at least 1/2 = 0.5\n"), "{ran:?}");
        assert!(ran.out.contains("at most  1\n"), "{ran:?}");
        let advice = "plays of more than 200000 steps are not followed";
        assert_eq!(ran.err.contains(advice), time.is_empty(), "{ran:?}");
    }
}
