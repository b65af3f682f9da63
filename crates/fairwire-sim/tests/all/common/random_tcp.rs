//! TCP at random, on the time scale of rings.

use super::settings;
use fairwire_core::{Bytes, RandomStream, Span};
use fairwire_laws::transport::{ControlChoice, TcpSettings};
use fairwire_plan::*;
use fairwire_sim::*;
use rand::RngExt;

/// One TCP connection after another, with timers so short that they count within milliseconds.
pub fn random_tcp(draw: &mut RandomStream, index: usize) -> Offer {
    let controls = ControlChoice::ALL;
    let control = controls[(index + draw.random_range(0..controls.len())) % controls.len()].name;
    let settings = TcpSettings {
        segment: Bytes::new([100, 500, 1_500][draw.random_range(0..3)]),
        receive_window: draw.random_range(1..200),
        initial_window: draw.random_range(1..11),
        min_timeout: Span::from_micros(draw.random_range(50..1_000)),
        granularity: Span::from_micros(draw.random_range(1..50)),
        delayed_ack: [None, None, Some(Span::from_micros(draw.random_range(10..400)))][draw.random_range(0..3)],
        ecn: draw.random_bool(0.2),
        ..settings()
    };
    let work = random_work(draw);
    Offer::Tcp(TcpPlan { control: ControlChoice::by_name(control).expect("it is in the list"), settings, work })
}

fn random_work(draw: &mut RandomStream) -> Work {
    let size = match draw.random_range(0..3) {
        0 => TransferSize::Fixed(Bytes::new(draw.random_range(1..20_000))),
        1 => TransferSize::Exponential(Bytes::new(5_000)),
        _ => TransferSize::Pareto { mean: Bytes::new(5_000), shape: 1.2 },
    };
    match draw.random_range(0..4) {
        0 => Work::Transfers {
            count: [None, Some(3)][draw.random_range(0..2)],
            mean_interval: Span::from_micros(draw.random_range(20..400)),
            size,
        },
        1 => Work::Web {
            pages: [None, Some(2)][draw.random_range(0..2)],
            mean_think_time: Span::from_micros(draw.random_range(0..200)),
            mean_objects: draw.random_range(1.0..4.0),
            mean_gap: Span::from_micros(draw.random_range(0..20)),
            size,
        },
        _ => Work::Unlimited,
    }
}
