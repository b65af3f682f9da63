//! `fairwire allocate FILE`: the fair rates, and what holds each flow.

use crate::error::{CliError, Outcome};
use crate::output;
use crate::runs::{Promises, Verdict, verdict_table};
use crate::source::Source;
use crate::table::TextTable;
use crate::text;
use fairwire_alloc::{Allocation, Criterion, Limit, Problem, Sharer, check, solve};
use fairwire_scenario::Scenario;
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scenario; `-` reads it from stdin
    file: PathBuf,

    /// What fair means: rias, rias-iterative, max-min, weighted-max-min,
    /// general-weighted, ingress-egress, proportional or inverse-hop; rias on a
    /// ring and max-min on a network unless told
    #[arg(long, value_name = "NAME")]
    criterion: Option<Criterion>,

    /// Answer as JSON
    #[arg(long)]
    json: bool,
}

/// The answer as JSON; names are never changed, only added.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    scenario: &'a str,
    criterion: &'a str,
    unique: String,
    flows: Vec<FlowAnswer<'a>>,
    links: Vec<LinkAnswer<'a>>,
    check: CheckAnswer,
    /// The scenario's promises about fair rates.
    expect: Vec<Verdict>,
}

#[derive(Debug, Serialize)]
struct FlowAnswer<'a> {
    id: &'a str,
    from: &'a str,
    to: &'a str,
    rate_bps: f64,
    rate_low_bps: f64,
    rate_high_bps: f64,
    /// None for demand without end.
    demand_bps: Option<f64>,
    weight: f64,
    route: Vec<&'a str>,
    limited_by: LimitAnswer<'a>,
}

#[derive(Debug, Serialize)]
struct LimitAnswer<'a> {
    /// `link`, `demand` or `peak`.
    kind: &'static str,
    link: Option<&'a str>,
    why: String,
    sharers: Vec<SharerAnswer<'a>>,
}

#[derive(Debug, Serialize)]
struct SharerAnswer<'a> {
    name: &'a str,
    rate_bps: f64,
    weight: f64,
}

#[derive(Debug, Serialize)]
struct LinkAnswer<'a> {
    id: &'a str,
    capacity_bps: f64,
    load_bps: f64,
}

#[derive(Debug, Serialize)]
struct CheckAnswer {
    fair: bool,
    /// What is wrong; none where the rates are fair.
    why: Option<String>,
    /// Relative to link capacity.
    tolerance: f64,
}

/// How far the checker lets rates be off, relative to link capacity.
const TOLERANCE: f64 = 1e-9;
/// The same for the slides' iteration, which approaches its end geometrically.
const ITERATION_TOLERANCE: f64 = 1e-6;

/// Solves, has the answer checked by code that shares nothing with the solver, and prints both.
pub fn run(args: &Args) -> Result<Outcome, CliError> {
    let source = Source::read(&args.file)?;
    let scenario = source.scenario()?;
    if !scenario.sweep().is_empty() {
        output::note("the file has a [sweep]; `allocate` takes the scenario as it stands");
    }
    let problem = scenario.problem();
    let mut allocation = solve(&problem, args.criterion.unwrap_or_else(|| scenario.usual_criterion()))?;
    let check = judge(&problem, &allocation);
    scenario.grant(&mut allocation);
    let problem = scenario.offered_problem();
    let promises = Promises::new(&scenario)?.judge_fair_rates();
    let answer = answer(&scenario, &problem, &allocation, check, promises);
    if args.json {
        output::print_json(&answer)?;
    } else {
        output::print(&show(&problem, &answer))?;
    }
    // The iteration is asked for to be looked at, fair or not.
    let as_asked = answer.check.fair || allocation.criterion == Criterion::RiasIterative;
    Ok(Outcome::fine_if(as_asked && answer.expect.iter().all(|promise| promise.ok)))
}

