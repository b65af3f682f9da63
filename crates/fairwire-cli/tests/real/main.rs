//! Real packets: the command in processes of its own. Where a system lacks what they need, tests say so and pass.

#![cfg(target_os = "linux")]

mod arrivals;
#[path = "../common/mod.rs"]
mod common;
mod enforce;
mod enforce_network;
mod lacks;
mod limits;
mod links;
mod namespace;

use common::answer_keys::{as_told, is_of_real_runs, keys, told, told_of};
use common::desk::{Desk, GATEWAY, LOT, possible};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

fn rates(run: &Value) -> Vec<f64> {
    run["flows"].as_array().unwrap().iter().map(|flow| flow["rate_bps"].as_f64().unwrap()).collect()
}

/// Links, and how many network namespaces and descriptors' owners the system shows.
fn surroundings() -> (String, usize) {
    let links = fs::read_to_string("/proc/net/dev").unwrap();
    let links = links.lines().filter_map(|line| Some(line.split_once(':')?.0.trim().to_owned()));
    let networks =
        fs::read_dir("/proc").unwrap().filter_map(|entry| fs::read_link(entry.ok()?.path().join("ns/net")).ok());
    let mut networks: Vec<_> = networks.collect();
    networks.sort();
    networks.dedup();
    (links.collect::<Vec<_>>().join(" "), networks.len())
}

#[test]
fn a_real_ring_is_fair_beside_its_simulation_and_replays_to_the_byte() {
    if !possible() {
        return;
    }
    let desk = Desk::new("ring", LOT);
    let answer = desk.json(&["run", "file.toml", "--real", "--json", "--out", "one", "--format", "csv"]);
    assert_eq!(answer["driver"], "real");
    let fidelity = &answer["real"][0]["fidelity"];
    assert!(["undisturbed", "disturbed", "invalid"].contains(&fidelity["verdict"].as_str().unwrap()));
    assert_eq!(answer["simulated"].as_array().unwrap().len(), 1);
    if fidelity["verdict"] == "invalid" {
        println!("the machine is too busy: {}", fidelity["why"]);
        assert_eq!(answer["expect"].as_array().unwrap().len(), 0, "no verdict without belief");
    } else {
        for rate in rates(&answer["runs"][0]) {
            assert!((rate / (50e6 / 3.0) - 1.0).abs() < 0.03, "{rate} bit/s where 16.7 Mb/s is fair");
        }
    }
    let mut found = BTreeSet::new();
    keys(&answer, "", &mut found);
    let found: BTreeSet<_> = found
        .into_iter()
        .filter(|key| is_of_real_runs(key))
        .filter(|key| !key.contains('.') || key.starts_with("real"))
        .collect();
    let told: BTreeSet<_> = told("run.md").into_iter().filter(|key| is_of_real_runs(key)).collect();
    let of_kinds = |key: &String| key.starts_with("real[].fidelity.foreign.");
    // Nothing is cut here, and nobody is a guest.
    let told: BTreeSet<_> = told.into_iter().filter(|key| !is_elsewhere(key)).collect();
    assert_eq!(found.into_iter().filter(|key| !of_kinds(key)).collect::<BTreeSet<_>>(), told, "docs/reference/run.md");
    let manifest: Value = serde_json::from_slice(&fs::read(desk.0.join("one/manifest.json")).unwrap()).unwrap();
    assert_eq!((&manifest["driver"], &manifest["real"][0]["law"]), (&"real".into(), &"dvsr-plus".into()));

    let again = desk.json(&["replay", "one", "--json", "--out", "two", "--format", "csv"]);
    assert_eq!((&again["driver"], &again["runs"][0]["flows"]), (&"replay".into(), &answer["runs"][0]["flows"]));
    let mut tables = 0;
    for entry in fs::read_dir(desk.0.join("one")).unwrap() {
        let name = entry.unwrap().file_name();
        if Path::new(&name).extension().is_some_and(|ending| ending == "csv" || ending == "fwa") {
            let [one, two] = ["one", "two"].map(|folder| fs::read(desk.0.join(folder).join(&name)).unwrap());
            assert!(one == two, "{} is the same to the byte", name.display());
            tables += 1;
        }
    }
    assert!(tables > 5, "{tables} tables");

    // What the packets would have met under another law.
    let other = desk.json(&["replay", "one", "--json", "--law", "fifo"]);
    let [first, .., last] = rates(&other["runs"][0])[..] else { panic!("three flows") };
    assert!(last > 1.1 * first, "{first} and {last}");
    let warnings = other["warnings"].to_string();
    assert!(warnings.contains("the arrivals are those under dvsr-plus"), "{warnings}");
}

