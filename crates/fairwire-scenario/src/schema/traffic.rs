//! The JSON schema of `traffic`.

use super::{percent, quantity, reference, table, weight_above_one, with_default, words};
use crate::flow::tcp_profile::{self, Profile, Usual};
use crate::flow::traffic::{self, Kind};
use crate::flow::{explicit_rate, work};
use fairwire_core::{BitRate, Bytes, Span};
use serde_json::{Map, Value as Json, json};

/// Where the schema keeps the congestion controls.
pub(crate) const CONTROL: &str = "control";

/// What a kind of traffic is.
const fn meaning(kind: Kind) -> &'static str {
    match kind {
        Kind::Greedy => "Whenever the station may send: demand without end.",
        Kind::Cbr => "Packets at a constant rate.",
        Kind::Poisson => "Packets at random, as a Poisson process.",
        Kind::ParetoOnOff => "On and off in turn, for times with a Pareto distribution.",
        Kind::Tcp => "Data without end over one TCP connection.",
        Kind::Transfers => "Transfers at random times, as a Poisson process, each over a TCP connection of its own.",
        Kind::ExplicitRate => {
            "Packets at the rate that switches tell, and control packets between them; `rate` of [network] is the law."
        }
        Kind::Web => {
            "Pages read one after the other: objects are fetched in turn, each over a TCP connection of its own, then the page is read."
        }
    }
}

/// The schema of `traffic`.
pub(crate) fn schema() -> Json {
    const NEEDED: [&str; 8] =
        ["kind", "rate", "peak", "mean-on", "mean-off", "mean-interval", "mean-think-time", "size"];
    let kinds = traffic::KINDS.iter().map(|&(name, kind)| {
        let keys = kind.keys();
        let mut properties = Map::new();
        properties.insert("kind".to_owned(), json!({ "const": name, "description": meaning(kind) }));
        properties.extend(keys.iter().filter(|key| **key != "kind").map(|key| ((*key).to_owned(), property(key))));
        let is_needed = |key: &&str| keys.contains(key) && (*key != "size" || !matches!(kind, Kind::ExplicitRate));
        let needed: Vec<&str> = NEEDED.into_iter().filter(is_needed).collect();
        if matches!(kind, Kind::ExplicitRate) {
            properties.insert(
                "size".to_owned(),
                quantity::<Bytes>("Bytes of data packets that it has to send; no end if it is left out."),
            );
        }
        table(meaning(kind), properties.into(), &needed)
    });
    json!({
        "description": "What it offers. Demand without end in packets of 1 kB if neither this nor `demand` is given.",
        "oneOf": kinds.collect::<Vec<_>>(),
    })
}

