//! What words of `[ring]` mean: control messages that are lost or late, ceilings beside classes, weights on a folded ring.

use fairwire_laws::ring::Datapath;
use fairwire_scenario::Scenario;

/// Six stations for a second; `ring` are more lines of `[ring]`.
fn parse(ring: &str, rest: &str) -> Result<Scenario, String> {
    let text = format!(
        "schema = 1\n[run]\nduration = \"1 s\"\n[ring]\nstations = 6\ncapacity = \"622 Mb/s\"\n\
         span-delay = \"0.1 ms\"\nlaw = {{ name = \"dvsr\" }}\n{ring}\n[[flow]]\nname = \"a\"\nfrom = 1\nto = 3\n{rest}"
    );
    Scenario::parse("ring.toml", &text).map_err(|errors| errors.to_string())
}

#[test]
fn laws_of_a_machine_stand_still_together_unless_told() {
    let together = |words: &str| {
        let ring = format!("wake-ups = {{ late = \"66 us\"{words} }}");
        parse(&ring, "").unwrap().ring_plan(0).unwrap().control.wake_ups.unwrap().together
    };
    assert!(together("") && together(", together = true") && !together(", together = false"));
}

/// A run ends before its last instant: what is sent then is sent after it.
#[test]
fn a_frame_is_lost_within_the_run() {
    let lost = |at: &str| parse("", &format!("[[ring.lost-frame]]\nat = \"{at}\"\nringlet = 1\nfrom = 4\n"));
    assert!(lost("999.999 ms").is_ok());
    for late in ["1 s", "1001 ms"] {
        let told = lost(late).unwrap_err();
        assert!(told.contains("is sent after the end of the run at 1 s"), "{told}");
    }
}

/// A flow of class B is granted its committed rate first; what it may have is shared up to the rest of its peak rate.
#[test]
fn a_peak_rate_is_that_of_granted_and_shared_together() {
    let class = "class = \"B\"\nmin-rate = \"10 Mb/s\"\npeak-rate = \"30 Mb/s\"\n";
    let scenario = parse("transit = { mode = \"dual-queue\" }", class).unwrap();
    assert_eq!(scenario.terms().peak_rates_bps, [20e6]);
    let fair = scenario.fair_allocation(scenario.criterion()).unwrap();
    assert!((fair.flows[0].rate_bps - 30e6).abs() < 1.0, "{}", fair.flows[0].rate_bps);
}

/// Where stations wrap, a ring that was cut is one ringlet, with two places for each station and its weight at both.
#[test]
fn a_station_weighs_the_same_at_both_places_of_a_folded_ring() {
    let ring = "weights = { 1 = 2, 4 = 3 }\nprotection = { mode = \"wrap\" }";
    let cut = "[[event]]\nat = \"200 ms\"\nkind = \"cut\"\nbetween = [2, 3]\n";
    let scenario = parse(ring, cut).unwrap();
    let phases = scenario.ring_plan(0).unwrap().phases();
    let folded = scenario.after(&phases[0]);
    let each = [1.0, 2.0, 1.0, 1.0, 3.0, 1.0];
    assert_eq!(folded.problem().ingress_weights, [each, each].concat());
    assert!((folded.fair_rates(folded.criterion()).unwrap().rates_bps[0] - 622e6).abs() < 1.0, "it is alone");
}

/// A flow of class B that asks for less than its committed rate is granted what it asks for, and the rest is shared.
#[test]
fn nobody_is_granted_more_than_it_asks_for() {
    let asks = |rate: &str| {
        let b = format!("class = \"B\"\nmin-rate = \"30 Mb/s\"\ndemand = \"{rate}\"\n");
        parse("transit = { mode = \"dual-queue\" }", &b).unwrap().guaranteed_bps()
    };
    assert_eq!((asks("10 Mb/s"), asks("90 Mb/s")), (vec![10e6], vec![30e6]));
}

/// A law that is described for two transit queues lets transit go first where it has one.
#[test]
fn where_a_law_of_two_queues_has_one_transit_goes_first() {
    let datapath = |mode: &str| {
        let scenario = parse(&format!("transit = {{ mode = \"{mode}\" }}"), "").unwrap();
        let law = scenario.law_called("rpr-conservative-enhanced").unwrap();
        scenario.under(&law).ring_plan(0).unwrap().transit.datapath
    };
    assert_eq!(datapath("by-law"), Datapath::DualQueue);
    assert_eq!(datapath("single-queue"), Datapath::TransitFirst);
}
