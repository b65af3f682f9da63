//! Rings that are held open for programs of others: commands, guests, hostile frames, and what is left alone.

#![cfg(target_os = "linux")]

mod common;

use common::desk::{Desk, LOT, possible, wait_until};
use common::skip::skip;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A ring that is up, until it is dropped.
struct Up<'a> {
    desk: &'a Desk,
    name: String,
    child: Child,
}

impl<'a> Up<'a> {
    fn begin(desk: &'a Desk, options: &[&str]) -> Self {
        let name = format!("{}-{}", desk.0.file_name().unwrap().display(), std::process::id());
        let arguments = [&["up", "file.toml", "--name", &name], options].concat();
        let child = desk.command(&arguments).stdout(Stdio::null()).spawn().unwrap();
        let up = Self { desk, name, child };
        assert!(wait_until(|| up.try_status().is_some_and(|status| !status["view"].is_null())), "it comes up");
        up
    }

    fn try_status(&self) -> Option<Value> {
        serde_json::from_slice(&self.desk.run(&["status", "--name", &self.name]).stdout).ok()
    }

    fn status(&self) -> Value {
        self.try_status().expect("it is up")
    }

    fn exec(&self, station: &str, command: &[&str]) -> Output {
        self.desk.run(&[&["exec", "--name", &self.name, station, "--"], command].concat())
    }

    /// What each flow has delivered, and when, by the ring's own clock.
    fn delivered(&self) -> (f64, Vec<f64>) {
        let view = &self.status()["view"];
        let flows = view["flows"].as_array().unwrap();
        let bytes = flows.iter().map(|flow| flow["delivered_bytes"].as_f64().unwrap()).collect();
        (view["now_ns"].as_f64().unwrap() * 1e-9, bytes)
    }
}

impl Drop for Up<'_> {
    fn drop(&mut self) {
        let _ = self.desk.run(&["down", "--name", &self.name]);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        skip(&format!("not all is tested without {program}"));
    }
    found
}

#[test]
fn what_is_down_is_gone() {
    if !possible() {
        return;
    }
    let desk = Desk::new("down", LOT);
    for _ in 0..5 {
        let up = Up::begin(&desk, &[]);
        let pid = up.status()["pid"].as_u64().unwrap();
        assert!(desk.run(&["down", "--name", &up.name]).status.success());
        let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        assert!(state.is_empty() || state.contains(") Z"), "it is gone when `down` comes back: {state}");
        assert_eq!(desk.run(&["status", "--name", &up.name]).status.code(), Some(2));
    }
}

/// Programs that run as `sleep SECONDS`, with `seconds` that nobody else sleeps.
fn sleepers(seconds: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let command = |entry: fs::DirEntry| fs::read(entry.path().join("cmdline")).ok();
    let wanted = format!("sleep\0{seconds}\0").into_bytes();
    processes.filter_map(command).filter(|command| *command == wanted).count()
}

#[test]
fn programs_in_stations_end_with_what_is_up_however_it_ends() {
    if !possible() {
        return;
    }
    let desk = Desk::new("ends", LOT);
    for (number, signal) in [None, Some("-INT"), Some("-KILL")].into_iter().enumerate() {
        let mut up = Up::begin(&desk, &[]);
        let seconds = format!("{}.{}", 86_000 + number, std::process::id());
        // One that `exec` became; one that nobody waits for; one that does not want to end.
        let mut became = desk.command(&["exec", "--name", &up.name, "0", "--", "sleep", &seconds]).spawn().unwrap();
        assert!(up.exec("1", &["sh", "-c", &format!("sleep {seconds} > /dev/null 2>&1 &")]).status.success());
        let deaf = format!("trap '' TERM; sleep {seconds} > /dev/null 2>&1 &");
        assert!(up.exec("2", &["sh", "-c", &deaf]).status.success());
        assert!(wait_until(|| sleepers(&seconds) == 3), "{} sleep", sleepers(&seconds));
        let outside = Guest(Command::new("sleep").arg(&seconds).spawn().unwrap());
        match signal {
            None => {
                assert!(desk.run(&["down", "--name", &up.name]).status.success());
                became.wait().unwrap();
                assert_eq!(sleepers(&seconds), 1, "they are gone when `down` comes back");
            }
            Some(signal) => {
                let ended = Command::new("kill").args([signal, &up.child.id().to_string()]).status();
                assert!(ended.unwrap().success());
                up.child.wait().unwrap();
                became.wait().unwrap();
                assert!(wait_until(|| sleepers(&seconds) == 1), "{signal}: {} sleep", sleepers(&seconds));
            }
        }
        drop(outside);
    }
}

