use super::*;
use fairwire_core::{BitRate, Bytes, Ringlet, Span, StationId, Weight};
use proptest::prelude::*;

const LINK: f64 = 1e9;

/// Station `station` on a ring of ten with flows to these egresses, of these weights.
fn site(station: u16, ringlet: Ringlet, flows: &[(u16, f64)]) -> RingSite {
    let mut flows: Vec<SiteFlow> = flows
        .iter()
        .map(|&(egress, weight)| SiteFlow {
            egress: StationId(egress),
            hops: ringlet.hops(station.into(), egress.into(), 10),
            weight: Weight::new(weight).unwrap(),
        })
        .collect();
    flows.sort_by_key(|flow| flow.hops);
    RingSite {
        flows,
        ring_time: Span::from_millis(1),
        max_packet: Bytes::new(1_000),
        ..RingSite::bare(StationId(station), ringlet, vec![BitRate::from_bps(1_000_000_000); 10])
    }
}

fn split(site: &RingSite, fractions: &[f64]) -> Vec<f64> {
    let mut limits = vec![0.0; site.flows.len()];
    Shares::new(site, site.weight()).equal(&site.flows, fractions, &mut limits);
    limits.iter().map(|limit| limit / LINK).collect()
}

fn fill(site: &RingSite, fractions: &[f64], demands: &[f64]) -> Vec<f64> {
    let mut limits = vec![0.0; site.flows.len()];
    let demands: Vec<f64> = demands.iter().map(|demand| demand * LINK).collect();
    Shares::new(site, site.weight()).by_demand(&site.flows, fractions, &demands, &mut limits);
    limits.iter().map(|limit| limit / LINK).collect()
}

fn assert_close(got: &[f64], due: &[f64]) {
    assert!(got.iter().zip(due).all(|(a, b)| (a - b).abs() < 1e-9), "{got:?} where {due:?} is due");
}

#[test]
fn equation_nine_by_hand() {
    // Flows 1 → 2, 1 → 4, 1 → 4 crosses links 1, 2, 3; link 1 carries both.
    let site = site(1, Ringlet::Zero, &[(2, 1.0), (4, 1.0)]);
    let mut fractions = vec![1.0; 10];
    assert_close(&split(&site, &fractions), &[0.5, 0.5]);
    fractions[3] = 0.25;
    assert_close(&split(&site, &fractions), &[0.5, 0.25]);
    fractions[1] = 0.3;
    assert_close(&split(&site, &fractions), &[0.15, 0.15]);
    fractions[4] = 0.01; // leaves station 4: nobody crosses it
    assert_close(&split(&site, &fractions), &[0.15, 0.15]);
}

#[test]
fn equation_nine_on_the_other_ringlet_with_weights_and_unequal_links() {
    // 1 → 0, 1 → 8 on ringlet 1 cross links 1 and 1, 0, 9.
    let mut site = site(1, Ringlet::One, &[(0, 3.0), (8, 1.0)]);
    site.weights[1] = Weight::new(2.0).unwrap();
    site.capacities[0] = BitRate::from_bps(100_000_000);
    let mut fractions = vec![1.0; 10];
    fractions[1] = 0.4;
    fractions[0] = 0.5;
    fractions[9] = 0.01;
    // Budgets: link 1 0.8; link 0 the whole 0.1; link 9 0.02.
    assert_close(&split(&site, &fractions), &[0.6, 0.02]);
    fractions[9] = 1.0;
    assert_close(&split(&site, &fractions), &[0.6, 0.1]);
}

#[test]
fn demand_decides_inside_the_budgets() {
    let site = site(1, Ringlet::Zero, &[(2, 1.0), (5, 1.0)]);
    let mut fractions = vec![1.0; 10];
    fractions[4] = 0.25;
    let infinite = f64::INFINITY;
    assert_close(&fill(&site, &fractions, &[infinite, infinite]), &[0.75, 0.25]);
    // Who is content may have its equal part, so that it can grow.
    assert_close(&fill(&site, &fractions, &[infinite, 0.1]), &[0.9, 0.25]);
    assert_close(&fill(&site, &fractions, &[infinite, 0.0]), &[1.0, 0.25]);
    // Nobody wants more: all that is left is open to both.
    assert_close(&fill(&site, &fractions, &[0.2, 0.1]), &[0.9, 0.25]);
}

