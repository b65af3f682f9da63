//! The answer of `fairwire allocate` for people.

use super::answer::Answer;
use super::{what_if, worth};
use crate::runs::verdict_table;
use fairwire_alloc::{Criterion, Problem};
use fairwire_scenario::answer::{self, LinkAnswer, SharerAnswer};
use fairwire_terminal::{TextTable, text};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The answer for people, `fair_words` what fair means in it: every line can be checked by hand against the others.
pub fn show(problem: &Problem, whole: &Answer<'_>, fair_words: &str) -> String {
    let answer = &whole.fair;
    let mut page = format!("{}\nfair means {fair_words}\n\n{}", answer.scenario, flow_table(answer));
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
    page.push_str(&verdict_table(&whole.expect, answer.criterion));
    whole.what_if.iter().for_each(|asked| page.push_str(&what_if::show(asked)));
    if let Some(worth) = &whole.sensitivities {
        page.push_str(&worth::show(worth));
    }
    page
}

fn flow_table(answer: &answer::Answer<'_>) -> TextTable {
    let is_open = answer.unique != "yes";
    let mut header = vec!["flow", "from", "to", "over", ">rate"];
    header.extend(is_open.then_some(["+>lowest", "+>highest"]).into_iter().flatten());
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
fn sharing_table(answer: &answer::Answer<'_>) -> String {
    // In the order of the flows that they hold.
    let mut links: Vec<&LinkAnswer<'_>> = Vec::new();
    let mut told = BTreeSet::new();
    for held_by in answer.flows.iter().filter_map(|flow| flow.limited_by.link) {
        if told.insert(held_by) {
            links.extend(answer.links.iter().find(|link| link.id == held_by));
        }
    }
    if links.is_empty() {
        return String::new();
    }
    // Promises are compared with nobody's: shares are what is held beyond them.
    let any_promised = links.iter().any(|link| link.sharers.iter().any(|sharer| sharer.promised_bps > 0.0));
    let mut header = vec!["link", "shared by", ">rate"];
    header.extend(any_promised.then_some(">promised"));
    let by_hops = answer.criterion == Criterion::InverseHop.name();
    let by_price = answer.criterion == Criterion::Proportional.name();
    header.extend(match (by_hops, by_price) {
        (true, _) => [">hops", ">rate × hops"],
        (_, true) => [">weight", ">route costs a Mb/s"],
        _ => [">weight", if any_promised { ">beyond / weight" } else { ">rate / weight" }],
    });
    // Whoever has all it asks for pays less than its weight.
    let payers: BTreeSet<&str> = match by_price {
        true => answer.flows.iter().filter(|flow| flow.limited_by.link.is_some()).map(|flow| flow.id).collect(),
        false => BTreeSet::new(),
    };
    let price = |sharer: &SharerAnswer<'_>| {
        let pays = payers.contains(sharer.name) && sharer.rate_bps > 0.0;
        text::or_dash(pays.then(|| sharer.weight / sharer.rate_bps * 1e6), |price| text::number(price, 6))
    };
    let mut table = TextTable::new(&header).named_by(2);
    for link in links {
        for (index, sharer) in link.sharers.iter().enumerate() {
            let beyond = (sharer.rate_bps - sharer.promised_bps).max(0.0);
            let mut row = vec![if index == 0 { link.id } else { "" }.to_owned()];
            row.extend([sharer.name.to_owned(), text::rate(sharer.rate_bps)]);
            row.extend(any_promised.then(|| text::rate(sharer.promised_bps)));
            let weight = if by_hops { 1.0 / sharer.weight } else { sharer.weight };
            let compared = if by_price { price(sharer) } else { text::rate(beyond / sharer.weight) };
            row.extend([text::number(weight, 6), compared]);
            table.row(row);
        }
    }
    table.to_string()
}

/// A line for each link that carries anything: the sum that makes its load.
fn link_table(problem: &Problem, answer: &answer::Answer<'_>) -> TextTable {
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
fn sum_text(answer: &answer::Answer<'_>, flows: &[usize]) -> String {
    const NAMED: usize = 6;
    if flows.len() > NAMED {
        return format!("{} flows", flows.len());
    }
    flows.iter().map(|&flow| answer.flows[flow].id).collect::<Vec<_>>().join(" + ")
}
