//! Limits: what is asked of shapers, and what stays as it is.

use fairwire_exchange::{Foreign, Layout, Limits, Senders, from_csv};
use fairwire_scenario::Scenario;

fn file<'a>(name: &'a str, text: &'a str) -> Foreign<'a> {
    Foreign { name, text }
}

fn network(links: &str, flows: &str) -> (Scenario, Vec<f64>) {
    let senders = Senders::Table(file("flows.csv", flows));
    let toml = from_csv(file("links.csv", links), &Layout::default(), &senders.into(), "").expect("a network");
    let scenario = Scenario::parse("made", &toml).expect("a scenario");
    let rates = scenario.fair_rates(scenario.criterion()).expect("fair rates").rates_bps;
    (scenario, rates)
}

/// Rounded down to the bit/s, as docs/import.md tells; what is whole loses nothing.
#[test]
fn limits_together_are_never_more_than_there_is() {
    let links = "from,to,capacity\nhub,mid,2 Mb/s\nmid,a,1 Gb/s\nmid,b,1 Gb/s\nmid,c,1 Gb/s\n";
    let (scenario, rates) = network(links, "from,to\nhub,a\nhub,b\nhub,c\n");
    let csv = Limits::new(&scenario, &rates).unwrap().flows_csv().unwrap();
    let limits: Vec<f64> = csv.lines().skip(1).map(|row| row.rsplit(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(limits, [0.666_666; 3], "two thirds of a Mb/s each");
    let whole = Limits::new(&scenario, &[1_234_567.0, 300_001.0, 1.0]).unwrap().flows_csv().unwrap();
    for limit in ["1.234567\n", "0.300001\n", "0.000001\n"] {
        assert!(whole.contains(limit), "{whole}");
    }
}

/// Where no flow begins or ends a site keeps what its links carry: all of them together, each way for itself.
#[test]
fn a_site_without_flows_of_its_own_keeps_its_capacity() {
    let links = "name,from,to,capacity,duplex\none,top,mid,100 Mb/s,no\ntwo,top,mid,50 Mb/s,no\n\
                 up,mid,top,20 Mb/s,no\ndown,mid,leaf,30 Mb/s,no\nback,leaf,mid,10 Mb/s,no\n";
    let (scenario, rates) = network(links, "from,to,demand\ntop,leaf,5 Mb/s\n");
    let tree = Limits::new(&scenario, &rates).unwrap().libreqos(None).unwrap();
    let both = |site: &serde_json::Value| {
        ["downloadBandwidthMbps", "uploadBandwidthMbps"].map(|key| site[key].as_f64().expect("a number"))
    };
    assert_eq!(both(&tree["mid"]), [150.0, 20.0]);
    assert_eq!(both(&tree["mid"]["children"]["leaf"]), [5.0, 10.0], "nothing of it goes up");
}
