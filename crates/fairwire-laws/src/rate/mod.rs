//! Explicit rates: how a port shares its bandwidth among the flows that pass it.

pub mod marking;
pub mod share_tree;
