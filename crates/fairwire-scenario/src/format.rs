//! `scenario fmt`: one spacing and one order of keys; comments stay with what
//! they stand at, and nothing changes its meaning.

use crate::flow::traffic;
use crate::reading::diagnostic::{Diagnostics, Report};
use crate::reading::document::Node;
use crate::{expect, flow, network, ring, run, scenario_table};
use toml_edit::{Array, Decor, DocumentMut, InlineTable, Item, RawString, Table, Value};

/// Longer lines are broken, where they can be.
const WIDTH: usize = 100;
const INDENT: &str = "    ";

/// The text in canonical form. Formatting twice changes nothing more.
///
/// Any TOML is formatted, also a scenario that has other mistakes.
///
/// # Errors
/// What keeps the text from being TOML at all; the file name is for the caller to fill in.
pub fn format(text: &str) -> Result<String, Diagnostics> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let report = Report::new(&text);
    let tree = Node::read(&text, &report);
    let (header, body) = split_header(&text);
    let document = tree.and_then(|_| {
        body.parse::<DocumentMut>().map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let span = span.start + header.len()..span.end + header.len();
            report.error(
                span,
                format!("this is not TOML: {}", error.message()),
                "here",
                "write one `key = value` a line",
            )
        })
    });
    let (mut document, _) = report.finish("", document)?;
    let trailing = tidy_prefix(document.trailing().as_str().unwrap_or_default(), false, false);
    tidy_document(document.as_table_mut());
    document.set_trailing(if trailing.trim().is_empty() {
        String::new()
    } else {
        trailing.trim_end().to_owned() + "\n"
    });
    let mut whole = tidy_prefix(header, true, false);
    let body = document.to_string();
    if !whole.is_empty() && body.trim().is_empty() {
        whole.truncate(whole.trim_end().len());
        whole.push('\n');
    }
    whole.push_str(body.trim_start_matches('\n'));
    Ok(whole)
}

/// Comments at the top that an empty line parts from the first key speak of
/// the whole file and stay at the top.
fn split_header(text: &str) -> (&str, &str) {
    let mut end = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        match line.trim() {
            "" => end = at,
            comment if comment.starts_with('#') => {}
            _ => return text.split_at(end),
        }
    }
    text.split_at(text.len())
}

/// The order of keys in the tables of a scenario; others follow as they stand.
fn order(path: &[String]) -> &'static [&'static str] {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path[..] {
        [] => scenario_table::KEYS,
        ["source"] => scenario_table::SOURCE_KEYS,
        ["run"] => run::KEYS,
        ["ring"] => ring::KEYS,
        ["ring", "law"] => &["name"],
        ["ring", "transit"] => crate::ring::transit::KEYS,
        ["ring", "protection"] => crate::ring::protection::PROTECTION_KEYS,
        ["ring", "wake-ups"] => ring::control::WAKE_UPS_KEYS,
        ["ring", "lost-frame"] => ring::control::LOST_FRAME_KEYS,
        ["ring", "link"] => ring::LINK_KEYS,
        ["network"] => network::KEYS,
        ["network", "queue"] | ["network", "link", "queue" | "back-queue"] | ["flow", "traffic", "control"] => {
            &["name"]
        }
        ["network", "link", "changes"] => network::link::CHANGE_KEYS,
        ["network", "link"] => network::link::LINK_KEYS,
        ["event"] => crate::event::KEYS,
        ["flow"] => flow::table::KEYS,
        ["flow", "traffic"] => traffic::KEYS,
        ["flow", "traffic", "size"] => crate::flow::work::SIZE_KEYS,
        ["flow", "active"] => crate::flow::activity::KEYS,
        ["sweep", "design"] => crate::sweep::design::KEYS,
        ["sweep", "until"] => crate::sweep::until::KEYS,
        ["fair"] => crate::fair::KEYS,
        ["expect", ..] => expect::table::BOUND_ORDER,
        _ => &[],
    }
}

fn rank(order: &[&str], key: &str) -> usize {
    order.iter().position(|known| *known == key).unwrap_or(order.len())
}

fn tidy_document(root: &mut Table) {
    root.decor_mut().clear();
    let mut state = State { position: 0, at_start: true };
    state.body(root, &mut Vec::new());
}

/// Walks the tables in the order in which they will stand.
struct State {
    position: isize,
    /// Nothing has been written yet.
    at_start: bool,
}

impl State {
    fn table(&mut self, table: &mut Table, path: &mut Vec<String>) {
        table.set_position(Some(self.position));
        self.position += 1;
        let visible = !table.is_implicit() || table.iter().any(|(_, item)| item.is_value());
        if visible {
            let at_start = std::mem::take(&mut self.at_start);
            let decor = table.decor_mut();
            let prefix = tidy_prefix(text_of(decor.prefix()), at_start, true);
            let suffix = tidy_comment(text_of(decor.suffix()));
            *decor = Decor::new(prefix, suffix);
        }
        self.body(table, path);
    }

    fn body(&mut self, table: &mut Table, path: &mut Vec<String>) {
        let order = order(path);
        if !order.is_empty() {
            table.sort_values_by(|a, _, b, _| rank(order, a.get()).cmp(&rank(order, b.get())));
        }
        let mut first = true;
        self.values(table, path, &mut first);
        self.inner_tables(table, path);
        for (mut key, item) in table.iter_mut() {
            if matches!(item, Item::Table(inner) if !inner.is_dotted()) || item.is_array_of_tables() {
                key.leaf_decor_mut().clear();
                key.dotted_decor_mut().clear();
            }
        }
    }

