//! The laws there are.

use fairwire_laws::LawAbout;
use fairwire_laws::queue::QueueLawChoice;
use fairwire_laws::rate::RateLawChoice;
use fairwire_laws::ring::RingLawChoice;
use fairwire_laws::transport::ControlChoice;
use pyo3::prelude::*;

/// Kind, name, summary and source of every law.
#[pyfunction]
pub fn laws() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    let of_kind = |kind: &'static str, all: &'static [&'static LawAbout]| {
        all.iter().map(move |about| (kind, about.name, about.summary, about.source))
    };
    of_kind("ring", RingLawChoice::ALL)
        .chain(of_kind("queue", QueueLawChoice::ALL))
        .chain(of_kind("rate", RateLawChoice::ALL))
        .chain(of_kind("control", ControlChoice::ALL))
        .collect()
}
