//! Tables with a header, read by the names of their columns.

use crate::findings::{Findings, Foreign, any_of};
use crate::headings::{Layout, RATE_UNITS, TIME_UNITS, rate, usual_rate};
use csv::{ReaderBuilder, StringRecord};
use fairwire_alloc::{LARGEST_WEIGHT, LEAST_WEIGHT};
use fairwire_core::{BitRate, Span};
use fairwire_scenario::{Diagnostics, FASTEST};
use std::ops::Range;

/// A table, and what is wrong with it.
pub(crate) struct Table<'a> {
    columns: Vec<String>,
    /// As they stand in the file.
    headings: Vec<String>,
    layout: Layout,
    pub rows: Vec<Row<'a>>,
    pub findings: Findings<'a>,
}

/// One row.
pub(crate) struct Row<'a> {
    text: &'a str,
    /// Where it stands in the file.
    pub span: Range<usize>,
    cells: StringRecord,
}

impl<'a> Table<'a> {
    /// Reads a table as laid out. Lines that begin with `#` are comments. Names of columns count without
    /// case and brackets, with spaces and hyphens as underscores, and usual ones of others will do. Of `rates`,
    /// `capacity_mbps` will do for `capacity` and so on, and `delay_ms` for `delay`.
    ///
    /// # Errors
    /// If it is no table, lacks a column that is needed, or has one that nobody knows.
    pub fn read(
        file: Foreign<'a>,
        layout: &Layout,
        needed: &[&str],
        known: &[&str],
        rates: &[&str],
    ) -> Result<Self, Diagnostics> {
        Self::read_some(file, layout, needed, known, rates, true)
    }

    /// The same for tables of which only some columns matter.
    pub fn read_loosely(file: Foreign<'a>, needed: &[&str], known: &[&str]) -> Result<Self, Diagnostics> {
        Self::read_some(file, &Layout::default(), needed, known, &[], false)
    }

