//! What `enforce` says of what it refuses at a node of a network, before it touches anything.

use crate::common::{fairwire, folder, put, root};
use std::fs;

const PEERS: [&str; 6] = ["--peer", "a=10.98.0.1", "--peer", "c=10.98.1.2", "--peer", "e=10.98.3.2"];
const DEVICES: [&str; 4] = ["--device", "bc=eth1", "--device", "be=eth2"];
const ADDRESSES: [&str; 8] = [
    "--address",
    "a=10.99.0.0/24",
    "--address",
    "b=10.99.1.0/24",
    "--address",
    "d=10.99.3.0/24",
    "--address",
    "e=10.99.4.0/24",
];

/// An error that tells this and its mend.
#[track_caller]
fn refused(file: &str, args: &[&[&str]], told: &str, mend: &str) {
    let all = [&["enforce", file, "--dry-run"], &args.concat()[..]].concat();
    let said = fairwire(&all).ends_with(2);
    let words: Vec<&str> = said.stderr.split_whitespace().filter(|word| *word != "│").collect();
    let words = words.join(" ");
    assert!(words.contains(told) && words.contains(mend) && said.stdout.is_empty(), "{said}");
}

#[test]
fn what_is_wrong_at_a_node_is_told_with_its_mend() {
    let shipped = |example: &str| root().join("examples").join(example).display().to_string();
    let (network, ring) = (shipped("kernel-network/network.toml"), shipped("kernel-ring/ring.toml"));
    let node = ["--node", "b"];
    let refused_at = |args: &[&[&str]], told, mend| refused(&network, args, told, mend);
    refused_at(&[&["--node", "z"]], "there is no node `z`", "its nodes are a, b, c, d, e");
    refused_at(
        &[&node, &DEVICES[..2], &PEERS, &ADDRESSES],
        "no device for the link be from b to e",
        "`--device be=DEVICE`",
    );
    refused_at(&[&node, &DEVICES, &PEERS[..4], &ADDRESSES], "where does node e listen?", "`--peer e=ADDRESS`");
    refused_at(
        &[&node, &DEVICES, &PEERS, &["--peer", "d=10.98.2.2"], &ADDRESSES],
        "node d is no neighbour of node b",
        "one link away",
    );
    refused_at(&[&node, &DEVICES, &PEERS, &ADDRESSES[..6]], "no addresses behind e", "`--address e=PREFIX`");
    let laws = "laws that serve are wmfqc, wmfqc-plus, max-min-marking, s-perc, capc, erica-early";
    refused_at(&[&node, &["--law", "rcp"]], "rcp moves its rate once a round trip", laws);
    refused_at(&[&node, &["--law", "wmfqc"]], "set `queue-control = false`", laws);
    refused_at(&[&node, &["--law", "dvsr"]], "there is no rate law `dvsr`", "");
    refused_at(&[], "which node of the network is this host?", "`--node NODE`");
    refused_at(&[&["--station", "1"]], "the scenario is a network", "`--node`");
    refused(&ring, &[&node], "the scenario is a ring", "`--station`");
    refused(&ring, &[], "which station of the ring is this host?", "`--station N`");
    refused(
        &ring,
        &[&["--station", "1", "--flow", "x=10.99.1.0/25"]],
        "`--flow` is for nodes of networks",
        "leave it out",
    );
}

#[test]
fn flows_that_cannot_be_told_apart_or_are_told_no_rate_are_refused() {
    let folder = folder("enforce-errors");
    let text = fs::read_to_string(root().join("examples/kernel-network/network.toml")).expect("the example is there");
    let at_b = [&["--node", "b"][..], &DEVICES, &PEERS, &ADDRESSES];
    let twice = text.replace("name = \"middle\"\nfrom = \"b\"", "name = \"middle\"\nfrom = \"a\"");
    let file = put(&folder, "twice.toml", &twice);
    refused(&file, &at_b, "the flows far and middle have the same addresses", "`--flow middle=PREFIX`");
    let apart =
        [&["enforce", file.as_str(), "--dry-run", "--flow", "middle=10.99.0.128/25"], &at_b.concat()[..]].concat();
    assert!(fairwire(&apart).ends_with(0).stdout.contains("src 10.99.0.128/25"));

    let own = "traffic = { kind = \"explicit-rate\", packet = \"1442 B\" }\n\n[[flow]]\nname = \"branch\"";
    let steady = "traffic = { kind = \"cbr\", rate = \"1 Mb/s\" }\n\n[[flow]]\nname = \"branch\"";
    let file = put(&folder, "steady.toml", &text.replace(own, steady));
    refused(&file, &at_b, "the flow far sends without being told its rate", "or leave it out");
    let file = put(
        &folder,
        "queues.toml",
        &text
            .replace("rate = { name = \"wmfqc-plus\" }\n", "")
            .replace("kind = \"explicit-rate\", packet = \"1442 B\"", "kind = \"cbr\", rate = \"1 Mb/s\""),
    );
    refused(&file, &at_b, "droptail is a law of queues", "set `rate` in [network]");
}
