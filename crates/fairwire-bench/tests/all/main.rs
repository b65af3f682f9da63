//! Every test of the crate in one program: it is linked once, and all of its tests share the processors.

mod answers;
#[path = "../common/mod.rs"]
mod common;
mod laws;
mod protection;
mod speed;
