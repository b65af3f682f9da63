//! `fairwire sweep`: what it says, how it ends, and that nothing is lost however it is stopped.

use crate::common::{SMALL, STEADY, command, fairwire_in, folder, has_keys, names_in, put};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

/// Two senders by chance, two laws, three delays.
fn swept(sweep: &str) -> String {
    let poisson = "traffic = { kind = \"poisson\", rate = \"60 Mb/s\", packet = \"500 B\" }";
    let by_chance = |line: &str| if line.starts_with("traffic = ") { poisson.to_owned() } else { line.to_owned() };
    let lines: Vec<String> = SMALL.replace("[run]", "[run]\nreplications = 4").lines().map(by_chance).collect();
    format!("{}\n\n[sweep]\n{sweep}\n", lines.join("\n").trim_end())
}

const LAWS_AND_DELAYS: &str =
    "\"ring.law.name\" = [\"dvsr\", \"fifo\"]\n\"ring.span-delay\" = { from = \"0.1 ms\", to = \"0.3 ms\", steps = 3 }";

#[test]
fn the_answer_tells_points_and_pairs_and_where_the_rest_is() {
    let folder = folder("sweep-answer");
    put(&folder, "lot.toml", &swept(LAWS_AND_DELAYS));
    let answer = fairwire_in(&folder, &["sweep", "lot.toml", "--json"]).ends_with(0).json();
    has_keys(
        &answer,
        &["scenario", "file", "build", "points", "pairs", "runs", "done", "interrupted", "folder", "report"],
    );
    assert_eq!((answer["points"].as_array().unwrap().len(), answer["runs"].as_u64()), (6, Some(24)));
    assert_eq!(answer["done"], 24);
    let point = &answer["points"][4];
    assert_eq!((point["law"].as_str(), point["set"]["ring.span-delay"].as_str()), (Some("fifo"), Some("200 us")));
    let ratio =
        point["measures"].as_array().unwrap().iter().find(|one| one["measure"] == "flow.to-last-0.ratio").unwrap();
    has_keys(ratio, &["unit", "n", "missing", "mean", "half_width", "low", "high"]);
    assert_eq!(ratio["n"], 4);
    assert!(answer["pairs"].as_array().unwrap().iter().all(|pair| pair["base"] == "dvsr" && pair["law"] == "fifo"));
    let kept = ["manifest.json", "pairs.parquet", "points.parquet", "report.html", "runs.parquet", "scenario.toml"];
    assert_eq!(names_in(&folder.join("runs/lot-sweep")), kept);
    let page = fs::read_to_string(folder.join("runs/lot-sweep/report.html")).unwrap();
    assert!(page.contains("Along ring.span-delay") && page.contains("Beside dvsr") && page.contains("--set"), "{page}");
    let again = fairwire_in(&folder, &["sweep", "lot.toml", "--json"]).ends_with(0).json();
    assert_eq!((again["done"].as_u64(), &again["points"]), (Some(0), &answer["points"]));
}

/// What stands between two texts, each time.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Vec<&'a str> {
    text.split(before).skip(1).filter_map(|rest| Some(rest.split_once(after)?.0)).collect()
}

fn percent_decoded(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        bytes.push(u8::from_str_radix(&piece[..2], 16).expect("two digits"));
        bytes.extend(piece[2..].bytes());
    }
    String::from_utf8(bytes).expect("it is text")
}

