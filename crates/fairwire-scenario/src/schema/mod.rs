//! The JSON schema of scenario files, for editors and other programs.

pub mod network;
pub mod traffic;

use self::network::{QUEUE_LAW, RATE_LAW};
use self::traffic::CONTROL;
use crate::ring::{protection, transit};
use crate::sweep::until;
use crate::{event, expect, flow, law, ring, run, scenario_table};
use fairwire_alloc::Criterion;
use fairwire_alloc::{LARGEST_WEIGHT, LEAST_WEIGHT};
use fairwire_core::{BitRate, Bytes, Span};
use fairwire_laws::protection::Params;
use fairwire_laws::queue::QueueLawChoice;
use fairwire_laws::rate::RateLawChoice;
use fairwire_laws::ring::RingLawChoice;
use fairwire_laws::transport::ControlChoice;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value as Json, json};

/// The schema of the format, in JSON Schema 2020-12: every key with its
/// meaning, its default and the units it takes.
pub fn json_schema() -> Json {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "fairwire scenario",
        "description": "Who sends how much to whom over a ring or a network, what is promised about it, and what to vary.",
        "type": "object",
        "properties": {
            "schema": { "const": scenario_table::SCHEMA, "description": "Version of the format." },
            "title": text("What the scenario shows, in a few words; the file's name if it is left out."),
            "description": { "type": "string", "description": "What the scenario shows, at length." },
            "source": source(),
            "run": run_schema(),
            "ring": ring_schema(),
            "network": network::schema(),
            "flow": { "type": "array", "minItems": 1, "items": flow_schema(), "description": "The flows. One table may stand for several." },
            "event": { "type": "array", "items": event_schema(), "description": "What happens on the way." },
            "fair": fair_schema(),
            "expect": expect_schema(),
            "sweep": sweep_schema(),
        },
        "$defs": { QUEUE_LAW: law::schema::<QueueLawChoice>(), RATE_LAW: law::schema::<RateLawChoice>(), CONTROL: control() },
        "required": ["schema", "flow"],
        "oneOf": [{ "required": ["ring"] }, { "required": ["network"] }],
        "additionalProperties": false,
    })
}

/// The schema of a quantity with what it means here.
pub(crate) fn quantity<Q: JsonSchema>(description: &str) -> Json {
    let mut schema = Json::from(Q::json_schema(&mut SchemaGenerator::default()));
    schema["description"] =
        format!("{description} Written as {}.", schema["description"].as_str().unwrap_or_default()).into();
    schema
}

pub(crate) fn with_default(mut schema: Json, default: impl Into<Json>) -> Json {
    schema["default"] = default.into();
    schema
}

pub(crate) fn text(description: &str) -> Json {
    json!({ "type": "string", "minLength": 1, "description": description })
}

pub(crate) fn percent(description: &str) -> Json {
    json!({
        "type": "string",
        "pattern": "^ *[0-9]+([.][0-9]*)?([eE][-+]?[0-9]+)? *% *$",
        "description": format!("{description} Written as a percentage such as \"5 %\"."),
    })
}

pub(crate) fn words<T>(words: &[(&str, T)], description: &str) -> Json {
    json!({ "enum": words.iter().map(|(word, _)| word).collect::<Vec<_>>(), "description": description })
}

/// A law of a list that the schema keeps in one place.
pub(crate) fn reference(definition: &str, description: &str) -> Json {
    json!({ "$ref": format!("#/$defs/{definition}"), "description": description })
}

pub(crate) fn weight_above_one(description: &str, default: f64) -> Json {
    json!({ "type": "number", "exclusiveMinimum": 1, "default": default, "description": description })
}

/// A congestion control: its name, or a table with parameters.
fn control() -> Json {
    let mut control = law::schema::<ControlChoice>();
    let names: Vec<&str> = ControlChoice::ALL.iter().map(|about| about.name).collect();
    if let Some(variants) = control["oneOf"].as_array_mut() {
        variants.insert(0, json!({ "enum": names, "description": "Its name; its parameters have their defaults." }));
    }
    control
}

fn weight(description: &str) -> Json {
    json!({ "type": "number", "minimum": LEAST_WEIGHT, "maximum": LARGEST_WEIGHT, "default": 1, "description": description })
}

