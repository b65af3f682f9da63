//! Rate laws: what each of them does by its source, and what all of them owe. Some are called at one port by hand,
//! others run in a small network of packets, driven through bytes.

mod world;

mod capc;
mod erica;
mod erica_early;
mod every_law;
mod liars;
mod measured;
mod networks;
mod one_port;
mod plain_source;
mod rcp;
mod rcp_bounds;
mod registry;
mod s_perc;
mod sender;
mod told_in_proportion;
mod wmfqc_plus;
mod wmfqc_port;
mod wmfqc_queues;
