//! The state of senders over time.

use super::hosts::Hosts;
use super::micro_flows::MicroFlow;
use fairwire_plan::WindowSample;

/// Samples of all senders at the end of every row.
#[derive(Debug)]
pub struct WindowSamples {
    window: u64,
    next_at: u64,
    /// By flow.
    pub samples: Vec<Vec<WindowSample>>,
}

impl WindowSamples {
    pub fn new(window: u64, flows: usize) -> Self {
        Self { window, next_at: window, samples: vec![Vec::new(); flows] }
    }

    /// The end of the present row.
    pub fn next_at(&self) -> u64 {
        self.next_at
    }

    /// A row ends at `now`.
    pub fn take(&mut self, now: u64, hosts: &Hosts) {
        self.next_at = now + self.window;
        let (mut flow, mut number) = (u32::MAX, 0);
        for (identity, micro_flow) in hosts.identities.iter().zip(hosts.micro_flows.iter()) {
            number = if identity.flow == flow { number + 1 } else { 0 };
            flow = identity.flow;
            let MicroFlow::Tcp(session) = micro_flow else { continue };
            self.samples[flow as usize].extend(session.sample(now, number));
        }
    }
}
