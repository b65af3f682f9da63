//! Flows of cells over one link whose port tells them their rates.

use super::Trouble;
use super::runs::allowed_before;
use crate::runs::checked_network;
use fairwire_core::Instant;
use fairwire_plan::NetworkFlowRecord;
use fairwire_scenario::Scenario;
use std::fmt::Write;

/// One link of 250 µs behind access links as long.
pub struct OneLink {
    /// The law, as a table of TOML.
    pub law: &'static str,
    pub capacity_mbps: f64,
    /// Minimum, peak and supported rate of each flow in Mb/s, and its weight.
    pub flows: Vec<[f64; 4]>,
}

/// After a second.
pub struct Outcome {
    /// Allowed rates at the end, in Mb/s.
    pub allowed_mbps: Vec<f64>,
    /// The part of the link that was used in the second half.
    pub used: f64,
}

impl OneLink {
    fn toml(&self) -> String {
        let hosts: Vec<String> = (0..self.flows.len()).map(|flow| format!("\"h{flow}\"")).collect();
        let bps = |mbps: f64| (mbps * 1e6).round() as u64;
        let mut text = format!(
            "schema = 1\ntitle = \"One link\"\n\n[run]\nduration = \"1 s\"\nwarmup = \"500 ms\"\n\n[network]\n\
             nodes = [\"a\", \"b\", {}]\nrate = {}\nlimit = \"100000 packets\"\nlink = [\n\
             {{ from = \"a\", to = \"b\", capacity = \"{} b/s\", delay = \"250 us\", duplex = true }},\n",
            hosts.join(", "),
            self.law,
            bps(self.capacity_mbps)
        );
        for host in &hosts {
            let _ = writeln!(
                text,
                "{{ from = {host}, to = \"a\", capacity = \"10 Gb/s\", delay = \"250 us\", duplex = true, rate = \"none\" }},"
            );
        }
        text.push_str("]\n");
        for (flow, (host, [minimum, peak, supported, weight])) in hosts.iter().zip(&self.flows).enumerate() {
            let [minimum, peak, supported] = [minimum, peak, supported].map(|mbps| bps(*mbps));
            let _ = write!(
                text,
                "\n[[flow]]\nname = \"f{flow}\"\nfrom = {host}\nto = \"b\"\nmin-rate = \"{minimum} b/s\"\npeak-rate = \"{peak} b/s\"\n\
                 supported-rate = \"{supported} b/s\"\nweight = {weight:?}\ntraffic = {{ kind = \"explicit-rate\", packet = \"53 B\" }}\n"
            );
        }
        text
    }

    pub fn run(&self) -> Result<Outcome, Trouble> {
        let scenario = Scenario::parse("one-link", &self.toml()).map_err(|errors| errors.to_string())?;
        let plan = scenario.network_plan(0).ok_or("the scenario is not a network")?;
        let record = checked_network(&plan)?;
        let end = Instant::ZERO + plan.duration;
        let last = |flow: &NetworkFlowRecord| allowed_before(flow, end) / 1e6;
        let seconds = (plan.duration - plan.warmup).as_secs_f64();
        Ok(Outcome {
            allowed_mbps: record.flows.iter().map(last).collect(),
            used: record.links[0].measured_bytes as f64 * 8.0 / (plan.links[0].capacity.as_bps_f64() * seconds),
        })
    }
}
