//! Result folders on disk: complete, readable, or not there at all.

use crate::support::Played;
use fairwire_results::{Column, ColumnType, ResultsError, RunFolder, TableFormat, columns, write, write_while};
use parquet::basic::Type as Physical;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const TABLES: [&str; 6] = ["flows", "links", "queues", "laws", "summary", "runs"];

#[test]
fn parquet_tables_read_back_as_documented() {
    let played = crate::support::play("parking-lot", 20);
    let place = Place::new("parquet");
    let folder = place.0.join("deep/run");
    write(&folder, &contents(&played, TableFormat::Parquet)).expect("written");
    for table in TABLES {
        let reader = open(&folder.join(format!("{table}.parquet")));
        let schema = reader.metadata().file_metadata().schema_descr();
        let documented: Vec<_> = columns().into_iter().filter(|column| column.table == table).collect();
        let named: Vec<_> = schema.columns().iter().map(|column| column.name().to_owned()).collect();
        assert_eq!(named, documented.iter().map(|column| column.name).collect::<Vec<_>>());
        for (column, wanted) in schema.columns().iter().zip(&documented) {
            assert_eq!(column.physical_type(), physical(wanted), "{table}.{}", wanted.name);
            assert_eq!(column.self_type().is_optional(), wanted.nullable, "{table}.{}", wanted.name);
        }
        assert!(reader.metadata().file_metadata().num_rows() > 0, "{table} is empty");
    }
}

#[test]
fn cells_hold_what_the_run_left() {
    let played = crate::support::play("parking-lot", 20);
    let place = Place::new("cells");
    let folder = place.0.join("run");
    write(&folder, &contents(&played, TableFormat::Parquet)).expect("written");
    let rows = rows(&folder.join("flows.parquet"));
    let row_s = played.ring.window.as_secs_f64();
    let mut expected = Vec::new();
    for run in &played.runs {
        for (flow, record) in played.ring.flows.iter().zip(&run.record.ring().expect("a ring").flows) {
            for (row, &bytes) in record.delivered_bytes.iter().enumerate() {
                let t_ns = row as i64 * played.ring.window.as_nanos() as i64;
                expected.push((run.law.clone(), flow.name.clone(), t_ns, f64::from(bytes) * 8.0 / row_s));
            }
        }
    }
    assert_eq!(rows.len(), expected.len());
    for (row, (law, flow, t_ns, rate_bps)) in rows.iter().zip(expected) {
        assert_eq!((field(row, "law"), field(row, "flow")), (Field::Str(law), Field::Str(flow)));
        assert_eq!((field(row, "seed"), field(row, "t_ns")), (Field::ULong(played.ring.seed), Field::Long(t_ns)));
        let Field::Double(read) = field(row, "rate_bps") else { panic!("a rate is a real number") };
        assert!((read - rate_bps).abs() <= 1e-6 * rate_bps.max(1.0), "{read} {rate_bps}");
    }
}

#[test]
fn what_never_happened_is_an_empty_cell() {
    let played = crate::support::play("parking-lot", 20);
    let place = Place::new("empty");
    let folder = place.0.join("run");
    write(&folder, &contents(&played, TableFormat::Parquet)).expect("written");
    let rows = rows(&folder.join("runs.parquet"));
    assert_eq!(rows.len(), played.runs.len());
    let told: Vec<_> = rows.iter().map(|row| field(row, "time_to_fair_1_percent_ns")).collect();
    let wanted = played.runs.iter().map(|run| run.summary.time_to_fair[1].ns);
    let wanted: Vec<_> = wanted.map(|ns| ns.map_or(Field::Null, |ns| Field::Long(ns as i64))).collect();
    assert_eq!(told, wanted);
    assert!(told.contains(&Field::Null), "fifo does not become fair within 1 %");
}

