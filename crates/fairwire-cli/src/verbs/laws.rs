//! `fairwire laws [NAME]`: what laws there are, and what can be set in them.

use fairwire_claims::{Paper, papers};
use fairwire_core::{BitRate, Bytes, Span};
use fairwire_laws::LawAbout;
use fairwire_laws::queue::QueueLawChoice;
use fairwire_laws::rate::RateLawChoice;
use fairwire_laws::ring::{OutsideLaw, RingLawChoice};
use fairwire_laws::transport::ControlChoice;
use fairwire_scenario::NoSuchName;
use fairwire_terminal::{CliError, Outcome, TextTable, output};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this law, with its parameters
    name: Option<String>,

    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// The answer as JSON.
#[derive(Debug, Serialize)]
struct Answer {
    laws: Vec<Law>,
}

#[derive(Debug, Serialize)]
struct Law {
    /// What it is a law of: `ring`, `queue`, `rate` or `control`.
    kind: &'static str,
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    parameters: Vec<Parameter>,
    #[serde(skip)]
    of: &'static Kind,
}

#[derive(Debug, Serialize)]
struct Parameter {
    name: String,
    /// What is written: a unit, a type, or the words there are.
    #[serde(rename = "type")]
    kind: String,
    default: Value,
    /// What it may be, beyond its type; empty without a limit.
    range: String,
    meaning: String,
}

/// A list of laws that a scenario, or a call, chooses from.
#[derive(Debug)]
struct Kind {
    /// What the answer calls it.
    name: &'static str,
    /// What people read above its table.
    title: &'static str,
    /// How one of them is chosen.
    written: fn(&str) -> String,
    laws: &'static [&'static LawAbout],
    /// Where the schema of scenarios has them.
    schema: &'static str,
}

static KINDS: [Kind; 4] = [
    Kind {
        name: "ring",
        title: "Laws of a ring, `law` of [ring]",
        written: |name| format!("law = {{ name = \"{name}\" }}"),
        laws: RingLawChoice::ALL,
        schema: "/properties/ring/properties/law/oneOf",
    },
    Kind {
        name: "queue",
        title: "Laws of queues, `queue` of [network] and of [[network.link]]",
        written: |name| format!("queue = {{ name = \"{name}\" }}"),
        laws: QueueLawChoice::ALL,
        schema: "/$defs/queue-law/oneOf",
    },
    Kind {
        name: "rate",
        title: "Laws by which switches tell rates, `rate` of [network] and of [[network.link]]",
        written: |name| format!("rate = {{ name = \"{name}\" }}"),
        laws: RateLawChoice::ALL,
        schema: "/$defs/rate-law/oneOf",
    },
    Kind {
        name: "control",
        title: "Congestion controls of TCP, `control` of `traffic`",
        written: |name| format!("traffic = {{ kind = \"tcp\", control = \"{name}\" }}"),
        laws: ControlChoice::ALL,
        schema: "/$defs/control/oneOf",
    },
];

/// Laws of a ring that the program around the command brings.
static OUTSIDE: Kind = Kind {
    name: "ring",
    title: "Laws of a ring from outside, `--law` of `run` and `compare`",
    written: |name| format!("--law {name}"),
    laws: &[],
    schema: "",
};

/// Prints the laws, or one of them with its parameters.
pub fn run(args: &Args, outside: &[OutsideLaw]) -> Result<Outcome, CliError> {
    let schema = fairwire_scenario::json_schema();
    let mut laws = Vec::new();
    for kind in &KINDS {
        let variants = schema.pointer(kind.schema).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        laws.extend(kind.laws.iter().map(|about| law(kind, about, variants)));
    }
    laws.extend(outside.iter().map(|outside| law(&OUTSIDE, outside.about(), &[])));
    if let Some(name) = &args.name {
        if !laws.iter().any(|law| law.name == name) {
            let error = NoSuchName::new("law", name, laws.iter().map(|law| law.name));
            return Err(CliError::bad_input(error.to_string(), error.help()));
        }
        laws.retain(|law| law.name == name);
    }
    let answer = Answer { laws };
    if args.json {
        output::print_json(&answer)?;
    } else if args.name.is_some() {
        output::print_page(&answer.laws.iter().map(show_one).collect::<String>())?;
    } else {
        output::print_page(&show_all(&answer.laws))?;
    }
    Ok(Outcome::Fine)
}

