//! What the kernel wants done by hand: the only `unsafe` code of the workspace's Rust, each piece with its reason.
#![allow(unsafe_code)]

use nix::libc;
use std::ffi::CStr;
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// A network device as ioctls know it.
#[derive(Clone, Copy)]
pub struct Device(libc::ifreq);

// SAFETY of all requests: the kernel reads, and for some writes, the structure that its number speaks of, and those that it
// is given are of that type.
nix::ioctl_write_ptr_bad!(tun_set_iff, nix::request_code_write!(b'T', 202, size_of::<libc::c_int>()), libc::ifreq);
nix::ioctl_write_ptr_bad!(set_hwaddr, libc::SIOCSIFHWADDR, libc::ifreq);
nix::ioctl_write_ptr_bad!(set_mtu, libc::SIOCSIFMTU, libc::ifreq);
nix::ioctl_write_ptr_bad!(set_addr, libc::SIOCSIFADDR, libc::ifreq);
nix::ioctl_write_ptr_bad!(set_netmask, libc::SIOCSIFNETMASK, libc::ifreq);
nix::ioctl_write_ptr_bad!(set_flags, libc::SIOCSIFFLAGS, libc::ifreq);
nix::ioctl_write_ptr_bad!(set_arp, libc::SIOCSARP, libc::arpreq);

impl Device {
    /// The device called so; the name is cut at 15 bytes.
    pub fn named(name: &CStr) -> Self {
        // SAFETY: all-zero bytes are a valid `ifreq`, which is made of integers and arrays of such.
        let mut request: libc::ifreq = unsafe { zeroed() };
        let bytes = name.to_bytes().iter().take(libc::IFNAMSIZ - 1);
        request.ifr_name.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte as libc::c_char);
        Self(request)
    }

    /// Makes `file`, an open `/dev/net/tun`, the other end of this TAP device, which it brings into being.
    pub fn attach_tap(mut self, file: BorrowedFd<'_>) -> io::Result<()> {
        self.0.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as libc::c_short;
        // SAFETY: see the requests; TUNSETIFF takes an `ifreq` whatever size its number bears.
        unsafe { tun_set_iff(file.as_raw_fd(), &self.0) }?;
        Ok(())
    }

    pub fn set_mac(mut self, socket: BorrowedFd<'_>, mac: [u8; 6]) -> io::Result<()> {
        self.0.ifr_ifru.ifru_hwaddr = hardware_address(mac);
        // SAFETY: see the requests.
        unsafe { set_hwaddr(socket.as_raw_fd(), &self.0) }?;
        Ok(())
    }

    pub fn set_mtu(mut self, socket: BorrowedFd<'_>, bytes: u32) -> io::Result<()> {
        self.0.ifr_ifru.ifru_mtu = bytes as libc::c_int;
        // SAFETY: see the requests.
        unsafe { set_mtu(socket.as_raw_fd(), &self.0) }?;
        Ok(())
    }

    pub fn set_address(mut self, socket: BorrowedFd<'_>, address: u32, mask: u32) -> io::Result<()> {
        self.0.ifr_ifru.ifru_addr = inet_address(address);
        // SAFETY: see the requests.
        unsafe { set_addr(socket.as_raw_fd(), &self.0) }?;
        self.0.ifr_ifru.ifru_netmask = inet_address(mask);
        // SAFETY: see the requests.
        unsafe { set_netmask(socket.as_raw_fd(), &self.0) }?;
        Ok(())
    }

    pub fn set_up(mut self, socket: BorrowedFd<'_>) -> io::Result<()> {
        self.0.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        // SAFETY: see the requests.
        unsafe { set_flags(socket.as_raw_fd(), &self.0) }?;
        Ok(())
    }

    /// From now on this device has a neighbour of that address, and need not ask for it.
    pub fn set_neighbour(&self, socket: BorrowedFd<'_>, address: u32, mac: [u8; 6]) -> io::Result<()> {
        // SAFETY: all-zero bytes are a valid `arpreq`, which is made of integers and arrays of such.
        let mut request: libc::arpreq = unsafe { zeroed() };
        request.arp_pa = inet_address(address);
        request.arp_ha = hardware_address(mac);
        request.arp_flags = libc::ATF_PERM | libc::ATF_COM;
        request.arp_dev = self.0.ifr_name;
        // SAFETY: see the requests.
        unsafe { set_arp(socket.as_raw_fd(), &request) }?;
        Ok(())
    }
}

