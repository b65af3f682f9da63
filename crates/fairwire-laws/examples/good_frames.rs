//! Writes good frames of the packet ring into a folder, one a file: what a fuzzer
//! starts from, and what a decoder can be tried on.

use fairwire_core::{Ringlet, StationId};
use fairwire_laws::WireMessage;
use fairwire_laws::frame::{Address, ControlFrame, ControlType};
use fairwire_laws::ring::rpr::{Choke, FULL_RATE, FairnessFrame};
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    std::fs::create_dir_all(&folder)?;
    let [head, tail] = [3, 1].map(|station| Address::of(StationId(station)));
    let fairness = |choke, rate| FairnessFrame::new(choke, Ringlet::One, head, rate).into_bytes();
    let control =
        |kind, ringlet, from, to, payload: &[u8]| ControlFrame::new(kind, ringlet, from, to, 255, payload).into_bytes();
    let frames = [
        ("single-choke", fairness(Choke::Single, 15_550)),
        ("single-choke-full", fairness(Choke::Single, FULL_RATE)),
        ("multi-choke", fairness(Choke::Multi, 15_550)),
        ("lrtt-request", control(ControlType::LoopRoundTripRequest, Ringlet::One, head, tail, &[0; 8])),
        ("lrtt-response", control(ControlType::LoopRoundTripResponse, Ringlet::Zero, tail, head, &[0; 8])),
        ("fdd-first", control(ControlType::FairnessDifferentialDelay, Ringlet::Zero, tail, head, &[0, 0, 0, 1, 0])),
        ("fdd-second", control(ControlType::FairnessDifferentialDelay, Ringlet::Zero, tail, head, &[0, 0, 0, 1, 1])),
    ];
    for (name, bytes) in frames {
        std::fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}
