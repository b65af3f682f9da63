//! Fair servers in a row, and flows that obey what they announce.

use super::history::History;
use crate::gps::{Division, GpsServer, announced_rate};
use crate::{AnalysisError, error::parameter};
use std::ops::Range;

/// What is fixed over a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// C of every link, in bit/s.
    pub capacity_bps: f64,
    /// T, in seconds.
    pub window_s: f64,
    /// Δ, in seconds: a limit at time t rests on [t − T − Δ, t − Δ].
    pub delay_s: f64,
    /// How a window's traffic comes.
    pub arrival: Arrival,
    /// The links that each flow crosses; each flow is an ingress of its own.
    pub routes: Vec<Range<usize>>,
}

/// How what a flow may send in a window comes to the first link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// At a constant rate.
    Spread,
    /// All when the window begins.
    AtOnce,
}

/// Fair servers with feedback.
#[derive(Clone, Debug)]
pub struct FeedbackTandem {
    setting: Setting,
    links: Vec<GpsServer>,
    histories: Vec<History>,
    now: f64,
    windows: u64,
    /// What each flow has been let through, in bits.
    throttled: Vec<f64>,
    /// Its fair share so far, in bits.
    fair: Vec<f64>,
}

/// One window as it went by.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// What every flow was limited to, in bit/s.
    pub limits_bps: Vec<f64>,
    /// F of every link over this window, in bit/s.
    pub fair_rates_bps: Vec<f64>,
}

impl Setting {
    /// One link that `flows` ingresses share.
    pub fn one_link(flows: usize, capacity_bps: f64, window_s: f64) -> Self {
        let routes = (0..flows).map(|_| 0..1).collect();
        Self { capacity_bps, window_s, delay_s: 0.0, arrival: Arrival::Spread, routes }
    }
}

impl FeedbackTandem {
    /// Links that have been idle for ever.
    ///
    /// # Errors
    /// [`AnalysisError::Parameter`] for a setting that makes no sense.
    pub fn new(setting: Setting) -> Result<Self, AnalysisError> {
        parameter("capacity_bps", setting.capacity_bps, |value| value > 0.0, "above 0")?;
        parameter("window_s", setting.window_s, |value| value > 0.0, "above 0")?;
        parameter("delay_s", setting.delay_s, |value| value >= 0.0, "at least 0")?;
        let flows = setting.routes.len();
        if let Some(route) = setting.routes.iter().find(|route| route.is_empty()) {
            return Err(AnalysisError::Parameter {
                name: "a route's length",
                value: route.len() as f64,
                needed: "at least 1",
            });
        }
        let count = setting.routes.iter().map(|route| route.end).max().unwrap_or(0);
        Ok(Self {
            links: vec![GpsServer::new(setting.capacity_bps, vec![1.0; flows]); count],
            histories: vec![History::new(); count],
            now: 0.0,
            windows: 0,
            throttled: vec![0.0; flows],
            fair: vec![0.0; flows],
            setting,
        })
    }

    /// What each flow has been let through so far, in bits.
    pub fn throttled_bits(&self) -> &[f64] {
        &self.throttled
    }

    /// Each flow's fair share so far, in bits: the least over its links of what
    /// virtual time and idle time gave, window by window. On a single link it
    /// is exact at every instant, elsewhere at the end of a window.
    pub fn fair_bits(&self) -> &[f64] {
        &self.fair
    }

    /// What the last link of a flow's route has served of it so far, in bits.
    pub fn served_bits(&self, flow: usize) -> f64 {
        self.links[self.setting.routes[flow].end - 1].served()[flow]
    }