#[test]
fn a_program_that_is_not_there_is_told_as_shells_do() {
    if !possible() {
        return;
    }
    let desk = Desk::new("missing", LOT);
    let up = Up::begin(&desk, &[]);
    let said = up.exec("0", &["no-such-program-anywhere"]);
    assert_eq!(said.status.code(), Some(127), "{}", words(&said));
    assert!(words(&said).contains("no-such-program-anywhere") && !words(&said).contains("doctor"), "{}", words(&said));
    // A folder of PATH that is none is passed over by shells, and so is one that may not be looked into.
    let shut = desk.0.join("shut");
    fs::create_dir(&shut).unwrap();
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).unwrap();
    let path = format!("{}:{}", shut.display(), std::env::var("PATH").unwrap());
    let arguments = ["exec", "--name", &up.name, "0", "--", "no-such-program-anywhere"];
    let said = desk.command(&arguments).env("PATH", path).output().unwrap();
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(said.status.code(), Some(127), "{}", words(&said));
    fs::write(desk.0.join("plain"), "no program").unwrap();
    assert_eq!(up.exec("0", &["./plain"]).status.code(), Some(126));
}

#[test]
fn a_ring_is_up_as_long_as_a_command_runs() {
    if !possible() {
        return;
    }
    let desk = Desk::new("while", LOT);
    let name = format!("while-{}", std::process::id());
    let fairwire = env!("CARGO_BIN_EXE_fairwire");
    let script = format!("{fairwire} exec --name {name} 0 -- cat /proc/self/net/dev; exit 7");
    let said = desk.run(&["up", "file.toml", "--name", &name, "--", "sh", "-c", &script]);
    assert_eq!(said.status.code(), Some(7), "{}", words(&said));
    assert!(String::from_utf8_lossy(&said.stdout).contains("ring0:"), "the command has seen the station");
    assert_eq!(desk.run(&["status", "--name", &name]).status.code(), Some(2), "and it is down again");
    let missing = desk.run(&["up", "file.toml", "--name", &name, "--", "no-such-program-anywhere"]);
    assert_eq!(missing.status.code(), Some(127), "{}", words(&missing));
    let wrong = desk.run(&["up", "nothing.toml", "--name", &name, "--", "true"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", words(&wrong));
    assert!(words(&wrong).contains("nothing.toml"));
}

/// A program in network and user namespaces of its own, as a container of this user has them; it ends when this is dropped.
struct Guest(Child);

impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn guest() -> Option<Guest> {
    let works = Command::new("unshare").args(["-Urn", "true"]).output().is_ok_and(|said| said.status.success());
    if !works {
        skip("no `unshare -Urn` here");
        return None;
    }
    let mut command = Command::new("unshare");
    command.args(["-Urn", "sleep", "600"]).stdout(Stdio::null()).stderr(Stdio::null());
    let guest = Guest(command.spawn().unwrap());
    let own = fs::read_link("/proc/self/ns/net").unwrap();
    let network = format!("/proc/{}/ns/net", guest.0.id());
    assert!(wait_until(|| fs::read_link(&network).is_ok_and(|other| other != own)));
    assert!(wait_until(|| {
        let command = fs::read_to_string(format!("/proc/{}/comm", guest.0.id())).unwrap_or_default();
        command.trim() == "sleep"
    }));
    Some(guest)
}

/// What a program says inside a guest.
fn inside(guest: &Guest, command: &[&str]) -> String {
    let target = guest.0.id().to_string();
    let entered =
        Command::new("nsenter").args(["-U", "--preserve-credentials", "-n", "-t", &target]).args(command).output();
    entered.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn an_existing_namespace_is_a_station_and_is_left_as_it_was() {
    if !possible() {
        return;
    }
    let Some(guest) = guest() else { return };
    let desk = Desk::new("guest", LOT);
    let before = inside(&guest, &["cat", "/proc/net/dev", "/proc/net/route", "/proc/sys/net/ipv4/tcp_ecn"]);
    let station = format!("1={}", guest.0.id());
    {
        let up = Up::begin(&desk, &["--station", &station]);
        let devices = inside(&guest, &["cat", "/proc/net/dev"]);
        assert!(devices.contains("ring0:"), "{devices}");
        if has("python3") {
            // From the guest, which is station 1, to station 3, where nobody listens: the datagrams are carried.
            let send = "import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n\
                        [s.sendto(b'x' * 200, ('10.77.0.4', 9)) for _ in range(20)]";
            inside(&guest, &["python3", "-c", send]);
            assert!(wait_until(|| up.delivered().1[1] >= 20.0 * 242.0), "{:?}", up.delivered());
        }
    }
    // What is counted of its own devices goes on, and tables of routes have a heading once there was a route.
    let lasting = |line: &&str| (!line.contains(':') || line.contains("ring0")) && !line.starts_with("Iface");
    let counts = |text: &str| text.lines().filter(lasting).map(str::to_owned).collect::<Vec<_>>();
    let after = inside(&guest, &["cat", "/proc/net/dev", "/proc/net/route", "/proc/sys/net/ipv4/tcp_ecn"]);
    assert_eq!(counts(&before), counts(&after), "nothing of ours is left");
    // A whole run with a guest: the same tables, and a row for what others send.
    let answer =
        desk.json(&["run", "file.toml", "--real", "--json", "--no-simulation", "--out", "one", "--station", &station]);
    let other = &answer["real"][0]["other"];
    assert!(other["packets"].is_u64() && other["rate_bps"].is_number(), "{other}");
    assert_eq!(answer["runs"][0]["flows"].as_array().unwrap().len(), 3);
    let again = desk.json(&["replay", "one", "--json"]);
    assert_eq!(again["runs"][0]["flows"], answer["runs"][0]["flows"], "a guest's run can be replayed");
    let nobody = desk.run(&["run", "file.toml", "--real", "--no-folder", "--station", "5=1"]);
    assert!(!nobody.status.success());
    let missing = desk.run(&["run", "file.toml", "--real", "--no-folder", "--station", "1=no-such-namespace"]);
    assert!(missing.status.code() == Some(3) && words(&missing).contains("ip netns list"), "{}", words(&missing));
}

/// Writes so many hostile frames to a station's device: random ones, and good ones with something about them that is not.
const HOSTILE: &str = r#"
import random, socket, struct, sys
count, draw = int(sys.argv[1]), random.Random(24)
tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
tap.bind(("ring0", 0))
def datagram(to, size):
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, draw.randrange(256), size - 14, 0, 0, 64, 17, 0,
                     bytes([10, 77, 0, 1]), bytes([10, 77, 0, to + 1]))
    frame = bytes([2, 0x66, 0x61, 0x69, 0, to + 1, 2, 0x66, 0x61, 0x69, 0, 1, 8, 0]) + ip
    return bytearray(frame + struct.pack(">HHHH", 2000 + draw.randrange(4), 2000 + draw.randrange(5), size - 34, 0)
                     + bytes(size - 42))
for number in range(count):
    frame = datagram(draw.randrange(5), draw.randrange(42, 900))
    kind = draw.randrange(8)
    if kind == 0: del frame[draw.randrange(14, len(frame)):]
    elif kind == 1: frame[12:14] = draw.choice([b"\x81\x00", b"\x88\xa8", b"\x86\xdd", b"\x08\x06", b"\x88\x47"])
    elif kind == 2: frame[0:6] = draw.choice([b"\xff" * 6, b"\x01\x00\x5e\x00\x00\x01", b"\x02" * 6])
    elif kind == 3: frame[16:18] = draw.randbytes(2)
    elif kind == 4: frame[20:22] = draw.randbytes(2)
    elif kind == 5: frame = bytearray(draw.randbytes(len(frame)))
    elif kind == 6: frame[26:30] = draw.randbytes(4)
    for _ in range(draw.randrange(3)): frame[draw.randrange(len(frame))] ^= 1 << draw.randrange(8)
    try: tap.send(frame)
    except OSError: pass
"#;

/// How many in the suite; `FAIRWIRE_HOSTILE=1000000` asks for more.
fn hostile_frames() -> u64 {
    std::env::var("FAIRWIRE_HOSTILE").ok().and_then(|count| count.parse().ok()).unwrap_or(20_000)
}

#[test]
fn hostile_frames_are_told_by_kind_and_move_nobody() {
    if !possible() || !has("python3") {
        return;
    }
    let desk = Desk::new("hostile", LOT);
    let up = Up::begin(&desk, &["--traffic"]);
    // Of the flows whose stations write nothing else, since then. On a machine that is busy elsewhere that clock stands still.
    let rates_since = |(began, before): &(f64, Vec<f64>)| {
        let mut now = up.delivered();
        while now.0 < began + 0.9 {
            std::thread::sleep(Duration::from_millis(100));
            now = up.delivered();
        }
        (1..3).map(|flow| (now.1[flow] - before[flow]) * 8.0 / (now.0 - began)).collect::<Vec<f64>>()
    };
    std::thread::sleep(Duration::from_millis(500));
    let begun = up.delivered();
    std::thread::sleep(Duration::from_secs(1));
    let calm = rates_since(&begun);
    let count = hostile_frames();
    let begun = up.delivered();
    let sent = up.exec("0", &["python3", "-c", HOSTILE, &count.to_string()]);
    assert!(sent.status.success(), "{}", words(&sent));
    // What is told is looked at now and then: it follows what came up.
    let mut status = up.status();
    let of_kinds = |status: &Value| -> BTreeMap<String, u64> {
        serde_json::from_value(status["frames"]["foreign"].clone()).unwrap()
    };
    let sent_at = Instant::now();
    while of_kinds(&status).values().sum::<u64>() <= count / 2 && sent_at.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(50));
        status = up.status();
    }
    let flooded = rates_since(&begun);
    let frames = &status["frames"];
    let number = |key: &str| frames[key].as_u64().unwrap();
    let foreign = of_kinds(&status);
    let told: u64 = foreign.values().sum();
    assert_eq!(number("came"), number("carried") + number("line_refused") + told, "each is counted once: {frames}");
    let kinds = ["short", "multicast", "vlan", "arp", "ipv6", "protocol", "bad-header", "source", "destination"];
    let missing: Vec<_> = kinds.into_iter().filter(|kind| !foreign.contains_key(*kind)).collect();
    assert!(missing.is_empty(), "{missing:?} of {foreign:?}");
    assert!(told > count / 2, "{told} of {count}");
    println!("calm {calm:?}, among {count} hostile frames {flooded:?} bit/s: {frames}");
    for (calm, flooded) in calm.iter().zip(&flooded) {
        assert!((flooded / calm - 1.0).abs() < 0.05, "{flooded} bit/s among hostile frames, {calm} before");
    }
    let after = rates_since(&up.delivered());
    assert!(after.iter().all(|rate| *rate > 1e6), "it still carries: {after:?}");
}