/// What the answer has to be: an iteration towards RIAS rates is held against RIAS itself.
fn judge(problem: &Problem, allocation: &Allocation) -> CheckAnswer {
    let rates: Vec<f64> = allocation.flows.iter().map(|flow| flow.rate_bps).collect();
    let (criterion, tolerance) = match allocation.criterion {
        Criterion::RiasIterative => (Criterion::Rias, ITERATION_TOLERANCE),
        other => (other, TOLERANCE),
    };
    let violation = check(problem, criterion, &rates, tolerance).err();
    CheckAnswer { fair: violation.is_none(), why: violation.map(|violation| violation.to_string()), tolerance }
}

fn answer<'a>(
    scenario: &'a Scenario,
    problem: &'a Problem,
    allocation: &'a Allocation,
    check: CheckAnswer,
    expect: Vec<Verdict>,
) -> Answer<'a> {
    let flows = problem.flows.iter().zip(&allocation.flows).zip(scenario.flows());
    let links = problem.links.iter().zip(&allocation.links);
    Answer {
        scenario: scenario.title(),
        criterion: allocation.criterion.name(),
        unique: allocation.unique.to_string(),
        flows: flows
            .map(|((flow, rate), declared)| FlowAnswer {
                id: &flow.id,
                from: &problem.nodes[flow.ingress],
                to: &problem.nodes[flow.egress],
                rate_bps: rate.rate_bps,
                rate_low_bps: rate.low_bps,
                rate_high_bps: rate.high_bps,
                demand_bps: Some(flow.demand_bps).filter(|demand| demand.is_finite()),
                weight: flow.weight,
                route: flow.route.iter().map(|&link| problem.links[link].id.as_str()).collect(),
                limited_by: limit(problem, &rate.limited_by, declared, flow.demand_bps),
            })
            .collect(),
        links: links
            .map(|(link, load)| LinkAnswer {
                id: &link.id,
                capacity_bps: link.capacity_bps,
                load_bps: load.load_bps.max(0.0),
            })
            .collect(),
        check,
        expect,
    }
}

fn limit<'a>(
    problem: &'a Problem,
    limit: &'a Limit,
    declared: &fairwire_scenario::Flow,
    demand_bps: f64,
) -> LimitAnswer<'a> {
    match limit {
        Limit::Demand => {
            let peak = declared.peak_rate.filter(|peak| peak.as_bps_f64() <= demand_bps);
            let (kind, why) = match peak {
                Some(peak) => {
                    ("peak", format!("it may have no more than its peak rate of {}", text::rate(peak.as_bps_f64())))
                }
                None if declared.class.is_primary() && declared.min_rate.as_bps_f64() < demand_bps => {
                    let (class, rate) = (declared.class, text::rate(declared.min_rate.as_bps_f64()));
                    ("peak", format!("class {class:?} sends no more than it has reserved: {rate}"))
                }
                None => ("demand", format!("it has all it asks for: {}", text::rate(demand_bps))),
            };
            LimitAnswer { kind, link: None, why, sharers: Vec::new() }
        }
        Limit::Link { link, why, sharers } => {
            let sharer = |sharer: &'a Sharer| SharerAnswer {
                name: &sharer.name,
                rate_bps: sharer.rate_bps,
                weight: sharer.weight,
            };
            LimitAnswer {
                kind: "link",
                link: Some(&problem.links[*link].id),
                why: why.clone(),
                sharers: sharers.iter().map(sharer).collect(),
            }
        }
    }
}

/// The answer for people: every line can be checked by hand against the others.
fn show(problem: &Problem, answer: &Answer<'_>) -> String {
    let mut page = format!("{}\nfair rates under {}\n\n{}", answer.scenario, answer.criterion, flow_table(answer));
    page.push_str("\nwhy no flow can have more\n");
    for flow in &answer.flows {
        let _ = writeln!(page, "  {}: {}", flow.id, flow.limited_by.why);
    }
    let sharing = sharing_table(answer);
    if !sharing.is_empty() {
        let _ = write!(page, "\nwho shares the links that hold flows\n{sharing}");
    }
    let _ = write!(page, "\nwhat the links carry\n{}", link_table(problem, answer));
    let meaning = match answer.unique.as_str() {
        _ if answer.criterion == Criterion::RiasIterative.name() => "the construction has one result; is it fair?",
        "yes" => "no other rates are fair",
        "no" => "other rates are fair too; each flow's lie between its lowest and highest",
        _ => "whether other rates are fair too was not decided",
    };
    let _ = writeln!(page, "\nunique: {} ({meaning})", answer.unique);
    match &answer.check.why {
        None => page.push_str("check: fair (by a checker that shares no code with the solver)\n"),
        Some(why) => {
            let _ = writeln!(page, "check: NOT FAIR: {why}");
        }
    }
    page.push_str(&verdict_table(&answer.expect));
    page
}

