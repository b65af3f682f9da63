//! A station: a network namespace with one TAP device, whose other end is ours.

use super::home::{go_to, new_network, present_network};
use super::sys::Device;
use crate::error::NetError;
use crate::layout::{Layout, address, mac};
use nix::fcntl::OFlag;
use socket2::{Domain, Socket, Type};
use std::ffi::CStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

/// The device's name in every station.
const TAP: &CStr = c"ring0";
/// 10.77.0.0/16.
const MASK: u32 = 0xFFFF_0000;

/// A station, with its kernel on one side of the TAP and us on the other.
#[derive(Debug)]
pub struct Station {
    namespace: File,
    tap: File,
}

impl Station {
    /// Makes the station of this number among those of `layout`, which can receive frames of up to `largest` bytes. The calling
    /// thread is in its namespace afterwards.
    pub fn make(number: u16, layout: &Layout, largest: u64, ecn: bool) -> Result<Self, NetError> {
        new_network()?;
        let namespace = present_network().map_err(NetError::NetworkNamespace)?;
        let tap = open_tap()?;
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, None).map_err(NetError::system("opening a socket"))?;
        let set_up = || -> io::Result<()> {
            let device = Device::named(TAP);
            device.set_mac(socket.as_fd(), mac(number))?;
            device.set_mtu(socket.as_fd(), (largest as u32).saturating_sub(crate::frame::ETHERNET_BYTES as u32))?;
            // Without IPv6 nobody asks for routers or neighbours.
            set("net/ipv6/conf/all/disable_ipv6", "1")?;
            device.set_address(socket.as_fd(), address(number), MASK)?;
            device.set_up(socket.as_fd())?;
            Device::named(c"lo").set_up(socket.as_fd())?;
            for other in (0..layout.stations.len() as u16).filter(|other| *other != number) {
                device.set_neighbour(socket.as_fd(), address(other), mac(other))?;
            }
            // Asked for on the way out, and granted on the way in; or not at all.
            set("net/ipv4/tcp_ecn", if ecn { "1" } else { "0" })?;
            // What one connection learned is not handed on to the next.
            set("net/ipv4/tcp_no_metrics_save", "1")
        };
        set_up().map_err(NetError::system("setting up a station's device"))?;
        Ok(Self { namespace, tap })
    }

    /// The calling thread goes there.
    pub fn go(&self) -> Result<(), NetError> {
        go_to(&self.namespace).map_err(NetError::NetworkNamespace)
    }

    /// Its namespace, as this process has it open.
    pub fn descriptor(&self) -> i32 {
        self.namespace.as_raw_fd()
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

    /// Frames that the kernel sent and that found the TAP full, since the station was made. The calling thread is in its
    /// namespace afterwards.
    pub fn lost(&self) -> Result<u64, NetError> {
        self.go()?;
        let devices = fs::read_to_string("/proc/thread-self/net/dev").map_err(NetError::system("reading counters"))?;
        // name: 8 counts of what was received, then bytes, packets, errors and drops of what was sent.
        let of_tap = devices.lines().find_map(|line| line.trim_start().strip_prefix("ring0:"));
        Ok(of_tap.and_then(|counts| counts.split_whitespace().nth(11)?.parse().ok()).unwrap_or(0))
    }
}

/// Opens the TAP device of the present network namespace.
fn open_tap() -> Result<File, NetError> {
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
