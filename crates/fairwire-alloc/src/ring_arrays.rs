//! Max-min on a ringlet whose flows are given as intervals.
//!
//! A flow is where it enters and how many links it crosses; nothing is stored
//! a link of its route. What a link still has to give is the running sum of
//! differences at the ends of intervals, so a round costs as much as there
//! are stations, and freezing a flow costs the same however far it goes.

use crate::AllocError;
use crate::problem::{TOO_LARGE_BPS, is_finite_positive, is_weight};
use crate::water_filling::Bits;

/// The flows of one ringlet. On a line the last stations are crossed by
/// nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct RingArrays<'a> {
    /// Capacity of each link in the direction of travel, bit/s: link n leaves
    /// station n.
    pub capacities_bps: &'a [f64],
    /// Station where each flow enters.
    pub from: &'a [u32],
    /// Number of links each flow crosses; at least one, at most all.
    pub hops: &'a [u32],
    /// Demand of each flow, bit/s, possibly infinite; empty if all are.
    pub demands_bps: &'a [f64],
    /// Weight of each flow, positive; empty if all are 1.
    pub weights: &'a [f64],
}

/// Weighted max-min rates of a ringlet. Keeps its storage from one solve to
/// the next.
#[derive(Debug, Clone, Default)]
pub struct RingMaxMin {
    rates: Vec<f64>,
    held_by: Vec<u32>,
    frozen: Bits,
    /// Flows by station, nearer egress first.
    order: Vec<u32>,
    /// Where the flows of each station start in `order`, and where those end
    /// that no full link has taken off the far side.
    starts: Vec<u32>,
    ends: Vec<u32>,
    /// How far the farthest of a station's flows goes that no full link has
    /// taken off.
    reach: Vec<u32>,
    /// Stations whose flows reach the link at hand, and where those begin.
    reaching: Vec<(u32, u32)>,
    scratch: Vec<u32>,
    /// Differences along the ring of rates frozen and of weight not frozen.
    used: Vec<f64>,
    weight: Vec<f64>,
    /// The same for the number of flows, which stays exact; empty without
    /// weights, when the weight is that number.
    active: Vec<f64>,
    rising: Vec<u32>,
    /// Differences of what is summed up at the moment, twice round the ring:
    /// intervals need not be broken at the last station.
    sum: Vec<f64>,
}

/// The link that fills up first.
struct Lowest {
    link: usize,
    level: f64,
    /// The weight of its flows as the running differences have it.
    weight: f64,
}

/// Full links are taken together if their levels differ by no more.
const SAME: f64 = 1e-12;

impl RingMaxMin {
    /// No link: the flow has its demand.
    pub const NO_LINK: u32 = u32::MAX;

    /// Solves; the answer is in [`Self::rates_bps`] and [`Self::held_by`].
    ///
    /// # Errors
    /// As [`crate::Problem::validate`], with flows and links named by index.
    pub fn solve(&mut self, ring: &RingArrays) -> Result<(), AllocError> {
        let is_sorted = validate(ring)?;
        let flows = ring.from.len();
        self.rates.clear();
        self.rates.resize(flows, 0.0);
        self.held_by.clear();
        self.held_by.resize(flows, Self::NO_LINK);
        self.frozen.reset(flows);
        self.sort(ring, is_sorted);
        self.reach.clear();
        self.reach.extend(self.starts.windows(2).map(|bounds| match bounds[1] > bounds[0] {
            true => ring.hops[self.order[bounds[1] as usize - 1] as usize],
            false => 0,
        }));
        self.weigh(ring);
        while let Some(lowest) = self.lowest(ring) {
            self.fill_link(ring, &lowest);
        }
        for (flow, rate) in self.rates.iter_mut().enumerate() {
            if !self.frozen.has(flow) {
                *rate = ring.demands_bps.get(flow).copied().unwrap_or(f64::INFINITY);
            }
        }
        Ok(())
    }

    /// Rate of each flow of the last problem solved, bit/s.
    pub fn rates_bps(&self) -> &[f64] {
        &self.rates
    }

    /// Index of the link that holds each flow, or [`Self::NO_LINK`].
    pub fn held_by(&self) -> &[u32] {
        &self.held_by
    }