#[test]
#[cfg(unix)]
fn the_points_at_both_ends_are_commands_and_files_that_run() {
    let folder = folder("sweep-ends");
    let file = "the lot's.toml";
    put(&folder, file, &swept(LAWS_AND_DELAYS));
    let swept = fairwire_in(&folder, &["sweep", file, "--set", "run.seed=7", "--json"]).ends_with(0).json();
    let page = fs::read_to_string(folder.join(swept["report"].as_str().unwrap())).unwrap();
    let commands = between(&page, "<code style=\"white-space:normal;overflow-wrap:anywhere\">", "</code>");
    let files = between(&page, "href=\"data:application/toml,", "\"");
    let points: Vec<usize> = between(&page, ">point ", "</a>").iter().map(|point| point.parse().unwrap()).collect();
    assert_eq!((commands.len(), files.len(), points.len()), (6, 6, 6));
    for ((command, file), point) in commands.into_iter().zip(files).zip(points) {
        let asked = command.replace("&quot;", "\"").replacen("fairwire", "exec \"$0\"", 1) + " --no-folder --json";
        let binary = crate::common::command(&folder, &[]);
        let said =
            Command::new("sh").args(["-c", &asked]).arg(binary.get_program()).current_dir(&folder).output().unwrap();
        assert!(said.status.success(), "{command}: {}", String::from_utf8_lossy(&said.stderr));
        let told: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
        let alone = put(&folder, "alone.toml", &percent_decoded(file));
        let by_file = fairwire_in(&folder, &["run", &alone, "--no-folder", "--json"]).ends_with(0).json();
        assert_eq!(told["runs"][0]["law"], swept["points"][point]["law"]);
        assert_eq!(told["runs"].as_array().unwrap().len(), 4);
        for (one, other) in told["runs"].as_array().unwrap().iter().zip(by_file["runs"].as_array().unwrap()) {
            assert_eq!((&one["flows"], &one["seed"]), (&other["flows"], &other["seed"]), "{command}");
        }
    }
}

