//! Every test of the crate in one program: it is linked once, and all of its tests share the processors.

mod coverage;
mod planning;
mod records;
mod series;
mod statistics;
mod sweeps;
