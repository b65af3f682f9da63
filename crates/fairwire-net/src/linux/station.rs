//! A station: a network namespace with one TAP device, whose other end is ours.

use super::home::{go_to, new_network, present_network};
use super::sys::Device;
use crate::error::NetError;
use crate::layout::{Layout, address, mac};
use crate::options::Guest;
use nix::fcntl::OFlag;
use socket2::{Domain, Socket, Type};
use std::ffi::CStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

/// The device's name in every station.
const TAP: &CStr = c"ring0";
/// Netmask of the stations' network, a /16 (`crate::layout`).
const MASK: u32 = 0xFFFF_0000;

/// A station, with its kernel on one side of the TAP and us on the other.
#[derive(Debug)]
pub struct Station {
    namespace: File,
    tap: File,
    is_guest: bool,
}

impl Station {
    /// Makes the station of this number among those of `layout`, which can receive frames of up to `largest` bytes, in a
    /// namespace of its own or in a guest's. In the latter nothing is touched but the device, which is gone with the process.
    /// The calling thread is in its namespace afterwards.
    pub fn make(
        number: u16,
        layout: &Layout,
        largest: u64,
        ecn: bool,
        guest: Option<&(Guest, File)>,
    ) -> Result<Self, NetError> {
        let not_for_us = |guest: &Guest, error| NetError::Guest(guest.name.clone(), error);
        match guest {
            None => new_network()?,
            Some((guest, namespace)) => go_to(namespace).map_err(|error| not_for_us(guest, error))?,
        }
        let namespace = present_network().map_err(NetError::NetworkNamespace)?;
        let tap = match (open_tap(), guest) {
            (Err(NetError::Tap(error)), Some((guest, _))) => return Err(not_for_us(guest, error)),
            (tap, _) => tap?,
        };
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, None).map_err(NetError::system("opening a socket"))?;
        let set_up = || -> io::Result<()> {
            let device = Device::named(TAP);
            device.set_mac(socket.as_fd(), mac(number))?;
            device.set_mtu(socket.as_fd(), (largest as u32).saturating_sub(crate::frame::ETHERNET_BYTES as u32))?;
            // Without IPv6 nobody asks for routers or neighbours.
            set(
                if guest.is_some() { "net/ipv6/conf/ring0/disable_ipv6" } else { "net/ipv6/conf/all/disable_ipv6" },
                "1",
            )?;
            device.set_address(socket.as_fd(), address(number), MASK)?;
            device.set_up(socket.as_fd())?;
            for other in (0..layout.stations.len() as u16).filter(|other| *other != number) {
                device.set_neighbour(socket.as_fd(), address(other), mac(other))?;
            }
            if guest.is_some() {
                return Ok(());
            }
            Device::named(c"lo").set_up(socket.as_fd())?;
            // Asked for on the way out, and granted on the way in; or not at all.
            set("net/ipv4/tcp_ecn", if ecn { "1" } else { "0" })?;
            // What one connection learned is not handed on to the next.
            set("net/ipv4/tcp_no_metrics_save", "1")
        };
        set_up().map_err(NetError::system("setting up a station's device"))?;
        Ok(Self { namespace, tap, is_guest: guest.is_some() })
    }

    /// The calling thread goes there.
    pub fn go(&self) -> Result<(), NetError> {
        go_to(&self.namespace).map_err(NetError::NetworkNamespace)
    }

    /// Its namespace, as this process has it open.
    pub fn descriptor(&self) -> i32 {
        self.namespace.as_raw_fd()
    }

    /// Whether its namespace was there before.
    pub fn is_guest(&self) -> bool {
        self.is_guest
    }

    /// Device and inode of its namespace, by which processes in it are known.
    pub fn network(&self) -> io::Result<[u64; 2]> {
        self.namespace.metadata().map(|found| [found.dev(), found.ino()])
    }

    /// Takes a frame that the station's kernel sends: its length, none if there is none.
    pub fn read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match (&self.tap).read(buffer) {
            Ok(length) => Ok(Some(length)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Hands a frame to the station's kernel: whether it took it.
    pub fn write(&self, frame: &[u8]) -> bool {
        matches!((&self.tap).write(frame), Ok(length) if length == frame.len())
    }

    /// What is readable when a frame has come.
    pub fn tap(&self) -> BorrowedFd<'_> {
        self.tap.as_fd()
    }

    /// What its kernel has counted so far. The calling thread is in its namespace afterwards.
    pub fn counted(&self) -> Result<Counted, NetError> {
        self.go()?;
        let read = |name: &str| {
            fs::read_to_string(format!("/proc/thread-self/net/{name}")).map_err(NetError::system("reading counters"))
        };
        let tables = read("snmp")? + &read("netstat")?;
        Ok(Counted { lost: lost(&read("dev")?), checksum_errors: checksum_errors(&tables) })
    }
}

/// What a station's kernel counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Frames that it sent and that found the TAP full.
    pub lost: u64,
    /// Packets whose checksums were wrong: IP's, UDP's, TCP's and ICMP's.
    pub checksum_errors: u64,
}

impl Counted {
    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self { lost: self.lost + other.lost, checksum_errors: self.checksum_errors + other.checksum_errors }
    }
}

/// From the table of devices: name, 8 counts of what was received, then bytes, packets, errors and drops of what was sent.
fn lost(devices: &str) -> u64 {
    let of_tap = devices.lines().find_map(|line| line.trim_start().strip_prefix("ring0:"));
    of_tap.and_then(|counts| counts.split_whitespace().nth(11)?.parse().ok()).unwrap_or(0)
}

/// From tables of which each protocol has two lines, names and counts.
fn checksum_errors(tables: &str) -> u64 {
    let lines: Vec<&str> = tables.lines().collect();
    let of_protocol = |pair: &[&str]| {
        let [names, counts] = pair else { return None };
        let place = names.split_whitespace().position(|name| name == "InCsumErrors")?;
        counts.split_whitespace().nth(place)?.parse::<u64>().ok()
    };
    lines.chunks(2).filter_map(of_protocol).sum()
}

/// Opens the TAP device of the present network namespace.
pub fn open_tap() -> Result<File, NetError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(OFlag::O_NONBLOCK.bits());
    let tap = options.open("/dev/net/tun").map_err(NetError::Tap)?;
    Device::named(TAP).attach_tap(tap.as_fd()).map_err(NetError::Tap)?;
    Ok(tap)
}

/// Sets a sysctl of the present network namespace; one that the kernel does not have need not be set.
fn set(name: &str, value: &str) -> io::Result<()> {
    match fs::write(format!("/proc/sys/{name}"), value) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        answer => answer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_tables_are_read() {
        let tables = "Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors\n\
                      Udp: 5 0 2 5 0 0 2\n\
                      IpExt: InNoRoutes InCsumErrors\n\
                      IpExt: 9 40\n";
        assert_eq!(checksum_errors(tables), 42);
        assert_eq!(checksum_errors("Udp: InCsumErrors\n"), 0);
        let devices = "Inter-| Receive | Transmit\n  ring0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n";
        assert_eq!((lost(devices), lost("lo: 1")), (12, 0));
    }
}
