//! One quantity on both sides.

use fairwire_results::measures::Interval;
use serde::Serialize;

/// One quantity, seen in ns-2 and here.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The case.
    pub case: &'static str,
    /// The quantity, with its unit.
    pub what: String,
    /// In ns-2: the mean over seeds.
    pub peer: f64,
    /// Half of its 95 % interval (Student's t), where seeds matter.
    pub peer_half_width: Option<f64>,
    /// Here: the mean over seeds.
    pub here: f64,
    /// Half of its 95 % interval.
    pub half_width: Option<f64>,
    /// How far it may be off, as a part of the value in ns-2; none where nothing is claimed.
    pub allowed: Option<f64>,
    /// Whether it is not farther off.
    pub ok: Option<bool>,
}

impl Row {
    /// A quantity without chance.
    pub fn fixed(case: &'static str, what: &str, peer: f64, here: f64, allowed: f64) -> Self {
        let row = Self {
            case,
            what: what.to_owned(),
            peer,
            peer_half_width: None,
            here,
            half_width: None,
            allowed: Some(allowed),
            ok: None,
        };
        row.judged()
    }

    /// A quantity seen once a seed on both sides, which may be off by a part of the mean.
    pub fn sampled(case: &'static str, what: String, peer: &[f64], here: &[f64], allowed: Option<f64>) -> Self {
        let (peer, here) = (Interval::of(peer), Interval::of(here));
        let row = Self {
            case,
            what,
            peer: peer.mean,
            peer_half_width: peer.half_width,
            here: here.mean,
            half_width: here.half_width,
            allowed,
            ok: None,
        };
        row.judged()
    }

    /// The same where the interval in ns-2 comes on top of what is allowed.
    pub fn beyond_interval(mut self) -> Self {
        let interval = self.peer_half_width.unwrap_or(0.0) / self.peer.abs();
        self.allowed = self.allowed.map(|part| part + interval);
        self.judged()
    }

    /// How far it is off, as a part of the value in ns-2.
    pub fn off(&self) -> f64 {
        (self.here - self.peer) / self.peer.abs()
    }

    fn judged(mut self) -> Self {
        self.ok = self.allowed.map(|allowed| self.off().abs() <= allowed);
        self
    }
}