fn is_elsewhere(key: &str) -> bool {
    key.starts_with("real[].pauses") || key.starts_with("real[].other")
}

#[test]
fn kernels_tcp_goes_through_a_gateway_that_marks() {
    if !possible() {
        return;
    }
    let desk = Desk::new("gateway", GATEWAY);
    let answer =
        desk.json(&["run", "file.toml", "--real", "--json", "--no-simulation", "--out", "one", "--format", "csv"]);
    assert!(answer.get("simulated").is_none());
    let flows = answer["runs"][0]["flows"].as_array().unwrap();
    let [bulk, files, stream] = &flows[..] else { panic!("three flows") };
    assert!(bulk["rate_bps"].as_f64().unwrap() > 2e6, "{bulk}");
    assert!(bulk["marked"].as_u64().unwrap() > 10, "RED marks: {bulk}");
    assert_eq!(answer["real"][0]["fidelity"]["checksum_errors"], 0, "marks keep checksums right");
    assert!(files["transfers"]["count"].as_u64().unwrap() > 3, "{files}");
    assert!((stream["rate_bps"].as_f64().unwrap() / 1e6 - 1.0).abs() < 0.3, "{stream}");
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("rates of TCP are of frames that arrived"), "{warnings}");
    assert!(!warnings.contains("acknowledge every other segment"), "TCP as deployed does so, too: {warnings}");
    let again = desk.json(&["replay", "one", "--json", "--out", "two", "--format", "csv"]);
    assert_eq!(again["runs"][0]["flows"], answer["runs"][0]["flows"]);
    assert_eq!(
        fs::read(desk.0.join("one/transfers.csv")).unwrap(),
        fs::read(desk.0.join("two/transfers.csv")).unwrap()
    );
}

#[test]
fn another_tcp_is_said_to_be_the_real_packets_alone() {
    if !possible() {
        return;
    }
    let desk = Desk::new("another-tcp", GATEWAY);
    let real = ["run", "file.toml", "--real", "--json", "--no-folder", "--no-simulation", "--duration", "500 ms"];
    let warnings = |tcp: &[&str]| desk.json(&[&real, tcp].concat())["warnings"].to_string();
    let told = warnings(&["--tcp", "cubic"]);
    assert!(told.contains("simulated connections of files have the scenario's control"), "{told}");
    assert!(!warnings(&[]).contains("simulated connections"));
}

#[test]
fn ctrl_c_keeps_what_there_is() {
    if !possible() {
        return;
    }
    let desk = Desk::new("interrupt", LOT);
    let arguments = ["run", "file.toml", "--real", "--json", "--duration", "60 s", "--out", "one"];
    let child = desk.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    sleep(Duration::from_millis(1_500));
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupted.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answer["interrupted"], &answer["real"][0]["stopped"]), (&true.into(), &true.into()));
    assert!(answer["runs"][0]["flows"][0]["delivered"].as_u64().unwrap() > 100);
    let reached = answer["real"][0]["reached_ns"].as_u64().unwrap();
    assert!(reached > 0 && reached < 20_000_000_000, "{reached}");
    assert!(answer["warnings"].to_string().contains("into run 1 of 1"), "{}", answer["warnings"]);
    let again = desk.json(&["replay", "one", "--json"]);
    assert_eq!(again["runs"][0]["flows"], answer["runs"][0]["flows"], "as far as it came");
    // Whoever has only the folder knows that it is not whole.
    assert_eq!(again["interrupted"], true);
    assert!(again["warnings"].to_string().contains("was stopped by the user after"), "{}", again["warnings"]);
    let shown = String::from_utf8(desk.run(&["replay", "one"]).stdout).unwrap();
    let heading = shown.lines().nth(1).unwrap();
    assert!(heading.contains(" of 60 s of real packets, replayed, interrupted"), "{heading}");
}

