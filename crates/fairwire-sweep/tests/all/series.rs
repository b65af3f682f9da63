//! Series of runs: the same files however they came about, and what is in them.

use crate::sweeps::{SCENARIO, files, folder, go_on, plan};
use fairwire_plan::Detail;
use fairwire_results::{Cells, each_chunk};
use fairwire_runs::{Batch, Job, Reference};
use fairwire_sweep::{Part, Plan, Rounds, Store, Task, finish, read_frames, series_files};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn with_series(text: &str) -> Plan {
    plan(text).with_series(true)
}

fn whole(name: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = folder(name);
    assert!(go_on(&with_series(SCENARIO), &folder, None, u64::MAX).0);
    files(&folder)
}

#[test]
fn series_are_the_same_at_any_number_of_threads_and_change_nothing_else() {
    let mut reference = whole("series-threads");
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert!(pool.install(|| whole(&format!("series-threads-{threads}"))) == reference, "{threads} threads");
    }
    let plain = folder("series-none");
    go_on(&plan(SCENARIO), &plain, None, u64::MAX);
    let plain = files(&plain);
    assert!(reference.remove("series/series-00000.parquet").is_some(), "{:?}", reference.keys());
    let manifest = String::from_utf8(reference.remove("manifest.json").unwrap()).unwrap();
    assert!(manifest.contains("\"digest\""), "{manifest}");
    assert!(reference.iter().all(|(name, bytes)| plain[name] == *bytes) && plain.len() == reference.len() + 1);
}

#[test]
fn stopped_and_torn_it_ends_with_the_same_series() {
    let reference = whole("series-stopped-never");
    let (plan, folder) = (with_series(SCENARIO), folder("series-stopped"));
    let mut calls = 0;
    while !go_on(&plan, &folder, None, 9).0 {
        calls += 1;
        // A process that was killed may leave half a line in either journal.
        let journal = folder.join(["series.jsonl", "journal.jsonl"][calls % 2]);
        let mut bytes = fs::read(&journal).unwrap();
        bytes.truncate(bytes.len() - calls % 40);
        fs::write(&journal, bytes).unwrap();
        assert!(calls < 200, "it goes on");
    }
    assert!(calls > 3 && files(&folder) == reference, "stopped {calls} times");
}

#[test]
fn parts_and_tasks_bring_the_same_series() {
    let reference = whole("series-parts-none");
    let (plan, parts) = (with_series(SCENARIO), folder("series-parts"));
    for number in [2, 3, 1] {
        assert!(go_on(&plan, &parts, Some(Part { number, of: 3 }), u64::MAX).0);
    }
    assert_eq!(go_on(&plan, &parts, None, u64::MAX), (true, 0));
    assert!(files(&parts) == reference);

    let travelled = folder("series-travelled");
    let store = Store::open(&travelled, &plan, None).unwrap();
    let mut rounds = Rounds::new(&plan, None);
    while let jobs @ [_, ..] = &rounds.next(&plan, &store).unwrap()[..] {
        for jobs in jobs.chunks(2).rev() {
            let text = serde_json::to_string(&Task::of(&plan, jobs)).unwrap();
            let answer = serde_json::from_str::<Task>(&text).unwrap().work().unwrap();
            store.keep_answer(&serde_json::from_str(&serde_json::to_string(&answer).unwrap()).unwrap()).unwrap();
        }
    }
    finish(&plan, &rounds, store, 1.0).unwrap();
    assert!(files(&travelled) == reference);
}

#[test]
fn runs_that_are_known_get_series_when_they_are_asked_for_and_keep_them() {
    let reference = whole("series-at-once");
    let (plain, plan, folder) = (plan(SCENARIO), with_series(SCENARIO), folder("series-later"));
    go_on(&plain, &folder, None, u64::MAX);
    let (ended, ran) = go_on(&plan, &folder, None, u64::MAX);
    assert!(ended && ran > 0 && files(&folder) == reference, "runs are done again for their series");
    let written = |name: &str| fs::metadata(folder.join(name)).unwrap().modified().unwrap();
    let before = written("series/series-00000.parquet");
    for plan in [&plan, &plain] {
        assert_eq!(go_on(plan, &folder, None, u64::MAX), (true, 0), "all is known");
        assert!(files(&folder) == reference && written("series/series-00000.parquet") == before, "and left alone");
    }

    let wide = with_series(&SCENARIO.replace("steps = 3", "steps = 5"));
    let (ended, ran) = go_on(&wide, &folder, None, u64::MAX);
    let fresh = self::folder("series-wider-at-once");
    let (_, all) = go_on(&wide, &fresh, None, u64::MAX);
    assert!(ended && ran > 0 && ran < all, "{ran} of {all}");
    assert!(files(&fresh) == files(&folder));
}

