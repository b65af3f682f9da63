//! Names the build: what the numbers of a run depend on. Runs of another build are not taken over.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};

/// Crates whose code a run's numbers come from.
const CRATES: [&str; 8] = ["core", "alloc", "laws", "plan", "sim", "scenario", "results", "runs"];

fn main() {
    let own = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut files = Vec::new();
    for name in CRATES {
        let folder = own.join(format!("../fairwire-{name}/src"));
        println!("cargo:rerun-if-changed={}", folder.display());
        collect(&folder, &mut files);
    }
    println!("cargo:rerun-if-changed=build.rs");
    files.sort();
    // The same keys in every process of one toolchain.
    let mut hasher = DefaultHasher::new();
    for name in ["CARGO_PKG_VERSION", "TARGET"] {
        hasher.write(std::env::var(name).unwrap_or_default().as_bytes());
    }
    for file in &files {
        let name = file.strip_prefix(&own).unwrap_or(file);
        hasher.write(name.as_os_str().as_encoded_bytes());
        hasher.write(&fs::read(file).unwrap_or_default());
    }
    let lock = own.join("../../Cargo.lock");
    println!("cargo:rerun-if-changed={}", lock.display());
    random_numbers(&fs::read_to_string(lock).unwrap_or_default()).for_each(|package| hasher.write(package.as_bytes()));
    println!("cargo:rustc-env=FAIRWIRE_BUILD={:016x}", hasher.finish());
}

/// Where random numbers come from: the packages of a lock file that make them, with their versions.
fn random_numbers(lock: &str) -> impl Iterator<Item = &str> {
    let all = lock.split("[[package]]\n");
    all.filter(|package| ["name = \"rand", "name = \"sobol"].iter().any(|name| package.starts_with(name)))
}

/// All files beneath a folder; none where there is no such folder, as in a package.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}
