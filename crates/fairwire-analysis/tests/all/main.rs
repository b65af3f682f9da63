//! Every test of the crate in one program: it is linked once, and all of its tests share the processors.

mod common;
mod cycles;
mod feedback;
mod gps;
mod local_queueing;
mod metaring;
mod oscillation;