    fn read_some(
        file: Foreign<'a>,
        layout: &Layout,
        needed: &[&str],
        known: &[&str],
        rates: &[&str],
        is_strict: bool,
    ) -> Result<Self, Diagnostics> {
        let mut findings = Findings::new(file);
        let separator = layout.separator_of(file.text);
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(separator)
            .comment(Some(b'#'))
            .trim(csv::Trim::All)
            .from_reader(file.text.as_bytes());
        let mut rows = Vec::new();
        loop {
            let mut cells = StringRecord::new();
            match reader.read_record(&mut cells) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    let at = error.position().map_or(0, |place| place.byte() as usize);
                    findings.error(
                        line_at(file.text, at),
                        format!("this is no CSV: {error}"),
                        "here",
                        "save it as UTF-8 CSV",
                    );
                    break;
                }
            }
            let at = cells.position().map_or(0, |place| place.byte() as usize);
            let end = reader.position().byte() as usize;
            if end >= file.text.len() && is_open(&file.text[line_at(file.text, at).start..], separator) {
                let help = "write the second `\"` of each cell that begins with one, or none";
                findings.error(line_at(file.text, at), "a quote that begins here never ends", "this row", help);
                return findings.finish(()).map(|()| unreachable!("there is a finding"));
            }
            rows.push(Row { text: file.text, span: line_at(file.text, at), cells });
        }
        if rows.is_empty() {
            let help = format!("write a header such as `{}` and a row for each", [needed, known].concat().join(","));
            findings.error(0..0, "the table is empty", "nothing here", help);
            return findings.finish(()).map(|()| unreachable!("there is a finding"));
        }
        let header = rows.remove(0);
        let all = [needed, known].concat();
        // Of a column that is to be left out the name is empty.
        let ours = |heading: &str| layout.ours(heading, &all).unwrap_or_default();
        let columns: Vec<String> = header.cells.iter().map(ours).collect();
        let is = |name: &str, column: &str| {
            column == name
                || rates.contains(&name) && unit_of(column, name, RATE_UNITS).is_some()
                || name == "delay" && unit_of(column, name, TIME_UNITS).is_some()
        };
        let is_missing = |name: &&&str| !columns.iter().any(|column| is(name, column));
        let missing: Vec<&str> = needed.iter().filter(is_missing).copied().collect();
        let is_unknown = |at: &usize| {
            let column = &columns[*at];
            is_strict && !column.is_empty() && !all.iter().any(|name| is(name, column))
        };
        let unknown: Vec<usize> = (0..columns.len()).filter(is_unknown).collect();
        check_header(&header, &missing, &unknown, &all, &mut findings);
        let headings: Vec<String> = header.cells.iter().map(str::to_owned).collect();
        for (at, column) in columns.iter().enumerate().filter(|(_, column)| all.iter().any(|name| is(name, column))) {
            if let Some(first) = columns[..at].iter().position(|earlier| earlier == column) {
                let help = format!("keep one of them: `--map \"{}=\"` leaves one out", headings[at]);
                let message =
                    format!("column `{column}` is there twice, as `{}` and as `{}`", headings[first], headings[at]);
                findings.error(header.cell_span(at), message, "again", help);
            }
        }
        check_widths(&rows, &headings, separator, &mut findings);
        let table = Self { columns, headings, layout: layout.clone(), rows, findings };
        if table.findings.are_none() { Ok(table) } else { table.findings.finish(()).map(|()| unreachable!()) }
    }

    /// The line of the file on which a row stands.
    pub fn line_of(&self, row: usize) -> usize {
        self.findings.line(self.rows[row].span.start)
    }

    /// A cell by the name of its column; empty cells count as none.
    pub fn cell(&self, row: usize, name: &str) -> Option<Cell<'_>> {
        self.cells_in(row, |column| column == name).next()
    }

    /// All cells of a row in columns of some kind.
    fn cells_in(&self, row: usize, is: impl Fn(&str) -> bool) -> impl Iterator<Item = Cell<'_>> {
        let row = &self.rows[row];
        self.columns.iter().enumerate().filter(move |(_, column)| is(column)).filter_map(|(at, column)| {
            let text = row.cells.get(at).filter(|text| !text.is_empty())?;
            Some(Cell { text, span: row.cell_span(at), column, heading: &self.headings[at] })
        })
    }

    /// A cell that has to be there; notes it if it is not.
    pub fn need(&mut self, row: usize, name: &str) -> Option<String> {
        let text = self.cell(row, name).map(|cell| cell.text.to_owned());
        if text.is_none() {
            let span = self.rows[row].span.clone();
            self.findings.error(
                span,
                format!("`{name}` is missing"),
                "this row",
                format!("write its `{name}`, or take the row out"),
            );
        }
        text
    }

    /// A rate: with its unit, or bare in a column such as `capacity_mbps`. None where there is
    /// none, and where what is there is noted as wrong.
    pub fn rate(&mut self, row: usize, name: &str) -> Option<BitRate> {
        self.quantity(row, name, (RATE_UNITS, "_mbps"), read_rate)
    }

    /// The rate of a link; as of [`Table::rate`].
    pub fn link_rate(&mut self, row: usize, name: &str) -> Option<BitRate> {
        self.quantity(row, name, (RATE_UNITS, "_mbps"), |layout, text, scale| {
            of_a_link(read_rate(layout, text, scale), text, "row")
        })
    }

    /// Whether there is anything in the cell of a rate.
    pub fn has_rate(&self, row: usize, name: &str) -> bool {
        self.cells_in(row, |column| unit_of(column, name, RATE_UNITS).is_some()).next().is_some()
    }

    /// A time: with its unit, or bare in a column such as `delay_ms`; as of [`Table::rate`].
    pub fn time(&mut self, row: usize, name: &str) -> Option<Span> {
        self.quantity(row, name, (TIME_UNITS, "_ms"), |layout, text, unit| {
            let unit = unit.filter(|_| !text.ends_with(char::is_alphabetic)).unwrap_or_default();
            let text = format!("{} {unit}", layout.with_point(text)?);
            text.trim().parse::<Span>().map_err(|error| error.to_string())
        })
    }

    /// What the columns of one quantity say of it, which is one value; what is wrong is noted. Columns may end in one of
    /// `units`, of which one is usual.
    fn quantity<T: PartialEq, U: Copy>(
        &mut self,
        row: usize,
        name: &str,
        (units, usual): (&[(&str, U)], &str),
        read: impl Fn(&Layout, &str, Option<U>) -> Result<T, String>,
    ) -> Option<T> {
        let mut first: Option<(T, String)> = None;
        let mut wrong = Vec::new();
        for cell in self.cells_in(row, |column| unit_of(column, name, units).is_some()) {
            let unit = unit_of(cell.column, name, units).flatten();
            let theirs = cell.heading;
            match (read(&self.layout, cell.text, unit), &first) {
                (Ok(value), None) => first = Some((value, format!("`{theirs}` says {}", cell.text))),
                (Ok(value), Some((other, said))) if value != *other => {
                    let message = format!("{said}, and `{theirs}` {}, for one `{name}`", cell.text);
                    let help = "write the same in both, or leave one empty";
                    wrong.push((cell.span, message, "something else", help.to_owned()));
                }
                (Ok(_), Some(_)) => {}
                (Err(why), _) => {
                    let (message, mut help) = split(&why);
                    if message.ends_with("has no unit") && theirs != cell.column {
                        help.push_str(&format!("; or tell that of all: `--map \"{theirs}={name}{usual}\"`"));
                    }
                    wrong.push((cell.span, format!("`{}`: {message}", cell.column), "here", help));
                }
            }
        }
        let is_right = wrong.is_empty();
        for (span, message, label, help) in wrong {
            self.findings.error(span, message, label, help);
        }
        first.filter(|_| is_right).map(|(value, _)| value)
    }

    /// The weight of a flow.
    pub fn weight(&mut self, row: usize, name: &str) -> Option<f64> {
        let (text, span) = self.cell(row, name).map(|cell| (cell.text.to_owned(), cell.span))?;
        let plain = self.layout.with_point(&text).unwrap_or_else(|_| text.clone());
        let weight = plain.parse().ok().filter(|weight| (LEAST_WEIGHT..=LARGEST_WEIGHT).contains(weight));
        if weight.is_none() {
            let message = format!("`{name}` goes from {LEAST_WEIGHT} to {LARGEST_WEIGHT}, not {text}");
            self.findings.error(span, message, "here", "write a number such as 2");
        }
        weight
    }
}