fn flow_table(answer: &Answer<'_>) -> TextTable {
    let is_open = answer.unique != "yes";
    let mut header = vec!["flow", "from", "to", "over", ">rate"];
    header.extend(is_open.then_some([">lowest", ">highest"]).into_iter().flatten());
    header.extend([">demand", "held by"]);
    let mut table = TextTable::new(&header);
    for flow in &answer.flows {
        let mut row = vec![flow.id.to_owned(), flow.from.to_owned(), flow.to.to_owned(), route_text(&flow.route)];
        row.push(text::rate(flow.rate_bps));
        if is_open {
            row.extend([text::rate(flow.rate_low_bps), text::rate(flow.rate_high_bps)]);
        }
        row.push(flow.demand_bps.map_or_else(|| "no end".to_owned(), text::rate));
        row.push(flow.limited_by.link.unwrap_or(flow.limited_by.kind).to_owned());
        table.row(row);
    }
    table
}

/// A route by its links, the middle left out where it is long.
fn route_text(route: &[&str]) -> String {
    match route {
        [first, _, _, _, .., last] => format!("{first} … {last} ({} links)", route.len()),
        short => short.join(" "),
    }
}

/// A line for each link that holds a flow: who shares it, and how; empty where none does.
fn sharing_table(answer: &Answer<'_>) -> String {
    let mut links: Vec<&LimitAnswer<'_>> = Vec::new();
    for limit in answer.flows.iter().map(|flow| &flow.limited_by).filter(|limit| limit.link.is_some()) {
        if !links.iter().any(|known| known.link == limit.link) {
            links.push(limit);
        }
    }
    if links.is_empty() {
        return String::new();
    }
    let mut table = TextTable::new(&["link", "shared by", ">rate", ">weight", ">rate / weight"]);
    for limit in links {
        for (index, sharer) in limit.sharers.iter().enumerate() {
            table.row([
                if index == 0 { limit.link.unwrap_or_default() } else { "" },
                sharer.name,
                &text::rate(sharer.rate_bps),
                &text::number(sharer.weight, 6),
                &text::rate(sharer.rate_bps / sharer.weight),
            ]);
        }
    }
    table.to_string()
}

/// A line for each link that carries anything: the sum that makes its load.
fn link_table(problem: &Problem, answer: &Answer<'_>) -> TextTable {
    let mut crossing: Vec<Vec<usize>> = vec![Vec::new(); problem.links.len()];
    for (index, flow) in problem.flows.iter().enumerate() {
        flow.route.iter().for_each(|&link| crossing[link].push(index));
    }
    let mut table = TextTable::new(&["link", ">capacity", ">load", ">used", "sum of"]);
    for (link, flows) in answer.links.iter().zip(&crossing).filter(|(_, flows)| !flows.is_empty()) {
        table.row([
            link.id.to_owned(),
            text::rate(link.capacity_bps),
            text::rate(link.load_bps),
            text::percent(link.load_bps / link.capacity_bps),
            sum_text(answer, flows),
        ]);
    }
    table
}

/// The flows on a link; longer sums are told by the number of their terms.
fn sum_text(answer: &Answer<'_>, flows: &[usize]) -> String {
    const NAMED: usize = 6;
    if flows.len() > NAMED {
        return format!("{} flows", flows.len());
    }
    flows.iter().map(|&flow| answer.flows[flow].id).collect::<Vec<_>>().join(" + ")
}
