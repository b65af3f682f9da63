//! Whole sweeps: the same files however they came about.

use fairwire_scenario::Scenario;
use fairwire_sweep::{
    Job, Part, Plan, Rounds, Stop, Store, SweepError, Task, check_place, check_writable, fill, finish, take_over,
};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A small network with random arrivals, of which no point stops at the first look.
pub const SCENARIO: &str = r#"schema = 1
title = "Two queues"

[run]
duration = "60 ms"
warmup = "10 ms"

[network]
nodes = ["a", "b"]
queue = { name = "droptail" }

[[network.link]]
name = "only"
from = "a"
to = "b"
capacity = "10 Mb/s"
delay = "1 ms"

[[flow]]
name = "one"
from = "a"
to = "b"
traffic = { kind = "poisson", rate = "5 Mb/s", packet = "500 B" }

[[flow]]
name = "two"
from = "a"
to = "b"
traffic = { kind = "poisson", rate = "8 Mb/s", packet = "500 B" }

[sweep]
"network.queue.name" = ["droptail", "red"]
"network.link.only.capacity" = { from = "8 Mb/s", to = "16 Mb/s", steps = 3 }
until = { measure = "flow.one.ratio", half-width = "4 %", first = 4, most = 20 }
"#;

pub fn plan(text: &str) -> Plan {
    let scenario = Scenario::parse("two.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    Plan::new(scenario.sweep_points().unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// All runs until `most` have ended; whether the sweep is at its end.
pub fn go_on(plan: &Plan, folder: &Path, part: Option<Part>, most: u64) -> (bool, u64) {
    let store = Store::open(folder, plan, part).unwrap();
    take_over(folder, plan, &store).unwrap();
    let ended = AtomicU64::new(0);
    let watch = |runs: u64, _: f64| ended.fetch_add(runs, Ordering::Relaxed) + runs < most;
    let mut rounds = Rounds::new(plan, part);
    loop {
        let jobs = rounds.next(plan, &store).unwrap();
        if jobs.is_empty() {
            if part.is_none() {
                finish(plan, &rounds, store, 1.0).unwrap();
            }
            return (true, ended.into_inner());
        }
        if !fill(plan, &jobs, &store, &watch).unwrap() {
            return (false, ended.into_inner());
        }
    }
}

/// The files of a folder and of those in it; of the manifest what is not of the moment.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            let inner = self::files(&entry.path()).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes));
            files.extend(inner);
            continue;
        }
        let mut bytes = fs::read(entry.path()).unwrap();
        if name == "manifest.json" {
            let mut told: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
            told["written_unix_s"] = 0.into();
            bytes = told.to_string().into_bytes();
        }
        files.insert(name, bytes);
    }
    files
}

fn whole(name: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = folder(name);
    assert!(go_on(&plan(SCENARIO), &folder, None, u64::MAX).0);
    files(&folder)
}

#[test]
fn files_are_the_same_at_any_number_of_threads() {
    let reference = whole("threads-all");
    let names: Vec<&str> = reference.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["manifest.json", "pairs.parquet", "points.parquet", "report.html", "runs.parquet", "scenario.toml"],
        "and no journal"
    );
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| whole(&format!("threads-{threads}"))) == reference, "{threads} threads");
    }
}

#[test]
fn a_sweep_that_is_stopped_again_and_again_ends_with_the_same_files() {
    let reference = whole("stopped-never");
    let (plan, folder) = (plan(SCENARIO), folder("stopped"));
    let mut calls = 0;
    while !go_on(&plan, &folder, None, 7).0 {
        calls += 1;
        // What a process that was killed may leave: half a line.
        let journal = folder.join("journal.jsonl");
        let mut bytes = fs::read(&journal).unwrap();
        bytes.truncate(bytes.len() - calls % 40);
        fs::write(&journal, bytes).unwrap();
        assert!(calls < 200, "it goes on");
    }
    assert!(calls > 3, "stopped {calls} times");
    assert!(files(&folder) == reference);
}

/// Bits that flip in the table of runs make no other points of it.
#[test]
fn a_damaged_table_of_runs_is_told() {
    let (plan, folder) = (plan(SCENARIO), folder("damaged"));
    assert!(go_on(&plan, &folder, None, u64::MAX).0);
    let reference = files(&folder);
    let whole = fs::read(folder.join("runs.parquet")).unwrap();
    for place in (0..whole.len()).step_by(97) {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << (place % 8);
        fs::write(folder.join("runs.parquet"), bytes).unwrap();
        let store = Store::open(&folder, &plan, None).unwrap();
        let error = take_over(&folder, &plan, &store).unwrap_err();
        assert!(
            matches!(&error, SweepError::Damaged { path, .. } if path.ends_with("runs.parquet")),
            "{place}: {error}"
        );
        store.leave().unwrap();
        assert!(!folder.join("journal.jsonl").exists(), "nothing is left behind");
    }
    // Without it all is run again.
    fs::remove_file(folder.join("runs.parquet")).unwrap();
    let (ended, ran) = go_on(&plan, &folder, None, u64::MAX);
    assert!(ended && ran > 0 && files(&folder) == reference);
    // Earlier versions tell no checksum; what cannot be read is damaged all the same.
    let manifest = fs::read_to_string(folder.join("manifest.json")).unwrap().replace("\"sha256\"", "\"md5\"");
    fs::write(folder.join("manifest.json"), manifest).unwrap();
    let (ended, ran) = go_on(&plan, &folder, None, u64::MAX);
    assert!(ended && ran == 0 && files(&folder) == reference);
}