fn law(kind: &'static Kind, about: &'static LawAbout, variants: &[Value]) -> Law {
    let variant = variants.iter().find(|variant| variant["properties"]["name"]["const"] == about.name);
    let properties = variant.and_then(|variant| variant["properties"].as_object());
    let parameters = properties.into_iter().flatten().filter(|(name, _)| *name != "name");
    Law {
        kind: kind.name,
        name: about.name,
        summary: about.summary,
        source: about.source,
        parameters: parameters.map(|(name, schema)| parameter(name, schema)).collect(),
        of: kind,
    }
}

fn parameter(name: &str, schema: &Value) -> Parameter {
    Parameter {
        name: name.to_owned(),
        kind: kind(schema),
        default: schema["default"].clone(),
        range: range(schema),
        meaning: schema["description"].as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

/// What is written for a value: a quantity with its unit, one of some words, or a plain type.
fn kind(schema: &Value) -> String {
    let pattern = |quantity: schemars::Schema| Value::from(quantity)["pattern"].clone();
    let mut generator = SchemaGenerator::default();
    let quantities = [
        (pattern(Span::json_schema(&mut generator)), "time"),
        (pattern(BitRate::json_schema(&mut generator)), "bit rate"),
        (pattern(Bytes::json_schema(&mut generator)), "size"),
    ];
    let quantity = quantities.iter().find(|(pattern, _)| !pattern.is_null() && *pattern == schema["pattern"]);
    if let Some((_, name)) = quantity {
        return (*name).to_owned();
    }
    let words = words(schema);
    if words.is_empty() { schema["type"].as_str().unwrap_or("value").to_owned() } else { words.join(" | ") }
}

fn words(schema: &Value) -> Vec<String> {
    let list = schema.get("enum").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
    let word = |item: &Value| item.as_str().or_else(|| item["const"].as_str()).map(str::to_owned);
    list.into_iter().flatten().filter_map(word).collect()
}

fn range(schema: &Value) -> String {
    let bounds =
        [("minimum", "at least"), ("exclusiveMinimum", "above"), ("maximum", "at most"), ("exclusiveMaximum", "below")];
    let told = bounds.iter().filter_map(|(key, words)| schema.get(*key).map(|bound| format!("{words} {bound}")));
    told.collect::<Vec<_>>().join(", ")
}

fn show_all(laws: &[Law]) -> String {
    let mut text = String::new();
    for kind in KINDS.iter().chain([&OUTSIDE]) {
        let mut laws = laws.iter().filter(|law| std::ptr::eq(law.of, kind)).peekable();
        if laws.peek().is_none() {
            continue;
        }
        let mut table = TextTable::new(&["law", "what it does", "source"]);
        laws.for_each(|law| table.row([law.name, law.summary, law.source]));
        text.push_str(&format!("{}\n\n{table}\n", kind.title));
    }
    text + "`fairwire laws NAME` shows what can be set in one.\n" + &papers_of(laws)
}

/// What the names in brackets are that sources have.
fn papers_of(laws: &[Law]) -> String {
    let is_cited = |paper: &&Paper| laws.iter().any(|law| law.source.contains(&format!("[{}]", paper.name)));
    let named = papers()
        .iter()
        .filter(is_cited)
        .map(|Paper { name, authors, title, .. }| format!("  [{name}] {authors}: {title}\n"));
    format!("\nPapers, whose claims `fairwire reproduce NAME` checks\n\n{}", named.collect::<String>())
}

fn show_one(law: &Law) -> String {
    let head = format!("{}: {}\nsource: {}\n", law.name, law.summary, law.source);
    if law.parameters.is_empty() {
        return format!("{head}\nThere is nothing to set: {}\n", (law.of.written)(law.name));
    }
    let mut table = TextTable::new(&["parameter", "type", "default", "range", "meaning"]);
    for parameter in &law.parameters {
        let default = parameter.default.as_str().map_or_else(|| parameter.default.to_string(), str::to_owned);
        table.row([&parameter.name, &parameter.kind, &default, &parameter.range, &parameter.meaning]);
    }
    format!("{head}\n{table}")
}
