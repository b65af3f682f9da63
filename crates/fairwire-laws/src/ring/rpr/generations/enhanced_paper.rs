//! The modes as the paper on the enhanced conservative mode has them
//! ([rpr-enhanced-conservative] §III): all traffic but class A0 is measured; two limits, marks on
//! the depth of the secondary transit queue.

/// `Params`, `settings()` and `thresholds()` of a law of this generation.
macro_rules! enhanced_paper_params {
    ($($own:tt)*) => {
        $crate::ring::rpr::generations::params! {
            /// Length of an aging interval: rates are measured and limits set at its end.
            aging_interval: Interval = Interval::micros(100),
            /// Time between two advertisements of a station.
            advertisement_interval: Interval = Interval::micros(100),
            /// A new sample weighs one in so many in LpAddRate and LpFwRate.
            lp_coef: Coefficient = Coefficient::clamped(64),
            /// Increase coefficient: an allowed rate climbs by one in so many of what it is short of.
            gamma: Coefficient = Coefficient::clamped(64),
            /// High threshold, as a part of the secondary transit queue: deeper than that, the
            /// station adds nothing that is fairness eligible.
            stq_high_threshold: Fraction = Fraction::clamped(0.25),
            /// Low threshold, as a part of the high one: deeper than that is congested. The medium
            /// one lies midway between both.
            stq_low_threshold: Fraction = Fraction::clamped(0.5),
            /// When a station takes those upstream for contributing to what is congested downstream.
            contributes: Contributes = Contributes::Forwards,
            /// In what unit frames tell rates.
            encoding: Encoding = Encoding::Standard,
            $($own)*
        }

        fn settings(params: &Params, site: &RingSite) -> Settings {
            Settings {
                meter: MeterSettings {
                    aging: params.aging_interval.span(),
                    lp_coef: params.lp_coef.get(),
                    age_coef: 1.0,
                    only_eligible: false,
                    active_period: 1,
                },
                advertising: params.advertisement_interval.span(),
                ramp_coef: params.gamma.get(),
                gauge: match site.secondary_buffer {
                    Some(secondary) => Gauge::Depth(marks(params, secondary)),
                    None => single_queue_gauge(site),
                },
                access: site.secondary_buffer.is_none().then_some(SINGLE_QUEUE_ACCESS),
                contributes: params.contributes,
                minimum: false,
                encoding: params.encoding,
                report_every: 0,
                obeys_reports: false,
                round_trip: RoundTripWay::Computed,
                fixed_round_trip: Span::ZERO,
                pair_every: Span::ZERO,
            }
        }

        /// The low, medium and high threshold of a queue of this size.
        fn marks(params: &Params, secondary: Bytes) -> Marks {
            let high = secondary.get() as f64 * params.stq_high_threshold.get();
            Marks::halved(high * params.stq_low_threshold.get(), high)
        }

        /// The queue stops the station's eligible traffic at the high threshold. Only what
        /// is committed still takes turns with it then, and must: §II guarantees it.
        fn thresholds(params: &Params, secondary: Bytes, max_packet: Bytes) -> StqThresholds {
            let high = Bytes::new(marks(params, secondary).high as u64);
            StqThresholds { stop: Some(high), ..StqThresholds::never_stopping(secondary, max_packet) }
        }
    };
}

pub(in crate::ring) use enhanced_paper_params;
