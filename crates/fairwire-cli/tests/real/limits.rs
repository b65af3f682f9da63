//! Limits that `export tc` writes, set in a kernel: what senders without end get of a link.

use crate::common::desk::Desk;
use crate::namespace::{has_htb, inside};
use std::fs;

/// A token bucket forgets what a machine that stands still does not fetch.
const TRIES: usize = 3;

const CHAIN: &str = r#"
schema = 1
title = "A chain"

[network]
nodes = ["gate", "hill", "farm", "barn"]
link = [
    { name = "up", from = "gate", to = "hill", capacity = "40 Mb/s", duplex = true },
    { name = "left", from = "hill", to = "farm", capacity = "6 Mb/s", duplex = true },
    { name = "right", from = "hill", to = "barn", capacity = "10 Mb/s", duplex = true },
]

[[flow]]
name = "hill"
from = "gate"
to = "hill"

[[flow]]
name = "farm"
from = "gate"
to = "farm"

[[flow]]
name = "barn"
from = "gate"
to = "barn"
demand = "4 Mb/s"
"#;

/// In namespaces of its own: a device, limits, senders without end, and what each class has sent before and after. Packets
/// to the barn, which has no addresses, bear the class as their priority; the last sender's belong to no flow.
const SCRIPT: &str = r#"
set -eu
senders=
trap 'kill $senders 2> /dev/null || true' EXIT
ip link add name eth7 type veth peer name far
ip link set eth7 up
ip link set far up
ip address add 10.0.0.1/8 dev eth7
for to in 10.1.0.1 10.2.0.1 10.3.0.1 10.9.0.1; do
    ip neighbour add $to lladdr 02:00:00:00:00:01 dev eth7
done
tc -batch limits.tc
# A second time there is something to change, and nothing to add.
tc -batch update.tc
if tc -batch limits.tc 2> again; then exit 1; fi
python3 -c '
import socket
to_barn = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
to_barn.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, 0x10012)
while True:
    to_barn.sendto(bytes(1400), ("10.3.0.1", 9))
' &
senders=$!
for to in 10.1.0.1 10.2.0.1 10.9.0.1; do
    (exec 3> /dev/udp/$to/9; while :; do printf %01400d 0 >&3; done) &
    senders="$senders $!"
done
sleep 0.4
date +%s%N > began; tc -s class show dev eth7 > before
sleep 1.6
date +%s%N > ended; tc -s class show dev eth7 > after
"#;

/// Bytes that each class has sent, by its id.
fn sent(desk: &Desk, file: &str, class: &str) -> f64 {
    let classes = fs::read_to_string(desk.0.join(file)).expect("what tc said");
    let own = classes.split_once(&format!("class htb {class} ")).map(|(_, own)| own);
    let bytes = own.and_then(|own| own.split_once("Sent ")?.1.split_once(" bytes")?.0.parse().ok());
    bytes.unwrap_or_else(|| panic!("no class {class}: {classes}"))
}

#[test]
fn a_kernel_gives_each_flow_its_fair_rate_and_the_rest_what_is_left() {
    let desk = Desk::new("limits", CHAIN);
    let options = ["export", "tc", "file.toml", "--node", "gate", "--device", "eth7"];
    let addresses = ["gate=10.0.0.0/8", "hill=10.1.0.0/16", "farm=10.2.0.0/16"];
    let addresses = addresses.into_iter().flat_map(|address| ["--address", address]);
    let options: Vec<&str> = options.into_iter().chain(addresses).collect();
    for (file, more) in [("limits.tc", None), ("update.tc", Some("--update"))] {
        let said = desk.run(&options.iter().copied().chain(more).chain(["--output", file]).collect::<Vec<_>>());
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    }
    if !has_htb() {
        return;
    }
    let mut wrong = Vec::new();
    for _ in 0..TRIES {
        let done = inside(&desk, SCRIPT).expect("it began");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        wrong = unfair(&desk);
        if wrong.is_empty() {
            return;
        }
    }
    panic!("{wrong:?}");
}

/// Classes that have sent by more than 5 % another rate than is fair.
fn unfair(desk: &Desk) -> Vec<String> {
    let [began, ended] = ["began", "ended"]
        .map(|file| fs::read_to_string(desk.0.join(file)).unwrap().trim().parse::<f64>().expect("nanoseconds"));
    // HTB counts packets of Ethernet; 30, 6 and 4 Mb/s are fair, and 2 Mb/s a twentieth of the link.
    let rates = [("1:10", 30e6), ("1:11", 6e6), ("1:12", 4e6), ("1:2", 2e6)].map(|(class, fair)| {
        let bytes: f64 = sent(desk, "after", class) - sent(desk, "before", class);
        (class, fair, bytes * 8e9 / (ended - began))
    });
    let unfair = rates.into_iter().filter(|(_, fair, rate)| (rate / fair - 1.0).abs() > 0.05);
    unfair.map(|(class, fair, rate)| format!("class {class}: {rate} bit/s for {fair}")).collect()
}