#[test]
fn a_share_of_runs_has_both_ends_of_its_interval() {
    let folder = folder("sweep-share");
    put(&folder, "lot.toml", &swept("\"ring.law.name\" = [\"dvsr\", \"fifo\"]\nmeasures = [\"fair\"]"));
    let said = fairwire_in(&folder, &["sweep", "lot.toml", "--quiet"]).ends_with(0);
    let answer = fairwire_in(&folder, &["sweep", "lot.toml", "--quiet", "--json"]).ends_with(0).json();
    let fair = &answer["points"][1]["measures"][0];
    assert_eq!(fair["measure"], "fair.5%");
    assert!(fair["low"].as_f64() < fair["high"].as_f64(), "{fair}");
    let row = said.stdout.lines().find(|line| line.starts_with("fifo")).expect("a row of fifo");
    let digits = |end: &str| {
        format!("{:.2}", fair[end].as_f64().unwrap()).trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    assert!(row.contains(&format!(" {} to {} ", digits("low"), digits("high"))), "{said}");
    assert!(said.stdout.contains("fair.5%") && said.stdout.contains(" 95 %"), "{said}");
}

#[test]
fn a_folder_that_cannot_be_used_is_bad_input() {
    let folder = folder("sweep-nowhere");
    put(&folder, "lot.toml", &swept(LAWS_AND_DELAYS));
    let said = fairwire_in(&folder, &["sweep", "lot.toml", "--out", "lot.toml/there"]).ends_with(2);
    assert!(said.stderr.contains("cannot read lot.toml/there") && said.stderr.contains("--out DIR"), "{said}");
    let said = fairwire_in(&folder, &["sweep", "lot.toml", "--merge", "nothing"]).ends_with(2);
    assert!(said.stderr.contains("cannot read nothing") && said.stderr.contains("--merge DIR"), "{said}");
    let said = fairwire_in(&folder, &["sweep", "lot.toml", "--merge", "nothing", "--out", "unmade"]).ends_with(2);
    assert!(!folder.join("unmade").exists(), "nothing is written: {said}");
}

#[test]
fn what_is_wrong_is_told_before_anything_runs() {
    let folder = folder("sweep-wrong");
    for (name, sweep, wrong) in [
        ("key", "\"ring.spam-delay\" = [\"1 ms\"]", "[ring] has no key `spam-delay`"),
        ("empty", "\"ring.span-delay\" = { from = \"1 ms\", to = \"1 ms\", steps = 2 }", "is empty"),
        ("log", "\"ring.span-delay\" = { from = \"0 s\", to = \"1 ms\", steps = 2, scale = \"log\" }", "reaches zero"),
        (
            "many",
            "\"run.seed\" = { from = 1, to = 100000, steps = 100000 }\n\"flow.to-last.weight\" = { from = 1.0, to = 9.0, steps = 10000 }",
            "1,000,000,000 points",
        ),
        (
            "measure",
            "\"ring.stations\" = [3, 4]\nuntil = { measure = \"flow.none.ratio\", half-width = \"1 %\" }",
            "no flow is called \"none\"",
        ),
        ("twice", "\"ring.stations\" = [3, 4]\nring.stations = [5]", "swept twice"),
        ("point", "\"ring.stations\" = [3, 2]", "with ring.stations = 2"),
    ] {
        let file = format!("{name}.toml");
        put(&folder, &file, &swept(sweep));
        let said = fairwire_in(&folder, &["sweep", &file, "--json"]).ends_with(2);
        let errors = said.json()["errors"].as_array().unwrap().len();
        let message = said.json()["errors"][0]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(wrong) && errors == 1, "{name}: {said}");
        assert!(said.json()["errors"][0]["line"].as_u64().is_some_and(|line| line > 1), "{name}: {said}");
    }
    assert!(names_in(&folder).iter().all(|name| name.ends_with(".toml")), "nothing is left behind");
    put(&folder, "good.toml", &swept("\"ring.stations\" = [3, 4]"));
    fairwire_in(&folder, &["sweep", "good.toml", "--part", "4/3"]).ends_with(2);
    fairwire_in(&folder, &["sweep", "good.toml", "--set", "ring.stations"]).ends_with(2);
    fairwire_in(&folder, &["sweep", "good.toml", "--points", "none.csv"]).ends_with(2);
    fairwire_in(&folder, &["sweep", "good.toml", "--out", "."]).ends_with(2);
    let said = fairwire_in(&folder, &["sweep", "good.toml", "--merge", "--json"]).ends_with(2);
    assert!(said.stdout.contains("8 runs are missing"), "{said}");
    assert!(!folder.join("runs/good-sweep").exists(), "nothing is left behind");
    fs::create_dir(folder.join("parts")).unwrap();
    put(&folder, "parts/journal.jsonl", "garbage\n");
    let said = fairwire_in(&folder, &["sweep", "good.toml", "--merge", "parts"]).ends_with(2);
    let words = said.stderr.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    assert!(words.contains("parts/journal.jsonl:1 tells of no run"), "{said}");
}

#[test]
fn run_and_compare_say_what_they_leave_to_sweep() {
    let folder = folder("sweep-run");
    put(&folder, "lot.toml", &swept(LAWS_AND_DELAYS));
    let said = fairwire_in(&folder, &["run", "lot.toml", "--no-folder"]).ends_with(0);
    assert!(said.stderr.contains("`sweep` all of its points"), "{said}");
    let said = fairwire_in(&folder, &["compare", "lot.toml", "--no-folder"]).ends_with(0);
    assert!(said.stderr.contains("`sweep` all of its points"), "{said}");
}

#[test]
fn a_file_that_sweeps_nothing_is_told() {
    let folder = folder("sweep-nothing");
    put(&folder, "lot.toml", SMALL);
    let said = fairwire_in(&folder, &["sweep", "lot.toml"]).ends_with(0);
    assert!(said.stderr.contains("nothing is swept") && said.stderr.contains("`--points`"), "{said}");
    // One point, run as often as it takes, is something to ask for.
    put(&folder, "often.toml", &swept("until = { measure = \"jain\", half-width = \"5 %\" }"));
    let said = fairwire_in(&folder, &["sweep", "often.toml"]).ends_with(0);
    assert!(!said.stderr.contains("nothing is swept"), "{said}");
}

