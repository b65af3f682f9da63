//! The idealised iteration: fluid flows without end, one step a lap, every fair
//! rate computed from what the limits before let onto the links. What it reaches
//! are the RIAS rates of the papers' examples.

use super::fair_rate::{FairRate, Window};
use super::suballocation::Shares;
use crate::ring::{RingSite, SiteFlow};
use fairwire_core::{BitRate, Bytes, Ringlet, Span, StationId, Weight};

/// Ingress and egress.
type Pair = (u16, u16);

const STATIONS: usize = 10;
const LINK: f64 = 1e9;
/// Bytes that a link carries in a lap: many, so that counts are as good as rates.
const LAP: f64 = 1e9;

/// Rates after each lap, as fractions of a link, in the order of `pairs`. The frame
/// goes upstream: each station first tells its link's fair rate and then obeys all.
fn laps(pairs: &[Pair], laps: usize) -> Vec<Vec<f64>> {
    let sites: Vec<RingSite> = (0..STATIONS as u16).map(|station| site(station, pairs)).collect();
    let (mut rates, mut fractions) = (vec![1.0; pairs.len()], vec![1.0; STATIONS]);
    let mut lap = || {
        for site in sites.iter().rev() {
            let link = site.station.index();
            fractions[link] = fair_rate(link, pairs, &rates);
            let mut limits = vec![0.0; site.flows.len()];
            let demands = vec![f64::INFINITY; site.flows.len()];
            Shares::new(site, Weight::ONE).by_demand(&site.flows, &fractions, &demands, &mut limits);
            for (flow, limit) in site.flows.iter().zip(limits) {
                let pair = (site.station.0, flow.egress.0);
                let index = pairs.iter().position(|other| *other == pair).unwrap();
                rates[index] = limit / LINK;
            }
        }
        rates.clone()
    };
    (0..laps).map(|_| lap()).collect()
}

/// The flows that cross `link`.
fn crossing(link: usize, pairs: &[Pair]) -> impl Iterator<Item = usize> {
    (0..pairs.len()).filter(move |&flow| (pairs[flow].0 as usize..pairs[flow].1 as usize).contains(&link))
}

/// From what reaches the link: links before it have cut what they could not carry.
fn fair_rate(link: usize, pairs: &[Pair], rates: &[f64]) -> f64 {
    let mut arriving = rates.to_vec();
    for before in 0..link {
        let load: f64 = crossing(before, pairs).map(|flow| arriving[flow]).sum();
        crossing(before, pairs).for_each(|flow| arriving[flow] /= load.max(1.0));
    }
    let mut counter = FairRate::new(&[Weight::ONE; STATIONS]);
    let mut arrived = [0; STATIONS];
    for flow in crossing(link, pairs) {
        arrived[usize::from(pairs[flow].0)] += (arriving[flow] * LAP).round() as u64;
    }
    let load: f64 = crossing(link, pairs).map(|flow| arriving[flow]).sum();
    counter.read(&arrived, (load.min(1.0) * LAP) as u64);
    counter.close(&Window { room_bytes: LAP, packet_bytes: 10.0, margin_bytes: 0.0, never_dry: false })
}

fn site(station: u16, pairs: &[Pair]) -> RingSite {
    let own = pairs.iter().filter(|pair| pair.0 == station);
    RingSite {
        flows: own
            .map(|&(from, to)| SiteFlow { egress: StationId(to), hops: usize::from(to - from), weight: Weight::ONE })
            .collect(),
        ring_time: Span::from_millis(1),
        max_packet: Bytes::new(1),
        ..RingSite::bare(StationId(station), Ringlet::Zero, vec![BitRate::from_bps(1_000_000_000); STATIONS])
    }
}

fn within(rates: &[f64], due: &[f64], part: f64) -> bool {
    rates.iter().zip(due).all(|(rate, due)| (rate - due).abs() <= part * due)
}

#[test]
fn the_parking_lot_takes_one_step() {
    let after = laps(&[(1, 5), (2, 5), (3, 5), (4, 5)], 3);
    assert!(after.iter().all(|rates| within(rates, &[0.25; 4], 1e-6)), "{after:?}");
}

#[test]
fn upstream_parallel_goes_from_a_half_to_three_quarters() {
    let after = laps(&[(1, 3), (2, 6), (3, 6), (4, 6), (5, 6)], 5);
    println!("{after:.4?}");
    let first: Vec<f64> = after.iter().map(|rates| rates[0]).collect();
    assert!((first[0] - 0.5).abs() < 1e-6, "{first:?}");
    assert!((first[1] - 0.72).abs() < 0.01, "{first:?}");
    assert!((first[2] - 0.75).abs() < 0.005, "{first:?}");
    assert!(within(&after[4], &[0.75, 0.25, 0.25, 0.25, 0.25], 1e-6), "{after:?}");
}

#[test]
fn the_papers_fifth_figure_is_there_within_five_steps() {
    let after = laps(&[(1, 2), (1, 3), (1, 4), (1, 5), (2, 5), (4, 5)], 12);
    let due = [0.4, 0.2, 0.2, 0.2, 0.4, 0.4];
    assert!(within(&after[4], &due, 0.01), "{:?}", after[4]);
    assert!(after[4..].iter().all(|rates| within(rates, &due, 0.01)), "and stays: {after:?}");
}

#[test]
fn other_examples_settle_at_their_rias_rates() {
    let cases: [(&[Pair], &[f64]); 2] = [
        (&[(1, 2), (1, 5), (2, 5), (3, 5), (4, 5)], &[0.75, 0.25, 0.25, 0.25, 0.25]),
        (&[(1, 5), (2, 5), (3, 5), (4, 5), (4, 6)], &[0.25, 0.25, 0.25, 0.125, 0.125]),
    ];
    for (pairs, due) in cases {
        let after = laps(pairs, 8);
        assert!(within(&after[7], due, 1e-4), "{:?}", after[7]);
    }
}
