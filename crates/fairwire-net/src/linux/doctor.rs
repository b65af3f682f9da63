//! What real runs need, and what of it this system has.

use super::home::enter;
use super::station::open_tap;
use crate::error::NetError;
use crate::options::Finding;
use fairwire_laws::transport::KernelControl;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, geteuid};
use std::fs::{self, OpenOptions};
use std::io;
use std::process::{Command, Stdio};

/// Looks for all that real runs need. Nothing is left behind.
pub fn findings() -> Vec<Finding> {
    vec![tap(), user_namespaces(), tcp(), priority(), htb()]
}

/// Opened, and made a device in a network of its own if there can be one: whatever else stands at that place can be opened, too.
fn tap() -> Finding {
    let opened = OpenOptions::new().read(true).write(true).open("/dev/net/tun");
    let tried = opened.and_then(|_| in_a_child(make_a_tap));
    let (found, mend) = match &tried {
        Ok(()) => ("/dev/net/tun makes TAP devices".to_owned(), ""),
        Err(error) => (error.to_string(), NetError::tap_help(error)),
    };
    finding("TAP device", "run --real", tried.is_ok(), found, mend)
}

/// Where there can be no network, that is told by itself.
fn make_a_tap() -> io::Result<()> {
    match enter(geteuid().is_root(), &[]) {
        Ok(_) => open_tap().map(drop).map_err(system_error),
        Err(_) => Ok(()),
    }
}

/// Tried in a process of its own, as this one may have more threads than one.
fn user_namespaces() -> Finding {
    let tried = in_a_child(|| enter(false, &[]).map(drop).map_err(system_error));
    let who = who_forbids();
    let (found, mend) = match (&tried, &who) {
        (Ok(()), _) => ("this user may have a user namespace and networks in it".to_owned(), ""),
        (Err(error), Some((who, mend))) => (format!("refused, {error}: {who}"), *mend),
        (Err(error), None) => (
            format!("refused, {error}"),
            "whatever confines this process (a chroot, a security module, a container) has to allow unshare",
        ),
    };
    let mend = if geteuid().is_root() { format!("{mend}; root needs none with `--priority`") } else { mend.to_owned() };
    finding("user namespaces", "run --real without root", tried.is_ok(), found, &mend)
}

/// Settings that shut namespaces at a value, and their mends.
const SHUT: [(&str, &str, &str); 4] = [
    ("user/max_user_namespaces", "0", "`sysctl -w user.max_user_namespaces=10000`"),
    ("user/max_net_namespaces", "0", "`sysctl -w user.max_net_namespaces=10000`"),
    ("kernel/unprivileged_userns_clone", "0", "`sysctl -w kernel.unprivileged_userns_clone=1`"),
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "`sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`, or an AppArmor profile that gives fairwire `userns`",
    ),
];

