//! Every test of the crate in one program: it is linked once, and all of its tests share the processors.

mod batch;
mod carried;
mod explicit_rates;
mod lost_control;
