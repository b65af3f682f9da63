//! `fairwire enforce FILE`: a law governs the links of a router.

use crate::runs;
use crate::source::Source;
use crate::tc_words::{address, device, told};
use crate::unheeded;
use fairwire_core::{BitRate, Span};
use fairwire_enforce::{EnforceError, Options, PORT, RingletStatus, StationPlan, Status, enforce};
use fairwire_exchange::IpNet;
use fairwire_laws::ring::OutsideLaw;
use fairwire_scenario::LawChoice;
use fairwire_terminal::{CliError, Interrupt, Outcome, TextTable, output, text, warn};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// A message that comes so late after the one before is none of a ring that works.
const LONGEST_TICK: Span = Span::from_millis(1_000);

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scenario of the ring, the same at all its stations; `-` reads it from stdin
    file: PathBuf,

    /// Which station of the ring this host is
    #[arg(long, value_name = "N")]
    station: u16,

    /// The network device of a link that leaves the station, called as `allocate` does: `r0:3=eth1`; without `LINK=` where only one ringlet carries flows
    #[arg(long = "device", value_name = "LINK=DEVICE", value_parser = device)]
    devices: Vec<(String, String)>,

    /// Addresses behind a station, such as `3=10.3.0.0/16` or `3=2001:db8:3::/48`; may be given several times. Packets are
    /// told by those of their ends
    #[arg(long = "address", value_name = "STATION=PREFIX", value_parser = address)]
    addresses: Vec<(String, IpNet)>,

    /// Where a neighbour listens to messages: `2=10.0.2.1`, with `:PORT` behind it if that is not 7720
    #[arg(long = "peer", value_name = "STATION=ADDRESS", value_parser = peer)]
    peers: Vec<(u16, SocketAddr)>,

    /// Where this station listens
    #[arg(long, value_name = "ADDRESS", value_parser = socket, default_value = "0.0.0.0")]
    listen: SocketAddr,

    /// Another law than the scenario's own
    #[arg(long, value_name = "NAME")]
    law: Option<String>,

    /// What packets of no flow have at least on each link [default: 5 % of it]
    #[arg(long, value_name = "RATE")]
    rest: Option<BitRate>,

    /// A law answers messages no sooner than this after the one before
    #[arg(long, value_name = "TIME", default_value = "10 ms")]
    tick: Span,

    /// Without a message for so long, stations have the fair rates of the scenario; the same at all stations
    #[arg(long, value_name = "TIME", default_value = "2 s")]
    lease: Span,

    /// From one table to the next
    #[arg(long, value_name = "TIME", default_value = "10 s")]
    every: Span,

    /// Replace queues that the devices have already
    #[arg(long)]
    replace: bool,

    /// Only write what `tc -batch` would set up, and touch nothing
    #[arg(long)]
    dry_run: bool,

    /// Tell what it looks like as JSON, one line a time
    #[arg(long)]
    pub json: bool,
}

/// Governs until Ctrl-C, or until nobody reads what it tells.
pub fn run(args: &Args, outside: &[OutsideLaw]) -> Result<Outcome, CliError> {
    let source = Source::read(&args.file)?;
    let scenario = source.scenario()?;
    let law = match (&args.law, scenario.own_law()) {
        (Some(name), _) => runs::law(&scenario, name, outside)?,
        (None, Some(own)) => own,
        (None, None) => return Err(CliError::bad_input("the scenario names no law", "use `--law`")),
    };
    let LawChoice::Ring(ring_law) = &law else { return Err(refusal(&EnforceError::NoRing)) };
    let scenario = scenario.under(&law);
    if !scenario.events().is_empty() {
        warn("what changes on the way in the scenario does not happen here", "real links change by themselves");
    }
    let shared = scenario.to_be_shared();
    let criterion = shared.criterion();
    unheeded::tell(&shared, criterion);
    let fair = shared.fair_rates(criterion).map_err(|error| CliError::unsolved(&shared, error))?;
    let plan =
        StationPlan::new(&scenario, ring_law, &fair.rates_bps, args.options()?).map_err(|error| refusal(&error))?;
    if args.dry_run {
        output::print(&plan.lines())?;
        return Ok(Outcome::Fine);
    }
    let interrupt = Interrupt::listen()?;
    if !args.json {
        let name = law.about().name;
        output::note(&format!("station {} of {:?} under {name}, until Ctrl-C", args.station, scenario.title()));
    }
    let mut unread = None;
    let mut tell = |status: &Status| {
        let shown = if args.json { output::print_json_line(status) } else { output::print(&table(status)) };
        unread = shown.err();
        unread.is_none()
    };
    enforce(&plan, &|| interrupt.is_raised(), &mut tell).map_err(|error| refusal(&error))?;
    unread.map_or(Ok(Outcome::Fine), Err)
}

