//! The modes as the DVSR paper analyses them ([dvsr] §II): no weights, limits by
//! destination, advertisements that are passed on where the forward rate is above them.

/// `Params` and `settings()` of a law of this generation.
macro_rules! dvsr_paper_params {
    ($($own:tt)*) => {
        $crate::ring::rpr::generations::params! {
            /// Length of an aging interval: rates are measured and limits set at its end.
            aging_interval: Interval = Interval::micros(100),
            /// Time between two advertisements of a station.
            advertisement_interval: Interval = Interval::micros(100),
            /// LPCOEF: a new sample weighs one in so many in the filtered rates.
            lp_coef: Coefficient = Coefficient::clamped(64),
            /// rampcoef: an allowed rate climbs by one in so many of what it is short of.
            ramp_coef: Coefficient = Coefficient::clamped(64),
            /// In what unit frames tell rates.
            encoding: Encoding = Encoding::Standard,
            $($own)*
        }

        fn settings(params: &Params, gauge: Gauge) -> Settings {
            Settings {
                meter: MeterSettings {
                    aging: params.aging_interval.span(),
                    lp_coef: params.lp_coef.get(),
                    age_coef: 1.0,
                    only_eligible: false,
                    active_period: 1,
                },
                advertising: params.advertisement_interval.span(),
                ramp_coef: params.ramp_coef.get(),
                gauge,
                access: None,
                contributes: Contributes::ForwardRate,
                minimum: true,
                encoding: params.encoding,
                report_every: 0,
                obeys_reports: false,
                round_trip: RoundTripWay::Fixed,
                fixed_round_trip: Span::ZERO,
                pair_every: Span::ZERO,
            }
        }
    };
}

pub(in crate::ring) use dvsr_paper_params;
