//! The modes with the defaults of the final standard, 802.17-2004, as its public MIB
//! tells them. What the MIB does not tell is our reading, built on the enhanced mode.

/// `Params`, `settings()` and `thresholds()` of a law of this generation.
macro_rules! final_standard_params {
    ($($own:tt)*) => {
        $crate::ring::rpr::generations::params! {
            /// Length of an aging interval; 100 us suits 622 Mb/s and more, 400 us slower links.
            aging_interval: Interval = Interval::micros(100),
            /// ageCoef: ages the byte counters, one in so many.
            #[schemars(range(min = 1, max = 16))]
            age_coef: Coefficient = Coefficient::clamped(4),
            /// lpCoef: a new sample weighs one in so many in the filtered rates.
            #[schemars(range(min = 16, max = 512))]
            lp_coef: Coefficient = Coefficient::clamped(64),
            /// rampUpCoef: rates climb and sink by one in so many.
            #[schemars(range(min = 16, max = 512))]
            ramp_up_coef: Coefficient = Coefficient::clamped(64),
            /// advertisementRatio: the part of the link that single-choke frames take.
            #[schemars(range(min = 0.00025, max = 0.01))]
            advertisement_ratio: f64 = 0.00125,
            /// reportCoef: one multi-choke frame for so many single-choke ones.
            #[schemars(range(min = 8, max = 512))]
            report_coef: Coefficient = Coefficient::clamped(10),
            /// activeWeightsCoef: the weights of active stations are summed up over so many aging intervals.
            #[schemars(range(min = 8, max = 512))]
            active_weights_coef: Coefficient = Coefficient::clamped(64),
            /// stqHighThreshold, as a part of the full one, which lies two packets below the size of the
            /// secondary transit queue: deeper than that, the station adds nothing that is fairness eligible.
            stq_high_threshold: Fraction = Fraction::clamped(0.25),
            /// stqLowThreshold, as a part of the high one. The medium one lies midway between both.
            stq_low_threshold: Fraction = Fraction::clamped(0.5),
            /// rateHighThreshold of a station without secondary transit queue, as a part of the unreserved rate.
            #[schemars(range(min = 0.4, max = 0.99))]
            rate_high_threshold: Fraction = Fraction::clamped(0.95),
            /// rateLowThreshold, as a part of the high one.
            #[schemars(range(min = 0.5, max = 0.99))]
            rate_low_threshold: Fraction = Fraction::clamped(0.9),
            /// How long such a station may have packets to add and add none before it is congested.
            access_timer: Interval = Interval::micros(1_000),
            /// When a station takes those upstream for contributing to what is congested downstream.
            contributes: Contributes = Contributes::ForwardRateBeyond,
            /// What the stations' clients hear and obey.
            client: Client = Client::SingleChoke,
            /// In what unit frames tell rates.
            encoding: Encoding = Encoding::Standard,
            $($own)*
        }

        fn settings(params: &Params, site: &RingSite) -> Settings {
            Settings {
                meter: MeterSettings {
                    aging: params.aging_interval.span(),
                    lp_coef: params.lp_coef.get(),
                    age_coef: params.age_coef.get(),
                    only_eligible: true,
                    active_period: params.active_weights_coef.count(),
                },
                advertising: advertising(params.advertisement_ratio, site),
                ramp_coef: params.ramp_up_coef.get(),
                gauge: match site.secondary_buffer {
                    Some(secondary) => Gauge::Depth(marks(params, secondary, site.max_packet)),
                    None => {
                        let high = site.unreserved().as_bps_f64() * params.rate_high_threshold.get();
                        Gauge::Rate(Marks::halved(high * params.rate_low_threshold.get(), high))
                    }
                },
                access: site.secondary_buffer.is_none().then_some(params.access_timer.span()),
                contributes: params.contributes,
                minimum: false,
                encoding: params.encoding,
                report_every: params.report_coef.count(),
                obeys_reports: params.client == Client::MultiChoke,
                round_trip: RoundTripWay::Computed,
                fixed_round_trip: Span::ZERO,
                pair_every: Span::ZERO,
            }
        }

        /// The low, medium and high threshold of a queue of this size.
        fn marks(params: &Params, secondary: Bytes, max_packet: Bytes) -> Marks {
            let high = full(secondary, max_packet) as f64 * params.stq_high_threshold.get();
            Marks::halved(high * params.stq_low_threshold.get(), high)
        }

        /// stqFullThreshold.
        fn full(secondary: Bytes, max_packet: Bytes) -> u64 {
            secondary.get().saturating_sub(2 * max_packet.get())
        }

        /// The queue stops the station's eligible traffic at the high and goes before what is fairness eligible at the full threshold.
        fn thresholds(params: &Params, secondary: Bytes, max_packet: Bytes) -> StqThresholds {
            let stop = Bytes::new(marks(params, secondary, max_packet).high as u64);
            StqThresholds { stop: Some(stop), outrank: Bytes::new(full(secondary, max_packet)) }
        }
    };
}

pub(in crate::ring) use final_standard_params;