    /// The lines `key = value` of a table, those with dotted keys included.
    fn values(&mut self, table: &mut Table, path: &mut Vec<String>, first: &mut bool) {
        for (mut key, item) in table.iter_mut() {
            path.push(key.get().to_owned());
            match item {
                Item::Value(value) => {
                    let at_start = std::mem::take(&mut self.at_start);
                    let prefix = tidy_prefix(text_of(key.leaf_decor().prefix()), at_start || *first, false);
                    *key.leaf_decor_mut() = Decor::new(prefix, " ");
                    key.dotted_decor_mut().clear();
                    *first = false;
                    let suffix = tidy_comment(text_of(value.decor().suffix()));
                    tidy_value(value, path, key.get().len() + 3);
                    *value.decor_mut() = Decor::new(" ", suffix);
                }
                Item::Table(inner) if inner.is_dotted() => {
                    key.dotted_decor_mut().clear();
                    let order = order(path);
                    inner.sort_values_by(|a, _, b, _| rank(order, a.get()).cmp(&rank(order, b.get())));
                    self.values(inner, path, first);
                }
                _ => {}
            }
            path.pop();
        }
    }

    fn inner_tables(&mut self, table: &mut Table, path: &mut Vec<String>) {
        for (key, item) in table.iter_mut() {
            path.push(key.get().to_owned());
            match item {
                Item::Table(inner) if !inner.is_dotted() => self.table(inner, path),
                Item::Table(inner) => self.inner_tables(inner, path),
                Item::ArrayOfTables(items) => items.iter_mut().for_each(|inner| self.table(inner, path)),
                _ => {}
            }
            path.pop();
        }
    }
}

fn text_of(raw: Option<&RawString>) -> &str {
    raw.and_then(RawString::as_str).unwrap_or_default()
}

/// The lines between two entries: comments without indentation, at most one
/// empty line at a time, `blank` if there has to be one at the beginning.
fn tidy_prefix(raw: &str, at_start: bool, blank: bool) -> String {
    let mut blank = blank;
    let mut tidy = String::new();
    let empty_line = |tidy: &mut String| {
        if !(at_start && tidy.is_empty()) {
            tidy.push('\n');
        }
    };
    for line in raw.split_inclusive('\n') {
        let comment = line.trim();
        if comment.is_empty() {
            blank |= line.ends_with('\n');
            continue;
        }
        if std::mem::take(&mut blank) {
            empty_line(&mut tidy);
        }
        tidy.push_str(comment);
        tidy.push('\n');
    }
    if blank {
        empty_line(&mut tidy);
    }
    tidy
}

/// A comment behind a value.
fn tidy_comment(raw: &str) -> String {
    match raw.trim() {
        "" => String::new(),
        comment => format!("  {comment}"),
    }
}

/// Spaces inside a value; `column` is where it begins.
fn tidy_value(value: &mut Value, path: &mut Vec<String>, column: usize) {
    if has_comment(value) {
        return;
    }
    match value {
        Value::Array(items) => tidy_array(items, path, column),
        Value::InlineTable(table) => tidy_inline(table, path),
        _ => {}
    }
}

fn tidy_array(items: &mut Array, path: &mut Vec<String>, column: usize) {
    items.set_trailing("");
    items.set_trailing_comma(false);
    for (index, item) in items.iter_mut().enumerate() {
        tidy_value(item, path, column);
        *item.decor_mut() = Decor::new(if index == 0 { "" } else { " " }, "");
    }
    if column + items.to_string().trim().chars().count() <= WIDTH {
        return;
    }
    let each_alone = items.iter().any(Value::is_inline_table);
    let mut filled = 0;
    for item in items.iter_mut() {
        let width = item.to_string().trim().chars().count() + 2;
        let breaks = each_alone || filled == 0 || filled + width > WIDTH;
        filled = if breaks { INDENT.len() + width } else { filled + width };
        let prefix = if breaks { format!("\n{INDENT}") } else { " ".to_owned() };
        *item.decor_mut() = Decor::new(prefix, "");
    }
    items.set_trailing("\n");
    items.set_trailing_comma(true);
}

fn tidy_inline(table: &mut InlineTable, path: &mut Vec<String>) {
    table.set_trailing("");
    table.set_trailing_comma(false);
    let order = order(path);
    table.sort_values_by(|a, _, b, _| rank(order, a.get()).cmp(&rank(order, b.get())));
    tidy_pairs(table, path);
    // The brace stands apart from the last value, which may be inside a dotted key.
    if !table.is_empty() {
        table.set_trailing(" ");
    }
}

fn tidy_pairs(table: &mut InlineTable, path: &mut Vec<String>) {
    for (mut key, value) in table.iter_mut() {
        path.push(key.get().to_owned());
        key.dotted_decor_mut().clear();
        *key.leaf_decor_mut() = Decor::new(" ", " ");
        match value {
            Value::InlineTable(inner) if inner.is_dotted() => tidy_pairs(inner, path),
            _ => {
                tidy_value(value, path, WIDTH / 2);
                *value.decor_mut() = Decor::new(" ", "");
            }
        }
        path.pop();
    }
}

/// Whether a comment stands inside a value, which then keeps its own layout.
fn has_comment(value: &Value) -> bool {
    let in_decor = |decor: &Decor| text_of(decor.prefix()).contains('#') || text_of(decor.suffix()).contains('#');
    match value {
        Value::Array(items) => {
            items.trailing().as_str().unwrap_or_default().contains('#')
                || items.iter().any(|item| in_decor(item.decor()) || has_comment(item))
        }
        Value::InlineTable(table) => {
            table.trailing().as_str().unwrap_or_default().contains('#')
                || table.iter().any(|(key, value)| {
                    let key = table.key(key);
                    in_decor(value.decor())
                        || key.is_some_and(|key| in_decor(key.leaf_decor()) || in_decor(key.dotted_decor()))
                        || has_comment(value)
                })
        }
        _ => false,
    }
}
