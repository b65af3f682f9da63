//! What the papers claim, and what fairwire measures of it.
//!
//! [`catalogue`] is `claims/*.toml`, every checkable statement of the five
//! papers. A claim that fairwire can check has a function in `checks`, listed
//! by id in `registry.rs`; [`reproduce`] runs the functions and gives a
//! [`Row`] for every claim that was asked for. No number of a check is fitted
//! to what a paper says: what the papers leave open is set once, in the
//! scenario files, and said in the notes. Where something else than the number speaks for
//! another understanding of the paper, the check tries that [`Reading`], too.
#![forbid(unsafe_code)]

mod catalogue;
mod checks;
mod gateways;
mod kept;
mod reading;
mod registry;
mod reproduce;
mod row;
mod runs;
mod site;
mod swept;
mod tandem;
mod testbed;
mod tolerance;
mod ways;

pub use catalogue::{Claim, Paper, catalogue, papers};
pub use reading::{Ground, Reading};
pub use reproduce::{NoSuchClaim, chosen, reproduce};
pub use row::{Row, Verdict};
pub use runs::Run;
pub use site::{Page, page_names, site};
pub use testbed::{Carried, Carrier};
