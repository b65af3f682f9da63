//! Captures: read back as pcapng, message by message; by tshark, where it is there, with the dissector.

use crate::common::{Said, fairwire, folder, shipped};
use fairwire_laws::format::{MessageFormat, Value, all};
use fairwire_laws::rate::RateLawChoice;
use fairwire_laws::ring::{RingLawChoice, Sends};
use fairwire_net::{MESSAGE_ETHERTYPE, MESSAGE_HEADER_BYTES, MESSAGE_UNIT_BYTES};
use pcap_file::DataLink;
use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionOption;
use pcap_file::pcapng::{Block, PcapNgReader};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A packet of a capture.
struct Seen {
    at_ns: u128,
    link: String,
    data: Vec<u8>,
    size: u32,
}

impl Seen {
    /// The message that it is, and how it is laid out.
    fn message(&self) -> Option<(&'static MessageFormat, &[u8])> {
        if self.data[12..14] != MESSAGE_ETHERTYPE.to_be_bytes() {
            return None;
        }
        let bytes = usize::from(u16::from_be_bytes([self.data[16], self.data[17]]));
        let begins = match self.data[14] {
            1 => MESSAGE_HEADER_BYTES,
            2 => MESSAGE_HEADER_BYTES + MESSAGE_UNIT_BYTES,
            version => panic!("nobody knows version {version}"),
        };
        let message = &self.data[begins..];
        assert_eq!((message.len(), self.size as usize), (bytes, self.data.len()));
        let format = all().into_iter().find(|format| format.code == self.data[15]);
        Some((format.expect("laws of the list tell how their messages are laid out"), message))
    }
}

/// Reads a capture: what the file says of itself, and its packets in their order.
fn read(path: &Path) -> (String, Vec<Seen>) {
    let mut reader = PcapNgReader::new(File::open(path).expect("the capture is there")).expect("it is pcapng");
    let comment = format!("{:?}", reader.section().options);
    let (mut links, mut packets) = (Vec::new(), Vec::new());
    while let Some(block) = reader.next_block() {
        match block.expect("the capture can be read") {
            Block::InterfaceDescription(interface) => {
                assert_eq!(interface.linktype, DataLink::ETHERNET);
                let name = interface.options.iter().find_map(|option| match option {
                    InterfaceDescriptionOption::IfName(name) => Some(name.clone().into_owned()),
                    _ => None,
                });
                assert!(interface.options.contains(&InterfaceDescriptionOption::IfTsResol(9)), "ns");
                links.push(name.expect("links have names"));
            }
            Block::EnhancedPacket(packet) => packets.push(Seen {
                at_ns: packet.timestamp.as_nanos(),
                link: links[packet.interface_id as usize].clone(),
                size: packet.original_len,
                data: packet.data.into_owned(),
            }),
            _ => panic!("no other block is written"),
        }
    }
    assert!(packets.is_sorted_by_key(|packet| packet.at_ns), "in order of time");
    (comment, packets)
}

fn capture(place: &str, scenario: &str, options: &[&str]) -> (PathBuf, Said) {
    let folder = folder(place);
    let path = folder.join("capture.pcapng");
    let file = path.display().to_string();
    let scenario = shipped(scenario);
    let arguments = [&["run", &scenario, "--no-folder", "--json", "--capture-file", &file], options].concat();
    let said = fairwire(&arguments);
    // Not every law keeps the promises of the file.
    assert!(matches!(said.code, Some(0 | 1)), "{said}");
    (path, said)
}

fn value(format: &MessageFormat, message: &[u8], name: &str) -> Vec<f64> {
    let decoded = format.decode(message).expect("as its format says");
    let real = |value| match value {
        Value::Number(number) => number as f64,
        Value::Real(real) => real,
        Value::Bytes(_) => f64::NAN,
    };
    decoded.into_iter().filter(|field| field.name == name).map(|field| real(field.value)).collect()
}

