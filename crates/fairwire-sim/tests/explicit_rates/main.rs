//! Flows whose rates switches tell.

mod paper;
mod paper_network;
