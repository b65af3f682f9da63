//! The other command of the two: each starts the other by name.

use std::env;
use std::path::PathBuf;

/// The program called `name` that lies beside the running one, else the first of that name on `PATH`.
pub fn sibling(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().ok().map(|program| program.with_file_name(&name));
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).map(|folder| folder.join(&name));
    beside.into_iter().chain(on_path).find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::sibling;
    use std::env;

    #[test]
    fn what_lies_beside_the_program_is_found_and_what_is_nowhere_is_not() {
        let own = env::current_exe().expect("a program has a file");
        let name = own.file_stem().expect("a file has a name").to_string_lossy();
        assert_eq!(sibling(&name), Some(own.clone()));
        assert_eq!(sibling("no-program-of-this-name"), None);
    }
}
