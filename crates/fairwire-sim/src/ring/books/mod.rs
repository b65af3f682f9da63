//! What is counted while packets move: by flow, and what packets of TCP carry.

mod ledger;
mod order;
mod parcels;
mod receipt;

pub use ledger::{Ledger, Tally};
pub use parcels::{Content, Parcel};
pub use receipt::Receipt;
