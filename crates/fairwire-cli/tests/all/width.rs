//! Tables on terminals that are narrower than they are.

use crate::common::{Said, fairwire, fairwire_in, folder, put, shipped};

/// A call of each verb that draws tables.
fn calls() -> Vec<Vec<String>> {
    let [lot, triangle, web] =
        ["papers/parking-lot.toml", "teaching/triangle.toml", "gateways/vrr-one-tcp.toml"].map(shipped);
    let [rates, cut] = ["teaching/explicit-rate-events.toml", "operators/protected-ring.toml"].map(shipped);
    let short = ["--duration", "200 ms", "--no-folder"];
    let call = |verb: &[&str], file: &str, rest: &[&str]| -> Vec<String> {
        [verb, &[file], rest].concat().into_iter().map(str::to_owned).collect()
    };
    vec![
        call(&["allocate"], &lot, &["--what-if", "link r0:3 +10%", "--sensitivities"]),
        call(&["allocate"], &triangle, &["--criterion", "proportional"]),
        call(&["run"], &lot, &[&short[..], &["--replications", "3"]].concat()),
        call(&["run"], &web, &["--duration", "22 s", "--no-folder"]),
        call(&["run"], &rates, &["--no-folder"]),
        call(&["run"], &cut, &["--no-folder"]),
        call(&["compare"], &lot, &short),
        call(&["compare"], &rates, &["--no-folder"]),
        call(&["analyse"], &shipped("papers/two-flow-demands.toml"), &[]),
        call(&["reproduce"], "--list", &[]),
        call(&["reproduce"], "dvsr-eq7-loss-definition", &[]),
        call(&["laws"], "dvsr", &[]),
        call(&["doctor"], "--quiet", &[]),
    ]
}

fn said(call: &[String], width: Option<&str>) -> Said {
    let mut args: Vec<&str> = call.iter().map(String::as_str).collect();
    width.iter().for_each(|width| args.extend(["--width", width]));
    fairwire(&args)
}

/// The widths of all tables: that of the rule under each header, and of the header itself.
fn widths(page: &str) -> Vec<usize> {
    let lines: Vec<&str> = page.lines().collect();
    let rule = |line: &str| line.chars().count() > 2 && line.chars().all(|c| c == '─');
    let rules = (0..lines.len()).filter(|&at| rule(lines[at]));
    rules.flat_map(|at| [at.saturating_sub(1), at]).map(|at| lines[at].chars().count()).collect()
}

/// What stands in the tables and around them, broken lines put together.
fn letters(page: &str) -> Vec<char> {
    let mut letters: Vec<char> = page.chars().filter(|c| !c.is_whitespace() && *c != '─').collect();
    letters.sort_unstable();
    letters
}

#[test]
fn tables_fit_and_nothing_is_left_out() {
    for call in calls() {
        let whole = said(&call, None).stdout;
        let widest = widths(&whole).into_iter().max().unwrap_or_else(|| panic!("{call:?} draws a table: {whole}"));
        let longest = whole.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        for width in [40, 60, 80, 120] {
            let narrow = said(&call, Some(&width.to_string())).stdout;
            assert!(narrow.lines().all(|line| line.chars().count() <= width), "{call:?} at {width}: {narrow}");
            assert_eq!(widest > width, widths(&narrow) != widths(&whole), "{call:?} at {width}: {narrow}");
            if longest <= width {
                assert_eq!(narrow, whole, "{call:?} at {width}");
            }
            let mut left = letters(&narrow).into_iter().peekable();
            for letter in letters(&whole) {
                while left.next_if(|other| *other < letter).is_some() {}
                assert_eq!(left.next(), Some(letter), "{call:?} at {width}: {narrow}");
            }
        }
    }
}

#[test]
fn what_stands_below_is_told_in_words() {
    let file = shipped("papers/parking-lot.toml");
    let run = ["run", &file, "--duration", "200 ms", "--no-folder", "--width", "60"];
    let said = fairwire(&run).ends_with(0);
    let told = said.stdout.lines().skip_while(|line| !line.starts_with('(')).take(2).collect::<Vec<_>>().join(" ");
    assert!(told.contains("delay p50, p95, p99 stand below: 60 characters a line are too few."), "{said}");
    assert!(told.contains("--json"), "{said}");
    let compare = fairwire(&["compare", &file, "--duration", "50 ms", "--no-folder", "--width", "60"]).ends_with(0);
    assert!(compare.stdout.contains("stand below: 60 characters"), "{compare}");
    fairwire(&["allocate", &file, "--width", "3"]).ends_with(2);
}

/// `COLUMNS` speaks of a terminal: what goes into a pipe stays as it is.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_tells_its_width_and_a_pipe_has_none() {
    use crate::common::command;
    let folder = folder("width-terminal");
    let file = put(&folder, "lot.toml", &std::fs::read_to_string(shipped("papers/parking-lot.toml")).expect("shipped"));
    let whole = fairwire_in(&folder, &["allocate", &file]).stdout;
    let mut piped = command(&folder, &["allocate", &file]);
    let output = piped.env("COLUMNS", "60").output().expect("the binary runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), whole);

    let binary = piped.get_program().to_string_lossy().into_owned();
    let on_terminal = |columns: &str| {
        let mut script = std::process::Command::new("script");
        let call = format!("stty cols 70 rows 24; unset COLUMNS; {columns} '{binary}' allocate '{file}'");
        script.args(["-qec", &call, "/dev/null"]);
        script.stdin(std::process::Stdio::null()).output().ok().filter(|output| output.status.success())
    };
    let (Some(own), Some(told)) = (on_terminal(""), on_terminal("COLUMNS=50")) else {
        eprintln!("passed over: there is no `script` to make a terminal");
        return;
    };
    let widest = |output: &std::process::Output| {
        let page = String::from_utf8_lossy(&output.stdout).replace('\r', "");
        widths(&page).into_iter().max().unwrap_or_else(|| panic!("a table: {page}"))
    };
    assert!(widths(&whole).into_iter().any(|width| width > 70));
    assert!((51..=70).contains(&widest(&own)), "the terminal has 70 columns");
    assert!(widest(&told) <= 50, "COLUMNS says 50");
}