/// Nobody can record them again.
#[test]
fn real_packets_are_not_lost_to_another_result() {
    if !possible() {
        return;
    }
    let desk = Desk::new("recorded", LOT);
    let short = ["run", "file.toml", "--real", "--no-simulation", "--duration", "600 ms"];
    let recorded = |place: &str| fs::read(desk.0.join(place).join("arrivals-dvsr-plus-1-0.fwa")).unwrap();
    assert!(desk.run(&[&short[..], &["--out", "one"]].concat()).status.code().is_some_and(|code| code < 2));
    let whole = recorded("one");
    for call in [
        &["replay", "one", "--law", "fifo", "--out", "one"][..],
        &["run", "file.toml", "--out", "one"],
        &["compare", "file.toml", "--laws", "fifo", "--out", "one"],
        &[&short[..], &["--out", "one"]].concat(),
    ] {
        let output = desk.run(call);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{call:?}: {told}");
        assert!(told.contains("arrivals-dvsr-plus-1-0.fwa") && told.contains("--out"), "{told}");
        assert_eq!(recorded("one"), whole, "{call:?}");
    }
    // The same packets under the same law are in the new folder, too.
    assert!(desk.run(&["replay", "one", "--out", "one"]).status.code().is_some_and(|code| code < 2));
    assert_eq!(recorded("one"), whole);
    // Where no place is named each recording has one of its own.
    for _ in 0..2 {
        assert!(desk.run(&short).status.code().is_some_and(|code| code < 2));
    }
    desk.run(&["run", "file.toml", "--duration", "600 ms"]);
    let folders = fs::read_dir(desk.0.join("runs")).unwrap().map(|entry| entry.unwrap().path());
    let (real, simulated): (Vec<_>, Vec<_>) =
        folders.partition(|folder| folder.join("arrivals-dvsr-plus-1-0.fwa").is_file());
    assert_eq!((real.len(), simulated.len()), (2, 1), "{real:?} {simulated:?}");
}

