//! Runs the commands of a `console` block as a reader would type them.
//!
//! A line that begins with `$ ` is given to `sh`, with `fairwire` and `fairwire-bench` on its path, in a
//! folder that holds `scenarios/`, `examples/` and the files of the page; what follows is all it
//! says, on stdout and stderr. A line of the output that holds only `…` stands for any
//! lines. How fast the simulator was is shown as `…`.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The block with what the commands say now.
pub fn replayed(block: &[&str], folder: &Path) -> Result<String, String> {
    let mut shown = String::new();
    let mut rest = block;
    while let [line, after @ ..] = rest {
        let typed = line.strip_prefix("$ ").ok_or_else(|| format!("`{line}` does not begin with `$ `"))?;
        let length = after.iter().position(|line| line.starts_with("$ ")).unwrap_or(after.len());
        let said = run(typed, folder);
        let said: Vec<&str> = said.lines().map(str::trim_end).collect();
        let _ = writeln!(shown, "$ {typed}");
        abridged(&after[..length], &said).for_each(|line| shown.push_str(&format!("{line}\n")));
        rest = &after[length..];
    }
    Ok(shown)
}

/// What the command says, with as many lines left out as the page does.
fn abridged<'a>(old: &[&str], said: &'a [&'a str]) -> Box<dyn Iterator<Item = &'a str> + 'a> {
    let gap = old.iter().position(|line| *line == "…");
    let (head, tail) = gap.map_or((said.len(), 0), |gap| (gap, old.len() - gap - 1));
    if gap.is_none() || head + tail >= said.len() {
        return Box::new(said.iter().copied());
    }
    let (head, tail) = (&said[..head], &said[said.len() - tail..]);
    Box::new(head.iter().copied().chain(["…"]).chain(tail.iter().copied()))
}

fn run(typed: &str, folder: &Path) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_fairwire")).parent().expect("a binary lies in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("exec 2>&1; {typed}"))
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", binary.display()))
        .env("NO_COLOR", "1")
        // What others have up has another name.
        .env("FAIRWIRE_NAME", format!("docs-{}", std::process::id()))
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .expect("there is a shell");
    let said = String::from_utf8(output.stdout).expect("what is said is text");
    said.lines().map(without_speed).fold(String::new(), |text, line| text + &line + "\n")
}

/// `12 runs`, as a sweep tells how long they took.
fn is_count_of_runs(text: &str) -> bool {
    let count = text.strip_suffix(" runs").or_else(|| text.strip_suffix(" run"));
    count.is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `2 runs in 145 ms: …` without what depends on the machine.
fn without_speed(line: &str) -> String {
    match line.split_once(" in ") {
        Some((runs, speed)) if speed.contains("packet-hops") || is_count_of_runs(runs) => format!("{runs} in …"),
        _ => line.to_owned(),
    }
}
