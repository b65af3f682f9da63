//! Why a router cannot be governed.

use crate::plan::SERVED;
use fairwire_core::{ServiceClass, Span};
use fairwire_exchange::TcError;
use std::fmt;
use std::io;
use std::net::SocketAddr;

/// A router as errors call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouterName {
    kind: &'static str,
    name: String,
}

impl RouterName {
    /// A station of a ring.
    pub(crate) fn station(number: usize) -> Self {
        Self { kind: "station", name: number.to_string() }
    }

    /// A node of a network.
    pub(crate) fn node(name: &str) -> Self {
        Self { kind: "node", name: name.to_owned() }
    }

    /// Another router of the same kind.
    pub(crate) fn next(&self, name: &str) -> Self {
        Self { kind: self.kind, name: name.to_owned() }
    }
}

impl fmt::Display for RouterName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.name)
    }
}

/// Why a router cannot be governed. [`EnforceError::help`] says how to mend it.
#[derive(Debug, thiserror::Error)]
pub enum EnforceError {
    /// HTB is Linux's.
    #[error("limits are set in Linux's HTB, and this system is none")]
    Unsupported,
    /// The scenario is a network.
    #[error("the scenario is a network, and its routers are nodes")]
    NoRing,
    /// The scenario is a ring.
    #[error("the scenario is a ring, and its routers are stations")]
    NotNetwork,
    /// No law tells a flow its rate.
    #[error("no link on the way of the flow {0} has a law that tells it its rate")]
    NoRateLaw(String),
    /// A flow sends as it likes.
    #[error("the flow {0} sends without being told its rate: `enforce` limits flows that are")]
    NotTold(String),
    /// A flow of high priority.
    #[error("the flow {0} goes before others in every queue, and classes of a router take turns")]
    Priority(String),
    /// Limits would not hold until the next answers.
    #[error("answers come every {1} where a flow sends little: a lease of {0} ends when a few of them are lost")]
    ShortLease(Span, Span, Span),
    /// The law needs what counters of a router cannot give.
    #[error("{law} {why}")]
    Unserved {
        /// The law.
        law: &'static str,
        /// What it does that cannot be done here.
        why: String,
    },
    /// Nothing is sent.
    #[error("the scenario has no flows")]
    NoFlows,
    /// There is no such station.
    #[error("there is no station {station} on a ring of {stations}")]
    Station {
        /// What it was called.
        station: u16,
        /// How many there are.
        stations: usize,
    },
    /// Flows of class A or B.
    #[error("flow {0} is of service class {1:?}: a router has one queue for an egress, of class C")]
    Class(String, ServiceClass),
    /// The law reads what classes of HTB do not count.
    #[error("{law} reads {what}, which classes of HTB do not count")]
    Unseen {
        /// The law.
        law: &'static str,
        /// What it reads.
        what: &'static str,
    },
    /// The law limits what a router does not limit together.
    #[error("{0} limits what a station adds for several egresses together, which these classes of HTB do not")]
    Together(&'static str),
    /// The address of a neighbour is not known.
    #[error("where does {0} listen? {1}")]
    NoPeer(RouterName, String),
    /// A peer is no neighbour.
    #[error("{0} is no neighbour of {1}")]
    NoNeighbour(RouterName, RouterName),
    /// A neighbour has two addresses.
    #[error("{0} listens at {1} and at {2}")]
    PeerTwice(RouterName, SocketAddr, SocketAddr),
    /// One socket does not send to addresses of the other protocol.
    #[error("{0} listens at {1}, and this one at {2}: one has IPv4, the other IPv6")]
    Protocols(RouterName, SocketAddr, SocketAddr),
    /// Limits cannot be set.
    #[error(transparent)]
    Tc(#[from] TcError),
    /// No device of that name.
    #[error("there is no network device {0}: {1}")]
    Device(String, io::Error),
    /// The queue is there already.
    #[error("{device} has a queue already: {said}")]
    Taken {
        /// The device.
        device: String,
        /// What `tc` said.
        said: String,
    },
    /// The queue is another one than was made, or none.
    #[error("the queue of {0} is not the one that was set up: somebody has changed it, or {0} is gone")]
    Changed(String),
    /// What `tc` did not do.
    #[error("`tc` has not done it: {0}")]
    Refused(String),
    /// There is no `tc`.
    #[error("`tc` of iproute2 cannot be started: {0}")]
    NoTc(io::Error),
    /// The port is taken, or the address is not this host's.
    #[error("messages cannot be listened to at {0}: {1}")]
    Listen(SocketAddr, io::Error),
    /// Something else that the system said.
    #[error("{0}: {1}")]
    System(&'static str, io::Error),
}

impl EnforceError {
    /// Whether the environment is to blame, and not what was asked for.
    pub const fn is_of_environment(&self) -> bool {
        matches!(
            self,
            Self::Unsupported
                | Self::Device(..)
                | Self::Taken { .. }
                | Self::Changed(_)
                | Self::Refused(_)
                | Self::NoTc(_)
                | Self::Listen(..)
                | Self::System(..)
        )
    }

    /// How to mend it; none where [`EnforceError::Tc`] has to be told in the words of its command.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::Unsupported => "run it on the routers; everything else works here".to_owned(),
            Self::NoRing => "a node of a network is named with `--node`".to_owned(),
            Self::NoFlows => "say who sends to whom, with `[[flow]]`".to_owned(),
            Self::Station { stations, .. } => format!("stations are 0 to {}", stations - 1),
            Self::Class(..) => "leave out `class`, or set its rate with `export tc`".to_owned(),
            Self::Unseen { .. } | Self::Together(_) => {
                "use `--law dvsr-plus`, whose control frame tells what others send, or `--law fifo` to limit nobody"
                    .to_owned()
            }
            Self::NoPeer(router, _) => format!("name it with `--peer {}=ADDRESS`", router.name),
            Self::NoNeighbour(..) => {
                "name those that it sends messages to or hears from, one link away, and no others".to_owned()
            }
            Self::NotNetwork => "a station of a ring is named with `--station`".to_owned(),
            Self::NoRateLaw(_) => "set `rate` in [network], or name a law with `--law`".to_owned(),
            Self::NotTold(flow) => format!(
                "give {flow} `traffic = {{ kind = \"explicit-rate\" }}`, or leave it out: packets of no flow have at least \
                 `--rest` of a link"
            ),
            Self::Priority(_) => "leave out `priority`".to_owned(),
            Self::ShortLease(_, _, least) => format!("let `--lease` be {least} at least, the same at all routers"),
            Self::Unserved { .. } => format!("laws that serve are {}", SERVED.join(", ")),
            Self::PeerTwice(..) => "leave one of them: messages go there, and come from there".to_owned(),
            Self::Protocols(_, at, _) => {
                let any = if at.is_ipv4() { "0.0.0.0" } else { "::" };
                format!("listen with `--listen {any}`, and name neighbours by addresses of one protocol")
            }
            Self::Device(..) => "`ip link` tells what there is".to_owned(),
            Self::Taken { .. } => {
                "take it away with `tc qdisc del dev DEVICE root`, or have it replaced with `--replace`".to_owned()
            }
            Self::Changed(_) => {
                "leave the root queue of the device to one process, and start this one again with `--replace`"
                    .to_owned()
            }
            Self::Refused(_) => {
                "it takes root or CAP_NET_ADMIN, and a kernel with HTB and u32 (`modprobe sch_htb cls_u32`)".to_owned()
            }
            Self::NoTc(_) => "install iproute2".to_owned(),
            Self::Listen(..) => "name another address of this host with `--listen`, and tell the neighbours".to_owned(),
            Self::System(..) => "it takes root or CAP_NET_ADMIN".to_owned(),
            Self::Tc(_) => return None,
        })
    }
}
