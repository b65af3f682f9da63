//! Every test of the crate in one program: it is linked once, and all of its tests share the processors.

mod allocate;
mod allocate_what_if;
mod analyse;
mod answers;
mod capture;
mod cautions;
#[path = "../common/mod.rs"]
mod common;
mod compare;
mod enforce_errors;
mod explicit_rates;
mod import;
mod laws;
mod manners;
mod one_answer;
mod phone;
mod reproduce;
mod run;
mod run_errors;
mod run_events;
mod run_folders;
mod run_networks;
mod scenario;
mod sweep;
mod tcp;
mod verbose;
mod width;
