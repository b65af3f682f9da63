//! What keeps a real run from being done.

use fairwire_plan::PlanError;
use fairwire_sim::BringError;
use std::io;

/// Why a real run cannot be done. [`NetError::help`] says how to mend it.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// Namespaces and TAP devices are Linux's.
    #[error("real packets need Linux: this system has no network namespaces")]
    Unsupported,
    /// A user namespace can only be entered by a process with one thread.
    #[error("this process has {0} threads, and only a process with one can enter a user namespace of its own")]
    Threads(usize),
    /// The kernel, or whoever guards it, does not let us have a user namespace.
    #[error("the system gives this process no user namespace: {0}")]
    UserNamespace(io::Error),
    /// No network namespace.
    #[error("the system gives this process no network namespace: {0}")]
    NetworkNamespace(io::Error),
    /// No TAP device.
    #[error("the TAP device /dev/net/tun cannot be used: {0}")]
    Tap(io::Error),
    /// Real-time priority was asked for and refused.
    #[error("the system gives this process no real-time priority: {0}")]
    Priority(io::Error),
    /// A namespace that is to be a station cannot be used.
    #[error("the network namespace {0} cannot be a station: {1}")]
    Guest(String, io::Error),
    /// Namespaces of different owners.
    #[error("the network namespaces {0} and {1} belong to different user namespaces, and a process can be in one only")]
    GuestsApart(String, String),
    /// No such station.
    #[error("there is no station {0} with traffic to be the network namespace {1}: they are {2}")]
    NoStation(u32, String, String),
    /// More ends than a real run has room for.
    #[error("the scenario has {0} stations or hosts with traffic; a real run has at most {most}", most = crate::MOST_STATIONS)]
    Stations(usize),
    /// More flows than there are ports.
    #[error("the scenario has {0} flows; a real run has at most {most}", most = crate::MOST_FLOWS)]
    Flows(usize),
    /// Nobody knows a congestion control of this name.
    #[error("the kernel has no TCP called {0}: {1}")]
    Control(&'static str, io::Error),
    /// A packet that the simulation does not take.
    #[error("a packet cannot be carried: {0}")]
    Bring(#[from] BringError),
    /// A plan that is not run.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Arrivals cannot be written down.
    #[error("the arrivals cannot be written down: {0}")]
    Journal(io::Error),
    /// The capture cannot be written.
    #[error("the capture cannot be written: {0}")]
    Capture(io::Error),
    /// A program that is to run in a station cannot be started.
    #[error("`{0}` cannot be started: {1}")]
    Program(String, io::Error),
    /// Something else that the system said.
    #[error("{0}: {1}")]
    System(&'static str, io::Error),
}

impl NetError {
    /// How to mend it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Unsupported => "leave out `--real` to simulate",
            Self::Threads(_) => "start the command by itself",
            Self::UserNamespace(_) => {
                "`fairwire doctor` says who shut them: AppArmor (`sysctl kernel.apparmor_restrict_unprivileged_userns=0`), \
                 `sysctl user.max_user_namespaces`, `sysctl kernel.unprivileged_userns_clone=1`, or a container's seccomp \
                 profile; root needs none with `--priority`"
            }
            Self::NetworkNamespace(error) if error.kind() == io::ErrorKind::StorageFull => {
                "there are as many as allowed: `sysctl -w user.max_net_namespaces=10000`"
            }
            Self::NetworkNamespace(_) => {
                "`fairwire doctor` says who forbids it: AppArmor (`sysctl kernel.apparmor_restrict_unprivileged_userns=0`), or a \
                 container's seccomp profile or missing capabilities"
            }
            Self::Tap(error) => Self::tap_help(error),
            Self::Priority(_) => "run it as root or with CAP_SYS_NICE, or leave out `--priority`",
            Self::Guest(_, error) if error.kind() == io::ErrorKind::NotFound => {
                "name it as `ip netns list` does, or by the number of a process that is in it, or by a path"
            }
            Self::Guest(_, error) if error.kind() == io::ErrorKind::ResourceBusy => {
                "it has a device called `ring0` already: take down what made it"
            }
            Self::Guest(..) => "run it as root, or as the user whose user namespace owns it",
            Self::GuestsApart(..) => "run it as root",
            Self::NoStation(..) => "name one of these in `--station`",
            Self::Stations(_) | Self::Flows(_) => "leave out `--real`, or make the scenario smaller",
            Self::Control(..) => "`modprobe tcp_bbr` may help, or another `--tcp`",
            Self::Bring(_) | Self::Plan(_) => "this is a mistake of the program; please report it with the scenario",
            Self::Journal(_) => {
                "make room where temporary files are, name another place for them (`TMPDIR`), or keep no folder with \
                 `--no-folder`"
            }
            Self::Capture(_) => {
                "make room where temporary files are, name another place for them (`TMPDIR`), or capture fewer links"
            }
            Self::Program(..) => "install it, or give its path; stations have the programs of this machine",
            Self::System(..) => "`fairwire doctor` tells what this system lacks",
        }
    }

    /// The same of the TAP device.
    pub(crate) fn tap_help(error: &io::Error) -> &'static str {
        match error.kind() {
            io::ErrorKind::PermissionDenied => {
                "`chmod 0666 /dev/net/tun` as root, which is what most systems set it to: who opens it gets no more than a \
                 device in a namespace of their own"
            }
            _ => {
                "`modprobe tun`, or give the container the device (`--device /dev/net/tun`); it has to be readable and writable"
            }
        }
    }

    pub(crate) fn system(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::System(doing, error)
    }
}
