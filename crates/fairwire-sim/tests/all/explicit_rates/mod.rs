//! Flows whose rates switches tell.

mod changes;
mod drawn;
mod many;
mod notices;
mod one_link;
mod paper;
mod paper_network;
mod priority;
