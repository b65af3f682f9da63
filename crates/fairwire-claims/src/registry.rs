//! Which claim is checked by what.

use crate::catalogue::{Claim, catalogue};
use crate::checks::{Check, allocation, convergence, dvsr_rules, rias_rules, shares};
use crate::checks::{classes, enhanced_conservative, fairness_rules, fairness_tables};
use crate::checks::{dvsr_cost, rpr_convergence, rpr_shares, rpr_unbalanced, station_rules};
use crate::checks::{explicit_rates, fairness_bounds, oscillation_models, rpr_swings, virtual_time};
use crate::checks::{gateway_rules, gateway_shares, gateway_times, ring_tcp};
use crate::testbed::{self, TestbedCheck};
use crate::ways::WayCheck;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Where a claim stands.
#[derive(Clone, Copy)]
pub enum Standing {
    /// A check measures it.
    Checked(Check),
    /// A check measures it each way in which DVSR may count and tell.
    CheckedEachWay(WayCheck),
    /// No check yet.
    Pending(&'static str),
    /// A check measures it with real packets.
    OnTestbed(TestbedCheck),
}

/// What takes no more than about half a second of a processor.
const CHECKS: &[(&str, Check)] = &[
    ("dvsr-sec3-min-guarantee", rias_rules::minimum_guarantee),
    ("dvsr-def1-rias-definition", rias_rules::definition),
    ("dvsr-prop1-bottleneck-certificate", rias_rules::certificate),
    ("dvsr-fig4-parking-lot-rias", allocation::rias),
    ("dvsr-fig4-parking-lot-proportional", allocation::inverse_hop_and_proportional),
    ("dvsr-fig2-parallel-parking-lot-rias", allocation::rias),
    ("dvsr-fig5-rias", allocation::rias),
    ("dvsr-fig6-two-exit-rias", allocation::rias),
    ("dvsr-fig6-two-exit-flow-maxmin", allocation::max_min),
    ("dvsr-fig6-spreading-reward", allocation::spreading_reward),
    ("dvsr-fig8-upstream-ppl-rias", allocation::rias),
    ("dvsr-tableI-is-maxmin-of-largest", dvsr_rules::table_one),
    ("dvsr-sec5-node1-first-feedback", dvsr_rules::first_feedback),
    ("dvsr-sec5-two-exit-suballocation", dvsr_rules::two_exits),
    ("dvsr-sec5-no-filtering", dvsr_rules::no_filtering),
    ("dvsr-fig16-parking-lot-gige", shares::parking_lot_fifo),
    ("slides-operational-definition", rias_rules::three_steps),
    ("slides-residual-iteration-counterexample", rias_rules::three_steps_fail),
    ("slides-local-fair-share", allocation::local_fair_share),
    ("slides-ingress-egress-granularity", allocation::ingress_egress_granularity),
    ("slides-proportional-penalises-distance", allocation::penalises_distance),
    ("slides-scenario2-parking-lot", allocation::slow_last_sender),
    ("dvsr-fig2-local-wfq-only", virtual_time::local_queues_only),
    ("dvsr-fig7-am-range", oscillation_models::two_flow_swing),
    ("dvsr-fig8-am-range", oscillation_models::equal_demands_swing),
    ("dvsr-prop3-two-flow-example", oscillation_models::conservative_swing),
    ("dvsr-eq7-loss-definition", oscillation_models::loss_formula),
    ("dvsr-sec5-virtual-time-slopes", virtual_time::slopes),
    ("dvsr-fig13-aggregated-feedback", virtual_time::aggregated_feedback),
    ("dvsr-sec5-byte-counts-hide-overlap", virtual_time::overlap),
    ("dvsr-tableI-lower-bounds-virtual-time", virtual_time::lower_bound),
    ("dvsr-lemma1-underthrottle", fairness_bounds::let_through),
    ("dvsr-lemma2-overthrottle", fairness_bounds::held_back),
    ("dvsr-fig15-service-envelope", fairness_bounds::service_envelope),
    ("dvsr-lemma3-pairwise-bound", fairness_bounds::between_two_flows),
    ("dvsr-sec6-125kB", fairness_bounds::in_kilobytes),
    ("dvsr-sec6-multinode-extension", fairness_bounds::several_nodes),
    ("dvsr-sec9-metaring-quota", virtual_time::metaring_quota),
    ("slides-gps-example", virtual_time::intermittent_flow),
    ("dvsr-fig9a-am-trace", rpr_swings::aggressive_trace),
    ("dvsr-fig9b-cm-trace", rpr_swings::conservative_trace),
    ("dvsr-fig10-am-throughput-loss", rpr_swings::aggressive_loss),
    ("dvsr-sec2-scheduler-modes", station_rules::order),
    ("dvsr-sec2-am-congestion-condition", station_rules::aggressive_congestion),
    ("dvsr-sec2-cm-first-advertisement", rpr_shares::conservative_onset),
    ("dvsr-sec2-am-parking-lot-converges", rpr_convergence::aggressive_calms_down),
    ("dvsr-sec4c-filter-slows-convergence", rpr_convergence::filter),
    ("dvsr-sec5-fair-rate-cost", dvsr_cost::fair_rate),
    ("dvsr-fig20-convergence-am", rpr_convergence::aggressive),
    ("dvsr-fig20-convergence-cm", rpr_convergence::conservative),
    ("slides-aladdin-unbalanced", rpr_unbalanced::aladdin),
    ("slides-dvsr-complexity", dvsr_cost::slides),
    ("ecm-allowed-rate-rule", fairness_rules::allowed_rates),
    ("ecm-advertised-rate-rule", fairness_rules::advertised_rates),
    ("ecm-fcm-period", fairness_rules::message_period),
    ("ecm-thresholds", fairness_rules::thresholds),
    ("ecm-table1-am", fairness_tables::aggressive_table),
    ("ecm-table2-original-cm", fairness_tables::original_table),
    ("ecm-table3-enhanced-cm", fairness_tables::enhanced_table),
    ("ecm-no-transit-loss", enhanced_conservative::no_transit_loss),
    ("ecm-fig2a-am", enhanced_conservative::aggressive_swings),
    ("ecm-fig2b-original-cm", enhanced_conservative::original_starves),
    ("ecm-fig2c-enhanced-cm", enhanced_conservative::enhanced_shares),
    ("ecm-fig3-utilisation", enhanced_conservative::utilisation),
    ("ecm-fig5-on-off", enhanced_conservative::joining),
    ("ecm-fig5-short-starvation", enhanced_conservative::short_starvation),
    ("ecm-fig7-spatial-reuse", classes::spatial_reuse),
    ("ecm-fig11-weights", classes::weights),
    ("ecm-reclaim-rule", classes::reclaim),
    ("ecm-rtt-once-per-frtt", enhanced_conservative::once_a_round_trip),
    ("ecm-class-a-delay", classes::class_a_delay),
    ("ecm-fast-start", enhanced_conservative::fast_start),
    ("vrr-algorithm", gateway_rules::decision),
    ("vrr-virtual-sum-invariant", gateway_rules::sum_of_lengths),
    ("vrr-parameters", gateway_rules::parameters),
    ("vrr-jain-index", gateway_rules::jain),
    ("vrr-fig3-vrr", gateway_shares::rates_vrr),
    ("vrr-fig3-red", gateway_shares::rates_red),
    ("vrr-fig3-fred", gateway_shares::rates_fred),
    ("vrr-fig7-red", gateway_shares::mixture_red),
    ("vrr-inactive-flow-misses-round", gateway_rules::misses_its_round),
    ("wmfqc-ar-unweighted", explicit_rates::fair::unweighted),
    ("wmfqc-ar-weighted", explicit_rates::fair::weighted),
    ("wmfqc-eq1-maxmin-share", explicit_rates::fair::equal_share),
    ("wmfqc-link-unit", explicit_rates::fair::cell_rate),
    ("wmfqc-table1", explicit_rates::parameters::peak_and_supported_rates),
    ("wmfqc-table4", explicit_rates::parameters::minimum_rates),
    ("wmfqc-table5", explicit_rates::parameters::thresholds),
    ("wmfqc-table2", explicit_rates::responses::max_min_table),
    ("wmfqc-table3", explicit_rates::responses::wmfqc_table),
    ("wmfqc-table10", explicit_rates::responses::weighted_table),
    ("wmfqc-equal-runs", explicit_rates::responses::equal_runs),
    ("wmfqc-inferred-topology-check", explicit_rates::responses::rebuilt_network),
    ("wmfqc-maxmin-fails-on-idle", explicit_rates::steady::max_min_fails),
    ("wmfqc-recovers-on-idle", explicit_rates::steady::wmfqc_recovers),
    ("wmfqc-theorem1", explicit_rates::theorems::theorem1),
    ("wmfqc-theorem2", explicit_rates::theorems::theorem2),
    ("wmfqc-eq3-source-rate", explicit_rates::rules::source_rate),
    ("wmfqc-guard-bandwidth", explicit_rates::guard::drains),
    ("wmfqc-qc-keeps-queue-below-target", explicit_rates::queues::below_target),
    ("wmfqc-qc-simpler-than-erica", explicit_rates::cost::queue_control),
];

/// What simulates for longer: `make test` leaves it to `make claims`.
const LONG_CHECKS: &[(&str, Check)] = &[
    ("dvsr-prop2-am-oscillation", rpr_swings::proposition_two),
    ("dvsr-prop3-cm-oscillation", rpr_swings::proposition_three),
    ("dvsr-sec2-lossless-transit", station_rules::lossless),
    ("dvsr-fig11-cm-throughput-loss", rpr_swings::conservative_loss),
    ("dvsr-fig16-parking-lot-rpr-am", rpr_shares::parking_lot_aggressive),
    ("dvsr-fig16-parking-lot-rpr-cm", rpr_shares::parking_lot_conservative),
    ("dvsr-fig19-ppl-gige", shares::parallel_parking_lot_fifo),
    ("dvsr-fig19-ppl-rpr", rpr_shares::parallel_parking_lot),
    ("slides-scenario4-rpr", rpr_shares::slides_parallel),
    ("slides-scenario2-unbalanced", rpr_unbalanced::gandalf),
    ("slides-scenario4-single-queue", rpr_shares::slides_single_queue),
    ("slides-scenario5-gandalf", rpr_swings::upstream_parallel),
    ("ecm-fig9-classes", classes::three_classes),
    ("ecm-shaping-needed", classes::shaping_needed),
    ("ecm-alpha-scaling", classes::alpha_scaling),
    ("ecm-tcp-similar", ring_tcp::ten_for_each_greedy),
    ("dvsr-fig17-tcp-gige", ring_tcp::isolation_fifo),
    ("dvsr-fig18-gige-rtt-bias", ring_tcp::one_each_fifo),
    ("vrr-o1-decision", gateway_rules::constant_time),
    ("vrr-fig4-rtt-bias", gateway_times::round_trips),
    ("vrr-fig5-red", gateway_shares::one_udp_red),
    ("vrr-fig5-fred", gateway_shares::one_udp_fred),
    ("vrr-fig5-vrr", gateway_shares::one_udp_vrr),
    ("vrr-fig6-one-tcp-many-udp", gateway_shares::one_tcp),
    ("vrr-fig7-fred-vrr", gateway_shares::mixture_fair),
    ("vrr-fig8-random-activity", gateway_times::random_activity),
    ("vrr-fig9-udp-multihop", gateway_shares::udp_over_links),
    ("vrr-fig10-tcp-multihop", gateway_shares::tcp_over_links),
    ("vrr-table-web", gateway_times::web_table),
    ("vrr-fig11-cdf", gateway_times::web_distribution),
    ("vrr-fig12-web-multihop", gateway_times::web_over_links),
    ("vrr-overall-ordering", gateway_times::overall),
    ("wmfqc-gw-fairness-definition", explicit_rates::theorems::definition),
    ("wmfqc-lemma1", explicit_rates::theorems::lemma1),
    ("wmfqc-theorem3", explicit_rates::theorems::theorem3),
    ("wmfqc-maxmin-cost", explicit_rates::cost::max_min),
    ("wmfqc-ologn", explicit_rates::cost::tree),
    ("wmfqc-erica-capc-ordering", explicit_rates::other_laws::ordering),
    ("wmfqc-max-queueing-delay", explicit_rates::queues::longest_wait),
    ("wmfqc-fig4-fig5-max-queue", explicit_rates::queues::deepest),
    ("wmfqc-fig6-fig7-delay", explicit_rates::queues::delays),
    ("wmfqc-table6", explicit_rates::losses::lan_table),
    ("wmfqc-table7", explicit_rates::losses::wan_table),
    ("wmfqc-loss-decreases", explicit_rates::losses::trend),
    ("wmfqc-table8", explicit_rates::controlled::lost_table),
    ("wmfqc-table9", explicit_rates::controlled::lan_table),
    ("wmfqc-table11", explicit_rates::controlled::wan_table),
    ("wmfqc-qc-improvement", explicit_rates::controlled::gain),
    ("wmfqc-fig8-fig9-dynamics", explicit_rates::steady::dynamics),
];

/// Claims on DVSR, measured each way: all ways together take no more than about half a second.
const WAY_CHECKS: &[(&str, WayCheck)] = &[
    ("dvsr-eq9-equal-split-fails-ppl", shares::both_suballocations),
    ("dvsr-sec5-weights-give-min-rates", shares::weights),
    ("dvsr-fig16-parking-lot-dvsr", shares::parking_lot_dvsr),
    ("dvsr-fig19-ppl-dvsr", shares::parallel_parking_lot_dvsr),
    ("dvsr-fig20-convergence-dvsr", convergence::two_ring_times),
    ("dvsr-sec7-delay-scaling", convergence::ten_times_the_delay),
    ("dvsr-sec5-control-packet", dvsr_rules::control_frame),
    ("dvsr-sec5-min-rate", dvsr_rules::minimum_rate),
    ("dvsr-sec5-uppl-two-intervals", dvsr_cost::two_periods),
    ("dvsr-fig20-oscillation-range", rpr_convergence::swings_on_the_way),
    ("slides-convergence", rpr_convergence::slides),
];

/// The same that simulate for longer.
const LONG_WAY_CHECKS: &[(&str, WayCheck)] = &[
    ("dvsr-fn11-pareto-same-averages", shares::parking_lot_pareto),
    ("dvsr-sec5-message-economy", dvsr_rules::message_economy),
    ("dvsr-sec5-queues-empty-in-steady-state", shares::steady_queues),
    ("dvsr-sec7-unbalanced-within-0p1pct", shares::unbalanced),
    ("slides-scenario5-dvsr", shares::scenario_five_dvsr),
    ("slides-rias-parking-lot", shares::slides_parking_lot),
    ("slides-rias-parallel-parking-lot", shares::slides_parallel),
    ("slides-rias-upstream-parallel", shares::slides_upstream_parallel),
    ("slides-rias-two-exit", shares::slides_two_exit),
    ("dvsr-abstract-oscillation-ranges", rpr_unbalanced::ranges),
    ("dvsr-intro-33pct-loss", rpr_unbalanced::worst_loss),
    ("slides-scenario1-darwin", rpr_shares::slides_parking_lot),
    ("slides-dvsr-feedback-compatible", rpr_shares::dvsr_under_other_schedulers),
    ("dvsr-fig17-tcp-isolation", ring_tcp::isolation),
    ("dvsr-fig18-one-tcp-per-node", ring_tcp::one_each),
    ("slides-scenario3-single-tcp", ring_tcp::one_each),
    ("dvsr-fig18-ten-tcp-per-node", ring_tcp::ten_each),
    ("slides-scenario3-tcp-udp", ring_tcp::among_greedy),
];

/// An entry: its check, and whether it simulates for longer.
struct Entry {
    standing: Standing,
    takes_long: bool,
}

/// All entries, by claim. They are made where they are first asked for: the value of a static, and so every check, would be compiled
/// into tests that ask for none.
fn entries() -> &'static BTreeMap<&'static str, Entry> {
    static ENTRIES: OnceLock<BTreeMap<&'static str, Entry>> = OnceLock::new();
    ENTRIES.get_or_init(enter_all)
}

fn enter_all() -> BTreeMap<&'static str, Entry> {
    let mut entries = BTreeMap::new();
    let mut enter = |id, standing, takes_long| {
        assert!(catalogue().iter().any(|claim| claim.id == id), "{id} is checked, but is no claim of the catalogue");
        assert!(entries.insert(id, Entry { standing, takes_long }).is_none(), "{id} is checked twice");
    };
    for (table, takes_long) in [(CHECKS, false), (LONG_CHECKS, true)] {
        table.iter().for_each(|(id, check)| enter(*id, Standing::Checked(*check), takes_long));
    }
    for (table, takes_long) in [(WAY_CHECKS, false), (LONG_WAY_CHECKS, true)] {
        table.iter().for_each(|(id, check)| enter(*id, Standing::CheckedEachWay(*check), takes_long));
    }
    testbed::CHECKS.iter().for_each(|(id, check)| enter(*id, Standing::OnTestbed(*check), false));
    entries
}

/// Where the claim `id` stands.
pub fn standing(id: &str) -> Standing {
    entries().get(id).map_or(Standing::Pending("no check has been written yet"), |entry| entry.standing)
}

impl Claim {
    /// Whether its check simulates for more than about a second of a processor, up to a minute.
    pub fn takes_long(&self) -> bool {
        entries().get(self.id.as_str()).is_some_and(|entry| entry.takes_long)
    }
}
