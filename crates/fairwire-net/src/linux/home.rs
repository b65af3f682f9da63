//! A place of the process's own, where it may make networks.

use super::sys;
use crate::error::NetError;
use crate::options::Guest;
use nix::sched::{CloneFlags, setns, unshare};
use nix::sys::stat::fstat;
use nix::unistd::{getegid, geteuid};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// The network namespace that the process was in, or got, before it made stations.
#[derive(Debug)]
pub struct Home {
    namespace: File,
    /// Namespaces that are to be stations.
    pub(super) guests: Vec<(Guest, File)>,
}

/// Enters a user namespace of the process's own. If it is to have `priority`, root goes without one; anybody else needs
/// CAP_SYS_NICE, which counts for nothing inside. With `guests` it enters the user namespace that these belong to; root goes
/// without one.
///
/// To be called first thing: a process with more than one thread cannot.
///
/// # Errors
/// [`NetError`] with who forbids it, as far as that can be told.
pub fn enter(priority: bool, guests: &[Guest]) -> Result<Home, NetError> {
    let guests = guests.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let is_root = geteuid().is_root();
    match owner(&guests)? {
        None if priority && is_root => {}
        None => {
            check_threads()?;
            if priority {
                sys::go_first().map_err(NetError::Priority)?;
            }
            enter_new_user()?;
        }
        // What the process's own user namespace owns needs no other.
        Some(owner) if same(&owner, "/proc/self/ns/user").unwrap_or(false) => {}
        Some(owner) => {
            check_threads()?;
            setns(owner, CloneFlags::CLONE_NEWUSER).map_err(|error| NetError::UserNamespace(error.into()))?;
        }
    }
    new_network()?;
    let guests = guests.into_iter().map(|(guest, file, _)| (guest, file)).collect();
    Ok(Home { namespace: present_network().map_err(NetError::NetworkNamespace)?, guests })
}

type Opened = (Guest, File, OwnedFd);

fn open(guest: &Guest) -> Result<Opened, NetError> {
    let open = || -> io::Result<_> {
        let file = File::open(&guest.path)?;
        let owner = sys::owner_of(file.as_fd())?;
        Ok((guest.clone(), file, owner))
    };
    open().map_err(|error| NetError::Guest(guest.name.clone(), error))
}

/// The user namespace that owns all guests.
fn owner(guests: &[Opened]) -> Result<Option<OwnedFd>, NetError> {
    let Some((first, _, owner)) = guests.first() else { return Ok(None) };
    let number = |owner: &OwnedFd| fstat(owner).map(|stat| (stat.st_dev, stat.st_ino)).ok();
    if let Some((other, ..)) = guests.iter().find(|(.., other)| number(other) != number(owner)) {
        return Err(NetError::GuestsApart(first.name.clone(), other.name.clone()));
    }
    owner.try_clone().map(Some).map_err(NetError::UserNamespace)
}

fn same(owner: &OwnedFd, path: &str) -> io::Result<bool> {
    let (one, other) = (fstat(owner)?, fstat(File::open(path)?)?);
    Ok((one.st_dev, one.st_ino) == (other.st_dev, other.st_ino))
}

fn check_threads() -> Result<(), NetError> {
    let threads = fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    if threads > 1 { Err(NetError::Threads(threads)) } else { Ok(()) }
}

fn enter_new_user() -> Result<(), NetError> {
    let (user, group) = (geteuid(), getegid());
    unshare(CloneFlags::CLONE_NEWUSER).map_err(|error| NetError::UserNamespace(error.into()))?;
    fs::write("/proc/self/setgroups", "deny").map_err(NetError::UserNamespace)?;
    fs::write("/proc/self/uid_map", format!("0 {user} 1")).map_err(NetError::UserNamespace)?;
    fs::write("/proc/self/gid_map", format!("0 {group} 1")).map_err(NetError::UserNamespace)
}

impl Home {
    /// The same place once more.
    pub fn again(&self) -> Result<Self, NetError> {
        let namespace = self.namespace.try_clone().map_err(NetError::NetworkNamespace)?;
        Ok(Self { namespace, guests: Vec::new() })
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