    /// Orders flows by station, then by distance: two counting sorts.
    fn sort(&mut self, ring: &RingArrays, is_sorted: bool) {
        let (stations, flows) = (ring.capacities_bps.len(), ring.from.len());
        self.starts.clear();
        self.starts.resize(stations + 1, 0);
        ring.from.iter().for_each(|&from| self.starts[from as usize + 1] += 1);
        for station in 0..stations {
            self.starts[station + 1] += self.starts[station];
        }
        self.ends.clear();
        self.ends.extend_from_slice(&self.starts[1..]);
        self.order.clear();
        if is_sorted {
            self.order.extend(0..flows as u32);
            return;
        }
        let mut next = vec![0u32; stations + 2];
        ring.hops.iter().for_each(|&hops| next[hops as usize + 1] += 1);
        for hops in 0..=stations {
            next[hops + 1] += next[hops];
        }
        self.scratch.clear();
        self.scratch.resize(flows, 0);
        for (flow, &hops) in ring.hops.iter().enumerate() {
            self.scratch[next[hops as usize] as usize] = flow as u32;
            next[hops as usize] += 1;
        }
        self.order.resize(flows, 0);
        let mut next = self.starts.clone();
        for &flow in &self.scratch {
            let at = &mut next[ring.from[flow as usize] as usize];
            self.order[*at as usize] = flow;
            *at += 1;
        }
    }

    fn weigh(&mut self, ring: &RingArrays) {
        let stations = ring.capacities_bps.len();
        for differences in [&mut self.used, &mut self.weight, &mut self.active] {
            differences.clear();
            differences.resize(stations, 0.0);
        }
        self.sum.clear();
        self.sum.resize(2 * stations + 1, 0.0);
        (0..ring.from.len()).for_each(|flow| add_interval(&mut self.sum, ring, flow, weight(ring, flow)));
        add_and_clear(&mut self.weight, &mut self.sum, 1.0);
        if ring.weights.is_empty() {
            self.active.clear();
        } else {
            (0..ring.from.len()).for_each(|flow| add_interval(&mut self.sum, ring, flow, 1.0));
            add_and_clear(&mut self.active, &mut self.sum, 1.0);
        }
    }

    fn lowest(&self, ring: &RingArrays) -> Option<Lowest> {
        let (mut used, mut weight, mut active) = (0.0, 0.0, 0.0);
        let mut lowest: Option<Lowest> = None;
        let mut least = f64::INFINITY;
        for (link, capacity) in ring.capacities_bps.iter().enumerate() {
            used += self.used[link];
            weight += self.weight[link];
            active += if self.active.is_empty() { self.weight[link] } else { self.active[link] };
            if active > 0.0 {
                let level = (capacity - used).max(0.0) / weight.max(f64::MIN_POSITIVE);
                if level < least {
                    least = level * (1.0 - SAME);
                    lowest = Some(Lowest { link, level, weight });
                }
            }
        }
        lowest
    }

    /// Freezes who is held by `link` at `level`; if some of them want less,
    /// only those.
    fn fill_link(&mut self, ring: &RingArrays, lowest: &Lowest) {
        let (link, mut level) = (lowest.link, lowest.level);
        self.gather(ring, link);
        let mut rising = std::mem::take(&mut self.rising);
        if !ring.weights.is_empty() {
            // In the running difference a light flow left over from heavy
            // ones would drown in rounding.
            let exact: f64 = rising.iter().map(|&flow| ring.weights[flow as usize]).sum();
            self.weight[link] += exact - lowest.weight;
            // Behind the last link the sums are not taken any further.
            if let Some(next) = self.weight.get_mut(link + 1) {
                *next -= exact - lowest.weight;
            }
            let corrected = level * lowest.weight.max(f64::MIN_POSITIVE) / exact;
            if (corrected - level).abs() > 1e-9 * level {
                self.rising = rising;
                return;
            }
            level = corrected;
        }
        let wants_less = |flow: u32| demand(ring, flow as usize) <= weight(ring, flow as usize) * level;
        let modest = !ring.demands_bps.is_empty() && rising.iter().any(|&flow| wants_less(flow));
        if modest {
            rising.retain(|&flow| wants_less(flow));
        }
        self.freeze(ring, &rising, level, if modest { Self::NO_LINK } else { link as u32 });
        if !modest {
            self.drop_far_side(ring);
        }
        rising.clear();
        self.rising = rising;
    }

    /// Gives flows the rate of a level, or the demand if no link holds them.
    fn freeze(&mut self, ring: &RingArrays, flows: &[u32], level: f64, held_by: u32) {
        for &flow in flows {
            let at = flow as usize;
            let weight = weight(ring, at);
            self.rates[at] = if held_by == Self::NO_LINK { demand(ring, at) } else { weight * level };
            self.held_by[at] = held_by;
            self.frozen.insert(at);
            add_interval(&mut self.sum, ring, at, weight);
        }
        // Rates of a level are summed up as weights, which are whole numbers more often than not.
        if held_by != Self::NO_LINK {
            self.used.iter_mut().zip(folded(&self.sum)).for_each(|(used, sum)| *used += level * sum);
        }
        add_and_clear(&mut self.weight, &mut self.sum, -1.0);
        if held_by == Self::NO_LINK {
            flows.iter().for_each(|&flow| add_interval(&mut self.sum, ring, flow as usize, self.rates[flow as usize]));
            add_and_clear(&mut self.used, &mut self.sum, 1.0);
        }
        if !self.active.is_empty() {
            flows.iter().for_each(|&flow| add_interval(&mut self.sum, ring, flow as usize, 1.0));
            add_and_clear(&mut self.active, &mut self.sum, -1.0);
        }
    }

