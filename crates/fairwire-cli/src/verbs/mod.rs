//! One file a verb: its options, and what it prints.

pub mod allocate;
pub mod analyse;
pub mod bench;
pub mod compare;
pub mod completions;
pub mod dissector;
pub mod doctor;
pub mod enforce;
pub mod export;
pub mod import;
pub mod laws;
pub mod man;
pub mod replay;
pub mod reproduce;
pub mod run;
pub mod scenario;
pub mod sweep;
pub mod up;
