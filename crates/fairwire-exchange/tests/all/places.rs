//! What only the scenario that is made of a file shows to be wrong is told of the file, which is what people can mend.

use fairwire_exchange::{
    Foreign, GraphOptions, Layout, LibreQosOptions, Senders, Sending, Traffic, from_csv, from_graph, from_libreqos,
};

fn file<'a>(name: &'a str, text: &'a str) -> Foreign<'a> {
    Foreign { name, text }
}

fn csv(text: &str, senders: Senders<'_>, traffic: Traffic) -> String {
    let sending = Sending { senders, traffic };
    from_csv(file("l.csv", text), &Layout::default(), &sending, "").unwrap_err().to_string()
}

const CHAIN: &str = "from,to,capacity,duplex\na,b,10 Mb/s,no\nb,c,10 Mb/s,no\n";

#[test]
fn flows_without_a_way() {
    let table = |text: &str, traffic| csv(CHAIN, Senders::Table(file("f.csv", text)), traffic);
    let said = table("from,to\na,c\nc,a\nb,a\n", Traffic::Usual);
    assert!(said.starts_with("f.csv:3:1: no way leads from c to a — add links"), "{said}");
    assert!(said.contains("\nf.csv:4:1: no way leads from b to a —"), "{said}");
    let said = table("from,to\na,c\n", Traffic::Tcp);
    assert!(said.starts_with("f.csv:2:1: no way leads from c to a, which acknowledgements need —"), "{said}");
    let said = csv(CHAIN, Senders::Hub("b".to_owned()), Traffic::Usual);
    assert!(said.starts_with("l.csv:2:1: no way leads from b to a —") && said.lines().count() == 1, "{said}");
    let said = csv(CHAIN, Senders::AllPairs, Traffic::Usual);
    assert!(said.starts_with("l.csv:2:1: no way leads from b to a, and 2 other flows find none —"), "{said}");
    assert_eq!(said.lines().count(), 1, "one cause, one message: {said}");
    let graph = "<graphml><graph edgedefault=\"directed\">\n<node id=\"a\"/>\n<node id=\"b\"/>\n<node id=\"c\"/>\n\
                 <edge source=\"a\" target=\"b\"/></graph></graphml>";
    let options = GraphOptions { capacity: "1 Gb/s".parse().ok(), unit: None };
    let made = from_graph(file("g.xml", graph), &options, &Senders::Hub("a".to_owned()).into(), "");
    let said = made.unwrap_err().to_string();
    assert!(said.starts_with("g.xml:4:1: no way leads from a to c —"), "{said}");
}

#[test]
fn values_that_a_scenario_refuses() {
    let hub = || Senders::Hub("a".to_owned());
    let said = csv("from,to,capacity\na,b,10 Mb/s\nb,c,900 Tb/s\n", hub(), Traffic::Usual);
    assert!(said.starts_with("l.csv:3:") && said.contains("is more than a link can carry"), "{said}");
    let said = csv("from,to,capacity\na,\"b\nb\",10 Mb/s\n", hub(), Traffic::Usual);
    assert!(said.starts_with("l.csv:2:") && said.contains("control characters"), "{said}");
    let flows = |row: &str| {
        let text = format!("from,to,demand,weight,min_rate,peak_rate,route\na,b,,,,,\n{row}\n");
        csv(CHAIN, Senders::Table(file("f.csv", &text)), Traffic::Usual)
    };
    for (row, wanted) in [
        ("a,c,,1e300,,,", "goes from 0.000001 to 1000000"),
        ("a,c,,1e-300,,,", "goes from 0.000001 to 1000000"),
        ("a,c,,,2 Mb/s,1 Mb/s,", "is promised 2 Mb/s, more than its `peak-rate`"),
        ("a,c,,,,,a-b", "the route ends at b, not at c"),
        ("a,c,,,,,b-c;a-b", "leaves b, but the route has come to a"),
    ] {
        let said = flows(row);
        assert!(said.starts_with("f.csv:3:") && said.contains(wanted), "{row}: {said}");
        assert_eq!(said.lines().count(), 1, "one cause, one message: {said}");
        assert!(said.len() < 200, "{said}");
    }
}

/// Nobody is told to write what is refused, too.
#[test]
fn a_link_that_carries_nothing_is_left_out() {
    let hub = || Senders::Hub("a".to_owned());
    for (heading, capacity) in [
        ("capacity", "0 b/s"),
        ("capacity", "0.1 b/s"),
        ("capacity", "-5 Mb/s"),
        ("capacity_mbps", "0"),
        ("bw_mbps", "-1"),
    ] {
        let said = csv(
            &format!("from,to,{heading}\na,b,1\nb,c,{capacity}\n").replace("b,1\n", "b,1G\n"),
            hub(),
            Traffic::Usual,
        );
        assert!(said.starts_with("l.csv:3:5: ") && said.contains("from 1 b/s to 100 Tb/s"), "{said}");
        assert!(said.ends_with("where there is no link, take the row out"), "{said}");
        assert_eq!(said.lines().count(), 1, "one cause, one message: {said}");
    }
    let edge = |capacity: &str| {
        let text = format!(
            "{{\"nodes\": [{{\"id\": \"a\"}}, {{\"id\": \"b\"}}],\n\
             \"edges\": [{{\"source\": \"a\", \"target\": \"b\", {capacity}}}]}}"
        );
        let options = GraphOptions { capacity: None, unit: "1 Mb/s".parse().ok() };
        from_graph(file("g", &text), &options, &hub().into(), "").unwrap_err().to_string()
    };
    for capacity in ["\"capacity\": 0", "\"bandwidth\": \"0 b/s\"", "\"LinkSpeedRaw\": -3", "\"capacity\": 1e9"] {
        let said = edge(capacity);
        assert!(said.starts_with("g:2:") && said.ends_with("where there is no link, take the edge out"), "{said}");
    }
    let tree = "{\"mill\": {\"downloadBandwidthMbps\": 30,\n\"uploadBandwidthMbps\": 0}}";
    let said = from_libreqos(file("n.json", tree), None, &LibreQosOptions::default(), "").unwrap_err().to_string();
    assert!(said.contains("`uploadBandwidthMbps` of `mill`: `0` carries nothing"), "{said}");
    assert!(said.ends_with("where there is no link, take the site out"), "{said}");
}

#[test]
fn what_was_asked_for_is_no_place_in_a_file() {
    let tree = "{\"mill\": {\"downloadBandwidthMbps\": 30, \"uploadBandwidthMbps\": 10},\n\
                \"fa\\nrm\": {\"downloadBandwidthMbps\": 30, \"uploadBandwidthMbps\": 10}}";
    let made = |root: &str, title: &str| {
        let options = LibreQosOptions { root: root.to_owned(), ..LibreQosOptions::default() };
        from_libreqos(file("n.json", tree), None, &options, title).unwrap_err().to_string()
    };
    assert!(made("internet", "").starts_with("n.json:2:1: an item of `nodes`"), "{}", made("internet", ""));
    assert!(made("a\tb", "").starts_with("the place that all sites hang on:1:1: "));
    assert!(made(" ", "").contains("has no name"));
    assert!(made("internet", "a\tb").starts_with("the title:1:1: the title has control characters"));
}
