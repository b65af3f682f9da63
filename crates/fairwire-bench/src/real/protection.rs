//! A ring that is cut and mended under datagrams and connections, where stations steer and where they wrap.

use super::case::{Case, Limit, Part};
use fairwire_terminal::CliError;

/// The span from station 2 to 3 is cut for half the time that is measured. Steered or wrapped, flows then share the other
/// ringlet.
const RING: &str = r#"
schema = 1
title = "A cut under datagrams and connections"
run = { duration = "5 s", warmup = "0.5 s" }

[ring]
stations = 8
capacity = "100 Mb/s"
span-delay = "0.5 ms"
law = { name = "LAW" }
station-queues = "per-destination"
protection = { mode = "MODE", wait-to-restore = "50 ms" }

[[flow]]
name = "tcp"
from = 0
to = 4
ringlet = 0
micro-flows = 5
traffic = { kind = "tcp", control = "cubic", receive-window = "1000 packets", initial-window = "10 packets", min-timeout = "0.2 s", delayed-ack = "40 ms" }

[[flow]]
name = "udp"
from = [1, 2, 3]
to = 4
ringlet = 0
traffic = { kind = "cbr", rate = "97 Mb/s", packet = "1 kB", size-jitter = "5 %" }

[[event]]
at = "2 s"
kind = "cut"
between = [2, 3]

[[event]]
at = "3.5 s"
kind = "restore"
between = [2, 3]
"#;

/// Both ways out of it under both laws that are fair.
pub fn cases() -> Result<Vec<Case>, CliError> {
    let mut cases = Vec::new();
    for mode in ["steer", "wrap"] {
        for law in ["dvsr-plus", "dvsr"] {
            cases.push(Case {
                part: Part::Protection,
                name: format!("cut and mended, {mode}"),
                law: law.to_owned(),
                tcp: None,
                toml: RING.replace("LAW", law).replace("MODE", mode),
                link_bps: 100e6,
                simulated: 10,
                simulated_most: 10,
                real: 1,
                most: 5,
                bears: "undisturbed",
                at_once: 1,
                disturbance: None,
                limit: Limit::OfLink(0.01),
                fair_within: None,
                packet_bps: 0.0,
                is_quick: law == "dvsr-plus",
            });
        }
    }
    Ok(cases)
}