    /// Collects the flows across a link that are not frozen.
    fn gather(&mut self, ring: &RingArrays, link: usize) {
        let stations = ring.capacities_bps.len();
        self.rising.clear();
        self.reaching.clear();
        let near = self.reach[..=link].iter().rev().zip((0..=link).rev());
        let far = self.reach[link + 1..].iter().rev().zip((link + 1..stations).rev());
        for (back, (&reach, station)) in near.chain(far).enumerate() {
            if reach as usize <= back {
                continue;
            }
            let (start, end) = (self.starts[station] as usize, self.ends[station] as usize);
            let flows = &self.order[start..end];
            let passing = flows.iter().rev().take_while(|&&flow| ring.hops[flow as usize] as usize > back).count();
            let begin = flows.len() - passing;
            self.rising.extend(flows[begin..].iter().filter(|&&flow| !self.frozen.has(flow as usize)));
            self.reaching.push((station as u32, (start + begin) as u32));
        }
    }

    /// All flows across a full link are frozen: they need not be seen again.
    fn drop_far_side(&mut self, ring: &RingArrays) {
        for &(station, begin) in &self.reaching {
            let station = station as usize;
            self.ends[station] = begin;
            let is_left = begin > self.starts[station];
            self.reach[station] = if is_left { ring.hops[self.order[begin as usize - 1] as usize] } else { 0 };
        }
    }
}

fn weight(ring: &RingArrays, flow: usize) -> f64 {
    if ring.weights.is_empty() { 1.0 } else { ring.weights[flow] }
}

fn demand(ring: &RingArrays, flow: usize) -> f64 {
    if ring.demands_bps.is_empty() { f64::INFINITY } else { ring.demands_bps[flow] }
}

/// Adds to the links of a flow.
#[inline]
fn add_interval(sum: &mut [f64], ring: &RingArrays, flow: usize, value: f64) {
    let from = ring.from[flow] as usize;
    sum[from] += value;
    sum[from + ring.hops[flow] as usize] -= value;
}

/// Differences once round from those twice round: what is still open at the
/// last station goes on at the first.
fn folded(sum: &[f64]) -> impl Iterator<Item = f64> {
    let (first, second) = sum.split_at(sum.len() / 2);
    let open: f64 = first.iter().sum();
    first.iter().zip(second).enumerate().map(move |(at, (one, two))| one + two + if at == 0 { open } else { 0.0 })
}

/// Adds so many times what was summed up, and starts the next sum.
fn add_and_clear(differences: &mut [f64], sum: &mut [f64], times: f64) {
    differences.iter_mut().zip(folded(sum)).for_each(|(all, sum)| *all += times * sum);
    sum.fill(0.0);
}

/// Checks everything; tells whether flows are in order of station and distance.
fn validate(ring: &RingArrays) -> Result<bool, AllocError> {
    let (stations, flows) = (ring.capacities_bps.len(), ring.from.len());
    let lists = [("distances", ring.hops.len(), true), ("demands", ring.demands_bps.len(), false)];
    for (what, given, needed) in lists.into_iter().chain([("weights", ring.weights.len(), false)]) {
        if given != flows && (needed || given != 0) {
            return Err(AllocError::TermCount { what, given, wanted: flows });
        }
    }
    for (link, &capacity_bps) in ring.capacities_bps.iter().enumerate() {
        if !is_finite_positive(capacity_bps) {
            return Err(AllocError::Capacity { link: link.to_string(), capacity_bps });
        }
        if capacity_bps >= TOO_LARGE_BPS {
            return Err(AllocError::TooLarge { what: "link", name: link.to_string(), rate_bps: capacity_bps });
        }
    }
    let mut is_sorted = true;
    let mut last = (0, 0);
    for (flow, (&from, &hops)) in ring.from.iter().zip(ring.hops).enumerate() {
        if from as usize >= stations || hops as usize > stations {
            let link = if from as usize >= stations { from } else { hops };
            return Err(AllocError::UnknownLink { flow: flow.to_string(), link: link as usize, links: stations });
        }
        if hops == 0 {
            return Err(AllocError::EmptyRoute { flow: flow.to_string() });
        }
        is_sorted &= last <= (from, hops);
        last = (from, hops);
    }
    if let Some(flow) = ring.demands_bps.iter().position(|&demand| demand.is_nan() || demand < 0.0) {
        return Err(AllocError::Demand { flow: flow.to_string(), demand_bps: ring.demands_bps[flow] });
    }
    if let Some(flow) = ring.weights.iter().position(|&weight| !is_weight(weight)) {
        return Err(AllocError::FlowWeight { flow: flow.to_string(), weight: ring.weights[flow] });
    }
    Ok(is_sorted)
}
