//! The page of an allocation: whole, safe, and readable on a chain, a tree and a mesh.

use fairwire_alloc::{Allocation, Change, Criterion, Flow, Link, Problem, Terms, sensitivities, solve, what_if};
use fairwire_core::{BitRate, Bytes, Instant, Span, Weight};
use fairwire_laws::queue::{Limit, QueueLawChoice};
use fairwire_plan::{Arrivals, Detail, NetworkEngine, NetworkFlowPlan, NetworkLinkPlan, NetworkPlan, Offer, Traffic};
use fairwire_results::{AllocationPage, Plan, ProposedChange, render_allocation};

/// A network of duplex links of 10 Mb/s, with a greedy flow over each of these routes of nodes.
fn network(nodes: usize, joints: &[(usize, usize)], routes: &[&[usize]]) -> (Plan, Problem) {
    let both: Vec<(usize, usize)> = joints.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
    let over = |route: &[usize]| -> Vec<usize> {
        let hop = |pair: &[usize]| both.iter().position(|&joint| joint == (pair[0], pair[1])).expect("a link");
        route.windows(2).map(hop).collect()
    };
    let name = |&(a, b): &(usize, usize)| format!("n{a}-n{b}");
    let link = |joint: &(usize, usize)| NetworkLinkPlan {
        name: name(joint),
        from: joint.0 as u32,
        to: joint.1 as u32,
        capacity: BitRate::from_mbps(10),
        delay: Span::from_nanos(1_000_000),
        reordering: Span::ZERO,
        random_loss: 0.0,
        queue: QueueLawChoice::by_name("droptail").expect("a law"),
        rate: None,
        limit: Limit::Packets(100),
        mean_packet: Bytes::new(1_000),
        changes: Vec::new(),
    };
    let flow = |(number, route): (usize, &&[usize])| NetworkFlowPlan {
        name: format!("flow-{number}"),
        route: over(route).into_iter().map(|link| link as u32).collect(),
        reverse_route: Vec::new(),
        weight: Weight::default(),
        micro_flows: 1,
        offer: Offer::Datagrams(Traffic { arrivals: Arrivals::Greedy, packet_bytes: 1_000, size_jitter: 0.0 }),
        start: Instant::ZERO,
        start_jitter: Span::ZERO,
        stop: Instant::ZERO + Span::from_nanos(1_000_000_000),
        high_priority: false,
        activity: None,
    };
    let plan = NetworkPlan {
        seed: 1,
        run: 0,
        duration: Span::from_nanos(1_000_000_000),
        warmup: Span::ZERO,
        window: Span::from_nanos(1_000_000),
        nodes,
        links: both.iter().map(link).collect(),
        flows: routes.iter().enumerate().map(flow).collect(),
        demand_changes: Vec::new(),
        flow_changes: Vec::new(),
        engine: NetworkEngine::Ahead,
        detail: Detail::Summary,
        check: false,
    };
    let problem = Problem {
        nodes: (0..nodes).map(|node| format!("<n{node}>")).collect(),
        ingress_weights: vec![1.0; nodes],
        links: both.iter().map(|joint| Link { id: name(joint), capacity_bps: 10e6 }).collect(),
        flows: routes
            .iter()
            .enumerate()
            .map(|(number, route)| Flow {
                id: format!("flow-{number}"),
                ingress: route[0],
                egress: *route.last().expect("an end"),
                route: over(route),
                demand_bps: if number == 0 { 1e6 } else { f64::INFINITY },
                weight: 1.0,
            })
            .collect(),
    };
    (Plan::from(plan), problem)
}

fn page(plan: &Plan, problem: &Problem) -> String {
    page_of(plan, problem, &solve(problem, Criterion::MaxMin).unwrap(), CHANGES)
}

const CHANGES: &[Change] = &[Change::LinkLost { link: 0 }, Change::Capacity { link: 2, capacity_bps: 20e6 }];