#[test]
fn rates_of_a_ring_can_be_read_from_the_frames_of_its_law() {
    let (path, said) = capture(
        "capture-ring",
        "teaching/laptop-ring.toml",
        &["--law", "dvsr", "--capture", "r0:3,r1:4", "--duration", "1 s"],
    );
    let (comment, packets) = read(&path);
    assert!(
        comment.contains("Who starves on a ring of eight kernels?") && comment.contains("law dvsr, seed 1"),
        "{comment}"
    );
    // The bottleneck carries its capacity in data alone, and no message.
    let bytes: u64 = packets.iter().filter(|seen| seen.link == "r0:3").map(|seen| u64::from(seen.size)).sum();
    assert!((bytes as f64 * 8.0 / 100e6 - 1.0).abs() < 0.01, "{bytes} bytes in a second of 100 Mb/s");
    assert!(packets.iter().all(|seen| (seen.link == "r0:3") == seen.message().is_none()));
    // Frames on their way upstream tell a quarter of that link, once the law has come to rest.
    let messages = packets.iter().filter_map(Seen::message);
    let rates: Vec<f64> = messages.map(|(format, message)| value(format, message, "rate")[3]).collect();
    let settled = &rates[rates.len() / 2..];
    assert!(settled.iter().all(|rate| (rate - 0.25).abs() < 0.03), "{settled:?}");
    let answer = said.json();
    let control = answer["runs"][0]["control_hops"].as_u64().unwrap_or(u64::MAX);
    assert!(rates.len() as u64 > 100 && rates.len() as u64 <= control);
}

#[test]
fn every_law_of_rings_and_of_rates_is_captured_with_messages_that_its_format_reads() {
    let sends = |law: &&str| RingLawChoice::by_name(law).unwrap().needs().sends != Sends::Nothing;
    let of = |scenario: &'static str| move |law: &'static str| (scenario, law);
    let ring = RingLawChoice::ALL.iter().map(|about| about.name).filter(sends);
    let rate = RateLawChoice::ALL.iter().map(|about| about.name);
    let rings = ring.map(of("teaching/laptop-ring.toml"));
    let rates = rate.map(of("teaching/first-rate.toml"));
    for (scenario, law) in rings.chain(rates) {
        let options = ["--law", law, "--capture", "all", "--duration", "600 ms"];
        let (path, _) = capture(&format!("capture-{law}"), scenario, &options);
        let (_, packets) = read(&path);
        let mut formats = BTreeMap::new();
        for (format, message) in packets.iter().filter_map(Seen::message) {
            format.decode(message).unwrap_or_else(|misfit| panic!("{law}, {}: {misfit}: {message:?}", format.name));
            *formats.entry(format.name).or_insert(0) += 1;
        }
        assert!(formats.len() == 1 && formats.values().all(|count| *count > 20), "{law}: {formats:?}");
        let data = packets.iter().filter(|seen| seen.message().is_none()).count();
        assert!(data > 500, "{law}: {data} packets");
    }
}

#[test]
fn tcp_has_sequence_numbers_and_folders_hold_captures() {
    let folder = folder("capture-tcp");
    let out = folder.join("one").display().to_string();
    let scenario = shipped("gateways/vrr-one-tcp.toml");
    let call =
        ["run", &scenario, "--json", "--out", &out, "--capture", "all", "--replications", "2", "--duration", "30 s"];
    fairwire(&call).ends_with(0);
    let mut names: Vec<_> =
        fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(".pcapng"));
    names.sort();
    assert_eq!(names.len(), 2, "{names:?}");
    let (_, packets) = read(&Path::new(&out).join(&names[0]));
    let tcp = packets.iter().filter(|seen| seen.data[23] == 6).count();
    assert!(tcp > 100, "{tcp} segments of {}", packets.len());
    // An older folder with captures in it gives way to a new one.
    fairwire(&call).ends_with(0);
}

#[test]
fn what_cannot_be_captured_is_told_with_its_mend() {
    let ring = shipped("teaching/laptop-ring.toml");
    let wrong = fairwire(&["run", &ring, "--capture", "r0:9"]).ends_with(2).stderr;
    assert!(wrong.contains("no link `r0:9`") && wrong.contains("r0:0"), "{wrong}");
    let nowhere = fairwire(&["run", &ring, "--capture", "all", "--no-folder"]).ends_with(2).stderr;
    assert!(nowhere.contains("--capture-file"), "{nowhere}");
    let folder = folder("capture-wrong");
    let there = folder.join("there").display().to_string();
    fs::write(&there, "something of mine").unwrap();
    // As JSON nothing breaks lines, however long the path is.
    let taken = ["run", &ring, "--json", "--no-folder", "--capture", "all", "--capture-file", &there];
    let refused = fairwire(&taken).ends_with(2).json();
    assert_eq!(refused["errors"][0]["message"], format!("cannot write {there}: it is there already"));
    assert_eq!(fs::read_to_string(&there).unwrap(), "something of mine");
    let several = [&taken[..], &["--replications", "3"]].concat();
    assert!(fairwire(&several).ends_with(2).stderr.contains("captures of 3 runs"));
}