/// Says of rows that have more cells than there are columns: all that stands behind one of them is in the wrong place.
fn check_widths(rows: &[Row<'_>], headings: &[String], separator: u8, findings: &mut Findings<'_>) {
    for row in rows {
        let Some(beyond) = (headings.len()..row.cells.len()).find(|&at| !row.cells[at].is_empty()) else { continue };
        let message = match row.cells.iter().find(|cell| cell.contains('\n')) {
            Some(_) => "a quote that begins here ends in a later line".to_owned(),
            None => {
                let (cells, columns) = (row.cells.len(), headings.len());
                format!("the row has {cells} cells, and the header {columns}: `{}` is in no column", &row.cells[beyond])
            }
        };
        let help = match separator {
            b',' => "write a decimal point, or quote what holds a comma: `\"12,5\"`".to_owned(),
            other => format!("quote what holds a `{}`, or take out what is too much", char::from(other)),
        };
        findings.error(row.span.clone(), message, "this row", help);
    }
}

/// Whether a text of cells ends within quotes.
fn is_open(text: &str, separator: u8) -> bool {
    let (mut quoted, mut begins) = (false, true);
    for byte in text.bytes() {
        match byte {
            b'"' if quoted || begins => quoted = !quoted,
            _ => {}
        }
        // A doubled quote ends the cell and begins it again.
        begins = byte == b'"' || !quoted && (byte == separator || byte == b'\n' || byte == b'\r');
    }
    quoted
}

/// Says of a header in one message what it lacks, or what nobody knows in it.
fn check_header(header: &Row<'_>, missing: &[&str], unknown: &[usize], all: &[&str], findings: &mut Findings<'_>) {
    let theirs: Vec<&str> = unknown.iter().map(|&at| header.cells.get(at).unwrap_or_default()).collect();
    let begins_a_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let has_numbers = header.cells.iter().flat_map(str::split_whitespace).any(begins_a_number);
    if !missing.is_empty() && unknown.len() == header.cells.len() && has_numbers {
        let help = format!("write a first line such as `{}`, and the same character between all cells", all.join(","));
        findings.error(header.span.clone(), "this looks like a file without a header", "the first line", help);
    } else if !missing.is_empty() {
        let [there, them, they] = match missing {
            [_] => ["there is no column", "it", "it is"],
            _ => ["there are no columns", "them", "they are"],
        };
        let map: Vec<String> = missing.iter().map(|name| format!("--map THEIRS={name}")).collect();
        let cells = header.cells.iter().collect::<Vec<_>>().join(", ");
        let has_rtt = theirs.iter().any(|name| name.to_lowercase().starts_with("rtt"));
        let rtt = if has_rtt { "; of an rtt, which is there and back, half is the `delay`" } else { "" };
        let map = map.join(" ");
        let help = format!("add {them} to the header, or tell which {they}: `{map}`; there are {cells}{rtt}");
        findings.error(header.span.clone(), format!("{there} {}", quoted(missing)), "the header", help);
    } else if let [first, ..] = unknown {
        let [columns, them] = if unknown.len() == 1 { ["a column", "it"] } else { ["columns", "them"] };
        let map = |ours: &str| -> String {
            theirs.iter().map(|name| format!("--map \"{name}={ours}\"")).collect::<Vec<_>>().join(" ")
        };
        let [named, left_out] = ["OURS", ""].map(map);
        let help = format!("call {them} {}; or `{named}`, and `{left_out}` to leave {them} out", any_of(all));
        let message = format!("nobody knows {columns} {}", quoted(&theirs));
        findings.error(header.cell_span(*first), message, "unknown", help);
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A cell and its place.
pub(crate) struct Cell<'a> {
    pub text: &'a str,
    pub span: Range<usize>,
    /// What its column is called here, and in the file.
    column: &'a str,
    heading: &'a str,
}

impl Row<'_> {
    /// Where a cell stands: its text within the row, which is where it is unless it is quoted
    /// over several lines.
    fn cell_span(&self, at: usize) -> Range<usize> {
        let line = &self.text[self.span.clone()];
        let before: usize = self.cells.iter().take(at).map(|cell| cell.len() + 1).sum();
        let cell = self.cells.get(at).unwrap_or("");
        let found = line.get(before..).and_then(|rest| rest.find(cell)).map(|found| before + found);
        match found.or_else(|| line.find(cell)) {
            Some(found) if !cell.is_empty() => self.span.start + found..self.span.start + found + cell.len(),
            _ => self.span.clone(),
        }
    }
}

/// Of a column of some quantity the unit that its name tells, if any; none of another column.
fn unit_of<U: Copy>(column: &str, name: &str, units: &[(&str, U)]) -> Option<Option<U>> {
    match column.strip_prefix(name)? {
        "" => Some(None),
        ending => units.iter().find(|(unit, _)| *unit == ending).map(|(_, unit)| Some(*unit)),
    }
}

/// A rate in a cell: bare, of a scale that the heading tells, or with its unit.
fn read_rate(layout: &Layout, text: &str, scale: Option<f64>) -> Result<BitRate, String> {
    let plain = layout.with_point(text)?;
    match scale {
        // A unit in the cell counts before that of the heading.
        Some(scale) if usual_rate(&plain) == plain => bare_rate(&plain, scale),
        _ => rate(&plain).map_err(|error| error.to_string()),
    }
}

/// What was read as the rate of a link, if links can have it; an `entry` is what tells of one.
pub(crate) fn of_a_link(read: Result<BitRate, String>, text: &str, entry: &str) -> Result<BitRate, String> {
    let mend = format!("write a rate from 1 b/s to {FASTEST}; where there is no link, take the {entry} out");
    match read {
        Ok(rate) if rate.as_bps() == 0 => Err(format!("`{text}` carries nothing; {mend}")),
        Ok(rate) if rate > FASTEST => Err(format!("`{text}` is more than a link can carry; {mend}")),
        Err(why) => match split(&why).0 {
            message if message.ends_with(" is out of range") || message.contains(" is less than ") => {
                Err(format!("{message}; {mend}"))
            }
            _ => Err(why),
        },
        read => read,
    }
}

/// A number of some unit as a rate.
pub(crate) fn bare_rate(text: &str, scale: f64) -> Result<BitRate, String> {
    let number: f64 = text.parse().map_err(|_| format!("`{text}` is no number; write one such as 100"))?;
    if number < 0.0 || !number.is_finite() || number * scale >= 9e15 {
        return Err(format!("`{text}` is out of range; write a number of zero or more"));
    }
    Ok(BitRate::from_bps_f64(number * scale))
}

/// What is wrong, and what to do.
pub(crate) fn split(error: &str) -> (String, String) {
    let (message, help) = error.split_once("; ").unwrap_or((error, "write a rate such as \"100 Mb/s\""));
    (message.to_owned(), help.to_owned())
}

/// The line with a byte, without its end.
fn line_at(text: &str, mut at: usize) -> Range<usize> {
    // Comments and empty lines before a row count as part of it.
    while let Some(rest) = text.get(at..) {
        let line = rest.split_inclusive('\n').next().unwrap_or("");
        if !(line.starts_with('#') || line.trim().is_empty()) || line.is_empty() {
            break;
        }
        at += line.len();
    }
    let at = at.min(text.len());
    let end = text[at..].find(['\n', '\r']).map_or(text.len(), |length| at + length);
    at..end
}
