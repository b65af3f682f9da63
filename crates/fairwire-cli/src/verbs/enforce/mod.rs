//! `fairwire enforce FILE`: a law governs the links of a router.

mod node;
mod station;

use crate::runs;
use crate::source::Source;
use crate::tc_words::{address, device, told};
use crate::unheeded;
use fairwire_core::{BitRate, Span, StationId};
use fairwire_enforce::{EnforceError, NodePlan, Options, PORT, StationPlan};
use fairwire_exchange::IpNet;
use fairwire_laws::ring::OutsideLaw;
use fairwire_scenario::{LawChoice, Scenario};
use fairwire_terminal::{CliError, Interrupt, Outcome, output, text, warn};
use serde::Serialize;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// A message that comes so late after the one before is none of a ring that works.
const LONGEST_TICK: Span = Span::from_millis(1_000);

/// Options of the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scenario of the ring or network, the same at all its routers; `-` reads it from stdin
    file: PathBuf,

    /// Which station of a ring this host is
    #[arg(long, value_name = "N", conflicts_with = "node")]
    station: Option<u16>,

    /// Which node of a network this host is
    #[arg(long, value_name = "NODE")]
    node: Option<String>,

    /// The network device of a link that leaves the router, called as `allocate` does: `r0:3=eth1`, `hop-2=eth1`; without `LINK=` where flows leave it over one link
    #[arg(long = "device", value_name = "LINK=DEVICE", value_parser = device)]
    devices: Vec<(String, String)>,

    /// Addresses behind a station or node, such as `3=10.3.0.0/16` or `farm=2001:db8:3::/48`; may be given several times. Packets
    /// are told by those of their ends
    #[arg(long = "address", value_name = "ROUTER=PREFIX", value_parser = address)]
    addresses: Vec<(String, IpNet)>,

    /// Addresses of a flow of a network that shares its ends with others, within those of one end: `clinic=10.3.9.0/24`
    #[arg(long = "flow", value_name = "FLOW=PREFIX", value_parser = address)]
    flows: Vec<(String, IpNet)>,

    /// Where a neighbour listens to messages: `2=10.0.2.1`, `hill=10.0.2.1`, with `:PORT` behind it if that is not 7720
    #[arg(long = "peer", value_name = "ROUTER=ADDRESS", value_parser = peer)]
    peers: Vec<(String, SocketAddr)>,

    /// Where this router listens
    #[arg(long, value_name = "ADDRESS", value_parser = socket, default_value = "0.0.0.0")]
    listen: SocketAddr,

    /// Another law than the scenario's own
    #[arg(long, value_name = "NAME")]
    law: Option<String>,

    /// What packets of no flow have at least on each link [default: 5 % of it]
    #[arg(long, value_name = "RATE")]
    rest: Option<BitRate>,

    /// On a ring a law answers messages no sooner than this after the one before; in a network a flow sends control packets no
    /// sooner
    #[arg(long, value_name = "TIME", default_value = "10 ms")]
    tick: Span,

    /// Without a message for so long, what is limited has the fair rates of the scenario; the same at all routers
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
    let scenario = scenario.under(&law);
    if !scenario.events().is_empty() {
        warn("what changes on the way in the scenario does not happen here", "real links change by themselves");
    }
    let shared = scenario.to_be_shared();
    let criterion = shared.criterion();
    unheeded::tell(&shared, criterion);
    let fair = || shared.fair_rates(criterion).map_err(|error| CliError::unsolved(&shared, error));
    match (&law, args.station, &args.node) {
        (LawChoice::Ring(_), Some(_), _) if !args.flows.is_empty() => Err(CliError::bad_input(
            "`--flow` is for nodes of networks: a ring tells packets by the stations at their ends",
            "leave it out",
        )),
        (LawChoice::Ring(law), Some(station), _) => {
            let fair = fair()?.rates_bps;
            let plan = StationPlan::new(&scenario, law, &fair, StationId(station), args.options()?);
            let plan = plan.map_err(|error| refusal(&error))?;
            let who = format!("station {station}");
            let named = (&scenario, law.about().name, who.as_str());
            args.govern(named, &plan.lines(), station::table, &|stop, tell| plan.enforce(stop, tell))
        }
        (LawChoice::Ring(_), None, Some(_)) => Err(refusal(&EnforceError::NotNetwork)),
        (LawChoice::Ring(_), None, None) => {
            Err(CliError::bad_input("which station of the ring is this host?", "name it with `--station N`"))
        }
        (LawChoice::Queue(_) | LawChoice::Rate(_), Some(_), _) => Err(refusal(&EnforceError::NoRing)),
        (LawChoice::Queue(_) | LawChoice::Rate(_), None, None) => {
            Err(CliError::bad_input("which node of the network is this host?", "name it with `--node NODE`"))
        }
        (LawChoice::Queue(_), None, Some(_)) => Err(CliError::bad_input(
            format!("{} is a law of queues, and no law tells flows their rates", law.about().name),
            "set `rate` in [network], or set fair rates once with `export tc`",
        )),
        (LawChoice::Rate(law), None, Some(node)) => {
            let plan = NodePlan::new(&scenario, &fair()?.rates_bps, node, args.options()?);
            let plan = plan.map_err(|error| refusal(&error))?;
            let who = format!("node {node}");
            let named = (&scenario, law.about().name, who.as_str());
            args.govern(named, &plan.lines(), node::table, &|stop, tell| plan.enforce(stop, tell))
        }
    }
}

