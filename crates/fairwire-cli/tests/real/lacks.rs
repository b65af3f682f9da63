//! What real packets need and a system lacks: told with its mend, by the run that fails and by the doctor.

use crate::common::answer_keys::{as_told, told_of};
use crate::common::desk::{Desk, LOT, possible};
use crate::common::skip::skip;
use serde_json::Value;
use std::fs;
use std::process::Command;

#[test]
fn the_doctor_tells_what_the_reference_says() {
    let output = Command::new(env!("CARGO_BIN_EXE_fairwire")).args(["doctor", "--json"]).output();
    let output = output.expect("the command starts");
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(i32::from(found["ready"] != true)));
    assert_eq!(as_told(&found, "-", &[]), told_of("fairwire doctor"));
    for finding in found["findings"].as_array().unwrap() {
        assert_eq!(finding["mend"].is_null(), finding["ok"] == true, "whatever is missing has its mend: {finding}");
    }
}

/// What the command says in a shell inside namespaces of its own, where more can be broken, stdout and stderr; none where there
/// are none.
fn in_a_broken_world(desk: &Desk, options: &str, script: &str) -> Option<(Option<i32>, String)> {
    let works = |options: &str| {
        Command::new("unshare").args([options, "true"]).output().is_ok_and(|said| said.status.success())
    };
    if !works(options) {
        skip(&format!("no `unshare {options}` here"));
        return None;
    }
    let script = script.replace("fairwire ", concat!(env!("CARGO_BIN_EXE_fairwire"), " "));
    let output = Command::new("unshare").args([options, "sh", "-c", &script]).current_dir(&desk.0).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some((output.status.code(), text(&output.stdout) + &text(&output.stderr)))
}

/// Breaks a world so, and asks a run and the doctor: the run says `run`, and the doctor that `what` is missing, saying `doctor`.
fn is_told(name: &str, broken: &str, run: &[&str], what: &str, doctor: &[&str]) {
    if !possible() {
        return;
    }
    let desk = Desk::new(name, LOT);
    let ask = |words: &str| in_a_broken_world(&desk, "-Urm", &format!("{broken} fairwire {words}"));
    let Some((code, words)) = ask("run file.toml --real --out one") else { return };
    let joined = words.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    assert!(code == Some(3) && run.iter().all(|part| joined.contains(part)), "{name}: {words}");
    assert_eq!(fs::read_dir(&desk.0).unwrap().count(), 1, "{name}: no folder, and no part of one");
    let Some((code, words)) = ask("doctor --json") else { return };
    let found: Value = serde_json::from_str(&words).unwrap_or_else(|error| panic!("{name}: {error}: {words}"));
    assert_eq!((code, &found["ready"]), (Some(1), &Value::Bool(false)), "{name}");
    let finding = found["findings"].as_array().unwrap().iter().find(|finding| finding["what"] == what).unwrap();
    let words = format!("{}; {}", finding["found"], finding["mend"]);
    assert!(finding["ok"] == false && doctor.iter().all(|part| words.contains(part)), "{name}: {words}");
}

#[test]
fn no_tap_device() {
    let run = ["/dev/net/tun cannot be used: No such file", "modprobe tun", "--device /dev/net/tun"];
    is_told("no-tap", "mount -t tmpfs none /dev/net &&", &run, "TAP device", &["No such file", "modprobe tun"]);
}

#[test]
fn a_tap_device_that_is_something_else() {
    let run = ["/dev/net/tun cannot be used: Inappropriate ioctl", "modprobe tun"];
    let broken = "mount --bind /dev/null /dev/net/tun &&";
    is_told("other-tap", broken, &run, "TAP device", &["Inappropriate ioctl", "modprobe tun"]);
}

/// As an ordinary user, which root can become.
#[test]
fn a_tap_device_that_only_root_may_open() {
    if !possible() {
        return;
    }
    let desk = Desk::new("closed-tap", LOT);
    let broken = "touch closed && chmod 600 closed && mount --bind closed /dev/net/tun && \
                  exec setpriv --reuid=65534 --regid=65534 --clear-groups";
    for (words, code) in [("run file.toml --real --no-folder", 3), ("doctor", 1)] {
        let Some((ended, said)) = in_a_broken_world(&desk, "-m", &format!("{broken} fairwire {words}")) else { return };
        assert!(ended == Some(code) && said.contains("Permission denied"), "{words}: {ended:?} {said}");
        assert!(said.contains("chmod 0666 /dev/net/tun"), "{words}: {said}");
    }
}

