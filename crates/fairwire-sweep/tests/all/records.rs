//! Records that are kept: by key, whole or not at all, by one process at a time, from several folders.

use fairwire_sweep::{Key, Record, Records, SweepError};
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Found {
    words: String,
    value: f64,
}

impl Record for Found {
    const NAME: &'static str = "found";

    fn key(&self) -> Key {
        Key::of_words(&self.words)
    }
}

fn found(words: &str, value: f64) -> Found {
    Found { words: words.to_owned(), value }
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn open(folder: &Path) -> Records<Found> {
    Records::open(folder, false).unwrap()
}

fn get(records: &Records<Found>, words: &str) -> Option<f64> {
    records.get(Key::of_words(words)).unwrap().map(|found| found.value)
}

#[test]
fn what_is_kept_is_there_to_the_bit_and_what_is_not_is_made_once() {
    let folder = folder("records-kept");
    let third = 1.0 / 3.0;
    open(&folder).keep_all(&[found("a", third), found("b", -0.0), found("a", third * 3.0)]).unwrap();
    let records = open(&folder);
    assert_eq!((records.known(), get(&records, "a")), (2, Some(1.0)), "the last one counts");
    assert!(get(&records, "b").unwrap().is_sign_negative());
    let make = |value| move || Ok::<_, SweepError>(Some(found("c", value)));
    let made = |value| records.get_or_make(Key::of_words("c"), make(value)).unwrap().map(|found| found.value);
    assert_eq!((made(third), made(2.0)), (Some(third), Some(third)));
    let none = records.get_or_make(Key::of_words("d"), || Ok::<_, SweepError>(None)).unwrap();
    assert_eq!((none, get(&records, "d")), (None, None));
    // A value longer than what is read at once.
    let long = "long ".repeat(30_000);
    records.keep(&found(&long, 7.0)).unwrap();
    assert_eq!((get(&records, &long), get(&open_other(&folder), &long)), (Some(7.0), Some(7.0)));
}

/// Reads what a folder holds while another writes to it.
fn open_other(written: &Path) -> Records<Found> {
    let records = open(&folder(&format!("{}-read", written.file_name().unwrap().display())));
    records.read_too(written).unwrap();
    records
}

#[test]
fn a_torn_line_is_dropped_wherever_it_ends_and_the_next_one_is_whole() {
    let folder = folder("records-torn");
    open(&folder).keep_all(&[found("a", 1.0), found("b", 2.0)]).unwrap();
    let file = folder.join("found.jsonl");
    let whole = fs::read(&file).unwrap();
    let second = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    // Without its newline alone a line is whole, and is taken for it.
    for length in second..whole.len() - 1 {
        fs::write(&file, &whole[..length]).unwrap();
        let records = open(&folder);
        assert_eq!((get(&records, "a"), get(&records, "b")), (Some(1.0), None), "{length}");
        records.keep(&found("c", 3.0)).unwrap();
        drop(records);
        let records = open(&folder);
        assert_eq!((get(&records, "a"), get(&records, "c"), records.known()), (Some(1.0), Some(3.0), 2), "{length}");
    }
}

#[test]
fn lines_of_another_format_do_no_harm() {
    let folder = folder("records-foreign");
    open(&folder).keep(&found("a", 1.0)).unwrap();
    let mut file = OpenOptions::new().append(true).open(folder.join("found.jsonl")).unwrap();
    file.write_all(b"{\"words\": \"b\"}\n\xff\xfe\n\n[]\n{\"words\": \"c\", \"value\": 3.0, \"more\": true}\n")
        .unwrap();
    drop(file);
    let records = open(&folder);
    assert_eq!((records.known(), get(&records, "a"), get(&records, "c")), (2, Some(1.0), Some(3.0)));
}

#[test]
fn one_process_writes_and_forgetting_waits_for_it() {
    let folder = folder("records-busy");
    let first = open(&folder);
    first.keep(&found("a", 1.0)).unwrap();
    for fresh in [false, true] {
        let second = Records::<Found>::open(&folder, fresh);
        assert!(matches!(second, Err(SweepError::Busy(place)) if place == folder));
    }
    drop(first);
    assert_eq!(open(&folder).known(), 1, "nothing was forgotten meanwhile");
    assert_eq!(Records::<Found>::open(&folder, true).unwrap().known(), 0);
    assert_eq!(open(&folder).known(), 0);
}

#[test]
fn folders_come_together() {
    let (one, other) = (folder("records-one"), folder("records-other"));
    open(&one).keep(&found("a", 1.0)).unwrap();
    open(&other).keep_all(&[found("b", 2.0), found("c", 3.0)]).unwrap();
    let records = open(&one);
    records.read_too(&other).unwrap();
    assert_eq!((records.known(), get(&records, "a"), get(&records, "c")), (3, Some(1.0), Some(3.0)));
}
