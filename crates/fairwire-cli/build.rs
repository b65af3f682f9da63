//! How the command is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // At a place known beforehand: nothing is moved when it starts, which on Linux would
    // touch every page with an address in it and a table of all of them.
    let target = |key: &str| std::env::var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
