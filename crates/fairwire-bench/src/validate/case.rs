//! The gateway cases: what runs, and what is compared.

use super::row::Row;
use fairwire_laws::queue::{Limit, QueueLawChoice};
use fairwire_plan::{NetworkLinkPlan, NetworkPlan, NetworkRecord};
use fairwire_scenario::Scenario;
use fairwire_sim::simulate_network;
use fairwire_terminal::CliError;
use serde::Deserialize;

/// One network under one queue law.
#[derive(Debug)]
pub struct Case {
    /// Its name in the answer.
    pub name: &'static str,
    /// What ns-2's script calls the traffic.
    pub traffic: &'static str,
    /// What ns-2 calls the queue law.
    pub peer_law: &'static str,
    /// The longest time for which senders of ns-2 think before they send, in s: none, or enough that no two packets
    /// come at the same time.
    pub overhead_s: f64,
    law: &'static str,
    file: &'static str,
    text: &'static str,
    /// How far each flow's rate may be off; none where phases of drop-tail make it a lottery.
    flow_within: Option<f64>,
    /// Whether ns-2's own interval comes on top.
    beyond_interval: bool,
    total_within: f64,
    /// Of the mean queue; none for the same reason.
    queue_within: Option<f64>,
}

/// What one run showed; of ns-2 as its script prints it.
#[derive(Debug, Deserialize)]
pub struct RunFigures {
    /// Of each flow after the warm-up.
    pub rates_mbps: Vec<f64>,
    /// Waiting at the bottleneck, on average after the warm-up.
    pub queue_packets: f64,
    /// Dropped at the bottleneck in all.
    pub dropped: f64,
}

/// Simulated seconds and warm-up of every case, on both sides.
pub const SECONDS: [f64; 2] = [100.0, 20.0];
/// An eighth of a packet's time at the bottleneck: packets that would come at one time come in random order, as they do
/// here without it, and hardly later.
const TIES_BROKEN_S: f64 = 0.0001;
/// A packet's time at the bottleneck, as the inventors of the remedy advise. It also keeps packets back, which nothing here
/// does.
const PACKET_TIME_S: f64 = 0.0008;
/// The link at which all meet.
const BOTTLENECK: &str = "bottleneck";

macro_rules! scenario {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../../scenarios/bench/", $name)))
    };
}

const W2B: (&str, &str) = scenario!("w2b.toml");
const W2C: (&str, &str) = scenario!("w2c.toml");

/// Every case.
pub const CASES: &[Case] = &[
    Case {
        name: "w2b-red",
        traffic: "tcp",
        peer_law: "RED",
        overhead_s: 0.0,
        law: "red",
        file: W2B.0,
        text: W2B.1,
        flow_within: Some(0.05),
        beyond_interval: true,
        total_within: 0.005,
        queue_within: Some(0.03),
    },
    Case {
        name: "w2b-droptail",
        traffic: "tcp",
        peer_law: "DropTail",
        overhead_s: 0.0,
        law: "droptail",
        file: W2B.0,
        text: W2B.1,
        flow_within: None,
        beyond_interval: false,
        total_within: 0.005,
        queue_within: None,
    },
    without_phases("w2b-droptail-0.1ms", TIES_BROKEN_S, Some(0.05)),
    without_phases("w2b-droptail-0.8ms", PACKET_TIME_S, None),
    Case {
        name: "w2c-red",
        traffic: "cbr",
        peer_law: "RED",
        overhead_s: 0.0,
        law: "red",
        file: W2C.0,
        text: W2C.1,
        flow_within: Some(0.03),
        beyond_interval: false,
        total_within: 0.005,
        queue_within: Some(0.03),
    },
    Case {
        name: "w2c-droptail",
        traffic: "cbr",
        peer_law: "DropTail",
        overhead_s: 0.0,
        law: "droptail",
        file: W2C.0,
        text: W2C.1,
        flow_within: Some(0.03),
        beyond_interval: false,
        total_within: 0.005,
        queue_within: Some(0.03),
    },
];

/// TCP through drop-tail where senders of ns-2 think before they send.
const fn without_phases(name: &'static str, overhead_s: f64, flow_within: Option<f64>) -> Case {
    Case {
        name,
        traffic: "tcp",
        peer_law: "DropTail",
        overhead_s,
        law: "droptail",
        file: W2B.0,
        text: W2B.1,
        flow_within,
        beyond_interval: true,
        total_within: 0.005,
        queue_within: Some(0.03),
    }
}