#[cfg(target_os = "linux")]
#[test]
fn frames_of_kernels_are_captured_as_they_are() {
    use crate::common::desk::{Desk, GATEWAY, possible};
    if !possible() {
        return;
    }
    let desk = Desk::new("capture-real", GATEWAY);
    let call = ["run", "file.toml", "--real", "--json", "--no-simulation", "--out", "one", "--capture", "bottleneck"];
    let answer = desk.json(&call);
    let name = format!("capture-{}-1-0.pcapng", answer["runs"][0]["law"].as_str().unwrap());
    let (_, packets) = read(&desk.0.join("one").join(name));
    let sent = answer["runs"][0]["links"].as_array().unwrap();
    let bottleneck = sent.iter().find(|link| link["id"] == "bottleneck").unwrap();
    let went = bottleneck["arrived"].as_u64().unwrap() - bottleneck["dropped"].as_u64().unwrap();
    let seen = packets.len() as u64;
    assert!(seen <= went && seen + 200 > went, "{seen} of {went}: what waits at the end is not sent");
    let mut marked = 0;
    for packet in &packets {
        assert_eq!(packet.data.len(), packet.size as usize, "whole frames");
        let ip = &packet.data[14..];
        let sum: u32 = ip[..20].chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
        assert_eq!((sum & 0xFFFF) + (sum >> 16), 0xFFFF, "header checksums hold, also of marked packets");
        marked += u64::from(ip[1] & 3 == 3);
    }
    assert!(marked > 5, "{marked} marked");
    let datagrams = packets.iter().filter(|packet| packet.data[14 + 9] == 17);
    let sizes: Vec<u32> = datagrams.map(|packet| packet.size).collect();
    assert!(sizes.len() > 50 && sizes.iter().all(|size| *size == 500), "datagrams are as large as told: {sizes:?}");
}