#[test]
fn csv_tables_have_the_same_columns_and_rows() {
    let played = crate::support::play("parking-lot", 20);
    let place = Place::new("csv");
    let (as_csv, as_parquet) = (place.0.join("csv"), place.0.join("parquet"));
    write(&as_csv, &contents(&played, TableFormat::Csv)).expect("written");
    write(&as_parquet, &contents(&played, TableFormat::Parquet)).expect("written");
    for table in TABLES {
        let mut reader = csv::Reader::from_path(as_csv.join(format!("{table}.csv"))).expect("readable");
        let header: Vec<_> = reader.headers().expect("a header").iter().map(str::to_owned).collect();
        let documented = columns().into_iter().filter(|column| column.table == table);
        assert_eq!(header, documented.map(|column| column.name).collect::<Vec<_>>());
        let mut parquet = rows(&as_parquet.join(format!("{table}.parquet"))).into_iter();
        for line in reader.records() {
            let (line, row) = (line.expect("a line"), parquet.next().expect("as many rows"));
            let texts = row.get_column_iter().map(|(_, field)| match field {
                Field::Str(text) => text.clone(),
                Field::Null => String::new(),
                Field::Double(number) => number.to_string(),
                number => number.to_string(),
            });
            assert_eq!(line.iter().map(str::to_owned).collect::<Vec<_>>(), texts.collect::<Vec<_>>());
        }
        assert!(parquet.next().is_none());
    }
}