/// How many in the suite; `FAIRWIRE_KILLS=50` asks for more.
fn kills() -> u64 {
    std::env::var("FAIRWIRE_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(12)
}

#[test]
fn a_killed_run_leaves_nothing() {
    if !possible() {
        return;
    }
    let desk = Desk::new("killed", LOT);
    let before = surroundings();
    let temporary = || {
        let names =
            fs::read_dir(std::env::temp_dir()).unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.filter(|name| name.starts_with(".fairwire-")).count()
    };
    let temporary_before = temporary();
    let mut ended = 0;
    for round in 0..kills() {
        let mut child = desk
            .command(&["run", "file.toml", "--real", "--no-simulation", "--out", "one"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Set-up, run and end.
        sleep(Duration::from_millis(round * 137 % 3_600));
        child.kill().unwrap();
        child.wait().unwrap();
        // Whoever was quick enough has written all of it.
        if desk.0.join("one").exists() {
            desk.json(&["replay", "one", "--json"]);
            fs::remove_dir_all(desk.0.join("one")).unwrap();
            ended += 1;
        }
    }
    // Kernels put networks away a moment later.
    let patience = Instant::now() + Duration::from_secs(10);
    while surroundings().0 != before.0 && Instant::now() < patience {
        sleep(Duration::from_millis(50));
    }
    assert_eq!(surroundings().0, before.0, "no link more on the host");
    assert_eq!(temporary(), temporary_before, "no file more where temporary files are");
    // What was killed while it wrote its folder is put away by the next one of that name.
    desk.run(&["run", "file.toml", "--duration", "1 s", "--out", "one"]);
    let mut names: Vec<_> = fs::read_dir(&desk.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["file.toml", "one"], "no file more");
    println!("{} killed, {ended} of them after their end", kills());
}

#[test]
fn programs_of_others_run_in_stations_of_what_is_up() {
    if !possible() {
        return;
    }
    let desk = Desk::new("up", LOT);
    let name = format!("test-{}", std::process::id());
    let mut up = desk.command(&["up", "file.toml", "--name", &name]).stdout(Stdio::null()).spawn().unwrap();
    let status = || desk.run(&["status", "--name", &name]);
    let patience = Instant::now() + Duration::from_secs(20);
    let is_seen = || serde_json::from_slice::<Value>(&status().stdout).is_ok_and(|status| !status["view"].is_null());
    while !is_seen() && Instant::now() < patience {
        sleep(Duration::from_millis(50));
    }
    let exec =
        |station: &str, command: &[&str]| desk.run(&[&["exec", "--name", &name, station, "--"], command].concat());
    let devices = String::from_utf8(exec("0", &["cat", "/proc/self/net/dev"]).stdout).unwrap();
    let names: Vec<_> = devices.lines().filter_map(|line| Some(line.split_once(':')?.0.trim())).collect();
    assert_eq!((names.len(), names.contains(&"ring0"), names.contains(&"lo")), (2, true, true), "{devices}");
    assert_eq!(exec("0", &["sh", "-c", "exit 7"]).status.code(), Some(7), "it becomes the program");
    let wrong = exec("5", &["true"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("stations with traffic are 0, 1, 2, 3"));
    let delivered = |flow: usize| {
        let status: Value = serde_json::from_slice(&status().stdout).unwrap();
        status["view"]["flows"][flow]["delivered_packets"].as_u64().unwrap()
    };
    if exec("0", &["bash", "-c", "true"]).status.success() {
        // From station 0 to 3, which is the first flow's way; nobody listens there, and says so on the way back.
        for _ in 0..3 {
            assert!(exec("0", &["bash", "-c", "echo hello > /dev/udp/10.77.0.4/9"]).status.success());
        }
        let patience = Instant::now() + Duration::from_secs(10);
        while (delivered(0) < 3 || delivered(3) == 0) && Instant::now() < patience {
            sleep(Duration::from_millis(50));
        }
        assert!(delivered(0) >= 3 && delivered(3) >= 1, "{} there and {} back", delivered(0), delivered(3));
    } else {
        println!("no bash here: nothing is sent");
    }
    assert_eq!(
        as_told(&serde_json::from_slice(&status().stdout).unwrap(), "-", &["frames.foreign."]),
        told_of("fairwire status")
    );
    assert_eq!(desk.run(&["up", "file.toml", "--name", &name]).status.code(), Some(2), "the name is taken");
    assert!(desk.run(&["down", "--name", &name]).status.success());
    assert_eq!(up.wait().unwrap().code(), Some(0));
    assert_eq!(status().status.code(), Some(2), "nothing is up any more");
}

#[test]
fn what_cannot_be_real_is_told_with_its_mend() {
    let desk = Desk::new("refused", LOT);
    let told = |arguments: &[&str]| {
        let output = desk.run(arguments);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, words) = told(&["run", "file.toml", "--tcp", "bbr"]);
    assert!(code == Some(2) && words.contains("--real"), "{words}");
    let (code, words) = told(&["replay", "."]);
    assert!(code == Some(2) && words.contains("there are no arrivals in"), "{words}");
    fs::write(desk.0.join("arrivals-dvsr-1-0.fwa"), "something else").unwrap();
    let (code, words) = told(&["replay", "."]);
    assert!(code == Some(2) && words.contains("no journal of arrivals"), "{words}");
    if !possible() {
        return;
    }
    let (code, words) = told(&["run", "file.toml", "--real", "--tick", "1 s"]);
    assert!(code == Some(2) && words.contains("from 10 us to 10 ms"), "{words}");
    let many = LOT
        .replace("stations = 6", "stations = 90")
        .replace("from = [0, 1, 2]", &format!("from = {:?}", Vec::from_iter(10..80)));
    fs::write(desk.0.join("many.toml"), many).unwrap();
    let (code, words) = told(&["run", "many.toml", "--real", "--no-folder"]);
    assert!(code == Some(2) && words.contains("at most 64"), "{words}");
}