/// What tshark says of a capture, field by field; none where there is none.
fn tshark(script: &Path, path: &Path, options: &[&str]) -> Option<String> {
    if Command::new("tshark").arg("--version").output().is_err() {
        println!("no tshark here: the dissector is not run");
        return None;
    }
    let script = format!("lua_script:{}", script.display());
    let output = Command::new("tshark").args(["-X", &script, "-r"]).arg(path).args(options).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// What tshark says of frames that it cannot read.
const WRONG: [&str; 4] = ["fairwire.wrong_length", "fairwire.out_of_range", "_ws.malformed", "_ws.lua.error"];

#[test]
fn wireshark_reads_all_messages_with_the_dissector() {
    let script = folder("capture-dissector").join("fairwire.lua");
    fs::write(&script, fairwire(&["dissector"]).ends_with(0).stdout).unwrap();
    let cases = [
        ("teaching/laptop-ring.toml", "dvsr", "rate"),
        ("teaching/laptop-ring.toml", "dvsr-plus", "room"),
        ("teaching/laptop-ring.toml", "rpr-conservative", "fairrate"),
        ("teaching/first-rate.toml", "rcp", "er"),
        ("teaching/first-rate.toml", "wmfqc-plus", "gr"),
        ("teaching/first-rate.toml", "s-perc", "hop_excess"),
    ];
    for (scenario, law, field) in cases {
        let options = ["--law", law, "--capture", "all", "--duration", "100 ms", "--set", "run.warmup=50 ms"];
        let (path, _) = capture(&format!("dissected-{law}"), scenario, &options);
        let (_, packets) = read(&path);
        let messages: Vec<_> = packets.iter().filter_map(Seen::message).collect();
        let kind = format!("fairwire.{}", messages[0].0.name);
        let filter = format!("{kind}.{field}");
        let shown = format!("{kind} || {}", WRONG.join(" || "));
        let mut wanted = vec!["-Y", &shown, "-T", "fields", "-E", "aggregator=;", "-e", &filter];
        wanted.extend(WRONG.iter().flat_map(|wrong| ["-e", wrong]));
        let Some(told) = tshark(&script, &path, &wanted) else { return };
        let told: Vec<&str> = told.lines().collect();
        assert_eq!(told.len(), messages.len(), "{law}");
        for (told, (format, message)) in told.iter().zip(&messages) {
            let [told, wrong @ ..] = &told.split('\t').collect::<Vec<_>>()[..] else {
                unreachable!("a split has a part")
            };
            assert_eq!(wrong, [""; WRONG.len()], "{law}: {told}");
            let numbers = told.split(';').filter(|text| !text.is_empty());
            let numbers: Vec<f64> = numbers.map(|text| text.parse().unwrap()).collect();
            let ours = value(format, message, field);
            assert_eq!(numbers.len(), ours.len(), "{law}: {told}");
            for (one, other) in numbers.iter().zip(&ours) {
                assert!((one - other).abs() <= 1e-6 * other.abs() || one == other, "{law}: {one} and {other}");
            }
        }
    }
}

/// 802.17's rates are in units of the ring, and per unit weight: the dissector tells them in bit/s, too.
#[test]
fn wireshark_tells_rates_of_the_packet_ring_in_bits_a_second() {
    let desk = folder("capture-units");
    let script = desk.join("fairwire.lua");
    fs::write(&script, fairwire(&["dissector"]).ends_with(0).stdout).unwrap();
    let place = desk.join("weighted.toml").display().to_string();
    // Three stations of weights 2, 4 and 6 share 90 Mb/s: 15 Mb/s a unit of the least.
    let ring = r#"
schema = 1
run = { duration = "1 s", warmup = "0.5 s" }

[ring]
stations = 6
capacity = "90 Mb/s"
span-delay = "0.1 ms"
law = { name = "rpr-2004-conservative" }
transit = { buffer = "200 kB" }
weights = { 0 = 2, 1 = 4, 2 = 6, 3 = 2, 4 = 2, 5 = 2 }

[[flow]]
name = "to-exit"
from = [0, 1, 2]
to = 3
traffic = { kind = "greedy", size-jitter = "5 %" }
"#;
    fs::write(&place, ring).unwrap();
    let path = desk.join("capture.pcapng");
    let call = ["run", &place, "--no-folder", "--capture", "r1:2", "--capture-file", &path.display().to_string()];
    fairwire(&call).ends_with(0);
    let wanted = ["-Y", "fairwire.rpr.fairrate.bps", "-T", "fields"];
    let fields = [
        "-e",
        "fairwire.rpr.fairrate",
        "-e",
        "fairwire.rpr.fairrate.bps",
        "-e",
        "fairwire.unit",
        "-e",
        "fairwire.weight",
    ];
    let Some(told) = tshark(&script, &path, &[&wanted[..], &fields[..]].concat()) else { return };
    let rows: Vec<Vec<f64>> =
        told.lines().map(|line| line.split('\t').map(|number| number.parse().unwrap()).collect()).collect();
    assert!(rows.len() > 100, "{} frames", rows.len());
    // Sixteen bits over 90 Mb/s: bytes in 100 us (80 kb/s) over a power of two.
    let unit = 80e3 / 32.0;
    for row in &rows {
        let [code, bps, told_unit, weight] = row[..] else { panic!("{row:?}") };
        assert!((told_unit - unit).abs() < 1e-6 && (bps - code * unit).abs() < 1e-3 && weight == 2.0, "{row:?}");
    }
    let settled: Vec<f64> = rows[rows.len() / 2..].iter().map(|row| row[1]).collect();
    let mean = settled.iter().sum::<f64>() / settled.len() as f64;
    // What is told swings about what is fair; another power of two would be twice as much.
    assert!((mean / 15e6 - 1.0).abs() < 0.25, "{mean} bit/s per unit of the least weight");
    let words = tshark(&script, &path, &["-V", "-Y", "fairwire.rpr.fairrate.bps > 14000000"]).unwrap();
    assert!(words.contains("Mb/s for the station it goes to, of weight 2)"), "{words}");
}
