//! Every test of the crate in one program: it is linked once, and all of its tests share the processors.

mod allocation_page;
mod explicit_rates;
mod folder;
mod network;
mod network_times;
mod pictures;
mod report;
mod ring_counts;
mod summary;
mod support;
