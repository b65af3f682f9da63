//! Every queue law over a matrix of gateways: who gets how much, at what delay, and how
//! surely.
//!
//! [`Case`] is what laws are tried on, after RFC 7928; each is a scenario that can be
//! written out and run by itself. [`Matrix::fill`] runs what the [`Runs`] do not hold
//! yet, and a [`Summary`] says what they come to over seeds.

mod cases;
mod ellipse;
mod files;
mod matrix;
mod measure;
mod page;
mod reference;
mod summary;
mod tables;

pub use cases::{Case, Family};
pub use ellipse::Ellipse;
pub use files::write;
pub use matrix::{Matrix, Run, Runs};
pub use measure::{Group, Measured, Transfers, measure};
pub use page::page;
pub use reference::Reference;
pub use summary::{CaseLaw, Summary};
pub use tables::{case_list, tables};
