//! What real runs need, and what of it this system has.

use super::home::enter;
use crate::options::{Finding, RealTcp};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, geteuid};
use std::fs::{self, OpenOptions};
use std::io;

/// Looks for all that real runs need. Nothing is left behind.
pub fn findings() -> Vec<Finding> {
    vec![tap(), user_namespaces(), tcp(), priority()]
}

fn tap() -> Finding {
    let opened = OpenOptions::new().read(true).write(true).open("/dev/net/tun");
    let found = opened.as_ref().map_or_else(ToString::to_string, |_| "/dev/net/tun can be read and written".to_owned());
    let mend = match opened.as_ref().map_err(io::Error::kind) {
        Err(io::ErrorKind::PermissionDenied) => {
            "`chmod 0666 /dev/net/tun` as root, which is what most systems set it to"
        }
        _ => "`modprobe tun`; in a container, hand it the device: `--device /dev/net/tun`",
    };
    finding("TAP device", "run --real", opened.is_ok(), found, mend)
}

/// Tried in a process of its own, as this one may have more threads than one.
fn user_namespaces() -> Finding {
    let tried = in_a_child(|| enter(false, &[]).is_ok());
    let found = match tried {
        Some(true) => "this user may have a user namespace and networks in it".to_owned(),
        _ => format!("refused{}", who_forbids().map_or_else(String::new, |who| format!(": {who}"))),
    };
    let mend = match who_forbids() {
        Some(who) if who.contains("apparmor") => {
            "`sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`, or a profile for fairwire"
        }
        Some(who) if who.contains("unprivileged_userns_clone") => "`sysctl -w kernel.unprivileged_userns_clone=1`",
        Some(who) if who.contains("max_user_namespaces") => "`sysctl -w user.max_user_namespaces=10000`",
        _ => "in a container, a seccomp profile that allows unshare; or run it as root with `--priority`",
    };
    finding("user namespaces", "run --real without root", tried == Some(true), found, mend)
}

/// A sysctl that shuts user namespaces, if one does.
fn who_forbids() -> Option<String> {
    let shut = [
        ("kernel/apparmor_restrict_unprivileged_userns", "1"),
        ("kernel/unprivileged_userns_clone", "0"),
        ("user/max_user_namespaces", "0"),
    ];
    let is_shut = |(name, value): &&(&str, &str)| {
        fs::read_to_string(format!("/proc/sys/{name}")).is_ok_and(|found| found.trim() == *value)
    };
    shut.iter().find(is_shut).map(|(name, value)| format!("{} is {value}", name.replace('/', ".")))
}

fn tcp() -> Finding {
    let all = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap_or_default();
    let names: Vec<&str> = all.split_whitespace().collect();
    let missing: Vec<&str> = RealTcp::ALL.map(RealTcp::name).into_iter().filter(|name| !names.contains(name)).collect();
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
    let can = in_a_child(|| super::sys::go_first().is_ok()) == Some(true);
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

fn finding(what: &'static str, needed_for: &'static str, ok: bool, found: String, mend: &str) -> Finding {
    Finding { what, needed_for, ok, found, mend: (!ok).then(|| mend.to_owned()) }
}

/// What `question` answers in a child process, which may do to itself what it likes.
fn in_a_child(question: impl FnOnce() -> bool) -> Option<bool> {
    match super::sys::fork().ok()? {
        ForkResult::Child => std::process::exit(i32::from(!question())),
        ForkResult::Parent { child } => match waitpid(child, None) {
            Ok(WaitStatus::Exited(_, code)) => Some(code == 0),
            _ => None,
        },
    }
}
