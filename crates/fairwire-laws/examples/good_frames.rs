//! Writes good frames of rings and control packets of rate laws into folders, one a file: what fuzzers start from, and
//! what a decoder can be tried on.

use fairwire_core::{Instant, Ringlet, StationId};
use fairwire_laws::frame::{Address, ControlFrame, ControlType};
use fairwire_laws::protection::{Action, Params, Protection};
use fairwire_laws::rate::{FirstRate, RateLawChoice, Terms};
use fairwire_laws::ring::rpr::{Choke, FULL_RATE, FairnessFrame};
use fairwire_laws::ring::{dvsr, dvsr_plus};
use fairwire_laws::{LawAbout, WireMessage};
use std::path::{Path, PathBuf};

const STATIONS: usize = 4;

type Frames = Vec<(&'static str, Vec<u8>)>;

fn main() -> std::io::Result<()> {
    let root = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let kinds =
        [("ring_message", ring_messages()), ("circulating_frame", circulating()), ("protection_frame", protection())];
    for (kind, frames) in kinds {
        write(&root.join(kind), frames)?;
    }
    write(&root.join("rate_message"), rate_messages())
}

fn write<N: AsRef<Path>>(folder: &Path, frames: Vec<(N, Vec<u8>)>) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    frames.into_iter().try_for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes))
}

/// Control packets of each rate law: the fourth of a source on its way out, and the third on its way back.
fn rate_messages() -> Vec<(String, Vec<u8>)> {
    let terms = Terms { minimum_bps: 1e6, peak_bps: 1e8, supported_bps: 5e7, weight: 2.0 };
    let of_law = |about: &&LawAbout| {
        let law = RateLawChoice::by_name(about.name).expect("it is in the list");
        let (mut out, mut back) = (Vec::new(), Vec::new());
        let mut source = law.source(&terms, FirstRate::Ask);
        for _ in 0..3 {
            source.write(Instant::ZERO, false, &mut back);
        }
        source.write(Instant::ZERO, false, &mut out);
        law.turn(&terms, &mut back).expect("it is good");
        [(format!("{}-out", about.name), out), (format!("{}-back", about.name), back)]
    };
    RateLawChoice::ALL.iter().flat_map(of_law).collect()
}

/// A fairness frame of each kind, LRTT request and response, and FDD frames.
fn ring_messages() -> Frames {
    let [head, tail] = [3, 1].map(|station| Address::of(StationId(station)));
    let fairness = |choke, rate| FairnessFrame::new(choke, Ringlet::One, head, rate).into_bytes();
    let control =
        |kind, ringlet, from, to, payload: &[u8]| ControlFrame::new(kind, ringlet, from, to, 255, payload).into_bytes();
    vec![
        ("single-choke", fairness(Choke::Single, 15_550)),
        ("single-choke-full", fairness(Choke::Single, FULL_RATE)),
        ("multi-choke", fairness(Choke::Multi, 15_550)),
        ("lrtt-request", control(ControlType::LoopRoundTripRequest, Ringlet::One, head, tail, &[0; 8])),
        ("lrtt-response", control(ControlType::LoopRoundTripResponse, Ringlet::Zero, tail, head, &[0; 8])),
        ("fdd-first", control(ControlType::FairnessDifferentialDelay, Ringlet::Zero, tail, head, &[0, 0, 0, 1, 0])),
        ("fdd-second", control(ControlType::FairnessDifferentialDelay, Ringlet::Zero, tail, head, &[0, 0, 0, 1, 1])),
    ]
}

/// DVSR's frame and a station's note in both encodings, and the ledger in both widths, each after
/// a byte that tells whether weights are unequal (1), rates are bytes (2), and stations send notes (4).
fn circulating() -> Frames {
    let after = |choice: u8, bytes: Vec<u8>| [vec![choice], bytes].concat();
    let ledger = |width| dvsr_plus::Frame::new(width, STATIONS).into_bytes();
    vec![
        ("note-byte", after(6, dvsr::Frame::of_node(dvsr::Encoding::Byte, STATIONS, 2, 1, 0.25).into_bytes())),
        ("note-exact", after(4, dvsr::Frame::of_node(dvsr::Encoding::Exact, STATIONS, 2, 1, 0.25).into_bytes())),
        ("rates-byte", after(2, dvsr::Frame::new(dvsr::Encoding::Byte, STATIONS).into_bytes())),
        ("rates-exact", after(0, dvsr::Frame::new(dvsr::Encoding::Exact, STATIONS).into_bytes())),
        ("ledger-count", after(0, ledger(dvsr_plus::WeightWidth::Count))),
        ("ledger-weights", after(1, ledger(dvsr_plus::WeightWidth::Proportional))),
    ]
}

/// What a station sends when it comes up, each frame after a byte that tells on which ringlet and one
/// that tells how long it is.
fn protection() -> Frames {
    let ring: Vec<Address> = (0..STATIONS as u16).map(|station| Address::of(StationId(station))).collect();
    let mut station = Protection::new(&Params::default(), ring[2], [1, 1]);
    station.start_settled(Instant::ZERO, &ring);
    station.handle_timeout(station.poll_timeout());
    let mut sent = Vec::new();
    while let Some(action) = station.poll_action() {
        if let Action::SendFrame { ringlet, bytes } = action {
            sent.push([vec![ringlet.index() as u8, bytes.len() as u8], bytes].concat());
        }
    }
    ["first", "second", "third", "fourth"].into_iter().zip(sent).collect()
}
