//! An ideal fluid fair server: generalised processor sharing, event by event.
//!
//! While flows are backlogged, each gets capacity in proportion to its weight;
//! flows that bring less than that pass straight through. Virtual time is what
//! a flow of weight one that is always backlogged has been served: it grows at
//! the rate at which the best-served flow is served, per unit of weight, which
//! is 1/Σ(weights of the backlogged flows) of the capacity if all are, and
//! stands still while nothing is sent. It is never set back to zero
//! (`[dvsr]` §V-A).
//!
//! Fluid that passes straight through a link with room to spare could be cut
//! into packets that meet or avoid each other. Here it meets: the flow that
//! brings most sets the pace, as if all came at once. That is the least growth
//! there can be (`[dvsr]` §V-B2).

use fairwire_alloc::max_min_shares;

/// A fluid fair server. Amounts and rates may be in any unit, such as bits and bit/s.
#[derive(Clone, Debug, PartialEq)]
pub struct GpsServer {
    capacity: f64,
    weights: Vec<f64>,
    backlog: Vec<f64>,
    served: Vec<f64>,
    virtual_time: f64,
}

/// How the link is divided at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Division {
    /// Rate of each flow.
    pub rates: Vec<f64>,
    /// dv/dt: the largest rate per unit of weight.
    pub slope: f64,
    /// Σ rates.
    pub total: f64,
}

impl GpsServer {
    /// An empty server for one flow a weight; weights are positive.
    pub fn new(capacity: f64, weights: Vec<f64>) -> Self {
        let flows = weights.len();
        Self { capacity, weights, backlog: vec![0.0; flows], served: vec![0.0; flows], virtual_time: 0.0 }
    }

    /// v: what a flow of weight one that is always backlogged would have got.
    pub fn virtual_time(&self) -> f64 {
        self.virtual_time
    }

    /// What each flow has been served.
    pub fn served(&self) -> &[f64] {
        &self.served
    }

    /// What each flow has waiting.
    pub fn backlog(&self) -> &[f64] {
        &self.backlog
    }

    /// The capacity.
    pub fn capacity(&self) -> f64 {
        self.capacity
    }

    /// Lets an amount of a flow arrive at once.
    pub fn burst(&mut self, flow: usize, amount: f64) {
        self.backlog[flow] += amount;
    }

    /// Who is served how fast while flows arrive at these rates.
    pub fn division(&self, arrivals: &[f64]) -> Division {
        let demand = |(&backlog, &arrival): (&f64, &f64)| if backlog > 0.0 { f64::INFINITY } else { arrival };
        let demands: Vec<f64> = self.backlog.iter().zip(arrivals).map(demand).collect();
        let rates = max_min_shares(self.capacity, &demands, &self.weights);
        let slope = rates.iter().zip(&self.weights).map(|(rate, weight)| rate / weight).fold(0.0, f64::max);
        let total = rates.iter().sum();
        Division { rates, slope, total }
    }

    /// How long this division lasts: until a backlog is gone; infinite if none shrinks.
    pub fn lasts(&self, arrivals: &[f64], division: &Division) -> f64 {
        let emptied = (0..self.backlog.len()).filter(|&flow| self.backlog[flow] > 0.0).map(|flow| {
            let shrinks = division.rates[flow] - arrivals[flow];
            if shrinks > 0.0 { self.backlog[flow] / shrinks } else { f64::INFINITY }
        });
        emptied.fold(f64::INFINITY, f64::min)
    }

    /// Serves by `division` for a time no longer than it [`lasts`](Self::lasts).
    pub fn serve(&mut self, duration: f64, arrivals: &[f64], division: &Division) {
        for (flow, (arrival, rate)) in arrivals.iter().zip(&division.rates).enumerate() {
            let before = self.backlog[flow];
            let grows = (arrival - rate) * duration;
            let left = before + grows;
            // What is left by rounding is nothing.
            self.backlog[flow] = if grows <= 0.0 && left <= before * 1e-12 { 0.0 } else { left };
            self.served[flow] += rate * duration;
        }
        self.virtual_time += division.slope * duration;
    }

    /// Goes on for `duration` while flows arrive at these rates.
    pub fn advance(&mut self, duration: f64, arrivals: &[f64]) {
        let mut left = duration;
        while left > 0.0 {
            let division = self.division(arrivals);
            let step = self.lasts(arrivals, &division).min(left);
            self.serve(step, arrivals, &division);
            left -= step;
        }
    }
}

/// Eq. (8) with its parentheses put right: the rate that is announced after a
/// window of length `window` in which virtual time grew by `growth` and an
/// amount `sent` was served, at most `capacity` (`[dvsr]` §V-A2).
pub fn announced_rate(capacity: f64, window: f64, growth: f64, sent: f64) -> f64 {
    (growth / window + (capacity - sent / window)).min(capacity)
}
