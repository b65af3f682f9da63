//! Costs as tables.

use super::{Costs, Direction, FLOWS, Pass, ROUNDS};
use fairwire_terminal::{TextTable, text};

/// The tables: times, then the tree.
pub fn show(costs: &Costs) -> String {
    let decades: Vec<u32> = FLOWS.into_iter().filter(|flows| flows.ilog10() != (flows - 1).ilog10()).collect();
    let mut header = vec!["law".to_owned(), "control packet".to_owned()];
    header.extend(decades.iter().map(|flows| format!(">10^{} flows", flows.ilog10())));
    header.extend([">10^3 to 10^6".to_owned(), ">exponent".to_owned()]);
    let mut times = TextTable::new(&header);
    for pass in &costs.passes {
        times.row(row(pass, &decades));
    }
    let mut visits = TextTable::new(&[">flows", ">nodes visited at most", ">on average", ">4 log2 N + 8"]);
    for count in &costs.tree.visits {
        visits.row([
            text::grouped(count.flows.into()),
            count.most.to_string(),
            format!("{:.1}", count.mean),
            format!("{:.1}", count.bound),
        ]);
    }
    format!(
        "Processor time of one control packet in a port, its bytes read and written; random order of flows, medians of \
         {ROUNDS} rounds\n\n{times}\n\
         The tree of shares: a flow has another limit, and the share is searched anew\n\n{visits}\n\
         after {} changes of {} flows sums differ from a recount by {:.1e} at most\n",
        text::grouped(costs.tree.changes.into()),
        text::grouped(costs.tree.changed_flows.into()),
        costs.tree.difference
    )
}

fn row(pass: &Pass, decades: &[u32]) -> Vec<String> {
    let way = match pass.way {
        Direction::ForwardChanged => "forward, another rate",
        Direction::ForwardSame => "forward, as before",
        Direction::Turned => "turned, nothing kept",
        Direction::Backward => "backward, as before",
    };
    let time = |flows: &u32| {
        let point = pass.points.iter().find(|point| point.flows == *flows);
        point.map_or_else(|| "–".to_owned(), |point| text::time(point.ns))
    };
    let mut row = vec![pass.law.to_owned(), way.to_owned()];
    row.extend(decades.iter().map(time));
    row.push(pass.growth.map_or_else(|| "–".to_owned(), |growth| format!("×{growth:.1}")));
    row.push(pass.exponent.map_or_else(|| "–".to_owned(), |exponent| format!("{exponent:.2}")));
    row
}