/// Governs a router until it is told to stop, or until its status is not read.
type Enforce<'a, S> = &'a dyn Fn(&dyn Fn() -> bool, &mut dyn FnMut(&S) -> bool) -> Result<(), EnforceError>;

impl Args {
    /// Shows the `lines` that would be set up, or has the router governed and tells what it looks like.
    fn govern<S: Serialize>(
        &self,
        (scenario, law, who): (&Scenario, &str, &str),
        lines: &str,
        table: fn(&S) -> String,
        enforce: Enforce<'_, S>,
    ) -> Result<Outcome, CliError> {
        if self.dry_run {
            output::print(lines)?;
            return Ok(Outcome::Fine);
        }
        let interrupt = Interrupt::listen()?;
        if !self.json {
            output::note(&format!("{who} of {:?} under {law}, until Ctrl-C", scenario.title()));
        }
        let mut unread = None;
        let mut tell = |status: &S| {
            let shown = if self.json { output::print_json_line(status) } else { output::print(&table(status)) };
            unread = shown.err();
            unread.is_none()
        };
        enforce(&|| interrupt.is_raised(), &mut tell).map_err(|error| refusal(&error))?;
        unread.map_or(Ok(Outcome::Fine), Err)
    }

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
            devices: self.devices.clone(),
            addresses: self.addresses.clone(),
            flows: self.flows.clone(),
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

fn peer(text: &str) -> Result<(String, SocketAddr), String> {
    let (router, address) = text.rsplit_once('=').ok_or("write ROUTER=ADDRESS, as in 2=10.0.2.1")?;
    let address = socket(address)?;
    if address.ip().is_unspecified() || address.ip().is_multicast() {
        return Err(format!("{} is the address of no single neighbour", address.ip()));
    }
    Ok((router.to_owned(), address))
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

/// Messages that were dropped since it began, if there were any: of `others`, and of strangers.
fn dropped(strays: u64, others: u64, of_others: &str) -> String {
    let counts = [(others, of_others), (strays - others, "nobody who is a neighbour")].into_iter();
    let line =
        |(count, of): (u64, &str)| format!("\ndropped so far: {} of {of}", text::count(count as usize, "message"));
    counts.filter(|(count, _)| *count > 0).map(line).collect()
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
        assert_eq!(
            peer("2=::1").map(|(station, at)| (station, at.port(), at.is_ipv6())),
            Ok(("2".to_owned(), 7_720, true))
        );
        assert_eq!(peer("2=[::1]:9").map(|(_, at)| at.port()), Ok(9));
        assert_eq!(peer("a=b=10.0.0.1").map(|(node, _)| node), Ok("a=b".to_owned()), "names may have any sign");
        for wrong in ["2", "2=", "2=here", "2=10.0.0.1:0", "2=0.0.0.0", "2=ff02::1"] {
            assert!(peer(wrong).is_err(), "{wrong}");
        }
    }
}
