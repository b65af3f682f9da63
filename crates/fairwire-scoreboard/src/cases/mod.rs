//! What laws are tried on.

pub mod random_ring;