#[test]
fn a_crash_while_series_are_moved_loses_nothing() {
    let reference = whole("series-moved-never");
    let (plan, folder) = (with_series(SCENARIO), folder("series-moved"));
    assert!(!go_on(&plan, &folder, None, 5).0);
    let journals = ["series.jsonl", "journal.jsonl"].map(|name| folder.join(name));
    let store = Store::open(&folder, &plan, None).unwrap();
    let mut rounds = Rounds::new(&plan, None);
    while let jobs @ [_, ..] = &rounds.next(&plan, &store).unwrap()[..] {
        assert!(fairwire_sweep::fill(&plan, jobs, &store, &|_, _| true).unwrap());
    }
    let kept = journals.each_ref().map(|path| fs::read(path).unwrap());
    finish(&plan, &rounds, store, 1.0).unwrap();
    let (series, beside) = (folder.join("series"), folder.join("series.partial"));
    for tear in [
        &|| fs::rename(&series, &beside).unwrap(),
        &|| fs::write(series.join("series-00000.parquet"), "half of it").unwrap(),
        &|| fs::remove_file(folder.join("manifest.json")).unwrap(),
    ] as [&dyn Fn(); 3]
    {
        journals.iter().zip(&kept).for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
        tear();
        fs::remove_file(folder.join("points.parquet")).unwrap();
        // What tells that series are whole is written last.
        let _ = fs::remove_file(folder.join("manifest.json"));
        assert_eq!(go_on(&plan, &folder, None, u64::MAX), (true, 0), "nothing is run again");
        assert!(files(&folder) == reference);
    }
}

#[test]
fn series_are_the_rows_that_a_result_folder_has() {
    let (plan, folder) = (with_series(SCENARIO), folder("series-rows"));
    go_on(&plan, &folder, None, u64::MAX);
    let frames: Vec<_> =
        series_files(&folder.join("series")).unwrap().iter().flat_map(|path| read_frames(path).unwrap()).collect();
    let rows = frames.iter().flat_map(|frame| (0..frame.len()).map(move |row| (frame, row)));
    let whole = |name: &str, (frame, row)| fairwire_sweep::Frame::get(frame, name).unwrap().whole(row).unwrap();
    let points: Vec<i64> = rows.clone().map(|at| whole("point", at)).collect();
    assert!(points.is_sorted() && points.last() == Some(&(plan.points.len() as i64 - 1)));

    let (point, run) = (4, 2);
    let scenario = plan.scenario(point).unwrap();
    let reference = Reference::solve(&scenario, scenario.criterion(), false).unwrap();
    let laws = vec![scenario.own_law().unwrap()];
    let batch = Batch { seeded: vec![scenario], laws, runs: 0..3, engine: None, detail: Detail::Full, check: true };
    let finished = batch.simulate_one(Job { law: 0, seed: 0, run }, &reference, &mut |_| true).unwrap().unwrap();
    let mut expected = Vec::new();
    each_chunk::<()>("flows", &finished.plan, &finished.outcome, |chunk| {
        let [Cells::SameText(flow), Cells::Integers(times), Cells::Reals(rate), Cells::Reals(left)] = &chunk.cells[3..]
        else {
            panic!("{chunk:?}")
        };
        expected.extend((0..chunk.rows).map(|row| (flow.to_string(), times[row], rate[row], left[row])));
        Ok(())
    })
    .unwrap();
    let number = |name: &str, (frame, row)| fairwire_sweep::Frame::get(frame, name).unwrap().number(row).unwrap();
    let of_run = rows.filter(|at| whole("point", *at) == point as i64 && whole("run", *at) == run as i64);
    let found: Vec<_> = of_run
        .map(|at| {
            let flow = at.0.get("flow").unwrap().text(at.1).unwrap().to_string();
            (flow, whole("t_ns", at), number("rate_bps", at), number("left_bps", at))
        })
        .collect();
    assert!(!expected.is_empty() && found == expected);
}

/// Files are full at 8 MiB; none is cut inside a run.
#[test]
#[ignore = "takes a while: files of some MB"]
fn long_series_come_in_several_files() {
    let text = SCENARIO.replace("duration = \"60 ms\"", "duration = \"20 s\"\nwindow = \"0.1 ms\"");
    let text = text.replace("first = 4, most = 20", "first = 2, most = 3");
    let (plan, folder) = (with_series(&text), folder("series-long"));
    go_on(&plan, &folder, None, u64::MAX);
    let files = series_files(Path::new(&folder.join("series"))).unwrap();
    let sizes: Vec<u64> = files.iter().map(|path| fs::metadata(path).unwrap().len()).collect();
    assert!(files.len() > 2 && sizes.iter().rev().skip(1).all(|size| (8..16).contains(&(size >> 20))), "{sizes:?}");
}

/// Series say the values of axes as they are written: spelled otherwise the runs are the same, the files are not.
#[test]
fn the_digest_of_series_tells_axes_apart() {
    let digest = |name: &str, capacity: &str| {
        let (head, _) = SCENARIO.split_once("[sweep]").unwrap();
        let until = "until = { measure = \"flow.one.ratio\", half-width = \"4 %\", first = 2, most = 2 }";
        let text = format!("{head}[sweep]\n\"network.link.only.capacity\" = [{capacity}]\n{until}\n");
        let folder = folder(name);
        assert!(go_on(&with_series(&text), &folder, None, u64::MAX).0);
        let told: serde_json::Value = serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
        told["series"]["digest"].as_str().unwrap().to_owned()
    };
    let first = digest("digest-1", "\"8 Mb/s\"");
    assert_eq!(digest("digest-2", "\"8 Mb/s\""), first);
    assert_ne!(digest("digest-3", "\"8000 kb/s\""), first);
    assert_ne!(digest("digest-4", "\"9 Mb/s\""), first);
}
