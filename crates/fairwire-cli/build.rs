//! Links the command so that it starts soon, where it is built for the machine that builds it.
//!
//! Relocations, which are read into memory whenever it starts, are packed: 0.7 MB of them become 15 kB. The C library has to
//! know that, from glibc 2.36 on. What unwinds the stack after a panic is linked in, where the C compiler has an archive of
//! it: a library of its own would be loaded at every start.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of = |name: &str| env::var(name).unwrap_or_default();
    let is_native = of("HOST") == of("TARGET");
    let is_gnu = of("CARGO_CFG_TARGET_OS") == "linux" && of("CARGO_CFG_TARGET_ENV") == "gnu";
    if !is_native || !is_gnu {
        return;
    }
    if glibc().is_some_and(|version| version >= (2, 36)) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    if let Some(unwinder) = unwinder() {
        for argument in ["-Wl,--whole-archive", &unwinder, "-Wl,--no-whole-archive"] {
            println!("cargo::rustc-link-arg-bins={argument}");
        }
    }
}

/// The version of this machine's C library, if it is glibc.
fn glibc() -> Option<(u32, u32)> {
    let told = told_by("getconf", "GNU_LIBC_VERSION")?;
    let (major, minor) = told.strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}

/// The archive, if this machine's C compiler has one; else the compiler tells the name alone.
fn unwinder() -> Option<String> {
    told_by("cc", "-print-file-name=libgcc_eh.a").filter(|archive| Path::new(archive).is_absolute())
}

fn told_by(program: &str, argument: &str) -> Option<String> {
    let told = Command::new(program).arg(argument).output().ok()?;
    Some(String::from_utf8(told.stdout).ok()?.trim().to_owned())
}