/// Links, addresses, routes and settings of the network namespace that this process is in.
fn network() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for name in ["route", "ipv6_route", "if_inet6", "fib_trie", "arp"] {
        found.insert(name.to_owned(), fs::read_to_string(format!("/proc/net/{name}")).unwrap_or_default());
    }
    let devices = fs::read_to_string("/proc/net/dev").unwrap_or_default();
    let devices: Vec<_> = devices.lines().filter_map(|line| Some(line.split_once(':')?.0.trim())).collect();
    found.insert("devices".to_owned(), devices.join(" "));
    settings(Path::new("/proc/sys/net"), &mut found);
    found
}

fn settings(folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            settings(&path, found);
        } else if let Ok(value) = fs::read_to_string(&path) {
            // Counts of what is open now are no settings.
            if !path.ends_with("nf_conntrack_count") {
                found.insert(path.display().to_string(), value);
            }
        }
    }
}

#[test]
fn nothing_outside_of_namespaces_of_its_own_is_touched() {
    if !possible() {
        return;
    }
    let desk = Desk::new("untouched", LOT);
    let before = network();
    assert!(before.len() > 100, "{} settings", before.len());
    let up = Up::begin(&desk, &["--traffic"]);
    assert_eq!(network(), before, "while a ring is up");
    drop(up);
    desk.json(&["run", "file.toml", "--real", "--json", "--no-simulation", "--no-folder"]);
    assert_eq!(network(), before, "after a run");
}
