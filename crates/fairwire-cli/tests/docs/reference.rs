//! The files of docs/reference/, made from what the software says of itself.

use crate::common::{bench, fairwire};
use fairwire_results::columns;
use serde_json::Value;
use std::fmt::Write;
use std::path::PathBuf;

/// Each file with its content.
pub fn files() -> Vec<(PathBuf, String)> {
    let schema = fairwire(&["scenario", "schema"]).ends_with(0);
    let files = [
        ("columns.md", column_tables()),
        ("cli.md", help_texts()),
        ("laws.md", laws()),
        ("scenario.md", keys(&schema.json())),
        ("scenario.schema.json", schema.stdout),
    ];
    files.map(|(name, text)| (PathBuf::from("docs/reference").join(name), text)).into()
}

const MADE: &str = "<!-- Made by the test crates/fairwire-cli/tests/docs; edit the source, not this page. -->\n";

fn column_tables() -> String {
    let mut page = format!(
        "{MADE}\n# Columns of the tables\n\nEvery table of a result folder, as Parquet or CSV. Where a cell may be empty, \
         the type has a question mark. How each measure is defined stands in [measures](../measures.md).\n"
    );
    let columns = columns();
    let mut table = "";
    for column in &columns {
        if column.table != table {
            table = column.table;
            let _ = writeln!(page, "\n## {table}\n\n| column | type | unit | meaning |\n| --- | --- | --- | --- |");
        }
        let (kind, empty) = (column.kind.name(), if column.nullable { "?" } else { "" });
        let _ = writeln!(page, "| `{}` | {kind}{empty} | {} | {} |", column.name, column.unit, column.meaning);
    }
    page
}

fn help_texts() -> String {
    let mut page = format!("{MADE}\n# The command line\n\nWhat `fairwire help VERB` says.\n");
    let top = fairwire(&["--help"]).ends_with(0).stdout;
    let verbs = verbs_of(&top);
    let _ = write!(page, "\n## fairwire\n\n```text\n{top}```\n");
    for verb in verbs {
        let said = fairwire(&["help", &verb]).ends_with(0).stdout;
        let _ = write!(page, "\n## fairwire {verb}\n\n```text\n{said}```\n");
        for inner in verbs_of(&said) {
            let said = fairwire(&["help", &verb, &inner]).ends_with(0).stdout;
            let _ = write!(page, "\n### fairwire {verb} {inner}\n\n```text\n{said}```\n");
        }
    }
    let top = bench(&["--help"]).ends_with(0).stdout;
    let _ = write!(page, "\n## fairwire-bench\n\n```text\n{top}```\n");
    for what in verbs_of(&top) {
        let said = bench(&["help", &what]).ends_with(0).stdout;
        let _ = write!(page, "\n### fairwire-bench {what}\n\n```text\n{said}```\n");
    }
    page
}