impl Case {
    /// One run here.
    ///
    /// # Errors
    /// [`CliError`] if the scenario, which is part of the program, cannot be run.
    pub fn here(&self, seed: u64) -> Result<RunFigures, CliError> {
        let law = QueueLawChoice::by_name(self.law).map_err(|error| inside(error.to_string()))?;
        let mut plan = plan(self.file, self.text, |scenario| {
            let seeded = scenario.with_seed(seed).map_err(|error| inside(error.to_string()))?;
            Ok(seeded.with_queue_law(law))
        })?;
        plan.links.iter_mut().for_each(count_as_the_peer);
        let record = simulate_network(&plan).map_err(|error| inside(error.to_string()))?;
        Ok(seen(&plan, &record))
    }

    /// What to compare of all seeds' pairs, ns-2 first.
    pub fn compare(&self, pairs: &[(RunFigures, RunFigures)]) -> Vec<Row> {
        let row = |what: String, of: &dyn Fn(&RunFigures) -> f64, within: Option<f64>| {
            let peer: Vec<f64> = pairs.iter().map(|(peer, _)| of(peer)).collect();
            let here: Vec<f64> = pairs.iter().map(|(_, here)| of(here)).collect();
            Row::sampled(self.name, what, &peer, &here, within)
        };
        let flows = pairs.first().map_or(0, |(peer, _)| peer.rates_mbps.len());
        let mut rows: Vec<Row> = (0..flows)
            .map(|flow| {
                let row = row(format!("flow {flow}, Mb/s"), &|seen| seen.rates_mbps[flow], self.flow_within);
                if self.beyond_interval { row.beyond_interval() } else { row }
            })
            .collect();
        rows.push(row("all flows, Mb/s".to_owned(), &|seen| seen.rates_mbps.iter().sum(), Some(self.total_within)));
        rows.push(row("mean queue, packets".to_owned(), &|seen| seen.queue_packets, self.queue_within));
        rows.push(row("dropped, packets".to_owned(), &|seen| seen.dropped, None));
        rows
    }
}

/// The plan of a scenario that is part of the program.
pub fn plan(
    file: &str,
    text: &str,
    change: impl FnOnce(Scenario) -> Result<Scenario, CliError>,
) -> Result<NetworkPlan, CliError> {
    let scenario = Scenario::parse(file, text).map_err(|errors| CliError::Scenario(vec![errors]))?;
    change(scenario)?.network_plan(0).ok_or_else(|| inside(format!("{file} is not a network")))
}

/// A drop-tail queue of ns-2 counts the packet in transmission; here it does not. RED's of ns-2 does not either, so
/// that a scenario for both says 200 packets.
fn count_as_the_peer(link: &mut NetworkLinkPlan) {
    if let (QueueLawChoice::droptail(_), Limit::Packets(packets)) = (&link.queue, &mut link.limit) {
        *packets -= 1;
    }
}

/// Something is wrong with what is part of the program.
pub fn inside(message: String) -> CliError {
    CliError::bad_input(message, "this is a mistake in fairwire: please report it")
}

fn seen(plan: &NetworkPlan, record: &NetworkRecord) -> RunFigures {
    let measured_s = (record.duration - record.warmup).as_secs_f64();
    let bottleneck = plan.links.iter().position(|link| link.name == BOTTLENECK).unwrap_or(0);
    let link = &record.links[bottleneck];
    RunFigures {
        rates_mbps: record.flows.iter().map(|flow| flow.measured_bytes as f64 * 8e-6 / measured_s).collect(),
        queue_packets: link.mean_packets,
        dropped: link.dropped.iter().sum::<u64>() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_no_phases_are_every_flow_is_compared() {
        let pair = |here: f64| {
            let seen = |rate: f64| RunFigures { rates_mbps: vec![rate, 1.0], queue_packets: 150.0, dropped: 5.0 };
            (seen(1.0), seen(here))
        };
        let verdicts = |name: &str, here: f64| {
            let case = CASES.iter().find(|case| case.name == name).expect("a case");
            let rows = case.compare(&[pair(here), pair(here)]);
            rows.iter().map(|row| row.ok).collect::<Vec<_>>()
        };
        assert_eq!(verdicts("w2b-droptail-0.1ms", 1.0)[..2], [Some(true), Some(true)]);
        assert_eq!(verdicts("w2b-droptail-0.1ms", 1.2)[..2], [Some(false), Some(true)]);
        assert_eq!(verdicts("w2b-droptail", 1.2)[..2], [None, None]);
    }

    #[test]
    fn the_queue_of_the_one_flow_holds_what_it_holds_in_ns2() {
        let one_reno = include_str!("../../../../benches/ns2/one_reno.tcl");
        let theirs =
            one_reno.lines().find_map(|line| line.strip_prefix("$sim queue-limit $near $far ")).expect("a limit");
        let plan = plan("one-reno.toml", super::super::one_reno::TEXT, Ok).expect("a network");
        let link = plan.links.iter().find(|link| link.name == BOTTLENECK).expect("the bottleneck");
        // Theirs counts the packet in transmission.
        assert_eq!(link.limit, Limit::Packets(theirs.parse::<u32>().expect("packets") - 1));
    }
}
