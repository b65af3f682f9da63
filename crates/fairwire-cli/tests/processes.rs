//! How the command behaves among other processes: pipes, signals, places that are not there.

mod common;

#[cfg(target_os = "linux")]
use common::desk::wait_until;
use common::{SMALL, build_bench, command, fairwire, folder, names_in, put};
use serde_json::Value;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::time::Instant;

#[test]
fn a_reader_that_has_had_enough_is_no_failure() {
    let folder = folder("pipe");
    let file = put(&folder, "small.toml", SMALL);
    for args in
        [&["run", &file, "--json", "--no-folder"][..], &["allocate", &file], &["scenario", "schema"], &["--help"]]
    {
        let mut child = command(&folder, args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().expect("stderr").read_to_string(&mut said).expect("text");
        let code = child.wait().expect("it ends").code();
        assert!(!said.contains("panic"), "{args:?}: {said}");
        assert_eq!(code, Some(0), "{args:?}: {said}");
    }
}

#[test]
fn ctrl_c_keeps_what_is_finished() {
    let folder = folder("interrupt");
    put(&folder, "small.toml", SMALL);
    let args = ["run", "small.toml", "--json", "--out", "kept", "--replications", "200000"];
    let mut child = command(&folder, &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    std::thread::sleep(Duration::from_millis(1500));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let mut said = String::new();
    child.stdout.take().expect("stdout").read_to_string(&mut said).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let answer: Value = serde_json::from_str(&said).expect("the answer is whole");
    assert_eq!(answer["interrupted"], true);
    let runs = answer["runs"].as_array().expect("runs").len();
    assert!(runs < 200_000, "it was stopped");
    assert_eq!(folder.join("kept/manifest.json").is_file(), runs > 0, "{runs} finished runs");
    assert!(names_in(&folder).iter().all(|name| !name.starts_with('.')), "nothing half-written is left behind");
}

/// Whether a process handles a signal.
#[cfg(target_os = "linux")]
fn is_heard(process: &str, signal: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).expect("a mask") & (1 << (signal - 1)) != 0)
}