fn hardware_address(mac: [u8; 6]) -> libc::sockaddr {
    // SAFETY: all-zero bytes are a valid `sockaddr`.
    let mut address: libc::sockaddr = unsafe { zeroed() };
    address.sa_family = libc::ARPHRD_ETHER;
    address.sa_data.iter_mut().zip(mac).for_each(|(place, byte)| *place = byte as libc::c_char);
    address
}

/// An IPv4 address where the kernel expects any: two bytes of port, then four of address.
fn inet_address(address: u32) -> libc::sockaddr {
    // SAFETY: all-zero bytes are a valid `sockaddr`.
    let mut all: libc::sockaddr = unsafe { zeroed() };
    all.sa_family = libc::AF_INET as libc::sa_family_t;
    all.sa_data[2..].iter_mut().zip(address.to_be_bytes()).for_each(|(place, byte)| *place = byte as libc::c_char);
    all
}

// SAFETY: the kernel takes no argument, and answers a new descriptor.
nix::ioctl_none_bad!(get_owner, nix::request_code_none!(0xB7, 1));

/// The user namespace that owns a network namespace.
pub fn owner_of(network: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    // SAFETY: see the request (NS_GET_USERNS, ioctl_ns(2)).
    let owner = unsafe { get_owner(network.as_raw_fd()) }?;
    // SAFETY: the descriptor is new, and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(owner) })
}

/// The calling thread goes before all others; threads that it begins do not.
pub fn go_first() -> io::Result<()> {
    // SAFETY: all-zero bytes are a valid `sched_param`; under musl it has fields that are not used.
    let mut param: libc::sched_param = unsafe { zeroed() };
    param.sched_priority = 1;
    // SAFETY: the kernel reads one `sched_param`, which lives until it answers.
    match unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, &param) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Sets an integer option of TCP.
pub fn set_tcp_option(socket: BorrowedFd<'_>, option: libc::c_int, value: libc::c_int) -> io::Result<()> {
    let size = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: the kernel reads `size` bytes of `value`, which lives until it answers.
    let answer = unsafe {
        libc::setsockopt(socket.as_raw_fd(), libc::IPPROTO_TCP, option, (&raw const value).cast::<libc::c_void>(), size)
    };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Segments that this connection sent again.
pub fn retransmitted(socket: BorrowedFd<'_>) -> u32 {
    // SAFETY: all-zero bytes are a valid `tcp_info`, which is made of integers.
    let mut info: libc::tcp_info = unsafe { zeroed() };
    let mut size = size_of::<libc::tcp_info>() as libc::socklen_t;
    let place = (&raw mut info).cast::<libc::c_void>();
    // SAFETY: the kernel writes at most `size` bytes to `info`, whose size that is.
    let answer = unsafe { libc::getsockopt(socket.as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_INFO, place, &mut size) };
    if answer == 0 { info.tcpi_total_retrans } else { 0 }
}

/// Processor time of this process so far, in seconds.
pub fn processor_time() -> f64 {
    // SAFETY: all-zero bytes are a valid `rusage`, and the kernel writes one.
    let usage = unsafe {
        let mut usage: libc::rusage = zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Makes a child that is a copy of this process.
pub fn fork() -> nix::Result<nix::unistd::ForkResult> {
    // SAFETY: only called by processes with one thread (`fairwire doctor`, and `up` first thing), so that no lock is held by a thread that the
    // child does not have.
    unsafe { nix::unistd::fork() }
}
