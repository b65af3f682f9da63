//! What queue laws are made of: each part serves several laws, or could.

pub mod blue;
pub mod chance;
pub mod codel_control;
pub mod fattest;
pub mod flow_ways;
pub mod hashing;
pub mod host_share;
pub mod lane_turns;
pub mod lanes;
pub mod longest;
pub mod red_average;
pub mod red_params;
pub mod sparse_turns;
