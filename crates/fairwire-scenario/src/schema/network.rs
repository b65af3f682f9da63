//! The JSON schema of `[network]`.

use super::{minimums, percent, quantity, reference, table, text, weights, with_default};
use crate::network::rate;
use fairwire_core::{BitRate, Bytes, Span};
use serde_json::{Value as Json, json};

/// Where the schema keeps the queue laws.
pub(crate) const QUEUE_LAW: &str = "queue-law";

/// Where the schema keeps the rate laws.
pub(crate) const RATE_LAW: &str = "rate-law";

/// The schema of `[network]`.
pub(crate) fn schema() -> Json {
    let properties = json!({
        "nodes": { "type": "array", "items": text("A node's name."), "minItems": 2, "uniqueItems": true, "description": "Names of the nodes." },
        "weights": weights("node", "."),
        "min-rates": minimums("node", "."),
        "queue": with_default(reference(QUEUE_LAW, "The law of every queue whose link names none."), json!({ "name": "droptail" })),
        "rate": reference(RATE_LAW, "The law by which the ports of all links tell flows of `explicit-rate` traffic their rates; none if it is left out."),
        "limit": with_default(limit("What every queue holds whose link does not say."), "200 packets"),
        "link": { "type": "array", "minItems": 1, "items": link(), "description": "Directed links." },
    });
    table("Named nodes and directed links, in place of [ring].", properties, &["nodes", "link"])
}

fn link() -> Json {
    let change = json!({
        "at": quantity::<Span>("When."),
        "capacity": quantity::<BitRate>("The capacity from then on."),
    });
    let properties = json!({
        "name": text("Its name; FROM-TO if it is left out."),
        "from": text("The node it leaves."),
        "to": text("The node it reaches."),
        "capacity": quantity::<BitRate>("Its capacity."),
        "delay": with_default(quantity::<Span>("Its propagation time."), "0 s"),
        "duplex": { "type": "boolean", "default": false, "description": "Whether there is such a link in the other direction too. It is called NAME-back, or TO-FROM if there is no name." },
        "queue": reference(QUEUE_LAW, "The law of its queue, if not that of the network."),
        "rate": { "description": "The law of its port, if not that of the network; \"none\" for none.", "anyOf": [{ "const": rate::NONE }, reference(RATE_LAW, "The law of its port.")] },
        "limit": limit("What its queue holds, if not what those of the network hold."),
        "back-queue": reference(QUEUE_LAW, "The law of the queue on the way back of a duplex link, if not `queue`."),
        "back-limit": limit("What the queue on the way back of a duplex link holds, if not `limit`."),
        "random-loss": with_default(percent("Part of the packets that it loses, at random; below 100 %."), "0 %"),
        "reordering": with_default(quantity::<Span>("Each packet's propagation time is longer by a random time up to this, so that packets may overtake each other."), "0 s"),
        "changes": { "type": "array", "items": table("The capacity becomes another.", change, &["at", "capacity"]), "description": "From when on it has which other capacity." },
    });
    table("A directed link, and the queue in front of it.", properties, &["from", "to", "capacity"])
}

fn limit(description: &str) -> Json {
    let size = quantity::<Bytes>("")["pattern"].clone();
    json!({
        "description": format!("{description} The packet in transmission is not counted. Written in packets of whatever size, such as \"200 packets\", or as a size such as \"200 kB\"."),
        "anyOf": [{ "type": "string", "pattern": size }, { "type": "string", "pattern": "^ *0*[1-9][0-9_]* *packets? *$" }],
    })
}
