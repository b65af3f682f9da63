//! The packet ring's conservative mode, as the DVSR paper analyses it.
//!
//! A station whose link carries more than 0.8 of its capacity, or that cannot add
//! anything for too long, tells all an equal part at first and then moves it so that the link
//! carries between 0.8 and 0.95.
//!
//! Source: [dvsr] §II-B, §II-D, §IV. Left open there and chosen here: the access timer
//! (1 ms, own pace not counted), the steps of the fair rate (1/1024 an aging interval, so that
//! the load is still between the marks when the filter shows that it is), that a
//! station with packets to add counts as active, and for how long one that sent does: in a
//! single aging interval the small flows of the paper's own examples would not be seen. When
//! congestion begins is told in two ways; here it takes two intervals, as §IV-A2 has it.

use super::rpr::prelude::*;

dvsr_paper_params! {
    /// low_threshold, as a part of the unreserved rate: a link that carries more is congested.
    rate_low_threshold: Fraction = Fraction::clamped(0.8),
    /// high_threshold, as a part of the unreserved rate: a link that carries more has its fair rate lowered.
    rate_high_threshold: Fraction = Fraction::clamped(0.95),
    /// While congestion lasts the local fair rate moves by one in so many an aging interval.
    fair_rate_ramp_coef: Coefficient = Coefficient::clamped(1024),
    /// A link is congested from the last of so many aging intervals in a row above the low threshold on: 2 as §IV-A2 has it, 1 as §II-D.
    onset_intervals: Coefficient = Coefficient::clamped(2),
    /// A station counts as active for so many aging intervals after it had a packet served,
    /// and up to as many more; 1 is what is printed.
    active_intervals: Coefficient = Coefficient::clamped(64),
    /// How long a station may have packets to add and add none before it is congested.
    access_timer: Interval = Interval::micros(1_000),
}

/// The law.
pub type Law = Station<Conservative>;

/// What makes it this law.
pub struct Conservative;

impl Profile for Conservative {
    type Params = Params;
    type Rule = ConservativeRate;
    type Limits = PerDestination;

    const ABOUT: LawAbout = LawAbout {
        name: "rpr-conservative",
        summary: "A congested station tells all, itself included, an equal part, then steers its link to 0.8 to 0.95",
        source: "[dvsr] §II-D",
    };
    const DATAPATH: Datapath = Datapath::TransitFirst;

    const WEIGHTED: bool = false;

    fn problem(params: &Params) -> Option<String> {
        let [low, high] = [params.rate_low_threshold, params.rate_high_threshold].map(Fraction::get);
        (low > high).then(|| {
            format!(
                "`rate-low-threshold` is {low}, above `rate-high-threshold`, which is {high}; write a part up to {high}"
            )
        })
    }

    fn settings(params: &Params, site: &RingSite) -> Settings {
        let unreserved = site.unreserved().as_bps_f64();
        let [low, high] = [params.rate_low_threshold, params.rate_high_threshold].map(Fraction::get);
        let marks = Marks::halved(unreserved * low, unreserved * high);
        let common = settings(params, Gauge::Rate(marks));
        let meter = MeterSettings { active_period: params.active_intervals.count(), ..common.meter };
        Settings { meter, access: Some(params.access_timer.span()), ..common }
    }

    fn rule(params: &Params) -> ConservativeRate {
        ConservativeRate::new(params.fair_rate_ramp_coef.get(), params.onset_intervals.count())
    }
}
