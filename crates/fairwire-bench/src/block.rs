//! Parts of pages that are measured, and pictures beside them.
//!
//! A part stands between `<!-- generated: COMMAND -->` and `<!-- end -->` and holds all that the command said; one that
//! begins with `<!-- generated: COMMAND | TITLE -->` holds the table whose title ends so.

use crate::tables::in_markdown;
use fairwire_scoreboard::Table;
use fairwire_terminal::CliError;
use std::fs;
use std::path::Path;

const BEGIN: &str = "<!-- generated: ";
const END: &str = "<!-- end -->";

/// Sees to it, before anything is measured, that a page has a part that bears the name of a command.
pub fn look_for(page: Option<&Path>, command: &str) -> Result<(), CliError> {
    let Some(page) = page else { return Ok(()) };
    let text = read(page)?;
    let (whole, table) = (format!("{BEGIN}{command} -->\n"), format!("{BEGIN}{command} | "));
    if text.contains(&whole) || text.contains(&table) { Ok(()) } else { Err(no_part(page, whole.trim_end())) }
}

/// Writes what a command said, when it was called with `options`, into the part of a page that bears its name.
pub fn rewrite(page: &Path, command: &str, options: &str, said: &str) -> Result<(), CliError> {
    let text = read(page)?;
    let begin = format!("{BEGIN}{command} -->\n");
    let around = text.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let Some((before, after)) = around else { return Err(no_part(page, begin.trim_end())) };
    let shown = format!("\n```text\n$ {command}{options}\n{}\n```\n\n", said.trim_end());
    write(page, &format!("{before}{begin}{shown}{END}{after}"))
}

/// Writes tables of a command, when it was called with `options`, into the parts of a page that bear its name and their
/// titles. A page need not have all of them.
pub fn rewrite_tables(page: &Path, command: &str, options: &str, tables: &[Table]) -> Result<(), CliError> {
    let text = read(page)?;
    let begin = format!("{BEGIN}{command} | ");
    let mut parts = text.split(&begin);
    let mut written = parts.next().unwrap_or_default().to_owned();
    let mut is_there = false;
    for part in parts {
        let around = part.split_once(" -->\n").and_then(|(title, rest)| Some((title, rest.split_once(END)?.1)));
        let Some((title, after)) = around else { return Err(no_part(page, &format!("{begin}TITLE -->"))) };
        let table = tables.iter().find(|table| table.title.ends_with(title)).ok_or_else(|| no_table(title, tables))?;
        let shown = format!("\n{} (`{command}{options}`):\n\n{}\n", table.title, in_markdown(table));
        written.push_str(&format!("{begin}{title} -->\n{shown}{END}{after}"));
        is_there = true;
    }
    if !is_there {
        return Err(no_part(page, &format!("{begin}TITLE -->")));
    }
    write(page, &written)
}

/// Writes a picture into the folder of pictures beside a page.
pub fn write_picture(page: &Path, name: &str, svg: &str) -> Result<(), CliError> {
    let folder = page.parent().unwrap_or(Path::new("")).join("pictures");
    let file = folder.join(name);
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, svg));
    written.map_err(|error| missing("write", &file, &error))
}

fn read(page: &Path) -> Result<String, CliError> {
    fs::read_to_string(page).map_err(|error| missing("read", page, &error))
}

fn write(page: &Path, text: &str) -> Result<(), CliError> {
    fs::write(page, text).map_err(|error| missing("write", page, &error))
}

fn no_part(page: &Path, begin: &str) -> CliError {
    let wrong = format!("{} has no part between `{begin}` and `{END}`", page.display());
    CliError::bad_input(wrong, "write these two lines where the tables shall stand")
}

fn no_table(title: &str, tables: &[Table]) -> CliError {
    let titles: Vec<&str> = tables.iter().map(|table| table.title.as_str()).collect();
    let help = match &titles[..] {
        [] => "there are none: it may have been interrupted".to_owned(),
        titles => format!("they are called: {}", titles.join("; ")),
    };
    CliError::bad_input(format!("no table's title ends with `{title}`"), help)
}

fn missing(doing: &str, path: &Path, error: &std::io::Error) -> CliError {
    CliError::Missing {
        message: format!("cannot {doing} {}: {error}", path.display()),
        help: "name another page with `--page FILE`".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(name: &str, text: &str) -> std::path::PathBuf {
        let page = std::env::temp_dir().join(format!("fairwire-block-{}-{name}.md", std::process::id()));
        fs::write(&page, text).unwrap();
        page
    }

    fn table(title: &str, cell: &str) -> Table {
        Table {
            title: title.to_owned(),
            header: vec!["law".to_owned(), ">off".to_owned()],
            rows: vec![vec!["dvsr".to_owned(), cell.to_owned()]],
        }
    }

    #[test]
    fn each_part_gets_its_own_table_and_what_is_around_stays() {
        let old = "a\n<!-- generated: bench | rings: how fair -->\nold\n<!-- end -->\nb\n\
            <!-- generated: bench | lots -->\n<!-- end -->\nc\n<!-- generated: other -->\nkept\n<!-- end -->\n";
        let page = page("tables", old);
        let tables = [table("lots", "2 %"), table("40 rings: how fair", "1 %"), table("unused", "3 %")];
        rewrite_tables(&page, "bench", " --quick", &tables).unwrap();
        let once = fs::read_to_string(&page).unwrap();
        assert_eq!(
            once,
            "a\n<!-- generated: bench | rings: how fair -->\n\n40 rings: how fair (`bench --quick`):\n\n\
             | law | off |\n| --- | ---: |\n| dvsr | 1 % |\n\n<!-- end -->\nb\n\
             <!-- generated: bench | lots -->\n\nlots (`bench --quick`):\n\n\
             | law | off |\n| --- | ---: |\n| dvsr | 2 % |\n\n<!-- end -->\nc\n<!-- generated: other -->\nkept\n<!-- end -->\n"
        );
        rewrite_tables(&page, "bench", " --quick", &tables).unwrap();
        assert_eq!(fs::read_to_string(&page).unwrap(), once, "the second time changes nothing");
        fs::remove_file(page).unwrap();
    }

    #[test]
    fn a_page_stays_as_it_is_where_a_part_or_a_table_is_missing() {
        for (name, old) in [
            ("none", "text <!-- generated: bench --loss -->\n<!-- end -->\n"),
            ("open", "<!-- generated: bench | lots -->\n"),
        ] {
            let page = page(name, old);
            assert_eq!(look_for(Some(&page), "bench").is_ok(), name == "open");
            let error = format!("{:?}", rewrite_tables(&page, "bench", "", &[table("lots", "")]).unwrap_err());
            assert!(error.contains("has no part between `<!-- generated: bench | TITLE -->`"), "{error}");
            assert_eq!(fs::read_to_string(&page).unwrap(), old);
            fs::remove_file(page).unwrap();
        }
        let old = "<!-- generated: bench | lots -->\n<!-- end -->\n<!-- generated: bench | rings -->\n<!-- end -->\n";
        let page = page("unknown", old);
        let error = format!("{:?}", rewrite_tables(&page, "bench", "", &[table("lots", "")]).unwrap_err());
        assert!(error.contains("no table's title ends with `rings`"), "{error}");
        assert_eq!(fs::read_to_string(&page).unwrap(), old, "not even the first part is written");
        fs::remove_file(page).unwrap();
    }
}