/// What parts have left is looked at line by line before anything is made of it.
#[test]
fn lines_of_journals_that_cannot_be_are_told_with_their_place() {
    let (plan, folder) = (plan(SCENARIO), folder("lines"));
    let part = Some(Part { number: 1, of: 1 });
    assert!(go_on(&plan, &folder, part, u64::MAX).0);
    let journal = folder.join("journal-1-of-1.jsonl");
    let kept = fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = kept.lines().collect();
    let with = |line: String| {
        fs::write(&journal, format!("{kept}{line}\n")).unwrap();
        let opened = Store::open(&folder, &plan, None);
        opened.map(|store| store.unreadable())
    };
    let told = |line: String| with(line).unwrap_err().to_string();
    let place = format!("{}:{}: ", journal.display(), lines.len() + 1);
    let mut first: serde_json::Value = serde_json::from_str(lines[0]).unwrap();
    first["values"].as_array_mut().unwrap().pop();
    let short = told(first.to_string());
    assert!(short.starts_with(&place) && short.contains("the run has ") && short.ends_with(" values"), "{short}");
    let mut second: serde_json::Value = serde_json::from_str(lines[1]).unwrap();
    second["hops"] = 1.into();
    let other = told(second.to_string());
    assert!(other.starts_with(&place) && other.ends_with(&format!("{}:2", journal.display())), "{other}");
    assert_eq!(with(lines[0].to_owned()).unwrap(), None, "the same again is no harm");
    let garbage = with("garbage".to_owned()).unwrap();
    assert_eq!(garbage, Some(format!("{}:{}", journal.display(), lines.len() + 1)));
}

#[test]
fn a_crash_while_files_are_moved_loses_nothing() {
    let reference = whole("moved-never");
    let (plan, folder) = (plan(SCENARIO), folder("moved"));
    let journal = folder.join("journal.jsonl");
    // Everything is known, and the process dies in between: some files are there, some beside their places.
    let store = Store::open(&folder, &plan, None).unwrap();
    let mut rounds = Rounds::new(&plan, None);
    loop {
        let jobs = rounds.next(&plan, &store).unwrap();
        if jobs.is_empty() {
            break;
        }
        assert!(fill(&plan, &jobs, &store, &|_, _| true).unwrap());
    }
    let kept = fs::read(&journal).unwrap();
    finish(&plan, &rounds, store, 1.0).unwrap();
    for torn in ["runs.parquet", "points.parquet", "manifest.json"] {
        fs::write(&journal, &kept).unwrap();
        fs::rename(folder.join(torn), folder.join(format!("{torn}.partial"))).unwrap();
        fs::write(folder.join("report.html"), "half of it").unwrap();
        check_place(&folder).unwrap();
        let (ended, ran) = go_on(&plan, &folder, None, u64::MAX);
        assert!(ended && ran == 0, "nothing is run again");
        assert!(files(&folder) == reference, "{torn}");
    }
}

#[test]
fn parts_come_together_in_any_order() {
    let reference = whole("parts-none");
    for of in [1, 3, 7] {
        let (plan, folder) = (plan(SCENARIO), folder(&format!("parts-{of}")));
        for number in (1..=of).rev() {
            assert!(go_on(&plan, &folder, Some(Part { number, of }), u64::MAX).0);
        }
        let (_, ran) = go_on(&plan, &folder, None, u64::MAX);
        assert_eq!(ran, 0, "parts have run all of it");
        assert!(files(&folder) == reference, "{of} parts");
    }
}

#[test]
fn work_that_travels_as_text_gives_the_same_files() {
    let reference = whole("travelled-not");
    let (plan, folder) = (plan(SCENARIO), folder("travelled"));
    let store = Store::open(&folder, &plan, None).unwrap();
    let mut rounds = Rounds::new(&plan, None);
    loop {
        let mut jobs = rounds.next(&plan, &store).unwrap();
        if jobs.is_empty() {
            break;
        }
        jobs.reverse();
        for jobs in jobs.chunks(4) {
            let text = serde_json::to_string(&Task::of(&plan, jobs)).unwrap();
            let answer = serde_json::from_str::<Task>(&text).unwrap().work().unwrap_or_else(|error| panic!("{error}"));
            let text = serde_json::to_string(&answer).unwrap();
            store.keep_answer(&serde_json::from_str(&text).unwrap()).unwrap();
        }
    }
    finish(&plan, &rounds, store, 1.0).unwrap();
    assert!(files(&folder) == reference);
}