#[test]
fn a_station_without_flows_has_nothing_to_share() {
    let site = site(1, Ringlet::Zero, &[]);
    assert!(split(&site, &[1.0; 10]).is_empty() && fill(&site, &[1.0; 10], &[]).is_empty());
}

/// Water-filling by bisection, flow by flow frozen at its own bottleneck: raise a common
/// level until some link would overflow, freeze those that cross it, and so on.
fn water_filling(site: &RingSite, budgets: &[f64], demands: &[f64]) -> Vec<f64> {
    let flows = site.flows.len();
    let mut frozen: Vec<Option<f64>> = vec![None; flows];
    let rate = |frozen: &[Option<f64>], level: f64, flow: usize| {
        frozen[flow].unwrap_or((level * site.flows[flow].weight.get()).min(demands[flow]))
    };
    let load = |frozen: &[Option<f64>], level: f64, h: usize| -> f64 {
        (0..flows).filter(|&flow| site.flows[flow].hops > h).map(|flow| rate(frozen, level, flow)).sum()
    };
    while frozen.contains(&None) {
        let fits = |level: f64| budgets.iter().enumerate().all(|(h, &room)| load(&frozen, level, h) <= room + 1e-12);
        let (mut low, mut high) = (0.0, 1e6);
        for _ in 0..200 {
            let middle = f64::midpoint(low, high);
            if fits(middle) { low = middle } else { high = middle }
        }
        let rates: Vec<f64> = (0..flows).map(|flow| rate(&frozen, low, flow)).collect();
        let full: Vec<bool> =
            budgets.iter().enumerate().map(|(h, &room)| load(&frozen, low * (1.0 + 1e-9) + 1e-12, h) > room).collect();
        let before = frozen.clone();
        for flow in 0..flows {
            let stuck = (0..site.flows[flow].hops).any(|h| full[h]);
            if frozen[flow].is_none() && (stuck || rates[flow] >= demands[flow]) {
                frozen[flow] = Some(rates[flow]);
            }
        }
        if frozen == before {
            frozen = rates.into_iter().map(Some).collect();
        }
    }
    frozen.into_iter().flatten().collect()
}

fn a_demand() -> impl Strategy<Value = f64> {
    prop_oneof![Just(f64::INFINITY), Just(0.0), 0.0f64..1.2]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn by_demand_is_max_min_inside_the_budgets(
        flows in proptest::collection::btree_map(2u16..10, (0.5f64..4.0, a_demand()), 2..8),
        fractions in proptest::collection::vec(0.02f64..1.0, 10),
        one_weight: bool,
    ) {
        let (egresses, rest): (Vec<u16>, Vec<(f64, f64)>) = flows.into_iter().unzip();
        let demands: Vec<f64> = rest.iter().map(|(_, demand)| *demand).collect();
        let weighted: Vec<_> =
            egresses.iter().zip(&rest).map(|(&e, (w, _))| (e, if one_weight { 1.0 } else { *w })).collect();
        let site = site(1, Ringlet::Zero, &weighted);
        let budgets: Vec<f64> = (1..10).map(|link| fractions[link]).collect();
        let limits = fill(&site, &fractions, &demands);
        let due = water_filling(&site, &budgets, &demands);
        for flow in 0..limits.len() {
            // What a flow may have beyond its demand it does not use.
            let used = limits[flow].min(demands[flow]);
            prop_assert!((used - due[flow]).abs() < 1e-6, "{limits:?} for {demands:?} where {due:?} is due");
            let narrowest = budgets[..site.flows[flow].hops].iter().copied().fold(f64::INFINITY, f64::min);
            prop_assert!(limits[flow] <= narrowest + 1e-9, "nobody is allowed more than a link's budget");
        }
        let parts = split(&site, &fractions);
        prop_assert!(limits.iter().zip(&parts).all(|(limit, part)| *limit >= part - 1e-9),
            "nobody is allowed less than its equal part");
    }
}
