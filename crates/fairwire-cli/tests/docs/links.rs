//! Finds links and paths of a page that lead nowhere.

use crate::common::root;
use std::fs;
use std::path::Path;

/// Every dead link of `page`, in words.
pub fn dead(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).expect("the page is there");
    let targets = text.split("](").skip(1).filter_map(|after| after.split_once(')')).map(|(target, _)| target);
    let links = targets.filter(|target| !target.contains("://") && !leads(page, target));
    let paths = text.split('`').skip(1).step_by(2).filter(|code| is_path(code) && !root().join(code).exists());
    links.chain(paths).map(|target| format!("{}: `{target}` leads nowhere", page.display())).collect()
}

fn leads(page: &Path, target: &str) -> bool {
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = page.parent().unwrap_or(Path::new(""));
    let file = if path.is_empty() { root().join(page) } else { root().join(folder).join(path) };
    if anchor.is_empty() {
        return file.exists();
    }
    fs::read_to_string(file)
        .is_ok_and(|text| text.lines().filter(|line| line.starts_with('#')).any(|heading| slug(heading) == anchor))
}

/// How a heading is called in a link.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// A path from the root of the repository, as text between backticks.
fn is_path(code: &str) -> bool {
    let begins =
        ["crates/", "scenarios/", "docs/", "claims/", "benches/"].iter().any(|folder| code.starts_with(folder));
    begins && code.chars().all(|c| c.is_ascii_alphanumeric() && !c.is_ascii_uppercase() || "/-_.".contains(c))
}
