//! A place of the process's own, where it may make networks.

use super::sys;
use crate::error::NetError;
use nix::sched::{CloneFlags, setns, unshare};
use nix::unistd::{getegid, geteuid};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;

/// The network namespace that the process was in, or got, before it made stations.
#[derive(Debug)]
pub struct Home {
    namespace: File,
}

/// Enters a user namespace of the process's own. If it is to have `priority`, root goes without one; anybody else needs
/// CAP_SYS_NICE, which counts for nothing inside.
///
/// To be called first thing: a process with more than one thread cannot.
///
/// # Errors
/// [`NetError`] with who forbids it, as far as that can be told.
pub fn enter(priority: bool) -> Result<Home, NetError> {
    let (user, group) = (geteuid(), getegid());
    if !(priority && user.is_root()) {
        let threads = fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
        if threads > 1 {
            return Err(NetError::Threads(threads));
        }
        if priority {
            sys::go_first().map_err(NetError::Priority)?;
        }
        unshare(CloneFlags::CLONE_NEWUSER).map_err(|error| NetError::UserNamespace(error.into()))?;
        fs::write("/proc/self/setgroups", "deny").map_err(NetError::UserNamespace)?;
        fs::write("/proc/self/uid_map", format!("0 {user} 1")).map_err(NetError::UserNamespace)?;
        fs::write("/proc/self/gid_map", format!("0 {group} 1")).map_err(NetError::UserNamespace)?;
    }
    new_network()?;
    Ok(Home { namespace: present_network().map_err(NetError::NetworkNamespace)? })
}

impl Home {
    /// The same once more.
    pub fn again(&self) -> Result<Self, NetError> {
        Ok(Self { namespace: self.namespace.try_clone().map_err(NetError::NetworkNamespace)? })
    }

    /// Goes back there.
    pub fn go(&self) -> Result<(), NetError> {
        go_to(&self.namespace).map_err(NetError::NetworkNamespace)
    }
}

/// The calling thread gets an empty network of its own.
pub fn new_network() -> Result<(), NetError> {
    unshare(CloneFlags::CLONE_NEWNET).map_err(|error| NetError::NetworkNamespace(error.into()))
}

/// The network namespace that the calling thread is in.
pub fn present_network() -> io::Result<File> {
    File::open("/proc/thread-self/ns/net")
}

/// The calling thread goes to another network namespace.
pub fn go_to(namespace: &File) -> io::Result<()> {
    Ok(setns(namespace.as_fd(), CloneFlags::CLONE_NEWNET)?)
}
