//! Nodes, devices and addresses as options name them, and what is wrong with them.

use fairwire_exchange::{IpNet, TcError};
use fairwire_terminal::CliError;

/// A device, behind its link if that is told.
pub fn device(text: &str) -> Result<(String, String), String> {
    let (link, device) = text.rsplit_once('=').unwrap_or(("", text));
    Ok((link.to_owned(), device.to_owned()))
}

/// A prefix behind what it belongs to.
pub fn address(text: &str) -> Result<(String, IpNet), String> {
    let (node, prefix) = text.rsplit_once('=').ok_or("write NAME=PREFIX, as in farm=10.3.0.0/16")?;
    let alone = || prefix.parse::<std::net::IpAddr>().map(IpNet::from);
    let prefix = prefix.parse::<IpNet>().or_else(|_| alone());
    prefix
        .map(|prefix| (node.to_owned(), prefix))
        .map_err(|_| "no prefix: write 10.3.0.0/16 or 2001:db8:3::/48".to_owned())
}

/// What went wrong, with its mend.
pub fn told(error: &TcError) -> CliError {
    let list = |names: &[String]| names.join(", ");
    let help = match error {
        TcError::UnknownNode { known, .. } => format!("its nodes are {}", list(known)),
        TcError::NoFlows(_) => "name a node at which flows begin, or that they cross".to_owned(),
        TcError::NoDevice { link, .. } => format!("name it with `--device {link}=DEVICE`, as `ip link` calls it"),
        TcError::WhichLink { device, links, .. } => format!("write `--device {}={device}`", links[0]),
        TcError::UnknownLink { known, .. } => format!("flows leave it over {}", list(known)),
        TcError::DeviceTwice(_) => "each link has a device of its own: keep one of them".to_owned(),
        TcError::RestOverLink { .. } => "leave `--rest` out for 5 % of each link, or name less".to_owned(),
        TcError::NoDeviceName(_) => "write it as `ip link` does, such as eth0".to_owned(),
        TcError::SharedPrefix(..) => "leave it at one of them, and name smaller prefixes".to_owned(),
        TcError::UnknownFlow(_) => "`fairwire allocate` tells what flows there are, and over which links".to_owned(),
        TcError::Elsewhere { .. } => "name the addresses around it with `--address NODE=PREFIX`".to_owned(),
        TcError::SameAddresses(first, second) => {
            format!("name those of {second}, or of {first}, with `--flow {second}=PREFIX`")
        }
        TcError::NoAddresses(node) => format!("name those behind it with `--address {node}=PREFIX`"),
        TcError::TwoProtocols(_) => "name those of one protocol at both ends with `--address`".to_owned(),
        TcError::TooMany(_) => "make one flow of many, by `micro-flows`".to_owned(),
    };
    CliError::bad_input(error.to_string(), help)
}
