//! What others call the columns of tables, and what one calls them here.

use fairwire_core::{BitRate, UnitError};

/// How a table of others is to be read; what is not told is found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// What stands between cells.
    pub separator: Option<char>,
    /// What stands before the decimals of a number: a point or a comma.
    pub decimal: Option<char>,
    /// Their headings and ours, such as (`Kapazität`, `capacity_mbps`). Of a heading that stands for nothing ours is empty.
    pub map: Vec<(String, String)>,
}

/// Headings that are usual elsewhere, by what they are called here. Those of rates and times may end in a unit.
const USUAL: &[(&str, &[&str])] = &[
    (
        "from",
        &[
            "source",
            "src",
            "from_node",
            "node_a",
            "a_end",
            "site_a",
            "endpoint_a",
            "start",
            "node1",
            "node_1",
            "site1",
            "endpoint1",
        ],
    ),
    (
        "to",
        &[
            "target",
            "dst",
            "dest",
            "destination",
            "to_node",
            "node_b",
            "b_end",
            "z_end",
            "site_b",
            "endpoint_b",
            "end",
            "node2",
            "node_2",
            "site2",
            "endpoint2",
        ],
    ),
    (
        "capacity",
        &[
            "bandwidth",
            "bw",
            "speed",
            "link_speed",
            "link_capacity",
            "link_bandwidth",
            "data_rate",
            "datarate",
            "throughput",
        ],
    ),
    ("delay", &["latency", "lat", "propagation_delay", "prop_delay", "link_delay", "one_way_delay"]),
    ("name", &["id", "label", "link", "link_name", "link_id", "flow", "flow_name", "flow_id"]),
    ("duplex", &["bidirectional", "full_duplex"]),
    ("demand", &["offered", "offered_rate", "traffic_demand"]),
    ("min_rate", &["cir", "guaranteed", "minimum", "min_bandwidth", "committed_rate"]),
    ("peak_rate", &["pir", "max_rate", "maximum", "max_bandwidth", "ceil"]),
    ("weight", &["priority_weight", "share"]),
    ("route", &["path"]),
];

/// Endings of headings that tell the unit of bare numbers below: the ending, and bit/s.
pub(crate) const RATE_UNITS: &[(&str, f64)] = &[
    ("_bps", 1.0),
    ("_bit_s", 1.0),
    ("_kbps", 1e3),
    ("_kbit", 1e3),
    ("_kbit_s", 1e3),
    ("_kb_s", 1e3),
    ("_mbps", 1e6),
    ("_mbit", 1e6),
    ("_mbit_s", 1e6),
    ("_mb_s", 1e6),
    ("_gbps", 1e9),
    ("_gbit", 1e9),
    ("_gbit_s", 1e9),
    ("_gb_s", 1e9),
];

/// The same of times, and how the unit is written.
pub(crate) const TIME_UNITS: &[(&str, &str)] = &[("_ns", "ns"), ("_us", "us"), ("_ms", "ms"), ("_s", "s")];

impl Layout {
    /// What a heading is called here: as told, else by what is usual, of the columns that a table may have. None for one that
    /// is to be left out.
    pub(crate) fn ours(&self, heading: &str, known: &[&str]) -> Option<String> {
        let plain = plain(heading);
        if let Some((_, ours)) = self.map.iter().find(|(theirs, _)| *theirs == heading || self::plain(theirs) == plain)
        {
            return Some(self::plain(ours)).filter(|ours| !ours.is_empty());
        }
        let endings = RATE_UNITS.iter().map(|unit| unit.0).chain(TIME_UNITS.iter().map(|unit| unit.0));
        let endings: Vec<&str> = endings.filter(|ending| plain.ends_with(ending)).chain([""]).collect();
        for ending in endings {
            let stem = &plain[..plain.len() - ending.len()];
            if known.contains(&stem) {
                return Some(plain.clone());
            }
            let usual = USUAL.iter().find(|(ours, theirs)| known.contains(ours) && theirs.contains(&stem));
            if let Some((ours, _)) = usual {
                return Some(format!("{ours}{ending}"));
            }
        }
        Some(plain)
    }

    /// What stands between the cells of a text: as told, else what its header has most of.
    pub(crate) fn separator_of(&self, text: &str) -> u8 {
        let header = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#')).unwrap_or("");
        let mut in_quotes = false;
        let mut counts = [(',', 0_usize), (';', 0), ('\t', 0), ('|', 0)];
        for letter in header.chars() {
            in_quotes ^= letter == '"';
            counts.iter_mut().filter(|(separator, _)| *separator == letter && !in_quotes).for_each(|one| one.1 += 1);
        }
        // Of several that there are equally many of the first.
        let most = counts.iter().rev().max_by_key(|(_, count)| *count).map_or(',', |(separator, _)| *separator);
        self.separator.and_then(|told| u8::try_from(told).ok()).unwrap_or(most as u8)
    }