fn page_of(plan: &Plan, problem: &Problem, allocation: &Allocation, changes: &[Change]) -> String {
    let terms = Terms::default();
    let outcome = what_if(problem, &terms, Criterion::MaxMin, changes).unwrap();
    let worth = sensitivities(problem, &terms, Criterion::MaxMin).unwrap();
    let satisfied = vec![("peak".to_owned(), "it may have no more".to_owned()); problem.flows.len()];
    render_allocation(&AllocationPage {
        title: "</title><script>alert(1)</script>",
        description: "a <b>test</b>",
        scenario_text: "title = \"<script>\"",
        plan,
        problem,
        allocation,
        satisfied: &satisfied,
        violation: None,
        proposals: &[ProposedChange { said: &["link <n0> is lost".to_owned()], outcome: &outcome, violation: None }],
        sensitivities: Some(&worth),
    })
}

const CHAIN: &[(usize, usize)] = &[(0, 1), (1, 2), (2, 3), (3, 4)];
const TREE: &[(usize, usize)] = &[(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6), (6, 7), (0, 8), (8, 9)];
const MESH: &[(usize, usize)] = &[(0, 1), (1, 2), (2, 3), (3, 0), (1, 3), (2, 4), (4, 5)];

fn all() -> [(&'static str, Plan, Problem); 3] {
    let made = |name, (plan, problem)| (name, plan, problem);
    [
        made("chain", network(5, CHAIN, &[&[0, 1, 2], &[0, 1, 2, 3, 4], &[1, 2, 3], &[4, 3]])),
        made("tree", network(10, TREE, &[&[0, 1, 3], &[0, 1, 4], &[0, 2, 5], &[0, 2, 6, 7], &[7, 6, 2, 0]])),
        made("mesh", network(6, MESH, &[&[0, 1, 2], &[0, 1, 3], &[3, 2, 4, 5], &[0, 3]])),
    ]
}

#[test]
fn the_page_is_whole_and_nothing_breaks_out() {
    for (name, plan, problem) in all() {
        let page = page(&plan, &problem);
        let sections = ["topology", "rates", "why", "what-if", "worth", "how"];
        let at: Vec<_> = sections.iter().map(|id| page.find(&format!("<section id=\"{id}\">")).expect(id)).collect();
        assert!(at.is_sorted(), "{name}: {at:?}");
        assert_eq!(page.matches("<script>").count(), 1, "{name}: only the page's own script");
        assert!(!page.contains("<b>test") && !page.contains("<n0>"), "{name}");
        assert!(page.contains("it may have no more"), "{name}: what holds flow-0 is told");
        for tag in ["svg", "section", "div", "table", "tr", "td", "details", "g", "text", "span", "p"] {
            let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag} in {name}");
        }
        for word in ["NaN", "inf ", "inf\"", "None", "Some("] {
            let drawn = page.split_once("<main>").expect("a page").1;
            assert!(!drawn.contains(word), "{word} in {name}");
        }
    }
}

/// An interval is three times as long as a rate: where there is one, all bars leave as much room.
#[test]
fn intervals_have_room() {
    let (plan, problem) = network(5, CHAIN, &[&[0, 1, 2], &[0, 1, 2, 3, 4]]);
    let mut allocation = solve(&problem, Criterion::MaxMin).unwrap();
    let has_room = |allocation: &Allocation| {
        page_of(&plan, &problem, allocation, CHANGES).contains("<div class=\"groups one spans\">")
    };
    assert!(!has_room(&allocation));
    allocation.flows[1].high_bps *= 1.5;
    assert!(has_room(&allocation));
}

/// Centres of the drawn nodes.
fn centres(page: &str) -> Vec<(f64, f64)> {
    let number = |text: &str, key: &str| -> f64 {
        let rest = text.split_once(&format!("{key}=\"")).expect(key).1;
        rest.split_once('"').expect("a quote").0.parse().expect("a number")
    };
    page.split("<circle class=\"st\"").skip(1).map(|rest| (number(rest, "cx"), number(rest, "cy"))).collect()
}

