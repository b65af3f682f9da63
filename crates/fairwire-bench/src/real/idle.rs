//! Round trips over idle links, from socket to socket.
//!
//! A connection to a port on which nobody listens is refused by the other kernel: a round trip, and no program has to answer.

use super::command::Fairwire;
use super::rings;
use super::scaled::{ring, shipped, under, written};
use fairwire_core::{Bytes, Instant, Span};
use fairwire_plan::{NetworkPlan, RingPlan};
use fairwire_scenario::Scenario;
use fairwire_terminal::{CliError, Interrupt, Outcome, TextTable, output, text};
use serde::{Deserialize, Serialize};
use std::net::{Ipv4Addr, TcpStream};
use std::process::Stdio;
use std::time::{Duration, Instant as Clock};

/// So many round trips a scenario, so far apart.
const TRIPS: usize = 60;
const APART: Duration = Duration::from_millis(3);
/// Bytes of the two frames: a SYN with its options, and a RST.
const FRAMES: [u64; 2] = [74, 54];
/// Nobody listens here.
const PORT: u16 = 9;
/// How long something takes to be up, at most.
const PATIENCE: Duration = Duration::from_secs(20);
/// What kernels and processors may add to links and a tick.
const SLACK: Span = Span::from_micros(100);

/// Round trips over the links of one scenario.
#[derive(Clone, Debug, Serialize)]
pub struct RoundTrip {
    /// The scenario.
    pub case: String,
    /// What spans and transmission times there and back add up to.
    pub links_ns: u64,
    /// How often the engine looks for packets.
    pub tick_ns: u64,
    /// The median round trip.
    pub p50_ns: u64,
    /// The least.
    pub least_ns: u64,
    /// Round trips taken.
    pub trips: usize,
    /// Whether the median is within a tick and 100 us of what the links add up to.
    pub holds: bool,
}

/// Takes the time of round trips to `to`: in ns, as JSON.
pub fn ping(to: Ipv4Addr) -> Result<Outcome, CliError> {
    let mut times = Vec::new();
    for _ in 0..TRIPS {
        let begun = Clock::now();
        let refused = TcpStream::connect_timeout(&(to, PORT).into(), Duration::from_secs(2));
        // Anything but a refusal came from nobody there.
        if refused.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionRefused) {
            times.push(begun.elapsed().as_nanos() as u64);
        }
        std::thread::sleep(APART);
    }
    output::print_json(&times)?;
    Ok(Outcome::Fine)
}

/// Round trips over a ring at 100 Mb/s and over a gateway of 10 Mb/s.
pub fn measure(fairwire: &Fairwire, interrupt: &Interrupt) -> Result<Vec<RoundTrip>, CliError> {
    let mut lot = shipped(include_str!("../../../../scenarios/papers/parking-lot.toml"))?;
    ring(&mut lot, &rings::SPEEDS[0].1)?;
    under(&mut lot, "dvsr-plus");
    let lot = written(&lot)?;
    let mix = include_str!("../../../../scenarios/gateways/vrr-mix.toml");
    let mut trips = Vec::new();
    for (case, toml) in [("lot at 100 Mb/s", lot.as_str()), ("vrr-mix", mix)] {
        if !interrupt.is_raised() {
            trips.push(trip(fairwire, case, toml)?);
        }
    }
    Ok(trips)
}

