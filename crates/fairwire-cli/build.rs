//! How the command is linked.

use std::env;
use std::path::Path;
use std::process::Command;

/// Functions in the order in which they shall lie, written by `make link-order`.
const ORDER: &str = "link/run-order.txt";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={ORDER}");
    let target = |key: &str| env::var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    if target("OS") != "linux" || target("ENV") != "gnu" {
        return;
    }
    // At a place known beforehand: nothing is moved when it starts, which on Linux would
    // touch every page with an address in it and a table of all of them.
    println!("cargo::rustc-link-arg-bins=-no-pie");
    if target("ARCH") == "x86_64" && links_with_lld() {
        // What a run calls lies side by side: systems load a program in pieces of 64 KiB, and
        // a run would touch twice as many of them (3 MiB more for a run of W3).
        let directory = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        let order = Path::new(&directory).join(ORDER);
        println!("cargo::rustc-link-arg-bins=-Wl,--symbol-ordering-file={}", order.display());
        println!("cargo::rustc-link-arg-bins=-Wl,--no-warn-symbol-ordering");
    }
}

/// Whether the linker is the one that comes with the compiler, which is lld on this target:
/// others do not know its options.
fn links_with_lld() -> bool {
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    if env::var_os("RUSTC_LINKER").is_some() || flags.contains("link") {
        return false;
    }
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let Ok(answer) = Command::new(compiler).args(["--print", "sysroot"]).output() else {
        return false;
    };
    let sysroot = String::from_utf8_lossy(&answer.stdout);
    Path::new(sysroot.trim()).join("lib/rustlib/x86_64-unknown-linux-gnu/bin/gcc-ld/ld.lld").exists()
}
