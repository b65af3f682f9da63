//! Every test of the crate in one program: it is linked once, and all of its tests share the processors.

mod aqm;
mod board;
mod explicit;
mod kept;
mod random_ring;
mod stalls;