#[test]
fn the_manifest_tells_how_it_came_about() {
    let played = crate::support::play("parking-lot", 20);
    let place = Place::new("manifest");
    let folder = place.0.join("run");
    let warnings = ["the run is short".to_owned()];
    let versions = [("rustc".to_owned(), "1.95.0".to_owned())];
    let contents = RunFolder { warnings: &warnings, versions: &versions, ..contents(&played, TableFormat::Parquet) };
    write(&folder, &contents).expect("written");
    let text = fs::read_to_string(folder.join("manifest.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(manifest["scenario"], json!({"title": "test"}));
    assert_eq!(manifest["scenario_sha256"].as_str().map(str::len), Some(64));
    assert_eq!(manifest["seed"], 7);
    assert_eq!(manifest["runs"].as_array().map(Vec::len), Some(played.runs.len()));
    assert_eq!(manifest["warnings"], json!(warnings));
    assert_eq!(manifest["written_unix_s"], 1_000_000_000, "when the runs had ended");
    assert_eq!(manifest["versions"]["rustc"], "1.95.0");
    assert!(manifest["versions"]["fairwire"].is_string() && manifest["host"]["cpus"].is_u64());
    assert_eq!(fs::read_to_string(folder.join("scenario.toml")).ok().as_deref(), Some("schema = 1\n"));
    assert_eq!(fs::read_to_string(folder.join("report.html")).ok().as_deref(), Some("<!doctype html>"));
}

#[test]
fn nothing_is_overwritten_unasked_and_nothing_half_written_stays() {
    let played = crate::support::play("parking-lot", 5);
    let place = Place::new("occupied");
    let folder = place.0.join("run");
    let first = contents(&played, TableFormat::Csv);
    // An empty folder may be filled, a result folder only if it may be replaced.
    fs::create_dir_all(&folder).expect("made");
    write(&folder, &first).expect("an empty folder is no obstacle");
    assert!(matches!(write(&folder, &first), Err(ResultsError::Older(_))));
    let second = RunFolder { replace: true, scenario_text: "schema = 2\n", ..contents(&played, TableFormat::Parquet) };
    write(&folder, &second).expect("replaced");
    assert_eq!(fs::read_to_string(folder.join("scenario.toml")).ok().as_deref(), Some("schema = 2\n"));
    assert!(!folder.join("flows.csv").exists(), "nothing of the old folder remains");
    // What is not a result folder is never touched.
    let other = place.0.join("notes");
    fs::create_dir_all(&other).expect("made");
    fs::write(other.join("thesis.txt"), "years of work").expect("written");
    assert!(matches!(write(&other, &second), Err(ResultsError::Occupied(..))));
    let file = place.0.join("file");
    fs::write(&file, "a file").expect("written");
    assert!(matches!(write(&file, &second), Err(ResultsError::Occupied(..))));
    assert!(matches!(write(Path::new("/"), &second), Err(ResultsError::Occupied(..) | ResultsError::NoName(_))));
    // Nor one that somebody has put something into, nor another's manifest.
    fs::write(folder.join("notes.txt"), "seen in run 3").expect("written");
    assert!(matches!(write(&folder, &second), Err(ResultsError::Occupied(_, name)) if name == "notes.txt"));
    fs::remove_file(folder.join("notes.txt")).expect("removed");
    fs::write(folder.join("manifest.json"), r#"{"name": "an extension"}"#).expect("written");
    assert!(matches!(write(&folder, &second), Err(ResultsError::Occupied(..))));
    assert_eq!(fs::read_to_string(folder.join("scenario.toml")).ok().as_deref(), Some("schema = 2\n"));
    let left: Vec<_> =
        fs::read_dir(&place.0).expect("listed").map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(left.len(), 3, "only the folder, the notes and the file: {left:?}");
}

#[test]
fn a_failed_write_leaves_nothing() {
    let played = crate::support::play("parking-lot", 5);
    let place = Place::new("failed");
    // The parent is a file, so that no folder can be made there.
    let parent = place.0.join("file");
    fs::write(&parent, "a file").expect("written");
    assert!(write(&parent.join("run"), &contents(&played, TableFormat::Parquet)).is_err());
    assert_eq!(fs::read_dir(&place.0).expect("listed").count(), 1);
}

#[test]
fn whoever_stops_while_it_is_written_keeps_nothing_and_whatever_was_there() {
    let played = crate::support::play("parking-lot", 5);
    let place = Place::new("stopped");
    let (folder, arrivals) = (place.0.join("run"), place.0.join("arrivals"));
    fs::write(&arrivals, "at 1 ns").expect("written");
    let file = fs::File::open(&arrivals).expect("there");
    let files = [("arrivals-fifo-0.fwa", &file)];
    for format in [TableFormat::Csv, TableFormat::Parquet] {
        let contents = RunFolder { files: &files, replace: true, ..contents(&played, format) };
        let _ = fs::remove_dir_all(&folder);
        let mut stopped = 0;
        loop {
            let asked = std::cell::Cell::new(0);
            let wanted = || asked.replace(asked.get() + 1) < stopped;
            match write_while(&folder, &contents, &wanted) {
                Ok(()) => break,
                Err(error) => assert!(matches!(error, ResultsError::Stopped(_)), "{error}"),
            }
            assert_eq!(fs::read_dir(&place.0).expect("listed").count(), 1, "only the arrivals");
            stopped += 1;
        }
        // A table has a piece at least for each run.
        assert!(stopped > 4 + played.runs.len(), "stopped {stopped} times");
        assert!(matches!(write_while(&folder, &contents, &|| false), Err(ResultsError::Stopped(_))));
        assert_eq!(fs::read_to_string(folder.join("arrivals-fifo-0.fwa")).ok().as_deref(), Some("at 1 ns"));
    }
}

/// Real packets come once: only a folder that has the same ones takes the place of theirs.
#[test]
fn recordings_are_not_lost_to_another_result() {
    let played = crate::support::play("parking-lot", 5);
    let place = Place::new("recorded");
    let (folder, arrivals, others) = (place.0.join("run"), place.0.join("arrivals"), place.0.join("others"));
    fs::write(&arrivals, "at 1 ns").expect("written");
    fs::write(&others, "at 2 ns").expect("written");
    let [own, other] = [&arrivals, &others].map(|path| fs::File::open(path).expect("there"));
    let recorded = [("arrivals-fifo-1-0.fwa", &own), ("capture-fifo-1-0.pcapng", &own)];
    let whole = RunFolder { replace: true, ..contents(&played, TableFormat::Csv) };
    let names = |files: &[&str]| files.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    // What was simulated can be captured again.
    write(&folder, &RunFolder { files: &recorded[1..], ..whole }).expect("written");
    assert_eq!(fairwire_results::recordings(&folder).expect("read"), names(&[]));
    write(&folder, &RunFolder { files: &recorded, ..whole }).expect("replaced");
    assert_eq!(
        fairwire_results::recordings(&folder).expect("read"),
        names(&["arrivals-fifo-1-0.fwa", "capture-fifo-1-0.pcapng"])
    );
    for files in [&[][..], &recorded[..1], &[("arrivals-fifo-1-0.fwa", &other), recorded[1]]] {
        let refused = write(&folder, &RunFolder { files, ..whole });
        assert!(matches!(refused, Err(ResultsError::Recorded(..))), "{refused:?}");
        assert_eq!(fs::read_to_string(folder.join("arrivals-fifo-1-0.fwa")).ok().as_deref(), Some("at 1 ns"));
    }
    write(&folder, &RunFolder { files: &recorded, ..whole }).expect("the same packets once more");
    assert_eq!(fs::read_dir(&place.0).expect("listed").count(), 3, "nothing beside the folder");
}

/// Another process puts its folder there between a look at the place and the move.
#[test]
fn a_folder_that_has_come_meanwhile_gives_way() {
    let played = crate::support::play("parking-lot", 5);
    let place = Place::new("meanwhile");
    let (folder, other) = (place.0.join("run"), place.0.join("other"));
    let whole = RunFolder { replace: true, ..contents(&played, TableFormat::Csv) };
    for replace in [true, false] {
        let _ = fs::remove_dir_all(&folder);
        write(&other, &whole).expect("written");
        let come = || {
            let _ = fs::rename(&other, &folder);
            true
        };
        let parquet = RunFolder { replace, ..contents(&played, TableFormat::Parquet) };
        let written = write_while(&folder, &parquet, &come);
        assert_eq!(written.is_ok(), replace, "{written:?}");
        assert_eq!((folder.join("flows.parquet").is_file(), folder.join("flows.csv").is_file()), (replace, !replace));
    }
    assert_eq!(fs::read_dir(&place.0).expect("listed").count(), 1, "nothing beside the folder");
}

fn contents(played: &Played, format: TableFormat) -> RunFolder<'_> {
    static SCENARIO: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| json!({"title": "test"}));
    RunFolder {
        title: "test",
        scenario: &SCENARIO,
        scenario_text: "schema = 1\n",
        plan: &played.plan,
        runs: &played.runs,
        format,
        report: Some("<!doctype html>"),
        versions: &[],
        warnings: &[],
        wall_s: 0.5,
        ended: SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000),
        driver: None,
        real: &[],
        files: &[],
        replace: false,
    }
}

fn open(path: &Path) -> SerializedFileReader<File> {
    SerializedFileReader::new(File::open(path).expect("opened")).expect("a Parquet file")
}

fn rows(path: &Path) -> Vec<Row> {
    open(path).get_row_iter(None).expect("rows").map(|row| row.expect("a row")).collect()
}

fn field(row: &Row, name: &str) -> Field {
    let (_, field) = row.get_column_iter().find(|(column, _)| *column == name).expect("the column");
    field.clone()
}

fn physical(column: &Column) -> Physical {
    match column.kind {
        ColumnType::Integer | ColumnType::Unsigned => Physical::INT64,
        ColumnType::Real => Physical::DOUBLE,
        ColumnType::Text => Physical::BYTE_ARRAY,
    }
}

/// A folder of one test, gone when the test ends.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fairwire-results-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a place for the test");
        Self(path)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