#[test]
fn a_dry_run_tells_how_much_there_is_and_keeps_nothing() {
    let folder = folder("sweep-dry");
    put(
        &folder,
        "lot.toml",
        &swept(&format!("{LAWS_AND_DELAYS}\nuntil = {{ measure = \"jain\", half-width = \"1 %\" }}")),
    );
    let forecast = fairwire_in(&folder, &["sweep", "lot.toml", "--dry-run", "--json"]).ends_with(0).json();
    assert_eq!((forecast["points"].as_u64(), forecast["runs_least"].as_u64()), (Some(6), Some(60)));
    assert_eq!(forecast["runs_most"], 1_200);
    assert!(forecast["run_s"].as_f64().unwrap() > 0.0);
    assert_eq!(names_in(&folder), ["lot.toml"]);
    let one = fairwire_in(&folder, &["sweep", "lot.toml", "--dry-run", "--threads", "1", "--json"]).ends_with(0).json();
    assert_eq!((one["threads"].as_u64(), one["known"].as_u64()), (Some(1), Some(0)));
    // A part leaves a journal, all of it a table; both are known, and left alone.
    for (args, known) in [(&["--part", "1/3"][..], 20), (&[], 60)] {
        let sweep = [&["sweep", "lot.toml", "--out", "kept", "--set", "sweep.until.most=10"], args].concat();
        fairwire_in(&folder, &sweep).ends_with(0);
        let before = names_in(&folder.join("kept"));
        let dry = ["sweep", "lot.toml", "--out", "kept", "--set", "sweep.until.most=10", "--dry-run", "--json"];
        let forecast = fairwire_in(&folder, &dry).ends_with(0).json();
        assert_eq!((forecast["known"].as_u64(), names_in(&folder.join("kept"))), (Some(known), before));
        assert_eq!(forecast["least_s"] == 0.0, known == 60, "{forecast}");
    }
}

/// The bytes of what does not tell times.
fn tables(folder: &Path) -> Vec<Vec<u8>> {
    let series: Vec<String> = match folder.join("series") {
        series if series.is_dir() => names_in(&series).iter().map(|name| format!("series/{name}")).collect(),
        _ => Vec::new(),
    };
    ["runs.parquet", "points.parquet", "pairs.parquet", "report.html", "scenario.toml"]
        .iter()
        .copied()
        .chain(series.iter().map(String::as_str))
        .map(|name| fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}")))
        .collect()
}

/// Files that are not whole yet, with the time of their last change.
fn half_written(folder: &Path) -> Vec<(String, SystemTime)> {
    let names = if folder.is_dir() { names_in(folder) } else { Vec::new() };
    let changed = |name: &String| fs::metadata(folder.join(name)).and_then(|file| file.modified()).ok();
    let half_written = names.into_iter().filter(|name| name.ends_with("partial"));
    half_written.filter_map(|name| Some((name.clone(), changed(&name)?))).collect()
}

/// A sweep long enough to be killed on its way.
const LONG: &str = "\"ring.law.name\" = [\"dvsr\", \"fifo\"]\n\"ring.span-delay\" = { from = \"0.1 ms\", to = \"0.3 ms\", steps = 30 }\nuntil = { measure = \"flow.*.delay.mean\", half-width = \"4 %\", first = 6, most = 30 }";

