//! The board of explicit rates: what is drawn, what is fair, what a run comes to, and that it goes on where it ended.

use crate::kept::{same_tables, tear};
use fairwire_alloc::{Criterion, Flow, Link, Problem, Terms as Promises, check_with_terms};
use fairwire_laws::rate::RateLawChoice;
use fairwire_plan::Offer;
use fairwire_scoreboard::explicit::{
    Case, Contest, Deed, Entrant, FairPhase, Run, Runs, SOURCES, Summary, measure, plan, tables, write,
};
use fairwire_sim::simulate_network;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

const DRAWN: u64 = 60;

fn law(name: &str) -> RateLawChoice {
    RateLawChoice::by_name(name).unwrap()
}

fn cases() -> impl Iterator<Item = Case> {
    (0..DRAWN).map(|number| Case::random(number).unwrap())
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

#[test]
fn networks_are_what_their_head_says() {
    let (mut lossy, mut kinds) = (0, Vec::new());
    for (number, case) in (0..).zip(cases()) {
        let network = &case.network;
        assert_eq!(format!("{network:?}"), format!("{:?}", Case::random(number).unwrap().network), "always the same");
        assert_eq!(case.falls(), number % 2 == 1, "{}", case.id);
        assert!((2..=200).contains(&network.flows.len()) && network.steps.len() == 4);
        assert!((53..=9_000).contains(&network.packet_bytes));
        assert!(network.links.iter().all(|link| (50e6..=10.01e9).contains(&link.capacity.as_bps_f64())));
        let one_way = |flow: &fairwire_scoreboard::explicit::Flow| {
            flow.route.iter().map(|link| network.links[*link].delay.as_secs_f64()).sum::<f64>()
                + flow.access.as_secs_f64()
        };
        let longest = network.flows.iter().map(one_way).fold(0.0, f64::max) * 2.0;
        assert!((9.9e-6..50.1e-3).contains(&longest), "{}: {longest} s", case.id);
        for deed in network.steps.iter().flatten() {
            if let Deed::Capacity(link, capacity) = *deed {
                let part = capacity.as_bps_f64() / network.links[link].capacity.as_bps_f64();
                assert!(part > 0.19, "{}: a link falls to {part}", case.id);
            }
        }
        assert!(network.steps.iter().all(|deeds| !deeds.is_empty()), "{}", case.id);
        lossy += usize::from(case.is_lossy());
        if !kinds.contains(&case.kind) {
            kinds.push(case.kind);
        }
    }
    assert!((10..=30).contains(&lossy), "{lossy} of {DRAWN} lose packets");
    assert_eq!(kinds.len(), 3);
}

/// The phase as a problem of its own, for the checker, which shares no code with the solver.
fn is_fair(case: &Case, phase: &FairPhase) {
    let there: Vec<usize> = (0..phase.on.len()).filter(|flow| phase.on[*flow]).collect();
    assert!(!there.is_empty() && phase.on.iter().zip(&phase.fair_bps).all(|(on, rate)| *on == (*rate > 0.0)));
    let links = phase.capacities.iter().enumerate();
    let flow = |&flow: &usize| Flow {
        id: flow.to_string(),
        ingress: 0,
        egress: 0,
        route: case.network.flows[flow].route.clone(),
        demand_bps: f64::INFINITY,
        weight: phase.terms[flow].weight,
    };
    let problem = Problem {
        nodes: vec!["n".to_owned()],
        ingress_weights: vec![1.0],
        links: links.map(|(id, capacity)| Link { id: id.to_string(), capacity_bps: capacity.as_bps_f64() }).collect(),
        flows: there.iter().map(flow).collect(),
    };
    let promises = Promises {
        min_rates_bps: there.iter().map(|flow| phase.terms[*flow].minimum_bps).collect(),
        peak_rates_bps: there.iter().map(|flow| phase.terms[*flow].most_bps()).collect(),
        ..Promises::default()
    };
    let rates: Vec<f64> = there.iter().map(|flow| phase.fair_bps[*flow]).collect();
    check_with_terms(&problem, &promises, Criterion::GeneralWeighted, &rates, 1e-9).unwrap();
}

#[test]
fn reference_rates_are_fair_at_every_stage() {
    let paper = ["paper-lan", "paper-wan"].map(|case| Case::named(case).unwrap());
    for case in cases().chain(paper) {
        assert_eq!(case.phases.len(), case.network.steps.len() + 1);
        case.phases.iter().for_each(|phase| is_fair(&case, phase));
    }
    assert!(Case::named("paper").is_err() && Case::named("network-x").is_err());
}

#[test]
fn every_entrant_has_a_valid_plan_on_every_case() {
    let laws: Vec<_> = RateLawChoice::ALL.iter().map(|about| law(about.name)).collect();
    let entrants = Entrant::of(&laws);
    assert_eq!(entrants.len(), SOURCES.len() * laws.len() + 1);
    for case in cases().step_by(7) {
        for entrant in &entrants {
            let plan = plan(&case, entrant);
            assert_eq!(plan.validate(), Ok(()), "{} under {}", case.id, entrant.name());
            let told = plan.flows.iter().filter(|flow| matches!(flow.offer, Offer::Rate(_))).count();
            assert_eq!(told, if entrant.law.is_some() { plan.flows.len() } else { 0 });
        }
    }
}

/// A loop is told by how often control packets leave: counted in a run of one flow that has its rate from the start.
#[test]
fn control_packets_leave_as_often_as_a_loop_has_it() {
    for sources in &SOURCES {
        let mut case = Case::named("paper-wan").unwrap();
        case.network.flows.truncate(1);
        case.network.steps.clear();
        case.network.flows[0].terms.minimum_bps = 2e6;
        case.network.flows[0].terms.peak_bps = 2e6;
        case.phases = FairPhase::all("one", &case.network).unwrap();
        case.gap = fairwire_core::Span::from_millis(2_000);
        let record = simulate_network(&plan(&case, &Entrant { law: Some(law("wmfqc")), sources })).unwrap();
        let sent = record.flows[0].rate.as_ref().unwrap().control_sent as f64;
        let wanted = 2.0 / sources.between_controls_s(case.network.packet_bytes, 2e6);
        // Who asks first sends some more in the first round trip.
        assert!((sent / wanted - 1.0).abs() < 0.02, "{}: {sent} for {wanted}", sources.name);
    }
}

#[test]
fn a_law_answers_and_no_law_does_not() {
    let case = Case::random(2).unwrap();
    let run = |entrant: &Entrant| {
        let plan = plan(&case, entrant);
        measure(&case, entrant, &plan, &simulate_network(&plan).unwrap())
    };
    let wmfqc = run(&Entrant { law: Some(law("wmfqc")), sources: &SOURCES[1] });
    assert!(
        wmfqc.responses.iter().all(|response| response.error < 1e-9 && response.loops.unwrap() < 10.0),
        "{wmfqc:?}"
    );
    assert_eq!(wmfqc.dropped, 0);
    assert!((0.03..0.07).contains(&wmfqc.control));
    let none = run(&Entrant { law: None, sources: &SOURCES[0] });
    assert!(none.responses.iter().all(|response| response.ms.is_none()) && none.control == 0.0);
    assert!(none.dropped > none.sent / 10, "{} of {}", none.dropped, none.sent);
}

#[test]
fn a_board_goes_on_where_it_ended() {
    let contest = Contest {
        cases: [3, 9].map(|number| Case::random(number).unwrap()).to_vec(),
        entrants: Entrant::of(&[law("wmfqc")]),
        build: "test".to_owned(),
    };
    let folder = folder("rates-board");
    let fill = |watch: &(dyn Fn(usize, f64) -> bool + Sync)| -> Vec<Run> {
        contest.fill(&Runs::open(&folder, false).unwrap(), watch).unwrap()
    };
    let begun = fill(&|position, _| position < 3);
    assert_eq!(begun.len(), 3);
    tear(&folder);
    let made = AtomicUsize::new(0);
    let count = |_, fraction| {
        made.fetch_add(usize::from(fraction == 0.0), Ordering::Relaxed);
        true
    };
    let all = fill(&count);
    assert_eq!((all.len(), &all[..3]), (contest.len(), &begun[..]));
    assert!(made.load(Ordering::Relaxed) >= contest.len() - 2, "the torn line is run again");
    assert_eq!(fill(&|_, fraction| fraction == 1.0), all, "nothing is run again");
    let whole = self::folder("rates-whole");
    let at_once = contest.fill(&Runs::open(&whole, false).unwrap(), &|_, _| true).unwrap();
    for (folder, runs) in [(&whole, &at_once), (&folder, &all)] {
        write(folder, &Summary::of(runs), runs).unwrap();
    }
    same_tables(&whole, &folder);
    let shown = tables(&Summary::of(&all));
    assert_eq!(shown.len(), 2);
    assert!(shown.iter().all(|table| table.rows.len() == contest.entrants.len()));
    assert!(
        shown
            .iter()
            .flat_map(|table| &table.rows)
            .all(|row| row.len() == shown[0].header.len() || row.len() == shown[1].header.len())
    );
}