/// The names under `Commands:`, but for `help` itself.
fn verbs_of(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

fn laws() -> String {
    let answer = fairwire(&["laws", "--json"]).ends_with(0).json();
    let mut page = format!("{MADE}\n# Laws and their parameters\n\nWhat `fairwire laws --json` says.\n");
    let mut kind = String::new();
    for law in answer["laws"].as_array().expect("laws") {
        let [name, summary, source] = ["name", "summary", "source"].map(|key| words(law, key));
        if words(law, "kind") != kind {
            kind = words(law, "kind");
            let title = match kind.as_str() {
                "ring" => "Laws of a ring",
                "queue" => "Laws of queues",
                _ => "Congestion controls of TCP",
            };
            let _ = writeln!(page, "\n# {title}");
        }
        let more = match kind.as_str() {
            "control" if !matches!(name.as_str(), "bbr" | "dctcp") => "[transport](../transport.md)".to_owned(),
            _ => format!("[{name}](../laws/{name}.md)"),
        };
        let _ = writeln!(page, "\n## {name}\n\n{summary}. Source: {source}. See {more}.\n");
        let parameters = law["parameters"].as_array().expect("parameters");
        if parameters.is_empty() {
            page.push_str("There is nothing to set.\n");
            continue;
        }
        page.push_str("| parameter | type | default | range | meaning |\n| --- | --- | --- | --- | --- |\n");
        for parameter in parameters {
            let [name, kind, range, meaning] = ["name", "type", "range", "meaning"].map(|key| words(parameter, key));
            let default = default_of(parameter);
            assert_ne!(default, "", "the page shows the default of `{name}`");
            let _ = writeln!(page, "| `{name}` | {kind} | {default} | {range} | {meaning} |");
        }
    }
    page
}

/// Every table of the scenario format with its keys, from the JSON schema.
fn keys(schema: &Value) -> String {
    let mut page = format!(
        "{MADE}\n# Keys of a scenario\n\nFrom the JSON schema that `fairwire scenario schema` prints, which is also kept in \
         [scenario.schema.json](scenario.schema.json) for editors. The format by example: [scenarios](../scenarios.md).\n"
    );
    table_of_keys(&mut page, "The whole file", schema);
    page
}

/// The keys of one table, then those of the tables in it.
fn table_of_keys(page: &mut String, title: &str, table: &Value) {
    let _ = writeln!(page, "\n## {title}\n\n{}\n", words(table, "description"));
    page.push_str("| key | value | default | meaning |\n| --- | --- | --- | --- |\n");
    let needed: Vec<&str> = table["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (key, value) in keys_of(table) {
        let is_needed = value["default"].is_null() && needed.contains(&key.as_str());
        let default = if is_needed { "needed".to_owned() } else { default_of(value) };
        let (key, kind, meaning) = (key.replace('|', "\\|"), kind_of(value), words(value, "description"));
        let _ = writeln!(page, "| `{key}` | {kind} | {default} | {meaning} |");
    }
    let mut told: Vec<&Value> = Vec::new();
    for (_, value) in keys_of(table) {
        for inner in tables_in(value) {
            // Several promises are told by the same keys.
            if told.contains(&inner) {
                continue;
            }
            told.push(inner);
            let path = |key: &str| match title.starts_with('`') {
                true => format!("`{}.{key}`", title.trim_matches('`')),
                false => format!("`{key}`"),
            };
            let alike = keys_of(table).into_iter().filter(|(_, other)| tables_in(other).contains(&inner));
            let paths = alike.map(|(key, _)| path(&key)).collect::<Vec<_>>().join(", ");
            let tag = ["name", "kind"].iter().find_map(|tag| inner["properties"][tag]["const"].as_str());
            let title = match tag {
                Some(tag) => format!("{paths} of `{tag}`"),
                None => paths,
            };
            table_of_keys(page, &title, inner);
        }
    }
}

/// Keys with what they hold; patterns of names as a reader would write them.
fn keys_of(table: &Value) -> Vec<(String, &Value)> {
    let fixed = table["properties"].as_object().into_iter().flatten().map(|(key, value)| (key.clone(), value));
    let patterns = table["patternProperties"].as_object().into_iter().flatten();
    let readable = |pattern: &String| {
        pattern.trim_matches(['^', '$']).replace("[.]", ".").replace(".+", "NAME").replace("[0-9.]+%", "5%")
    };
    fixed.chain(patterns.map(|(pattern, value)| (readable(pattern), value))).collect()
}

/// The tables that may stand there: itself, its alternatives, or what its list holds.
fn tables_in(value: &Value) -> Vec<&Value> {
    let alternatives = value["oneOf"].as_array().or(value["anyOf"].as_array());
    let all = [value, &value["items"]].into_iter().chain(alternatives.into_iter().flatten());
    all.filter(|one| one["properties"].is_object()).collect()
}

/// What may stand there, in a word or two.
fn kind_of(value: &Value) -> String {
    match value["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        Some("control") => return "name or table of a [congestion control](laws.md)".to_owned(),
        Some(_) => return "table of a [queue law](laws.md)".to_owned(),
        None => {}
    }
    if value["properties"].is_object() {
        return "table".to_owned();
    }
    if let Some(choices) = value["enum"].as_array() {
        return choices.iter().map(|choice| format!("`{choice}`")).collect::<Vec<_>>().join(", ");
    }
    if !value["const"].is_null() {
        return format!("`{}`", value["const"]);
    }
    if let Some(alternatives) = value["oneOf"].as_array().or(value["anyOf"].as_array()) {
        let mut kinds: Vec<String> = alternatives.iter().map(kind_of).collect();
        kinds.dedup();
        return kinds.join(" or ");
    }
    match &value["type"] {
        Value::String(kind) if kind == "array" => format!("list of {}", kind_of(&value["items"])),
        Value::String(kind) if kind == "string" => "text".to_owned(),
        Value::String(kind) if kind == "object" => "table".to_owned(),
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => {
            kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ").replace("string", "text")
        }
        _ => "any".to_owned(),
    }
}

/// Its default as one would write it; empty if it has none.
fn default_of(value: &Value) -> String {
    match &value["default"] {
        Value::Null => String::new(),
        Value::String(text) => format!("`\"{text}\"`"),
        other => format!("`{other}`"),
    }
}

fn words(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|")
}
