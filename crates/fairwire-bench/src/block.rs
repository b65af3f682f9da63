//! Parts of pages that are measured, and pictures beside them.

use fairwire_terminal::CliError;
use std::fs;
use std::path::Path;

const END: &str = "<!-- end -->";

/// Writes what a command said, when it was called with `options`, into the part of a page that bears its name.
pub fn rewrite(page: &Path, command: &str, options: &str, said: &str) -> Result<(), CliError> {
    let text = fs::read_to_string(page).map_err(|error| missing("read", page, &error))?;
    let begin = format!("<!-- generated: {command} -->\n");
    let around = text.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let Some((before, after)) = around else {
        let wrong = format!("{} has no part between `{}` and `{END}`", page.display(), begin.trim_end());
        return Err(CliError::bad_input(wrong, "write these two lines where the tables shall stand"));
    };
    let shown = format!("\n```text\n$ {command}{options}\n{}\n```\n\n", said.trim_end());
    fs::write(page, format!("{before}{begin}{shown}{END}{after}")).map_err(|error| missing("write", page, &error))
}

/// Writes a picture into the folder of pictures beside a page.
pub fn write_picture(page: &Path, name: &str, svg: &str) -> Result<(), CliError> {
    let folder = page.parent().unwrap_or(Path::new("")).join("pictures");
    let file = folder.join(name);
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, svg));
    written.map_err(|error| missing("write", &file, &error))
}

fn missing(doing: &str, path: &Path, error: &std::io::Error) -> CliError {
    CliError::Missing {
        message: format!("cannot {doing} {}: {error}", path.display()),
        help: "name another page with `--page FILE`".to_owned(),
    }
}