#[test]
fn a_worker_of_another_build_refuses() {
    let task = Task { build: "another".to_owned(), ..Task::of(&plan(SCENARIO), &[Job { point: 0, runs: 0..1 }]) };
    assert!(matches!(task.work(), Err(SweepError::OtherBuild { wanted, .. }) if wanted == "another"));
}

#[test]
fn a_wider_axis_runs_only_what_is_new() {
    let folder = folder("wider");
    let narrow = plan(SCENARIO);
    go_on(&narrow, &folder, None, u64::MAX);
    let (ended, ran) = go_on(&narrow, &folder, None, u64::MAX);
    assert!(ended && ran == 0, "all is known");
    // Three values more, none of the old ones gone; and a title, which no run depends on.
    let wide = plan(&SCENARIO.replace("steps = 3", "steps = 5").replace("Two queues", "Two wide queues"));
    let (ended, ran) = go_on(&wide, &folder, None, u64::MAX);
    assert!(ended);
    let reference = files(&folder);
    let fresh = self::folder("wider-at-once");
    let (_, all) = go_on(&wide, &fresh, None, u64::MAX);
    assert!(files(&fresh) == reference);
    assert!(ran > 0 && ran < all, "{ran} of {all}");
}

#[test]
fn points_stop_when_they_are_known_well_enough_and_not_later() {
    let (plan, folder) = (plan(SCENARIO), folder("stops"));
    let store = Store::open(&folder, &plan, None).unwrap();
    let mut rounds = Rounds::new(&plan, None);
    while let jobs @ [_, ..] = &rounds.next(&plan, &store).unwrap()[..] {
        assert!(fill(&plan, jobs, &store, &|_, _| true).unwrap());
    }
    let ended: Vec<(u64, Stop)> = (0..plan.points.len()).map(|point| rounds.ended(point).unwrap()).collect();
    // 4, 6, 9, 14, 20: after each look half as many again, and 20 at most.
    assert!(ended.iter().all(|(runs, _)| [4, 6, 9, 14, 20].contains(runs)), "{ended:?}");
    assert!(ended.iter().any(|(runs, _)| *runs > 4), "{ended:?}");
    assert!(ended.iter().all(|(runs, stop)| (*stop == Stop::Most) <= (*runs == 20)), "{ended:?}");
}

#[test]
fn a_folder_of_something_else_is_not_touched() {
    let folder = folder("foreign");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("thesis.tex"), "years of work").unwrap();
    assert!(matches!(check_place(&folder), Err(SweepError::Foreign { stranger, .. }) if stranger == "thesis.tex"));
    fs::rename(folder.join("thesis.tex"), folder.join("manifest.json")).unwrap();
    assert!(matches!(check_place(&folder), Err(SweepError::Foreign { .. })), "a manifest of something else");
    fs::remove_file(folder.join("manifest.json")).unwrap();
    fs::create_dir_all(folder.join("series")).unwrap();
    fs::write(folder.join("series/series-00001.parquet"), "").unwrap();
    check_place(&folder).unwrap();
    fs::write(folder.join("series/of-novels.txt"), "years of work").unwrap();
    assert!(
        matches!(check_place(&folder), Err(SweepError::Foreign { stranger, .. }) if stranger == "series/of-novels.txt")
    );
}

/// What was made for the question goes away again, and nothing else does, be it empty.
#[test]
fn whether_a_folder_can_be_written_is_found_out_without_a_trace() {
    let there = folder("writable");
    fs::create_dir_all(&there).unwrap();
    for asked in [there.clone(), there.join("a"), there.join("a/b/c")] {
        check_writable(&asked).unwrap();
        assert!(there.exists(), "{}", asked.display());
        assert_eq!(fs::read_dir(&there).unwrap().count(), 0, "{}", asked.display());
    }
    fs::write(there.join("file"), "").unwrap();
    assert!(check_writable(&there.join("file/a")).is_err(), "a file holds nothing");
    assert!(there.join("file").exists());
}

/// Of six points the three with the least and the three with the most of the first measure are commands to try.
#[test]
fn a_report_has_the_points_at_both_ends() {
    let page = whole("ends").remove("report.html").map(|page| String::from_utf8(page).unwrap()).unwrap();
    let (_, ends) = page.split_once("Least and most").expect("the section");
    let ends = &ends[..ends.find("</section>").unwrap()];
    let (least, most) = ends.split_once("most ").expect("two tables");
    let commands = |part: &str| part.matches("fairwire run two.toml --set").count();
    assert_eq!((commands(least), commands(most)), (3, 3));
}

#[test]
fn two_processes_do_not_write_one_journal() {
    let (plan, folder) = (plan(SCENARIO), folder("busy"));
    let _first = Store::open(&folder, &plan, None).unwrap();
    assert!(matches!(Store::open(&folder, &plan, None), Err(SweepError::Busy(_))));
    Store::open(&folder, &plan, Some(Part { number: 1, of: 2 })).unwrap();
}