pub(crate) fn table(description: &str, properties: Json, required: &[&str]) -> Json {
    json!({
        "type": "object",
        "description": description,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn source() -> Json {
    let number = |what: &str| json!({ "type": ["string", "integer"], "description": what });
    let properties = json!({
        "paper": text("The paper's short name."),
        "figure": number("The figure."),
        "section": number("The section."),
    });
    table("Where the scenario comes from in print.", properties, &["paper"])
}

fn run_schema() -> Json {
    let properties = json!({
        "duration": with_default(quantity::<Span>("Simulated time."), run::DEFAULT_DURATION.to_text()),
        "warmup": with_default(quantity::<Span>("Means, losses and delays are measured from here on."), "0 s"),
        "seed": { "type": "integer", "minimum": 0, "default": 1, "description": "The experiment, from 0 to 2^63 - 1: which family of random numbers. Replications of one seed are independent." },
        "replications": { "type": "integer", "minimum": 1, "maximum": 1_000_000, "default": 1, "description": "Runs with independent random numbers." },
        "window": quantity::<Span>("Length of one row of the time series, at least 1 us. Rows have a number for each flow, three for each link and four for each TCP connection: 10000000 rows and 200000000 numbers at most. If it is left out: the largest of one lap of the ring, a five-thousandth of the duration and what so many numbers need, rounded up to 1, 2 or 5 times a power of ten."),
        "engine": with_default(words(run::ENGINES, "How the simulator walks through time; never changes what comes out."), "auto"),
    });
    table("How the scenario is run.", properties, &[])
}

fn ring_schema() -> Json {
    let buffer_of = |what: &str, usual: Option<Bytes>| {
        let size = quantity::<Bytes>(what);
        let packets = json!({ "type": "string", "pattern": "^ *[0-9][0-9_]* *packets? *$" });
        let mut buffer = json!({
            "description": format!("{what} Written as a size such as \"200 kB\", or in packets of the largest size that any flow sends, such as \"1000 packets\"."),
            "anyOf": [{ "type": "string", "pattern": size["pattern"] }, packets],
        });
        if let Some(usual) = usual {
            buffer["default"] = json!(usual.to_text());
        }
        buffer
    };
    let buffer = |what: &str| buffer_of(what, Some(ring::DEFAULT_BUFFER));
    let transit_table = json!({
        "mode": with_default(words(transit::MODES, "One transit queue for all classes, or one for class A and one for classes B and C; \"by-law\": what the law is described for."), "by-law"),
        "scheduler": with_default(words(transit::SCHEDULERS, "Who goes first where there is one transit queue: \"fifo\": the station's packets join it past their limiters; \"transit-first\": transit goes before the station; \"alternating\": they take turns; \"by-law\": what the law is described for."), "by-law"),
        "buffer": buffer("Room of the transit queue in front of every link (of that for classes B and C where there are two), the packet in transmission not counted."),
        "primary-buffer": buffer_of("Room of the transit queue for class A where there are two; ten packets of the largest size if it is left out.", None),
        "shaped": { "enum": [true, false, transit::ADD_ONLY], "default": true, "description": "What is held to the rate that class A0 leaves of the link: true: all but class A0, the station's own and transit together; \"add-only\": transit counts as well, but only the station's own packets wait for it; false: nothing." },
        "overflow": with_default(words(ring::OVERFLOWS, "What happens when a queue that the station's packets join is full: \"drop\" drops the packet that finds no room, wherever it comes from; \"hold\" makes stations hold their packets back while three of the largest would not fit, so that transit traffic never is dropped."), "drop"),
    });
    let station = |what: &str| json!({ "type": "integer", "minimum": 0, "maximum": 65534, "description": what });
    let link = json!({
        "ringlet": { "enum": [0, 1], "description": "The direction: station numbers rise along ringlet 0 and fall along ringlet 1." },
        "from": station("The station that the link leaves."),
        "between": { "type": "array", "items": station("One of two neighbours."), "minItems": 2, "maxItems": 2, "description": "Two neighbouring stations: both directions between them, in place of `ringlet` and `from`." },
        "capacity": quantity::<BitRate>("Its capacity, if it is not that of the ring."),
        "delay": quantity::<Span>("Its propagation time, if it is not that of the ring."),
    });
    let mut link = table("A link that differs from the rest.", link, &[]);
    link["oneOf"] = json!([{ "required": ["ringlet", "from"] }, { "required": ["between"] }]);
    let properties = json!({
        "stations": { "type": "integer", "minimum": 2, "maximum": ring::LARGEST_RING, "description": "Stations, numbered from 0 in the direction of ringlet 0." },
        "capacity": quantity::<BitRate>("Capacity of every link."),
        "span-delay": quantity::<Span>("Propagation time of every link."),
        "law": law::schema::<RingLawChoice>(),
        "transit": table("The transit queues in front of every link, and who goes first.", transit_table, &[]),
        "station-queues": with_default(words(ring::STATION_QUEUES, "Whether a station keeps a queue for each egress, or a single one whose head blocks all behind it."), "per-destination"),
        "station-buffer": buffer("Room of each station queue; what finds none is refused."),
        "weights": weights("station", "^(0|[1-9][0-9]*)$"),
        "min-rates": minimums("station", "^(0|[1-9][0-9]*)$"),
        "protection": protection_schema(),
        "control-loss": with_default(percent("With which probability a law's message is lost on each link that it takes; below 100 %. It takes its time on the link. Frames of protection are never lost."), "0 %"),
        "wake-ups": wake_ups_schema(),
        "lost-frame": { "type": "array", "items": lost_frame_schema(), "description": "Single messages of laws that are lost." },
        "link": { "type": "array", "items": link, "description": "Links that differ from the rest." },
    });
    table(
        "Two counter-rotating ringlets and the law that shares them.",
        properties,
        &["stations", "capacity", "span-delay", "law"],
    )
}

fn wake_ups_schema() -> Json {
    let time = |what: &str| with_default(quantity::<Span>(what), "0 s");
    let properties = json!({
        "begin": time("Each law begins at a uniform random time up to this, so that timers of stations are not in step."),
        "late": time("What wakes a law does so later by a uniform random time up to this."),
        "stall": time("How long the process that runs the laws stands still, each time that it does; shorter than `every`."),
        "every": time("From the begin of a stall to the begin of the next; the first one begins at a random time before this is over."),
        "together": { "type": "boolean", "default": true, "description": "Whether all stations are run by one process and stand still together; if not, each has a process of its own." },
    });
    table(
        "How late laws are called. Messages that wake them and timeouts that they have asked for wait; packets, limiters and links do not.",
        properties,
        &[],
    )
}

fn lost_frame_schema() -> Json {
    let properties = json!({
        "at": quantity::<Span>("The first message of a law that the link sends at or after this time is lost; before the end of the run."),
        "ringlet": { "enum": [0, 1], "description": "The link's direction. Most messages travel against the traffic that their law controls, so that those for traffic on ringlet 0 take ringlet 1." },
        "from": { "type": "integer", "minimum": 0, "maximum": 65534, "description": "The station that the link leaves." },
    });
    table("A message that is lost on one link.", properties, &["at", "ringlet", "from"])
}

fn protection_schema() -> Json {
    let usual = Params::default();
    let span = |what: &str, usual: Span| with_default(quantity::<Span>(what), usual.to_text());
    let properties = json!({
        "mode": with_default(words(protection::MODES, "How traffic avoids a span that is out of use: sources \"steer\" it to the other ringlet, or the stations beside the span \"wrap\" it to the other ringlet."), "steer"),
        "keepalive-timeout": span("A span on which nothing was heard for so long is dead; from 2 ms to 50 ms.", usual.keepalive_timeout),
        "keepalive-interval": span("How often a station says that it lives; below the timeout.", usual.keepalive_interval),
        "hold-off": span("How long a failure must last before it counts; up to 500 ms.", usual.hold_off),
        "revertive": { "type": "boolean", "default": usual.revertive, "description": "Whether a span that has recovered is used again by itself." },
        "wait-to-restore": span("How long it must be well before that; up to 1440 s.", usual.wait_to_restore),
        "fast-timer": span("Between topology frames after a change; from 1 ms to 20 ms.", usual.fast_timer),
        "slow-timer": span("Between topology frames when all is quiet; from 50 ms to 10 s.", usual.slow_timer),
        "attribute-timer": span("Between attribute frames; from 50 ms to 10 s.", usual.attribute_timer),
        "stability": span("How long the topology must stand before it counts as settled; up to 100 ms.", usual.stability),
    });
    table(
        "Topology discovery and protection at every station; a ring without it loses what a cut takes.",
        properties,
        &[],
    )
}

fn event_schema() -> Json {
    let station = |what: &str| json!({ "type": "integer", "minimum": 0, "maximum": 65534, "description": what });
    let properties = json!({
        "at": quantity::<Span>("When, before the end of the run."),
        "kind": words(event::KINDS, "What: both links of a span of a ring are cut or mended; a station of it falls silent or comes back (these need `protection`); a flow offers another rate; a link has another capacity, or a span of a ring or all of it; a station of a ring has another weight. To flows of a network whose rates switches tell more happens: one stops or starts again, or has another weight, minimum, peak or supported rate; what changes at one time changes at once."),
        "between": { "type": "array", "items": station("One of two neighbours."), "minItems": 2, "maxItems": 2, "description": "The two neighbours whose span is cut or mended, or whose links have another capacity." },
        "station": station("The station that falls silent or comes back, or has another weight."),
        "weight": { "type": "number", "minimum": LEAST_WEIGHT, "maximum": LARGEST_WEIGHT, "description": "The weight that the station has as an ingress from then on, or the flow; all laws are told." },
        "flow": text("The flow that something happens to. Another rate is offered by one of datagrams, at a constant rate or as a Poisson process, in a network also by one without end; all else happens to flows whose rates switches tell."),
        "demand": quantity::<BitRate>("What each of its micro-flows offers from then on, its source beginning anew; nothing at 0 b/s."),
        "min-rate": quantity::<BitRate>("What the flow is promised from then on; source, destination and ports know at once."),
        "peak-rate": quantity::<BitRate>("The rate above which its source never sends from then on."),
        "supported-rate": quantity::<BitRate>("The rate above which its destination does not want to receive from then on."),
        "link": text("The link whose capacity becomes another; on a ring such as `r0:3`. Without it, and without `between`, those of a ring all do."),
        "capacity": quantity::<BitRate>("What it carries from then on; the packet that is being sent is sent to its end."),
    });
    let mut event = table("Something happens on the way.", properties, &["at", "kind"]);
    event["oneOf"] = json!([
        { "required": ["between"] },
        { "required": ["station"] },
        { "required": ["flow"] },
        { "required": ["link", "capacity"] },
        { "required": ["capacity"], "not": { "anyOf": [{ "required": ["link"] }, { "required": ["between"] }] } },
    ]);
    event
}

pub(crate) fn weights(what: &str, key: &str) -> Json {
    let one = weight(&format!("Weight of the {what} as an ingress."));
    json!({
        "description": format!("Weights as an ingress: a list, one for each {what}, or a table of those that are not 1."),
        "oneOf": [
            { "type": "array", "items": one, "minItems": 2 },
            { "type": "object", "patternProperties": { key: one }, "additionalProperties": false },
        ],
    })
}

pub(crate) fn minimums(what: &str, key: &str) -> Json {
    let one = quantity::<BitRate>(&format!("What the {what} is promised as an ingress."));
    json!({
        "description": format!("Minimum rates of ingresses, heeded by \"rias\": on every link that its flows cross, a {what} is promised as much; what they do not demand of it is free for others. A list, one for each {what}, or a table of those that are promised anything."),
        "oneOf": [
            { "type": "array", "items": one, "minItems": 2 },
            { "type": "object", "patternProperties": { key: one }, "additionalProperties": false },
        ],
    })
}

fn flow_schema() -> Json {
    let end = |what: &str| {
        let one = json!([{ "type": "integer", "minimum": 0, "maximum": 65534 }, { "type": "string", "minLength": 1 }]);
        let mut any = one.as_array().cloned().unwrap_or_default();
        any.push(json!({ "type": "array", "minItems": 1, "items": { "anyOf": one } }));
        json!({ "description": what, "anyOf": any })
    };
    let active = json!({
        "every": quantity::<Span>("Length of a period; the first begins at time zero."),
        "probability": percent("It offers traffic in a period with this probability, all its micro-flows together."),
    });
    let properties = json!({
        "name": text("Its id. A table with a list in `from` stands for flows NAME-FROM, one with a list in `to` for NAME-FROM-TO."),
        "from": end("Where it enters: the number of a station, the name of a node, or a list."),
        "to": end("Where it leaves: the number of a station, the name of a node, or a list. On a ring \"+4\" means four stations on in the direction of ringlet 0, and \"-1\" one back. If both `from` and `to` are lists, pairs of a station with itself are left out."),
        "traffic": traffic::schema(),
        "demand": quantity::<BitRate>("Short for traffic of kind \"cbr\" at this rate."),
        "start": with_default(quantity::<Span>("When it begins to offer. (Allocation takes all flows as active.)"), "0 s"),
        "stagger": with_default(quantity::<Span>("How much later each flow of the table starts than the one before."), "0 s"),
        "stop": quantity::<Span>("When it stops; the end of the run if it is left out. (Allocation takes all flows as active.)"),
        "weight": weight("Its weight: among the flows of its ingress on a ring and under RIAS, among all flows under weighted max-min (there once for each of its micro-flows)."),
        "ringlet": { "enum": ["shorter", 0, 1], "default": "shorter", "description": "The direction on a ring: the one with fewer hops (ringlet 0 if both have as many), or the one given." },
        "reverse-route": { "type": "array", "items": text("A link's name."), "minItems": 1, "description": "The links that acknowledgements and control packets take back through a network, in order. If it is left out: the fewest links; of explicit rates those over the nodes of the route in reverse." },
        "micro-flows": { "type": "integer", "minimum": 1, "maximum": flow::table::MOST_MICRO_FLOWS, "default": 1, "description": "Of how many micro-flows (connections, streams) it is made, each of which offers `traffic`." },
        "start-jitter": with_default(quantity::<Span>("Each micro-flow begins later by a random time up to this."), "0 s"),
        "active": table("In which periods it offers traffic; in all if it is left out. Networks only.", active, &["every", "probability"]),
        "route": { "type": "array", "items": text("A link's name."), "minItems": 1, "description": "The links it takes through a network, in order. If it is left out: the fewest links; of several such ways the one whose links were declared first." },
        "class": with_default(words(flow::table::CLASSES, "Its service class on a ring whose stations tell classes apart: A0 has a reserved rate that nobody else may use, A1 one that others use while it is idle, B a committed rate and fairness-eligible excess, C is fairness eligible throughout."), "C"),
        "order": with_default(words(flow::table::ORDERS, "Whether a ring that protects itself keeps the flow's packets in order: while the topology is unsettled those of a strict flow wait at their station, and those under way are discarded."), "relaxed"),
        "wrap-eligible": with_default(json!({ "type": "boolean", "description": "Whether the stations beside a dead span may put the flow's packets on the other ringlet, where stations wrap; if not they are lost there, and held by their station as soon as it knows." }), true),
        "min-rate": quantity::<BitRate>("What it is promised under \"general-weighted\"; what it does not demand of it is free for others. On a ring also what classes A0 and A1 have reserved (their mean rate if it is left out) and what class B has committed (nothing), which every criterion grants first."),
        "priority": with_default(words(flow::table::PRIORITIES, "Whether its packets, and what comes back, go before others in every queue of a network. What a rate law reserves for its flows is kept from them."), "normal"),
        "peak-rate": quantity::<BitRate>("No more than this is granted to it, whatever it offers; a greedy, cbr or poisson source offers no more either."),
        "supported-rate": quantity::<BitRate>("What the equipment on its way lets through; treated as `peak-rate`."),
    });
    debug_assert_eq!(
        flow::table::KEYS.len(),
        properties.as_object().map_or(0, serde_json::Map::len),
        "every key is described"
    );
    let mut schema = table(
        "A flow, or several that differ only in where they enter and leave.",
        properties,
        &["name", "from", "to"],
    );
    schema["not"] = json!({ "required": ["traffic", "demand"] });
    schema
}

fn expect_schema() -> Json {
    let criterion = criterion_schema("What fair means, if not what it means for the scenario.");
    let bound = |value: &Json| {
        let properties = json!({
            "value": value,
            "within": { "anyOf": [percent("A part of the value."), value], "description": "How far off it may be: a percentage of the value, or a quantity." },
            "min": value,
            "max": value,
        });
        table("Either `value` and `within`, or `min`, `max` or both.", properties, &[])
    };
    let rate = bound(&quantity::<BitRate>("A rate."));
    let mut fair_rate = rate.clone();
    fair_rate["properties"]["criterion"] = criterion.clone();
    let time = bound(&quantity::<Span>("A time."));
    let number = bound(&json!({ "type": "number", "minimum": 0 }));
    let part = bound(&percent("A part of the whole."));
    let fair_after =
        json!({ "criterion": criterion, "within": percent("How far an allowed rate may be from the fair one.") });
    let fair = json!({ "criterion": criterion, "within": percent("How far a rate may be from the fair one.") });
    json!({
        "type": "object",
        "description": format!("What the scenario promises. Flows go by name, with * for any characters: flow.NAME.{}.", expect::table::FLOW_MEASURES.join(", flow.NAME.")),
        "properties": {
            "fair": table("Every mean rate is the fair rate.", fair, &["within"]),
            "fair.after-events": table("Every allowed rate is the fair rate right before the next event, start or stop, and at the end. Where switches tell rates.", fair_after, &["within"]),
            "jain": number,
            "jain.windows": number,
            "utilisation": part,
            "oscillation": part,
            "queue.max": number,
        },
        "patternProperties": {
            "^flow[.].+[.]rate[.]mean$": rate,
            "^flow[.].+[.]fair-rate$": fair_rate,
            "^flow[.].+[.]ratio$": number,
            "^flow[.].+[.]loss$": part,
            "^flow[.].+[.]delay[.](mean|p50|p95|p99)$": time,
            "^flow[.].+[.]transfer[.](mean|p50|p90|p99)$": time,
            "^flow[.].+[.]response$": time,
            "^queue[.].+[.]max$": number,
            "^time-to-fair[.][0-9.]+%$": time,
        },
    })
}

fn fair_schema() -> Json {
    let criterion = criterion_schema(
        "What fair means for every verb. Left out, \"rias\" on a ring; on a network \"general-weighted\" where switches tell rates or any flow has a `min-rate`, \"weighted-max-min\" where flows differ in weight or number of micro-flows, and \"max-min\" where they do not.",
    );
    table("What fair means in this scenario.", json!({ "criterion": criterion }), &["criterion"])
}

fn criterion_schema(description: &str) -> Json {
    let criteria: Vec<&str> = Criterion::ALL.iter().map(|criterion| criterion.name()).collect();
    json!({ "enum": criteria, "description": description })
}

fn sweep_schema() -> Json {
    let end = |description: &str| json!({ "type": ["string", "number"], "description": description });
    let range = table(
        "Values between two ends.",
        json!({
            "from": end("The first value, with its unit."),
            "to": end("The last value, with its unit."),
            "steps": { "type": "integer", "minimum": 2, "description": "How many values on a grid, ends included." },
            "scale": { "enum": ["linear", "log"], "default": "linear", "description": "Whether equal steps are equal differences or equal factors." },
        }),
        &["from", "to"],
    );
    let list = json!({ "type": "array", "minItems": 1, "description": "Values that the key takes in turn." });
    // `from` and `to` are also keys of a flow, and then have lists.
    let on = json!({ "type": ["array", "object"] });
    let further = json!({ "type": "object", "properties": { "from": on, "to": on, "steps": on, "scale": on }, "description": "Keys that go on." });
    let axis = json!({ "anyOf": [list, range, further] });
    let design = table(
        "How points are laid out in the ranges; lists stay crossed with them.",
        json!({
            "method": { "enum": ["grid", "random", "sobol"], "default": "grid", "description": "Every step of each range with all of the others; independent and uniform; or the scrambled sequence of Sobol." },
            "points": { "type": "integer", "minimum": 1, "description": "How many points, other than on a grid." },
            "seed": { "type": "integer", "minimum": 0, "default": 1, "description": "Another one gives other points." },
        }),
        &["method"],
    );
    let until = table(
        "When a point has enough runs. Without it each has `replications` of [run].",
        json!({
            "measure": text("What has to be known, named as in [expect]: `flow.*.ratio`. Of several flows all."),
            "half-width": { "type": ["string", "number"], "description": "Half of its 95 % interval: a percentage of the mean, or a quantity." },
            "first": { "type": "integer", "minimum": 2, "default": until::FIRST, "description": "Runs before the first look at the interval; then half as many again, each time." },
            "most": { "type": "integer", "minimum": 2, "default": until::MOST, "description": "Runs at most." },
        }),
        &["measure", "half-width"],
    );
    json!({
        "type": "object",
        "description": "Keys of this file, dotted, each with a list of values or a range. Every value of one key is combined with every value of the others. Flows and links go by name, with * for any characters: \"flow.to-hub.weight\".",
        "properties": {
            "design": design,
            "until": until,
            "together": { "type": "object", "description": "Groups of keys that go together, each under a name: the first value of one with the first values of the others." },
            "measures": { "type": "array", "items": text("A measure, named as in [expect]."), "description": "What to keep of every run beside the usual measures." },
        },
        "additionalProperties": axis,
    })
}
