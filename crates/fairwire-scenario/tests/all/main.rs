//! Every test of the crate in one program: it is linked once, and all of its tests share the processors.

mod common;
mod events;
mod laws_in_json;
mod malformed;
mod meaning;
mod meaning_of_networks;
mod minimums;
mod mutations;
mod proposals;
mod ring_words;
mod robustness;
mod schema;
mod shipped;
mod sweeps;
mod templates;