#[test]
fn no_two_nodes_stand_in_one_place() {
    for (name, plan, problem) in all() {
        let centres = centres(&page(&plan, &problem));
        assert_eq!(centres.len(), problem.nodes.len(), "{name}");
        for (at, a) in centres.iter().enumerate() {
            for b in &centres[..at] {
                let apart = (a.0 - b.0).hypot(a.1 - b.1);
                assert!(apart > 28.0, "{name}: two nodes are {apart} apart: {centres:?}");
            }
        }
        let (low, high) = centres.iter().fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at.0), high.max(at.0)));
        assert!(high - low > 200.0, "{name} is drawn from left to right");
    }
}

/// Node 6 is far from the middle.
#[test]
fn a_tree_grows_from_the_gateway_where_most_flows_begin_or_end() {
    let (plan, problem) = network(10, TREE, &[&[6, 2, 0, 1], &[3, 1, 0, 2, 6], &[0, 8]]);
    let centres = centres(&page(&plan, &problem));
    let leftmost = (0..centres.len()).min_by(|&a, &b| centres[a].0.total_cmp(&centres[b].0));
    assert_eq!(leftmost, Some(6), "{centres:?}");
}

#[test]
fn bottlenecks_are_coloured_and_named() {
    let (plan, problem) = network(5, CHAIN, &[&[0, 1, 2], &[0, 1, 2, 3, 4], &[1, 2, 3], &[4, 3]]);
    let page = page(&plan, &problem);
    // flow-1 and flow-2 share n1-n2 with flow-0, which has its 1 Mb/s.
    assert!(page.contains(r#"<text class="ll""#) && page.contains(">n1-n2</text>"));
    assert!(page.contains(r#"class="hop band u5""#), "a bottleneck");
    assert!(page.contains(r#"class="hop band u0""#), "a link without a flow");
    assert!(page.contains(r#"class="hop band u2""#) || page.contains(r#"class="hop band u1""#), "one with room");
}

/// The first link had 10 Mb/s and the second one 20; then it is the other way round.
#[test]
fn who_gets_the_same_from_another_link_neither_gains_nor_loses() {
    let (plan, mut problem) = network(5, CHAIN, &[&[0, 1, 2]]);
    problem.flows[0].demand_bps = f64::INFINITY;
    problem.links[2].capacity_bps = 20e6;
    let swapped = [(0, 20e6), (2, 10e6)].map(|(link, capacity_bps)| Change::Capacity { link, capacity_bps });
    let page = page_of(&plan, &problem, &solve(&problem, Criterion::MaxMin).unwrap(), &swapped);
    assert!(page.contains("n0-n1 → <b>n1-n2</b>"), "{page}");
    assert!(page.contains("<td class=\"n dim\">") && !page.contains("<td class=\"n loss\">"), "{page}");
}

#[test]
fn of_many_flows_both_ends_are_shown_each_in_its_own_scale() {
    // One flow has a link of its own, and 99 share another.
    let routes: Vec<&[usize]> = std::iter::once(&[3, 4][..]).chain(std::iter::repeat_n(&[0, 1][..], 99)).collect();
    let (plan, mut problem) = network(5, CHAIN, &routes);
    problem.flows[0].demand_bps = f64::INFINITY;
    let page = page(&plan, &problem);
    let rates = page.split_once("<section id=\"rates\">").expect("rates").1.split_once("</section>").expect("an end").0;
    assert!(rates.contains("Of 100 flows the 24 that get most and the 24 that get least; 52 between them"), "{rates}");
    let (most, rest) = rates.split_once("The 24 flows that get least").expect("those");
    let (least, folded) = rest.split_once("52 flows between them").expect("the others");
    let bars = |part: &str| part.matches("class=\"bar wide\"").count();
    assert_eq!([bars(most), bars(least), bars(folded)], [24, 24, 52]);
    assert!(most.find(">flow-0<") < most.find(">flow-99<") && !least.contains(">flow-0<"));
    assert!(least.contains("width=\"97.09%\""), "the largest of a part fills its track: {least}");
}
