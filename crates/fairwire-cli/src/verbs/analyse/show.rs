//! The answer for people: every verdict stands beside the numbers it follows from.

use super::answer::{Answer, ConservativeAnswer, LinkAnswer, PartyAnswer, Swing};
use fairwire_terminal::{TextTable, text};
use std::fmt::Write;

/// The whole page.
pub fn show(answer: &Answer) -> String {
    let mut page = format!("{}\nwhat theory says before anything is simulated; fair means rias\n", answer.scenario);
    let _ = write!(page, "\nlinks\n{}", link_table(answer));
    let _ = write!(
        page,
        "\naggressive mode: a flow swings on a full link if a sender downstream of it is smaller ([dvsr] Proposition 2)\n{}",
        aggressive_table(answer)
    );
    let _ = write!(
        page,
        "\nconservative mode: all swing who are told C/n and need more, if somebody needs less and the rest then leaves \
         the link below its threshold ([dvsr] Proposition 3, sign corrected)\n{}",
        conservative_table(answer)
    );
    let cycles = cycle_table(answer);
    match cycles {
        Some(table) => {
            let _ = write!(page, "\none cycle, with buffer, delay and filter; loss by [dvsr] eq. (7)\n{table}");
        }
        None if answer.links.iter().any(|link| link.aggressive.oscillates || link.conservative.oscillates) => {
            page.push_str("\nno cycle is computed: several flows swing on each link, and the models know one\n");
        }
        None => {}
    }
    let _ = write!(
        page,
        "\nfair rates told once a window, as dvsr does: how far a flow may stray, at most ([dvsr] Lemmas 1 to 3)\n{}",
        bound_table(answer)
    );
    for note in &answer.notes {
        let _ = write!(page, "\nnote: {note}");
    }
    if !answer.notes.is_empty() {
        page.push('\n');
    }
    let _ = writeln!(page, "\nto compare with a simulation: {}", answer.compare);
    page
}

fn demand_text(demand_bps: Option<f64>) -> String {
    demand_bps.map_or_else(|| "no end".to_owned(), text::rate)
}

fn link_table(answer: &Answer) -> TextTable {
    let mut table = TextTable::new(&["link", ">capacity", ">fair load", ">demand", "aggressive", "conservative"]);
    let verdict = |congested: bool, oscillates: bool| match (congested, oscillates) {
        (false, _) => "not congested",
        (true, false) => "comes to rest",
        (true, true) => "OSCILLATES",
    };
    for link in &answer.links {
        table.row([
            link.id.clone(),
            text::rate(link.capacity_bps),
            text::rate(link.load_bps),
            demand_text(link.demand_bps),
            verdict(link.aggressive.congested, link.aggressive.oscillates).to_owned(),
            verdict(link.conservative.congested, link.conservative.oscillates).to_owned(),
        ]);
    }
    table
}

/// Flows by name; more than two are counted.
fn names(party: &PartyAnswer) -> String {
    match party.ids.as_slice() {
        [first, second, rest @ ..] if !rest.is_empty() => format!("{first}, {second} and {} more", rest.len()),
        few => few.join(", "),
    }
}

fn range_text(swing: &Swing) -> String {
    match (swing.low_bps, swing.high_bps) {
        (Some(low), Some(high)) => format!("{} … {}", text::rate(low), text::rate(high)),
        _ => "rests".to_owned(),
    }
}

fn aggressive_table(answer: &Answer) -> String {
    let mut table =
        TextTable::new(&["link", "flow", "from", ">fair rate", ">demand", "smallest downstream", "so it swings"])
            .named_by(2);
    let congested = answer.links.iter().filter(|link| link.aggressive.congested);
    let mut is_empty = true;
    for link in congested {
        for flow in &link.aggressive.flows {
            is_empty = false;
            let smallest = text::or_dash(flow.smallest_downstream.as_ref(), |smallest| {
                format!("{} ({} to {})", text::rate(smallest.rate_bps), smallest.from, smallest.to)
            });
            table.row([
                link.id.clone(),
                names(&flow.party),
                flow.party.from.clone(),
                text::rate(flow.party.fair_rate_bps),
                demand_text(flow.party.demand_bps),
                smallest,
                range_text(&flow.swing),
            ]);
        }
    }
    if is_empty { "  no link is full and asked for more\n".to_owned() } else { table.to_string() }
}

fn conservative_table(answer: &Answer) -> String {
    let congested: Vec<&LinkAnswer> = answer.links.iter().filter(|link| link.conservative.congested).collect();
    if congested.is_empty() {
        return "  no link is loaded beyond its low threshold\n".to_owned();
    }
    let header = ["link", "flow", "from", ">fair rate", "needs less than C/n", "so it swings"];
    let mut table = TextTable::new(&header).named_by(2);
    for link in &congested {
        for ingress in &link.conservative.ingresses {
            table.row([
                link.id.clone(),
                names(&ingress.party),
                ingress.party.from.clone(),
                text::rate(ingress.party.fair_rate_bps),
                if ingress.small { "yes" } else { "no" }.to_owned(),
                range_text(&ingress.swing),
            ]);
        }
    }
    let mut page = table.to_string();
    for link in congested {
        let _ = writeln!(page, "  {}: {}", link.id, sum_text(&link.conservative));
    }
    page
}

/// The sum that decides, in words.
fn sum_text(verdict: &ConservativeAnswer) -> String {
    let side = if verdict.clears { "below" } else { "not below" };
    format!(
        "n = {}, C/n = {}; once all obey {} cross it, {side} the threshold of {}",
        verdict.active,
        text::rate(verdict.share_bps),
        text::rate(verdict.throttled_load_bps),
        text::rate(verdict.low_threshold_bps)
    )
}

fn cycle_table(answer: &Answer) -> Option<TextTable> {
    let mut table =
        TextTable::new(&["link", "mode", "flow", "from … to", ">period", ">loss", "+>clipped at 0", "+>mean"])
            .named_by(3);
    let mut is_empty = true;
    for link in &answer.links {
        let aggressive = link.aggressive.flows.iter().map(|flow| ("aggressive", &flow.party, &flow.swing));
        let conservative = link.conservative.ingresses.iter().map(|flow| ("conservative", &flow.party, &flow.swing));
        for (mode, party, swing) in aggressive.chain(conservative) {
            let Some(cycle) = &swing.cycle else { continue };
            is_empty = false;
            table.row([
                link.id.clone(),
                mode.to_owned(),
                names(party),
                format!("{} … {}", text::rate(cycle.low_bps), text::rate(cycle.high_bps)),
                text::time(cycle.period_ns),
                text::percent(cycle.loss),
                text::percent(cycle.loss_clipped),
                text::percent(cycle.loss_mean),
            ]);
        }
    }
    (!is_empty).then_some(table)
}

fn bound_table(answer: &Answer) -> TextTable {
    let mut table =
        TextTable::new(&["link", ">ingresses N", ">window T", ">(1 - 1/N) C T", "+>as time", ">between two flows"]);
    for link in &answer.links {
        let bound = &link.feedback_bound;
        table.row([
            link.id.clone(),
            bound.ingresses.to_string(),
            text::time(bound.window_ns as f64),
            format!("{} B", text::grouped(bound.bound_bytes.round() as u64)),
            text::time(bound.bound_ns),
            format!("{} B", text::grouped(bound.pairwise_bound_bytes.round() as u64)),
        ]);
    }
    table
}