/// Twice at least while it writes its last files. `FAIRWIRE_KILLS=50` kills it more often.
#[test]
fn killed_at_any_moment_it_goes_on_and_ends_with_the_same_files() {
    let folder = folder("sweep-killed");
    put(&folder, "lot.toml", &swept(LONG));
    fairwire_in(&folder, &["sweep", "lot.toml", "--series", "--out", "whole"]).ends_with(0);
    assert_eq!(tables(&folder.join("whole")).len(), 6, "five files, and one of series");
    let kills: u32 = std::env::var("FAIRWIRE_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    let (mut killed, mut while_writing, mut wait_ms, mut rounds) = (0, 0, 3, 0);
    while killed < kills || while_writing < 2 {
        let threads = ["1", "3"][killed as usize % 2];
        let args = ["sweep", "lot.toml", "--series", "--out", "killed", "--threads", threads];
        let before = half_written(&folder.join("killed"));
        let mut child = command(&folder, &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
        std::thread::sleep(Duration::from_millis(wait_ms));
        match child.try_wait().expect("it can be asked") {
            None => {
                child.kill().expect("it can be killed");
                child.wait().expect("it ends");
                killed += 1;
                let left = half_written(&folder.join("killed"));
                while_writing += u32::from(!left.is_empty() && left != before);
                wait_ms = 3 + (wait_ms * 7 + 11) % 97;
            }
            Some(status) => {
                assert!(status.success());
                assert!(tables(&folder.join("killed")) == tables(&folder.join("whole")));
                fs::remove_dir_all(folder.join("killed")).expect("a finished sweep can be removed");
                rounds += 1;
                wait_ms = 3 + (wait_ms * 5) % 61;
                assert!(rounds < 1_000, "it is killed now and then");
            }
        }
    }
    let last = fairwire_in(&folder, &["sweep", "lot.toml", "--series", "--out", "killed"]).ends_with(0);
    assert!(tables(&folder.join("killed")) == tables(&folder.join("whole")), "{last}");
    assert!(!names_in(&folder.join("killed")).iter().any(|name| name.ends_with("partial") || name.ends_with("jsonl")));
}

#[test]
fn ctrl_c_keeps_what_has_ended_and_says_so() {
    let folder = folder("sweep-ctrl-c");
    put(&folder, "lot.toml", &swept("\"run.seed\" = { from = 1, to = 100000, steps = 100000 }"));
    let child = command(&folder, &["sweep", "lot.toml", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let journal = folder.join("runs/lot-sweep/journal.jsonl");
    for _ in 0..600 {
        std::thread::sleep(Duration::from_millis(50));
        if fs::metadata(&journal).is_ok_and(|file| file.len() > 10_000) {
            break;
        }
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the answer is whole");
    assert_eq!(answer["interrupted"], true);
    let lines = fs::read_to_string(&journal).unwrap().lines().count() as u64;
    assert_eq!(answer["known"].as_u64(), Some(lines), "every run that has ended is kept");
    assert!(String::from_utf8_lossy(&output.stderr).contains("calling it again goes on"));
}

/// A limit on the size of files stands in for a disk that is full.
#[test]
#[cfg(unix)]
fn a_disk_that_fills_keeps_what_has_ended_and_says_so() {
    let folder = folder("sweep-full");
    put(&folder, "lot.toml", &swept(LONG));
    let sweep = ["sweep", "lot.toml", "--series", "--out", "kept"];
    let mut limited = Command::new("sh");
    let fairwire = command(&folder, &sweep);
    limited.args(["-c", "trap '' XFSZ; ulimit -f 32; exec \"$0\" \"$@\""]).arg(fairwire.get_program());
    let output = limited.args(fairwire.get_args()).current_dir(&folder).output().expect("sh runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("all finished runs are kept; calling it again goes on"), "{said}");
    let kept = fs::read_to_string(folder.join("kept/journal.jsonl")).expect("the journal is there");
    let runs = kept.lines().count();
    assert!(runs > 3 && kept.ends_with('\n') && kept.lines().all(|line| line.ends_with('}')), "{runs} whole lines");
    let answer = fairwire_in(&folder, &[&sweep[..], &["--json"]].concat()).ends_with(0).json();
    assert_eq!(answer["done"].as_u64().map(|done| done + runs as u64), answer["runs"].as_u64());
    assert_eq!(answer["series"], "kept/series");
    fairwire_in(&folder, &["sweep", "lot.toml", "--series", "--out", "whole"]).ends_with(0);
    assert!(tables(&folder.join("kept")) == tables(&folder.join("whole")));
}

#[test]
fn a_time_that_run_does_not_believe_is_missing() {
    let folder = folder("sweep-last-window");
    put(&folder, "steady.toml", STEADY);
    let run =
        |duration: &str| fairwire_in(&folder, &["run", "steady.toml", "--no-folder", "--json", "--duration", duration]);
    let window_ns =
        run("5 ms").ends_with(0).json()["runs"][0]["time_to_fair"][0]["window_ns"].as_u64().expect("a window");
    let found = |windows: u64| {
        let duration = format!("{} ns", window_ns * windows / 10);
        let told = run(&duration).ends_with(0).json()["runs"][0]["time_to_fair"][0]["only_in_last_window"].clone();
        let set = format!("run.duration={duration}");
        let answer = fairwire_in(&folder, &["sweep", "steady.toml", "--set", &set, "--json"]).ends_with(0).json();
        let measures = answer["points"][0]["measures"].as_array().expect("measures").clone();
        let time = measures.into_iter().find(|measure| measure["measure"] == "time-to-fair.5%_ns").expect("a time");
        (told, time["missing"].as_u64(), time["mean"].is_null())
    };
    assert_eq!(found(15), (true.into(), Some(1), true), "one window and a half");
    assert_eq!(found(50), (false.into(), Some(0), false));
}

#[test]
fn tables_leave_out_what_holds_nothing_and_name_the_swept_key() {
    let folder = folder("sweep-filled");
    let text = format!(
        "{STEADY}\n[sweep]\n\"ring.law.name\" = [\"fifo\", \"dvsr\"]\n\"ring.span-delay\" = [\"10 us\", \"20 us\"]\n"
    );
    put(&folder, "two.toml", &text);
    let said = fairwire_in(&folder, &["sweep", "two.toml"]).ends_with(0);
    assert!(!said.stdout.contains('±'), "one run has no interval: {said}");
    let heads: Vec<&str> =
        said.stdout.lines().filter(|line| line.ends_with("runs") || line.contains("stopped by")).collect();
    let [points, pairs] = heads[..] else { panic!("two tables: {said}") };
    assert!(points.starts_with("ring.law.name") && pairs.starts_with("ring.span-delay   law"), "{said}");
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_with_and_without_runs_alike() {
    let folder = folder("sweep-nowhere");
    put(&folder, "lot.toml", &swept(LAWS_AND_DELAYS));
    put(&folder, "file", "");
    let call = |out: &str, more: &[&str]| {
        fairwire_in(&folder, &[&["sweep", "lot.toml", "--out", out], more].concat()).ends_with(2).stderr
    };
    let mut nowhere = vec!["file/deeper/out"];
    if cfg!(target_os = "linux") {
        nowhere.push("/proc/out");
    }
    for out in nowhere {
        let refused = call(out, &["--dry-run"]);
        assert!(refused.contains(out) && refused == call(out, &[]), "{refused}");
    }
    fairwire_in(&folder, &["sweep", "lot.toml", "--out", "new/deep", "--dry-run"]).ends_with(0);
    assert_eq!(names_in(&folder), ["file", "lot.toml"], "a trial leaves nothing");
}

#[test]
fn the_page_says_which_intervals_there_are() {
    let folder = folder("sweep-intervals");
    put(&folder, "lot.toml", &swept(LAWS_AND_DELAYS));
    let page = |replications: &str| {
        let set = format!("run.replications={replications}");
        fairwire_in(&folder, &["sweep", "lot.toml", "--set", &set]).ends_with(0);
        fs::read_to_string(folder.join("runs/lot-sweep/report.html")).unwrap()
    };
    let one = page("1");
    assert!(one.contains("only fair.5%, a share of runs, has intervals, those of 95 %"), "{one}");
    assert!(one.contains(" to ") && !one.contains("there are no intervals"));
    assert!(page("3").contains("Intervals are those of 95 %"));
}