/// Who shuts user namespaces, as far as that can be seen, and the mend.
fn who_forbids() -> Option<(String, &'static str)> {
    let is_shut = |(name, value, _): &&(&str, &str, &str)| {
        fs::read_to_string(format!("/proc/sys/{name}")).is_ok_and(|found| found.trim() == *value)
    };
    let told =
        |(name, value, mend): &(&str, &str, &'static str)| (format!("{} is {value}", name.replace('/', ".")), *mend);
    SHUT.iter().find(is_shut).map(told).or_else(|| {
        let is_filtered = fs::read_to_string("/proc/self/status").is_ok_and(|status| is_filtered(&status));
        let mend = "start the container with a seccomp profile that allows unshare and setns \
                    (`--security-opt seccomp=PROFILE`, or `unconfined`)";
        is_filtered.then(|| ("a seccomp filter is at work".to_owned(), mend))
    })
}

/// Whether a process with this `/proc/PID/status` may not call what it likes.
fn is_filtered(status: &str) -> bool {
    status.lines().any(|line| line.strip_prefix("Seccomp:").is_some_and(|mode| mode.trim() == "2"))
}

fn tcp() -> Finding {
    let all = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap_or_default();
    let names: Vec<&str> = all.split_whitespace().collect();
    let missing: Vec<&str> =
        KernelControl::ALL.map(KernelControl::name).into_iter().filter(|name| !names.contains(name)).collect();
    let found = if missing.is_empty() { names.join(", ") } else { format!("no {}", missing.join(", no ")) };
    finding(
        "TCP",
        "--tcp reno, cubic, bbr",
        missing.is_empty(),
        found,
        "`modprobe tcp_bbr`; a run that does not use it is fine without",
    )
}

fn priority() -> Finding {
    let can = in_a_child(super::sys::go_first).is_ok();
    let found = if can { "may go before all others" } else { "refused" };
    let found = if geteuid().is_root() { format!("root, {found}") } else { found.to_owned() };
    finding(
        "real-time priority",
        "--priority",
        can,
        found,
        "run it as root, or with CAP_SYS_NICE; runs without are fine",
    )
}

/// Limits set on the loopback device of a network of its own.
fn htb() -> Finding {
    const WITHOUT_TC: i32 = UNKNOWN - 1;
    const REFUSED: i32 = UNKNOWN - 2;
    let tried = in_a_child(|| {
        enter(geteuid().is_root(), &[]).map_err(system_error)?;
        let set = "qdisc add dev lo root handle 1: htb default 2".split(' ');
        let tc = Command::new("tc").args(set).stderr(Stdio::null()).status();
        let code = tc.map_or(WITHOUT_TC, |status| if status.success() { 0 } else { REFUSED });
        std::process::exit(code)
    });
    let (found, mend) = match tried.as_ref().err().and_then(io::Error::raw_os_error) {
        None if tried.is_ok() => ("`tc` sets limits in HTB".to_owned(), ""),
        Some(WITHOUT_TC) => ("no `tc`".to_owned(), "install iproute2"),
        Some(REFUSED) => ("the kernel has no HTB".to_owned(), "`modprobe sch_htb cls_u32`"),
        _ => (
            "not tried: there is no network to try it in".to_owned(),
            "try `fairwire enforce --dry-run`, and its lines with `tc -batch`",
        ),
    };
    finding("HTB", "enforce, limits of export tc", tried.is_ok(), found, mend)
}

fn finding(what: &'static str, needed_for: &'static str, ok: bool, found: String, mend: &str) -> Finding {
    Finding { what, needed_for, ok, found, mend: (!ok).then(|| mend.to_owned()) }
}

/// What comes of trying something in a child process, which may do to itself what it likes.
fn in_a_child(attempt: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    match super::sys::fork()? {
        ForkResult::Child => {
            let code = attempt().err().map_or(0, |error| error.raw_os_error().unwrap_or(UNKNOWN));
            std::process::exit(code.clamp(0, UNKNOWN))
        }
        ForkResult::Parent { child } => match waitpid(child, None)? {
            WaitStatus::Exited(_, 0) => Ok(()),
            WaitStatus::Exited(_, code) if code != UNKNOWN => Err(io::Error::from_raw_os_error(code)),
            // A filter may end whoever asks.
            ended => Err(io::Error::other(format!("the attempt ended so: {ended:?}"))),
        },
    }
}

/// No error of the system has this number; an exit code has no higher one.
const UNKNOWN: i32 = 255;

/// What the system said.
fn system_error(error: NetError) -> io::Error {
    match error {
        NetError::UserNamespace(error) | NetError::NetworkNamespace(error) | NetError::Tap(error) => error,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_seen() {
        let status = |mode| format!("Name:\tfairwire\nSeccomp:\t{mode}\nSeccomp_filters:\t2\n");
        assert_eq!([0, 1, 2].map(|mode| is_filtered(&status(mode))), [false, false, true]);
    }
}
