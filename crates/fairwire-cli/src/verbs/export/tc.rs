//! `fairwire export tc`: limits at a node as Linux has them.

use crate::tc_words::{address, device, told};
use fairwire_core::BitRate;
use fairwire_exchange::{IpNet, TcOptions, tc};
use fairwire_scenario::Scenario;
use fairwire_terminal::CliError;

/// Options of this format.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits of Linux (tc)")]
pub struct Args {
    /// The node, or the number of the station, whose packets are limited as they leave it
    #[arg(long, value_name = "NODE")]
    node: Option<String>,

    /// The network device of a link that leaves the node, called as `allocate` does: `hop-2=eth1`, `r0:3=eth1`; without `LINK=` where flows leave it over one link
    #[arg(long = "device", value_name = "LINK=DEVICE", value_parser = device)]
    devices: Vec<(String, String)>,

    /// Addresses behind a node, such as `farm=10.3.0.0/16` or `farm=2001:db8:3::/48`; may be given several times.
    /// Packets of a flow are told by those of its ends
    #[arg(long = "address", value_name = "NODE=PREFIX", value_parser = address)]
    addresses: Vec<(String, IpNet)>,

    /// Addresses of a flow that shares its ends with others, within those of one end: `clinic=10.3.9.0/24`
    #[arg(long = "flow", value_name = "FLOW=PREFIX", value_parser = address)]
    flows: Vec<(String, IpNet)>,

    /// What packets of no flow have at least on each link [default: 5 % of it]
    #[arg(long, value_name = "RATE")]
    rest: Option<BitRate>,

    /// Change the rates of limits that are set already
    #[arg(long)]
    update: bool,
}

impl Args {
    /// An option that was given, by which it is clear that this format is meant.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            ("--node", self.node.is_some()),
            ("--device", !self.devices.is_empty()),
            ("--address", !self.addresses.is_empty()),
            ("--flow", !self.flows.is_empty()),
            ("--rest", self.rest.is_some()),
            ("--update", self.update),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
    }

    /// The limits that were asked for.
    ///
    /// # Errors
    /// What keeps them from being set.
    pub fn limits(&self, scenario: &Scenario, rates_bps: &[f64]) -> Result<String, CliError> {
        tc(scenario, rates_bps, &self.options()?).map_err(|error| told(&error))
    }

    fn options(&self) -> Result<TcOptions, CliError> {
        let node = self.node.clone().ok_or_else(|| {
            CliError::bad_input(
                "limits of Linux are those of one node: which?".to_owned(),
                "name it with `--node`, and the devices of its links with `--device LINK=DEVICE`",
            )
        })?;
        Ok(TcOptions {
            node,
            devices: self.devices.clone(),
            addresses: self.addresses.clone(),
            flows: self.flows.clone(),
            rest: self.rest,
            update: self.update,
        })
    }
}