    /// Goes through one window in which flows ask for these rates (bit/s; infinite
    /// for one that always has something to send), and shows every instant at which
    /// a rate changes to `look`.
    pub fn window(&mut self, demands_bps: &[f64], mut look: impl FnMut(&Self)) -> Window {
        let limits = self.limits_bps();
        let entering: Vec<f64> = limits.iter().zip(demands_bps).map(|(limit, demand)| limit.min(*demand)).collect();
        let length = self.setting.window_s;
        let rates = match self.setting.arrival {
            Arrival::Spread => entering,
            Arrival::AtOnce => {
                for (flow, rate) in entering.iter().enumerate() {
                    self.links[self.setting.routes[flow].start].burst(flow, rate * length);
                    self.throttled[flow] += rate * length;
                }
                vec![0.0; entering.len()]
            }
        };
        let begin = self.now;
        let fair_before = self.fair.clone();
        self.windows += 1;
        // Counted, not summed, so that windows do not drift.
        let end = self.windows as f64 * length;
        while self.now < end {
            self.until_something_changes(end, &rates);
            look(self);
        }
        let announced = |history: &History| {
            let (growth, sent) = history.growth(begin, end);
            announced_rate(self.setting.capacity_bps, length, growth, sent)
        };
        let fair_rates_bps: Vec<f64> = self.histories.iter().map(announced).collect();
        for (flow, route) in self.setting.routes.iter().enumerate() {
            let least = fair_rates_bps[route.clone()].iter().copied().fold(f64::INFINITY, f64::min);
            self.fair[flow] = fair_before[flow] + least * length;
        }
        let oldest = end - length - self.setting.delay_s;
        self.histories.iter_mut().for_each(|history| history.forget_before(oldest));
        Window { limits_bps: limits, fair_rates_bps }
    }

    /// Eq. (8) of every link over [t − T − Δ, t − Δ], the least on each flow's way.
    fn limits_bps(&self) -> Vec<f64> {
        let (window, delay) = (self.setting.window_s, self.setting.delay_s);
        let announced = |history: &History| {
            let (growth, sent) = history.growth(self.now - window - delay, self.now - delay);
            announced_rate(self.setting.capacity_bps, window, growth, sent)
        };
        let fair: Vec<f64> = self.histories.iter().map(announced).collect();
        let least = |route: &Range<usize>| fair[route.clone()].iter().copied().fold(f64::INFINITY, f64::min);
        self.setting.routes.iter().map(least).collect()
    }

    fn until_something_changes(&mut self, end: f64, entering: &[f64]) {
        let divided = self.divisions(entering);
        let lasts = self.links.iter().zip(&divided).map(|(link, (arrivals, division))| link.lasts(arrivals, division));
        let step = lasts.fold(end - self.now, f64::min);
        // Too short for the clock to notice: the rest of the window is over.
        let (step, next) = if self.now + step > self.now { (step, self.now + step) } else { (step, self.now) };
        for (flow, route) in self.setting.routes.iter().enumerate() {
            self.throttled[flow] += entering[flow] * step;
            let slopes = divided[route.clone()].iter().map(|(_, division)| self.fair_slope(division));
            self.fair[flow] += slopes.fold(f64::INFINITY, f64::min) * step;
        }
        self.now = if step >= end - self.now { end } else { next };
        for ((link, history), (arrivals, division)) in self.links.iter_mut().zip(&mut self.histories).zip(&divided) {
            link.serve(step, arrivals, division);
            history.note(self.now, link.virtual_time(), link.served().iter().sum());
        }
    }

    fn fair_slope(&self, division: &Division) -> f64 {
        (division.slope + self.setting.capacity_bps - division.total).min(self.setting.capacity_bps)
    }

    /// What arrives at each link, and how it is divided, from the first to the last.
    fn divisions(&self, entering: &[f64]) -> Vec<(Vec<f64>, Division)> {
        let mut divided: Vec<(Vec<f64>, Division)> = Vec::with_capacity(self.links.len());
        for (index, link) in self.links.iter().enumerate() {
            let arriving = |(flow, route): (usize, &Range<usize>)| match index {
                _ if index == route.start => entering[flow],
                _ if route.contains(&index) => divided[index - 1].1.rates[flow],
                _ => 0.0,
            };
            let arrivals: Vec<f64> = self.setting.routes.iter().enumerate().map(arriving).collect();
            let division = link.division(&arrivals);
            divided.push((arrivals, division));
        }
        divided
    }
}
