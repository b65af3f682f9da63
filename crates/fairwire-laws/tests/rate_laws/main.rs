//! Rate laws in a small network of packets, all driven through bytes.

mod world;

mod wmfqc_networks;