#[derive(Deserialize)]
struct Status {
    stations: Vec<Station>,
    view: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Station {
    station: u32,
    address: Ipv4Addr,
}

fn trip(fairwire: &Fairwire, case: &str, toml: &str) -> Result<RoundTrip, CliError> {
    let failed = |why: &str| CliError::Missing {
        message: format!("round trips over {case} cannot be taken: {why}"),
        help: "`fairwire doctor` tells what this system lacks for real packets".to_owned(),
    };
    let scenario = Scenario::parse(case, toml).map_err(|error| failed(&error.to_string()))?;
    let (from, to, tick, links) = match (scenario.ring_plan(0), scenario.network_plan(0)) {
        (Some(plan), _) => (plan.flows[0].from.index() as u32, plan.flows[0].to.index() as u32, 100, over_ring(&plan)),
        (None, Some(plan)) => {
            let route = &plan.flows[0].route;
            let (first, last) = (&plan.links[route[0] as usize], &plan.links[route[route.len() - 1] as usize]);
            (first.from, last.to, 200, over_network(&plan))
        }
        (None, None) => return Err(failed("it has neither a ring nor a network")),
    };
    let tick = Span::from_micros(tick);
    let name = format!("bench-{}", std::process::id());
    let file = std::env::temp_dir().join(format!("fairwire-{name}.toml"));
    std::fs::write(&file, toml)
        .map_err(|error| CliError::file("write", &file, &error, "set TMPDIR to a folder that can be written"))?;
    let mut up = fairwire.command(&["up", "--name", &name]);
    let up = up.arg(&file).args(fairwire.priority()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut up = up.map_err(|error| failed(&error.to_string()))?;
    let taken = take(fairwire, &name, (from, to));
    let _ = fairwire.command(&["down", "--name", &name]).output();
    // Whatever holds it, it is ours, and it goes.
    let _ = up.wait();
    let _ = std::fs::remove_file(&file);
    let mut times = taken.map_err(|why| failed(&why))?;
    times.sort_unstable();
    let [Some(&least_ns), Some(&p50_ns)] = [times.first(), times.get(times.len() / 2)] else {
        return Err(failed("nobody answered"));
    };
    let most = links + tick + SLACK;
    Ok(RoundTrip {
        case: case.to_owned(),
        links_ns: links.as_nanos(),
        tick_ns: tick.as_nanos(),
        p50_ns,
        least_ns,
        trips: times.len(),
        holds: (links.as_nanos()..=most.as_nanos()).contains(&p50_ns),
    })
}

/// Takes round trips inside the station that is up.
fn take(fairwire: &Fairwire, name: &str, (from, to): (u32, u32)) -> Result<Vec<u64>, String> {
    let begun = Clock::now();
    let address = loop {
        let said = fairwire.command(&["status", "--name", name]).output().map_err(|error| error.to_string())?;
        let status = serde_json::from_slice::<Status>(&said.stdout).ok().filter(|status| status.view.is_some());
        if let Some(status) = status {
            let found = status.stations.iter().find(|station| station.station == to);
            break found.ok_or("a station is not there")?.address.to_string();
        }
        if begun.elapsed() > PATIENCE {
            return Err("it does not come up".to_owned());
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let from = from.to_string();
    let mut exec = fairwire.command(&["exec", "--name", name, &from, "--"]);
    let said = exec.arg(own).args(["real", "--ping", &address]).output().map_err(|error| error.to_string())?;
    serde_json::from_slice(&said.stdout).map_err(|_| String::from_utf8_lossy(&said.stderr).into_owned())
}

/// A round trip between the ends of the first flow: there on its ringlet, and back the shorter way, which is as long.
fn over_ring(plan: &RingPlan) -> Span {
    let (stations, flow) = (plan.stations.len(), &plan.flows[0]);
    let way = |ringlet: fairwire_core::Ringlet, from: usize, to: usize, frame: u64| {
        let (mut station, mut time) = (from, Span::ZERO);
        while station != to {
            let link = &plan.links[ringlet.index()][station];
            time = time + link.delay + Bytes::new(frame) / link.capacity;
            station = ringlet.downstream(station, stations);
        }
        time
    };
    let (from, to) = (flow.from.index(), flow.to.index());
    way(flow.ringlet, from, to, FRAMES[0]) + way(flow.ringlet.opposite(), to, from, FRAMES[1])
}

fn over_network(plan: &NetworkPlan) -> Span {
    // Links are the same in both directions.
    let links = || plan.flows[0].route.iter().map(|link| &plan.links[*link as usize]);
    let way =
        |frame: u64| links().map(|link| link.delay + Bytes::new(frame) / link.capacity_at(Instant::ZERO)).sum::<Span>();
    FRAMES.into_iter().map(way).sum()
}

/// As people see it.
pub fn show(trips: &[RoundTrip]) -> String {
    let mut table =
        TextTable::new(&["over", ">links add up to", ">tick", ">round trip, p50", ">least", ">of", "holds"]);
    for trip in trips {
        let time = |ns: u64| text::time(ns as f64);
        table.row([
            trip.case.clone(),
            time(trip.links_ns),
            time(trip.tick_ns),
            time(trip.p50_ns),
            time(trip.least_ns),
            trip.trips.to_string(),
            if trip.holds { "yes" } else { "no" }.to_owned(),
        ]);
    }
    format!("{table}\nasked: the median within a tick and 100 us of what links add up to\n")
}
