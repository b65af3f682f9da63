//! The rules of source and port on states made by hand: §3.2 of [wmfqc].

use super::{Claim, Finding, Trouble};
use fairwire_core::{BitRate, Cx, FlowId, Instant, RandomStream, Streams};
use fairwire_laws::rate::{
    Admission, FirstRate, Packets, PlainSource, PortSite, PortView, RateCell, RateLaw, RateSource, Terms, wmfqc,
};
use rand::RngExt;
use serde_json::json;

const Q_T: u32 = 60;
const Q_D: u32 = 100;
const CAPACITY: BitRate = BitRate::from_mbps(100);

/// A port with flows that have sent a control packet each.
struct Port {
    law: wmfqc::Law,
    rng: RandomStream,
    number: u32,
}

impl Port {
    fn new(flows: u32) -> Self {
        let params = wmfqc::Params { q_t: Packets(Q_T), q_d: Packets(Q_D), ..wmfqc::Params::default() };
        let site = PortSite { start: Instant::ZERO, capacity: CAPACITY };
        let rng = Streams::new(1, 0).component("port");
        let mut port = Self { law: wmfqc::Law::new(&params, &site), rng, number: 0 };
        for flow in 0..flows {
            let mut cx = Cx { now: Instant::ZERO, rng: &mut port.rng, probe: None };
            port.law.on_open(&mut cx, FlowId(flow), &TERMS);
        }
        port
    }

    /// Whether a data packet of flow 0 is let in, and whether a control packet passes forward and comes back with CI.
    fn at(&mut self, packets: u32) -> Result<(Admission, bool), Trouble> {
        self.number += 1;
        let port = PortView { capacity: CAPACITY, packets, ..PortView::default() };
        let mut cx = Cx { now: Instant::ZERO, rng: &mut self.rng, probe: None };
        let mut cell = RateCell { number: self.number, ..cell_of(&TERMS) };
        let admission = self.law.on_data(&mut cx, FlowId(0), 53, &port);
        self.law.on_forward(&mut cx, FlowId(0), &mut cell, &port).map_err(|refusal| format!("{refusal:?}"))?;
        cell.backward = true;
        self.law.on_backward(&mut cx, FlowId(0), &mut cell, &port).map_err(|refusal| format!("{refusal:?}"))?;
        Ok((admission, cell.congestion))
    }
}

const TERMS: Terms = Terms { minimum_bps: 1e3, peak_bps: 50e6, supported_bps: 50e6, weight: 1.0 };

/// The first control packet of a source.
fn cell_of(terms: &Terms) -> RateCell {
    PlainSource::<wmfqc::Law>::new(&wmfqc::Params::default(), terms, FirstRate::Peak).write(Instant::ZERO, false)
}

/// Whether the same lengths of the queue are marked and let in, however many flows a port has.
pub(super) fn congestion_needs_the_length_alone(flows: &[u32]) -> Result<bool, Trouble> {
    let mut alone = true;
    for flows in flows {
        let mut port = Port::new(*flows);
        for packets in 0..=2 * Q_D {
            let right = if packets > Q_D { Admission::TooLong } else { Admission::Accept };
            alone &= port.at(packets)? == (right, packets > Q_T);
        }
    }
    Ok(alone)
}

/// Eq. (3), and what a port does above its thresholds.
pub fn source_rate(_claim: &Claim) -> Result<Finding, Trouble> {
    const ANSWERS: usize = 100_000;
    let mut rng = Streams::new(2, 0).component("answers");
    let (mut wrong_with_ci, mut wrong_without) = (0, 0);
    for _ in 0..ANSWERS {
        let minimum_bps = rng.random_range(0.0..50e6);
        let [peak_bps, supported_bps] = [minimum_bps, minimum_bps].map(|least| least + rng.random_range(0.0..100e6));
        let terms = Terms { minimum_bps, peak_bps, supported_bps, weight: rng.random_range(0.1..10.0) };
        let mut source = PlainSource::<wmfqc::Law>::new(&wmfqc::Params::default(), &terms, FirstRate::Peak);
        let mut answer = source.write(Instant::ZERO, false);
        (answer.backward, answer.congestion) = (true, rng.random_bool(0.5));
        answer.explicit_bps = rng.random_range(0.0..150e6);
        source.on_return(Instant::ZERO, &answer).map_err(|refusal| format!("{refusal:?}"))?;
        let allowed = source.allowed_bps();
        if answer.congestion {
            wrong_with_ci += usize::from(allowed != minimum_bps);
        } else {
            wrong_without += usize::from(allowed != f64::min(peak_bps, minimum_bps + answer.explicit_bps));
        }
    }
    let port_as_told = congestion_needs_the_length_alone(&[3])?;
    let measured = json!({
        "answers": ANSWERS, "wrong_with_ci": wrong_with_ci, "wrong_without_ci": wrong_without, "port_marks_above_q_t_and_drops_above_q_d": port_as_told,
    });
    let note = "random terms and answers to the law's source object, and every length of the queue up to 2·Q_D at its port: control packets \
                come back marked above Q_T, data is dropped above Q_D, control packets go on. The clip at PR is ours: without it SR > PR overshoots";
    Ok(Finding::new(measured, wrong_with_ci + wrong_without == 0 && port_as_told, note))
}
