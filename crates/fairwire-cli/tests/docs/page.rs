//! A page with its fenced blocks: runs, checks or refreshes each in turn.
//!
//! A comment on the line before a block says what it is:
//!
//! * `<!-- file: NAME -->`: the block becomes this file, for commands that follow;
//! * `<!-- refused file: NAME -->`: the same, and `fairwire scenario check` refuses it;
//! * `<!-- quote: FILE | BEGINNING | END -->`: lines of a file of the repository, from
//!   the first that begins with BEGINNING to the next that is END.
//!
//! Comments are not shown, so that a file's name has to stand in the text above its block, too.

use crate::common::{fairwire_in, put, root};
use crate::console;
use crate::real;
use std::fs;
use std::path::Path;

/// The page as it should be, and what cannot be mended by writing it anew.
pub fn replayed(text: &str, folder: &Path) -> (String, Vec<String>) {
    let (mut shown, mut mistakes) = (String::with_capacity(text.len()), Vec::new());
    let mut lines = text.lines();
    let (mut before, mut said) = ("", String::new());
    while let Some(line) = lines.next() {
        shown.push_str(line);
        shown.push('\n');
        if !line.starts_with("<!-- ") {
            said.push_str(line);
        }
        if is_of_a_block(before) && !line.starts_with("```") {
            mistakes.push(format!("`{before}` stands right above its block, without an empty line"));
        }
        if let Some(language) = line.strip_prefix("```") {
            let file = comment(before, "file").or_else(|| comment(before, "refused file"));
            if let Some(name) = file.filter(|name| !said.contains(&format!("`{name}`"))) {
                mistakes.push(format!("the text above the block of {name} does not call it `{name}`"));
            }
            said.clear();
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            match refreshed(language, before, &block, folder) {
                Ok(block) => shown.push_str(&block),
                Err(mistake) => {
                    shown.push_str(&joined(&block));
                    mistakes.push(mistake);
                }
            }
            shown.push_str("```\n");
        }
        before = line;
    }
    (shown, mistakes)
}

/// What a comment of this kind says.
fn comment<'a>(line: &'a str, kind: &str) -> Option<&'a str> {
    line.strip_prefix(&format!("<!-- {kind}: "))?.strip_suffix(" -->")
}

/// Whether a line says what the block below it is.
fn is_of_a_block(line: &str) -> bool {
    ["<!-- file: ", "<!-- refused file: ", "<!-- quote: "].iter().any(|kind| line.starts_with(kind))
}

fn joined(block: &[&str]) -> String {
    block.iter().map(|line| format!("{line}\n")).collect()
}

fn refreshed(language: &str, before: &str, block: &[&str], folder: &Path) -> Result<String, String> {
    if let Some(name) = comment(before, "file") {
        put(folder, name, &joined(block));
    }
    if let Some(name) = comment(before, "refused file") {
        let said = fairwire_in(folder, &["scenario", "check", &put(folder, name, &joined(block))]);
        return if said.code == Some(2) { Ok(joined(block)) } else { Err(format!("{name} is not refused\n{said}")) };
    }
    if let Some(quote) = comment(before, "quote") {
        return quoted(quote);
    }
    match language {
        "console" if needs_real_packets(block) && !real::is_possible() => Ok(joined(block)),
        "console" => console::replayed(block, folder),
        "toml" => check_scenario(&joined(block), folder),
        _ => Ok(joined(block)),
    }
}

fn quoted(quote: &str) -> Result<String, String> {
    let [file, beginning, end] = quote.split(" | ").collect::<Vec<_>>()[..] else {
        return Err(format!("`{quote}` is not FILE | BEGINNING | END"));
    };
    let text = fs::read_to_string(root().join(file)).map_err(|error| format!("{file}: {error}"))?;
    let lines: Vec<&str> = text.lines().skip_while(|line| !line.starts_with(beginning)).collect();
    let length = lines.iter().position(|line| *line == end);
    let length = length.ok_or_else(|| format!("{file} has no lines from `{beginning}` to `{end}`"))?;
    Ok(joined(&lines[..=length]))
}

fn needs_real_packets(block: &[&str]) -> bool {
    let needs = |line: &&&str| line.starts_with("$ ") && (line.contains(" --real") || line.contains("fairwire up "));
    block.iter().any(|line| needs(&line))
}

/// Tables that a fragment leaves out are filled in, so that it can be checked.
fn check_scenario(block: &str, folder: &Path) -> Result<String, String> {
    let mut scenario = String::new();
    if !block.contains("schema = 1") {
        scenario.push_str("schema = 1\n");
    }
    scenario.push_str(block);
    if !block.contains("[ring]") && !block.contains("[network]") {
        scenario.push_str(RING);
    }
    if !block.contains("[[flow]]") {
        scenario.push_str(FLOW);
    }
    let said = fairwire_in(folder, &["scenario", "check", &put(folder, "fragment.toml", &scenario)]);
    if said.code == Some(0) { Ok(block.to_owned()) } else { Err(format!("{said}\n{scenario}")) }
}

const RING: &str = r#"
[ring]
stations = 10
capacity = "622 Mb/s"
span-delay = "0.1 ms"
law = { name = "dvsr" }
"#;

const FLOW: &str = r#"
[[flow]]
name = "to-hub"
from = [1, 2, 3, 4]
to = 5
"#;
