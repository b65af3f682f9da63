//! What the documentation shows is what the software does.
//!
//! * every `console` block of README.md, ARCHITECTURE.md and docs/ is run and its
//!   output compared (`console.rs` has the rules);
//! * every `toml` block is a scenario that `fairwire scenario check` accepts;
//! * quoted code stands in the file it is quoted from; links and paths lead somewhere;
//! * docs/reference/, docs/reproduction.md and the bars and propositions of docs/pictures/ are made here.
//!
//! After a wanted change, `FAIRWIRE_BLESS=1 cargo test --release -p fairwire-cli --test
//! docs` writes all of it anew but the verdicts in docs/reproduction.md, which take minutes:
//! `FAIRWIRE_BLESS=1 make claims` does. Read the difference before committing. Figures of
//! speed and of real packets depend on the machine: `fairwire-bench --page` and `FAIRWIRE_BLESS=real` measure them, nothing checks
//! them. Blocks with `--real` in a command are run where `fairwire doctor` says that they can be.

mod bless;
#[path = "../common/mod.rs"]
mod common;
mod console;
mod links;
mod page;
mod picture;
mod propositions;
mod real;
mod reference;
mod reproduction;
mod speed;
mod terms;

use common::{build_bench, folder, root};
use std::fs;
use std::path::{Path, PathBuf};

/// README.md, ARCHITECTURE.md and all of docs/, as paths from the root.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![PathBuf::from("README.md"), PathBuf::from("ARCHITECTURE.md")];
    gather(Path::new("docs"), "md", &mut pages);
    pages.sort();
    pages
}

fn gather(under: &Path, ending: &str, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root().join(under)).expect("the folder is there").flatten() {
        let path = under.join(entry.file_name());
        if entry.path().is_dir() {
            gather(&path, ending, files);
        } else if path.extension().is_some_and(|its| its == ending) {
            files.push(path);
        }
    }
}

/// A folder for the examples of `page`, with the shipped scenarios and examples in it.
fn playground(page: &Path) -> PathBuf {
    let folder = folder(&format!("docs-{}", page.display().to_string().replace(['/', '.'], "-")));
    ["scenarios", "examples"].iter().for_each(|name| copy(&root().join(name), &folder.join(name)));
    folder
}

/// All but what was built there, which is much: Cargo marks such folders.
fn copy(from: &Path, to: &Path) {
    if from.join("CACHEDIR.TAG").exists() {
        return;
    }
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("it is shipped").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file can be copied");
        }
    }
}

#[test]
fn pages_show_what_happens() {
    let mut wrong = Vec::new();
    build_bench();
    for path in pages() {
        let _guard = bless::PAGES.lock();
        let text = fs::read_to_string(root().join(&path)).expect("the page is there");
        let (shown, mistakes) = page::replayed(&text, &playground(&path));
        wrong.extend(mistakes.into_iter().map(|mistake| format!("{}: {mistake}", path.display())));
        wrong.extend(bless::differs(&path, &shown).err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn links_lead_somewhere() {
    let wrong: Vec<String> = pages().iter().flat_map(|page| links::dead(page)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A crate without examples in its documentation is not searched for such by `cargo test`.
#[test]
fn crates_with_examples_have_them_run() {
    for package in fs::read_dir(root().join("crates")).expect("they are there").flatten() {
        let manifest = fs::read_to_string(package.path().join("Cargo.toml")).unwrap_or_default();
        if manifest.contains("doctest = false") {
            let mut sources = Vec::new();
            gather(&package.path().join("src"), "rs", &mut sources);
            let example = |line: &str| line.trim_start().starts_with("//") && line.contains("```");
            sources.retain(|source| fs::read_to_string(source).expect("it is there").lines().any(example));
            assert!(sources.is_empty(), "take `doctest = false` out of {}: {sources:?}", package.path().display());
        }
    }
}

#[test]
fn terms_stand_where_the_index_says() {
    let wrong = terms::mistakes("docs/reference/terms.md");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_readme_says_how_to_begin() {
    let readme = fs::read_to_string(root().join("README.md")).expect("there is a README");
    for needed in ["make run", "make test", "make install"] {
        assert!(readme.contains(needed), "README.md does not tell `{needed}`");
    }
}

#[test]
fn the_reference_is_what_the_software_says() {
    let wrong: Vec<String> =
        reference::files().into_iter().filter_map(|(path, text)| bless::differs(&path, &text).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// What takes long is left out here and measured by the next test.
#[test]
fn every_claim_has_a_row_and_those_measured_quickly_their_verdict() {
    let (page, name) = ("docs/reproduction.md", "fairwire reproduce --json");
    let quick: Vec<&str> =
        fairwire_claims::catalogue().iter().filter(|claim| !claim.takes_long()).map(|claim| &*claim.id).collect();
    let rows = reproduction::measured(&quick);
    let text = fs::read_to_string(root().join(page)).expect("the page is there");
    let wrong = reproduction::mistakes(bless::within(page, &text, name), &rows, |id| quick.contains(&id));
    assert!(wrong.is_empty(), "{}\nFAIRWIRE_BLESS=1 make claims measures all and writes it anew", wrong.join("\n"));
}

#[test]
#[ignore = "it simulates for minutes: `make claims` runs it"]
fn every_claim_has_its_verdict_measured_anew() {
    let tables = reproduction::tables(&reproduction::measured(&[]));
    bless::block("docs/reproduction.md", "fairwire reproduce --json", &tables).unwrap();
}

#[test]
fn the_readme_counts_verdicts_as_the_page_does() {
    let read = |page: &str| fs::read_to_string(root().join(page)).expect("the page is there");
    let [reproduced, reading, differs, real, never] = reproduction::totals(&read("docs/reproduction.md"));
    assert_eq!(never, 0);
    let all = reproduced + reading + differs + real;
    let needed = format!(
        "Each of the {all} claims of five papers has a row: {reproduced} come out as printed, {reading} under a stated reading, \
         {differs} differ, {real} are measured with real packets (`fairwire reproduce --real dvsr`)."
    );
    let readme = read("README.md").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(readme.contains(&needed), "README.md does not say: {needed}");
}

#[test]
fn each_paper_that_pages_cite_is_named() {
    let page = fs::read_to_string(root().join("docs/reproduction.md")).expect("the page is there");
    for paper in fairwire_claims::papers() {
        let row = format!("| `[{}]` | {}: *{}* |", paper.name, paper.authors, paper.title);
        assert!(page.contains(&row), "docs/reproduction.md lacks {row}");
    }
}

#[test]
fn the_bars_are_those_of_a_run() {
    bless::differs(Path::new("docs/pictures/parallel-parking-lot.svg"), &picture::bars()).unwrap();
}

#[test]
fn the_propositions_are_drawn_from_a_sweep() {
    bless::differs(Path::new("docs/pictures/propositions.svg"), &propositions::picture()).unwrap();
}

#[test]
fn the_page_of_real_packets_shows_a_measurement() {
    real::check_or_measure();
    real::check_the_board();
}

#[test]
fn pages_of_speed_show_a_measurement() {
    speed::check();
}