fn property(key: &str) -> Json {
    let time = |what: &str| quantity::<Span>(what);
    let packets = |what: &str| {
        json!({
            "type": "string",
            "pattern": "^ *0*[1-9][0-9_]* *packets? *$",
            "description": format!("{what} Written as \"64 packets\"."),
        })
    };
    let usual = Usual::of(Profile::default());
    let count =
        |what: &str| json!({ "type": "integer", "minimum": 1, "maximum": work::MOST_TRANSFERS, "description": what });
    match key {
        "rate" => quantity::<BitRate>("Mean rate."),
        "interval-jitter" => {
            with_default(percent("Each interval is uniform in plus or minus this part of its length."), "0 %")
        }
        "packet" => with_default(
            quantity::<Bytes>("Mean size of a packet, from 1 to 65535 bytes."),
            traffic::DEFAULT_PACKET.to_text(),
        ),
        "size-jitter" => {
            with_default(percent("Sizes are uniform in plus or minus this part of the mean; below 100 %."), "0 %")
        }
        "control-every" => with_default(
            json!({ "type": "integer", "minimum": 2, "maximum": explicit_rate::MOST_CONTROL_EVERY, "description": "One of so many packets is a control packet: the second, and from then on every so many." }),
            explicit_rate::DEFAULT_CONTROL_EVERY,
        ),
        "control-within" => {
            time("A control packet leaves when none has left for so long, if `control-least` data packets have.")
        }
        "control-least" => with_default(
            json!({ "type": "integer", "minimum": 0, "maximum": explicit_rate::MOST_CONTROL_EVERY, "description": "So many data packets leave between two control packets at least, unless none has left for 100 ms, or for `control-within` if that is longer." }),
            0,
        ),
        "initial" => with_default(
            words(
                explicit_rate::INITIAL,
                "The rate at which it begins: its peak rate, its minimum, or none before a control packet has come back.",
            ),
            "peak",
        ),
        "on-change" => with_default(
            words(
                explicit_rate::ON_CHANGE,
                "Whether a packet that is due leaves as the new rate has it, or as the old one had it.",
            ),
            "reschedule",
        ),
        "manner" => with_default(
            words(explicit_rate::MANNERS, "How the source behaves: as its law wants it, or as a liar."),
            "honest",
        ),
        "peak" => quantity::<BitRate>("Rate while on."),
        "mean-on" => time("Mean length of an on period."),
        "mean-off" => time("Mean length of an off period."),
        "shape" => {
            weight_above_one("Shape of the Pareto distribution of both lengths, above 1.", traffic::DEFAULT_SHAPE)
        }
        "count" => count("How many transfers in all; no end if it is left out."),
        "mean-interval" => time("Mean time between the starts of two transfers (exponential)."),
        "pages" => count("How many pages in all; no end if it is left out."),
        "mean-think-time" => time("Mean time from a page's last object to the next page (exponential)."),
        "mean-objects" => {
            json!({ "type": "number", "minimum": 1, "maximum": work::MOST_OBJECTS, "default": 1, "description": "Mean number of objects of a page (geometric, at least 1)." })
        }
        "mean-gap" => with_default(
            time("Mean time between the end of one object and the start of the next (exponential)."),
            "0 s",
        ),
        "size" => size(),
        "profile" => with_default(
            words(
                tcp_profile::PROFILES,
                "What the keys below are where they are left out: `deployed` as hosts of today, `ns-2` as the papers' simulations (reno, segments of 1000 B and acknowledgements of 40 B, a receive window of 64 packets, an initial window of 2 packets, a granularity of 10 ms, no delayed acknowledgements).",
            ),
            tcp_profile::PROFILES[0].0,
        ),
        "control" => with_default(
            reference(CONTROL, "How the sender controls its window: a name, or a table with name and parameters."),
            usual.control.about().name,
        ),
        "segment" => with_default(
            quantity::<Bytes>("Size of a full segment on the wire, headers included."),
            usual.segment.to_text(),
        ),
        "ack" => with_default(quantity::<Bytes>("Size of an acknowledgement on the wire."), usual.ack.to_text()),
        "receive-window" => with_default(
            packets(
                "Window that the receiver offers, in segments: usually the largest that there is, so that it does not bind.",
            ),
            format!("{} packets", usual.receive_window),
        ),
        "initial-window" => with_default(
            packets("Window at the start, in segments (RFC 6928)."),
            format!("{} packets", usual.initial_window),
        ),
        "initial-threshold" => {
            packets("Slow-start threshold at the start, in segments; the receive window if it is left out.")
        }
        "min-timeout" => with_default(
            time("Smallest retransmission timeout: 0.2 s as in Linux and in ns-2; RFC 6298 says 1 s."),
            usual.min_timeout.to_text(),
        ),
        "granularity" => with_default(
            time("Tick in which the retransmission timer measures and waits."),
            usual.granularity.to_text(),
        ),
        "delayed-ack" => with_default(
            time(
                "Longest time an acknowledgement is held back while every other segment gets one; with 0 s each segment gets one at once.",
            ),
            usual.delayed_ack.to_text(),
        ),
        _ => {
            json!({ "type": "boolean", "default": false, "description": "Whether queues may mark instead of drop (RFC 3168)." })
        }
    }
}

fn size() -> Json {
    let what = "Size of each transfer on the wire, headers included.";
    let fixed = quantity::<Bytes>(what);
    let mean = quantity::<Bytes>("Mean size.");
    let name = |name: &str| json!({ "const": name, "description": "How sizes are distributed." });
    let exponential = json!({ "kind": name("exponential"), "mean": mean });
    let pareto = json!({
        "kind": name("pareto"),
        "mean": mean,
        "shape": weight_above_one("Shape of the distribution, above 1.", work::DEFAULT_SIZE_SHAPE),
    });
    let needed = ["kind", "mean"];
    json!({
        "description": format!("{what} A size, or a table with a distribution."),
        "anyOf": [fixed, table("Sizes with an exponential distribution.", exponential, &needed), table("Sizes with a Pareto distribution.", pareto, &needed)],
    })
}