impl Args {
    fn options(&self) -> Result<Options, CliError> {
        if self.tick > LONGEST_TICK {
            return Err(CliError::bad_input("`--tick` is from 0 s to 1 s", "leave it out for 10 ms"));
        }
        if self.lease < self.tick * 2 || self.lease == Span::ZERO {
            return Err(CliError::bad_input(
                "`--lease` is shorter than two ticks: limits would not hold until the next message",
                "leave it out for 2 s",
            ));
        }
        if self.every < Span::from_millis(10) {
            return Err(CliError::bad_input("`--every` is at least 10 ms", "leave it out for 10 s"));
        }
        Ok(Options {
            station: self.station,
            devices: self.devices.clone(),
            addresses: self.addresses.clone(),
            peers: self.peers.clone(),
            listen: self.listen,
            rest: self.rest,
            tick: self.tick,
            lease: self.lease,
            every: self.every,
            replace: self.replace,
        })
    }
}

fn peer(text: &str) -> Result<(u16, SocketAddr), String> {
    let (station, address) = text.split_once('=').ok_or("write STATION=ADDRESS, as in 2=10.0.2.1")?;
    let station = station.parse().map_err(|_| format!("`{station}` is no number of a station"))?;
    let address = socket(address)?;
    if address.ip().is_unspecified() || address.ip().is_multicast() {
        return Err(format!("{} is the address of no single neighbour", address.ip()));
    }
    Ok((station, address))
}

/// An address, with a port if it is another one than usual.
fn socket(text: &str) -> Result<SocketAddr, String> {
    let alone = || text.parse::<IpAddr>().map(|address| SocketAddr::new(address, PORT));
    let with_port = text.parse::<SocketAddr>();
    with_port
        .or_else(|_| alone())
        .ok()
        .filter(|address| address.port() > 0)
        .ok_or_else(|| "no address: write 10.0.2.1, 10.0.2.1:7720 or [2001:db8::1]:7720".to_owned())
}

/// What it looks like, for people.
fn table(status: &Status) -> String {
    let mut table = TextTable::new(&["link", "device", "to", "limit", "rate", "waits", "dropped", "set by"]);
    for ringlet in &status.ringlets {
        let RingletStatus { link, limits, leased, .. } = ringlet;
        let device = ringlet.device.as_deref().unwrap_or("–");
        let by = if *leased { status.law } else { "the scenario: no neighbour is heard" };
        for limit in limits {
            table.row([
                link.clone(),
                device.to_owned(),
                limit.egress.to_string(),
                text::rough_rate(limit.limit_bps as f64),
                text::rough_rate(limit.rate_bps),
                format!("{} B", text::grouped(limit.waiting_bytes)),
                limit.dropped.to_string(),
                by.to_owned(),
            ]);
        }
        let others = [("transit", ringlet.transit_bps), ("no flow", ringlet.rest_bps)];
        for (name, bps) in others {
            let [dash, none] = ["–".to_owned(), String::new()];
            let waits = if name == "transit" {
                format!("{} B", text::grouped(ringlet.transit_waiting_bytes))
            } else {
                dash.clone()
            };
            let row = [
                link.clone(),
                device.to_owned(),
                name.to_owned(),
                dash,
                text::rough_rate(bps),
                waits,
                none.clone(),
                none,
            ];
            table.row(row);
        }
    }
    let mut told = format!("after {:.1} s\n{table}", status.time_s);
    let strangers = status.strays - status.other_ring;
    for (count, of) in [(status.other_ring, "another ring, law or lease"), (strangers, "nobody who is a neighbour")] {
        if count > 0 {
            told += &format!("\ndropped so far: {} of {of}", text::count(count as usize, "message"));
        }
    }
    told + "\n"
}

/// What went wrong, with its mend.
fn refusal(error: &EnforceError) -> CliError {
    if let EnforceError::Tc(error) = error {
        return told(error);
    }
    let (message, help) = (error.to_string(), error.help().unwrap_or_default());
    if error.is_of_environment() { CliError::Missing { message, help } } else { CliError::BadInput { message, help } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_port_has_the_usual_one() {
        assert_eq!(socket("10.0.2.1"), Ok(SocketAddr::from(([10, 0, 2, 1], 7_720))));
        assert_eq!(socket("10.0.2.1:9"), Ok(SocketAddr::from(([10, 0, 2, 1], 9))));
        assert_eq!(peer("2=::1").map(|(station, at)| (station, at.port(), at.is_ipv6())), Ok((2, 7_720, true)));
        assert_eq!(peer("2=[::1]:9").map(|(_, at)| at.port()), Ok(9));
        for wrong in ["2", "2=", "x=10.0.0.1", "70000=10.0.0.1", "2=here", "2=10.0.0.1:0", "2=0.0.0.0", "2=ff02::1"] {
            assert!(peer(wrong).is_err(), "{wrong}");
        }
    }
}