#[test]
fn user_namespaces_shut_by_a_sysctl() {
    let run = ["no user namespace", "max_user_namespaces"];
    let broken = "echo 0 > /proc/sys/user/max_user_namespaces &&";
    let doctor = ["user.max_user_namespaces is 0", "sysctl -w user.max_user_namespaces=10000", "--priority"];
    is_told("shut", broken, &run, "user namespaces", &doctor);
}

#[test]
fn no_more_network_namespaces() {
    let run = ["no network namespace", "sysctl -w user.max_net_namespaces=10000"];
    let broken = "echo 0 > /proc/sys/user/max_net_namespaces &&";
    let doctor = ["user.max_net_namespaces is 0", "sysctl -w user.max_net_namespaces=10000"];
    is_told("no-networks", broken, &run, "user namespaces", &doctor);
}

/// Settings as other systems have them, over namespaces that are shut.
fn with_setting(name: &str, value: &str) -> String {
    format!(
        "echo 0 > /proc/sys/user/max_user_namespaces && mount -t tmpfs none /proc/sys && mkdir /proc/sys/kernel && \
         echo {value} > /proc/sys/kernel/{name} &&"
    )
}

#[test]
fn user_namespaces_shut_by_app_armor() {
    let broken = with_setting("apparmor_restrict_unprivileged_userns", "1");
    let doctor = ["kernel.apparmor_restrict_unprivileged_userns is 1", "=0`, or an AppArmor profile"];
    is_told("apparmor", &broken, &["no user namespace", "AppArmor"], "user namespaces", &doctor);
}

#[test]
fn user_namespaces_shut_by_debians_setting() {
    let broken = with_setting("unprivileged_userns_clone", "0");
    let doctor = ["kernel.unprivileged_userns_clone is 0", "sysctl -w kernel.unprivileged_userns_clone=1"];
    is_told("clone", &broken, &["no user namespace", "unprivileged_userns_clone=1"], "user namespaces", &doctor);
}

/// Becomes a program that may not call unshare, as containers' profiles have it.
const WITHOUT_UNSHARE: &str = r"
import ctypes, os, platform, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
unshare = {'x86_64': 272}.get(platform.machine(), 97)
# Load the call's number; unshare is refused (EPERM), all else allowed.
rules = [(0x20, 0, 0, 0), (0x15, 0, 1, unshare), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *rule) for rule in rules))
class Program(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('code', ctypes.c_void_p)]
program = Program(len(rules), ctypes.addressof(code))
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
";

#[test]
fn a_seccomp_filter() {
    if !Command::new("python3").args(["-c", "import ctypes"]).output().is_ok_and(|said| said.status.success()) {
        return skip("no python3 here");
    }
    let broken = format!("exec python3 -c \"{WITHOUT_UNSHARE}\"");
    let run = ["no user namespace", "seccomp profile"];
    let doctor = ["Operation not permitted", "a seccomp filter is at work", "seccomp profile that allows unshare"];
    is_told("seccomp", &broken, &run, "user namespaces", &doctor);
}

/// Where arrivals wait until the run is over, where the folder is to be, and where a capture is to be.
#[test]
fn a_full_disk_leaves_nothing_half_written() {
    if !possible() {
        return;
    }
    let desk = Desk::new("full", LOT);
    fs::create_dir(desk.0.join("tiny")).unwrap();
    for (size, call, told) in [
        ("32k", "TMPDIR=$PWD/tiny fairwire run file.toml --real --out one", "--no-folder"),
        ("32k", "fairwire run file.toml --real --no-simulation --out tiny/one", "another place with `--out DIR`"),
        ("200k", "fairwire run file.toml --real --no-simulation --out tiny/one", "another place with `--out DIR`"),
        (
            "200k",
            "fairwire run file.toml --real --no-simulation --no-folder --capture all --capture-file tiny/capture",
            "make room",
        ),
        ("200k", "TMPDIR=$PWD/tiny fairwire run file.toml --real --no-simulation --capture all --out one", "make room"),
    ] {
        let script =
            format!("mount -t tmpfs -o size={size} none tiny; {call} > /dev/null; code=$?; ls -A tiny; exit $code");
        let Some((code, words)) = in_a_broken_world(&desk, "-Urm", &script) else { return };
        assert!(code == Some(3) && words.contains("No space left"), "{call}: {code:?} {words}");
        assert!(words.split_whitespace().collect::<Vec<_>>().join(" ").contains(told), "{call}: {words}");
        assert!(!words.lines().any(|line| line.contains("partial") && !line.contains("×")), "{call}: {words}");
        assert_eq!(fs::read_dir(&desk.0).unwrap().count(), 2, "{call}: no folder, and no part of one");
    }
}