/// What a closed terminal sends ends a run as Ctrl-C does, and `nohup` keeps the run going.
#[cfg(target_os = "linux")]
#[test]
fn a_hangup_is_heard_unless_it_is_ignored() {
    let folder = folder("hangup");
    let file = put(&folder, "small.toml", SMALL);
    let hung_up = |disposition: &str, patience: Duration| {
        let mut child = Command::new("env")
            .args([disposition, env!("CARGO_BIN_EXE_fairwire"), "run", &file, "--duration", "3000 s", "--out", "kept"])
            .current_dir(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it runs");
        let id = child.id().to_string();
        let send = |signal: &str| Command::new("kill").args([signal, &id]).status().expect("kill runs");
        // SIGTERM is the last signal but SIGHUP that it begins to listen to.
        assert!(wait_until(|| is_heard(&id, 15)));
        std::thread::sleep(Duration::from_millis(100));
        assert!(send("-HUP").success());
        let begun = Instant::now();
        let mut has_ended = || child.try_wait().expect("it can be waited for").is_some();
        while !has_ended() && begun.elapsed() < patience {
            std::thread::sleep(Duration::from_millis(20));
        }
        let ended = has_ended();
        if !ended {
            assert!(send("-TERM").success());
        }
        (ended, child.wait().expect("it ends").code())
    };
    assert_eq!(hung_up("--default-signal=HUP", Duration::from_secs(20)), (true, Some(130)));
    assert_eq!(hung_up("--ignore-signal=HUP", Duration::from_secs(1)), (false, Some(130)));
}

#[test]
fn a_run_is_cut_short_in_its_middle() {
    let folder = folder("interrupt-middle");
    let file = put(&folder, "small.toml", SMALL);
    let stopped = |args: &[&str]| {
        let piped = || Stdio::piped();
        let mut child = command(&folder, args).stdout(piped()).stderr(piped()).spawn().expect("it runs");
        std::thread::sleep(Duration::from_millis(500));
        let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill runs");
        assert!(killed.success());
        let (mut said, mut words) = (String::new(), String::new());
        child.stdout.take().expect("stdout").read_to_string(&mut said).expect("text");
        child.stderr.take().expect("stderr").read_to_string(&mut words).expect("text");
        assert_eq!(child.wait().expect("it ends").code(), Some(130));
        (said, words)
    };
    let args = ["run", &file, "--json", "--no-folder", "--duration", "3000 s"];
    let answer: Value = serde_json::from_str(&stopped(&args).0).expect("the answer is whole");
    assert_eq!(answer["runs"], Value::Array(Vec::new()), "half a run is none");
    let (said, words) = stopped(&["run", &file, "--no-folder", "--duration", "3000 s"]);
    assert!(said.is_empty(), "there is nothing to show: {said}");
    assert!(words.contains("stopped after 0 of 1 run") && !words.contains("packet-hops"), "{words}");
}

/// Of which a hundredth would take minutes: connections that begin every nanosecond, and packets as often.
#[test]
fn ctrl_c_is_heard_however_crowded_a_run_is() {
    let folder = folder("interrupt-crowded");
    let crowds = [
        r#"{ kind = "transfers", mean-interval = "1 ns", size = "1 B" }"#,
        r#"{ kind = "poisson", rate = "1 Tb/s", packet = "64 B" }"#,
    ];
    for traffic in crowds {
        let ring = "[ring]\nstations = 4\ncapacity = \"100 Mb/s\"\nspan-delay = \"50 ms\"\nlaw = { name = \"dvsr\" }\n";
        let flow = format!("[[flow]]\nname = \"crowd\"\nfrom = 0\nto = 2\ntraffic = {traffic}\n");
        let file = put(&folder, "crowd.toml", &format!("schema = 1\n{ring}{flow}"));
        let mut child = command(&folder, &["run", &file, "--no-folder", "--duration", "1000 s"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it runs");
        std::thread::sleep(Duration::from_millis(700));
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
        assert!(killed.success());
        let hears = (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(100));
            child.try_wait().expect("it can be asked").is_some()
        });
        if !hears {
            child.kill().expect("it can be killed");
        }
        assert_eq!((hears, child.wait().expect("it ends").code()), (true, Some(130)), "{traffic}");
    }
}

#[test]
fn bench_hands_arguments_and_exit_code_on() {
    let folder = folder("handed-on");
    let program = folder.join("fairwire");
    std::fs::hard_link(env!("CARGO_BIN_EXE_fairwire"), &program).expect("a binary can be linked");
    let call = |args: &[&str], path: &str| {
        let output = Command::new(&program).args(args).env("PATH", path).output().expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, said, words) = call(&["bench", "aqm"], "");
    assert_eq!((code, said.as_str()), (Some(3), ""));
    assert!(
        words.contains("cargo install --path crates/fairwire-bench --locked") && words.contains("make bench"),
        "{words}"
    );
    // Written by another process: a file that this one has written may still be open in a child of another test.
    let stand_in = |folder: &Path, code: u8| {
        let write =
            format!("echo \"printf '<%s>' \\\"\\$@\\\"; exit {code}\" > fairwire-bench; chmod +x fairwire-bench");
        let written = Command::new("sh").args(["-c", &write]).current_dir(folder).status();
        assert!(written.expect("there is a shell").success());
    };
    let elsewhere = folder.join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("a folder can be made");
    stand_in(&elsewhere, 5);
    let args = ["bench", "--help", "aqm", "--out", "two words", "--", "-x"];
    let wanted = "<--help><aqm><--out><two words><--><-x>".to_owned();
    assert_eq!(call(&args, &elsewhere.display().to_string()), (Some(5), wanted.clone(), String::new()));
    // What lies beside the command comes first.
    stand_in(&folder, 7);
    assert_eq!(call(&args, &elsewhere.display().to_string()), (Some(7), wanted, String::new()));
    assert_eq!(call(&["bench"], "").0, Some(7));
}

#[test]
fn version_help_and_completions_are_there() {
    assert!(fairwire(&["--version"]).ends_with(0).stdout.starts_with("fairwire 0."));
    let help = fairwire(&["--help"]).ends_with(0).stdout;
    build_bench();
    for verb in ["allocate", "run", "compare", "reproduce", "laws", "scenario", "bench", "completions"] {
        assert!(help.contains(verb), "{help}");
        fairwire(&[verb, "--help"]).ends_with(0);
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(fairwire(&["completions", shell]).ends_with(0).stdout.contains("fairwire"), "{shell}");
    }
    fairwire(&[]).ends_with(2);
    fairwire(&["simulate"]).ends_with(2);
}

#[test]
fn claims_that_are_stopped_leave_no_pages_and_older_ones_stay() {
    let folder = folder("papers-stopped");
    std::fs::create_dir(folder.join("papers")).expect("a folder");
    put(&folder.join("papers"), "index.html", "fairwire: older");
    let mut child = command(&folder, &["reproduce", "rpr-enhanced-conservative", "--html", "papers"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    std::thread::sleep(Duration::from_millis(1_000));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let mut said = String::new();
    child.stderr.take().expect("stderr").read_to_string(&mut said).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(130), "{said}");
    assert!(said.contains("no pages were written"), "{said}");
    assert_eq!(
        (names_in(&folder), names_in(&folder.join("papers"))),
        (vec!["papers".into()], vec!["index.html".into()])
    );
}