    /// A number with a point before its decimals.
    ///
    /// # Errors
    /// If a comma may as well stand between thousands.
    pub(crate) fn with_point(&self, text: &str) -> Result<String, String> {
        let number =
            text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+'))).unwrap_or(text.len());
        let (number, unit) = text.split_at(number);
        let plain = match self.decimal {
            Some(',') => number.replace('.', "").replace(',', "."),
            Some(_) => number.replace(',', ""),
            None => match number.split_once(',') {
                None => return Ok(text.to_owned()),
                Some((_, decimals)) if decimals.len() == 3 || decimals.contains([',', '.']) || number.contains('.') => {
                    let help = "tell `--decimal comma` or `--decimal point`";
                    return Err(format!("`{number}` may mean thousands or decimals; {help}"));
                }
                Some((whole, decimals)) => format!("{whole}.{decimals}"),
            },
        };
        Ok(format!("{plain}{unit}"))
    }
}

/// A heading without case, brackets and what stands between words.
fn plain(text: &str) -> String {
    let lower = text.trim_start_matches('\u{feff}').trim().to_lowercase();
    let words = lower.split([' ', '-', '_', '(', ')', '[', ']', '/']);
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
}

/// A rate as scenarios or operators write it, in tables, graphs and options alike.
///
/// # Errors
/// If it is none.
pub fn rate(text: &str) -> Result<BitRate, UnitError> {
    usual_rate(text).parse()
}

/// A rate as operators write it, `500mbit`, `1G`, `2.5 Gbps`, in the words of scenarios; anything else as it is.
pub(crate) fn usual_rate(text: &str) -> String {
    let at = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '+'))).unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    // A large B stands for bytes, of which nobody measures links.
    let has_bytes = unit.contains('B');
    let unit = unit.trim().to_lowercase();
    let scale = unit.strip_suffix("bit/s").or_else(|| unit.strip_suffix("bits/s")).or_else(|| unit.strip_suffix("bps"));
    let scale = scale.or_else(|| unit.strip_suffix("bits")).or_else(|| unit.strip_suffix("bit")).unwrap_or(&unit);
    let letter = match scale.trim() {
        "k" => "k",
        "m" => "M",
        "g" => "G",
        "t" => return text.parse::<BitRate>().map_or_else(|_| thousand(number), |_| text.to_owned()),
        "" if !unit.is_empty() => "",
        _ => return text.to_owned(),
    };
    if number.is_empty() || has_bytes { text.to_owned() } else { format!("{number} {letter}b/s") }
}

/// Tera in giga.
fn thousand(number: &str) -> String {
    number.parse::<f64>().map_or_else(|_| number.to_owned(), |tera| format!("{} Gb/s", tera * 1e3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_headings_are_known_with_their_units() {
        let layout = Layout::default();
        let known = ["from", "to", "capacity", "delay", "name"];
        let ours = |heading: &str| layout.ours(heading, &known).unwrap_or_default();
        assert_eq!(["node1", "node2", "bw", "lat_ms"].map(ours), ["from", "to", "capacity", "delay_ms"]);
        assert_eq!(
            ["source", "Target", "bandwidth_mbps", "Latency (ms)", "Speed [Mbit/s]", "a-end", "LINK ID"].map(ours),
            ["from", "to", "capacity_mbps", "delay_ms", "capacity_mbit_s", "from", "name"]
        );
        assert_eq!(ours("colour"), "colour");
        let map = vec![("Kapazität".to_owned(), "capacity_mbps".to_owned()), ("colour".to_owned(), String::new())];
        let told = Layout { map, ..Layout::default() };
        assert_eq!(told.ours("KAPAZITÄT", &known).as_deref(), Some("capacity_mbps"));
        assert_eq!(told.ours("colour", &known), None);
    }

    #[test]
    fn separators_are_found_in_headers() {
        let found = |text: &str| Layout::default().separator_of(text) as char;
        let headers = ["a,b\n1;2", "# x,y\na;b;c", "a\tb", "a|b", "\"a;b\",c", "a"];
        assert_eq!(headers.map(found), [',', ';', '\t', '|', ',', ',']);
        assert_eq!(Layout { separator: Some(':'), ..Layout::default() }.separator_of("a,b:c") as char, ':');
    }

    #[test]
    fn decimal_commas_are_understood_where_they_can_be_nothing_else() {
        let found = Layout::default();
        assert_eq!(found.with_point("12,5").as_deref(), Ok("12.5"));
        assert_eq!(found.with_point("0,25 ms").as_deref(), Ok("0.25 ms"));
        assert!(found.with_point("1,000").unwrap_err().contains("--decimal"));
        let told = Layout { decimal: Some(','), ..Layout::default() };
        assert_eq!(told.with_point("1.000,5").as_deref(), Ok("1000.5"));
        let told = Layout { decimal: Some('.'), ..Layout::default() };
        assert_eq!(told.with_point("1,000").as_deref(), Ok("1000"));
    }

    #[test]
    fn rates_of_operators_are_rates() {
        let written = ["500mbit", "1G", "2.5 Gbps", "64k", "100 Mbit/s", "9600bps", "1T", "5 Mb/s", "3", "100 MB/s"];
        let expected = [
            "500 Mb/s",
            "1 Gb/s",
            "2.5 Gb/s",
            "64 kb/s",
            "100 Mb/s",
            "9600 b/s",
            "1000 Gb/s",
            "5 Mb/s",
            "3",
            "100 MB/s",
        ];
        assert_eq!(written.map(usual_rate), expected);
        assert_eq!(["1G", "10Gbit", "1 Gb/s"].map(|text| rate(text).unwrap().as_bps() / 1_000_000_000), [1, 10, 1]);
        assert!(rate("fast").is_err());
    }
}
