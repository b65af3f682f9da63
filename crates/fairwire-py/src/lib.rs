//! The native module behind the Python package `fairwire`.
//!
//! Conversion and presentation, no logic: arrays, text and dictionaries come
//! in, the crates of the workspace answer, and arrays, Arrow tables and
//! exceptions go out. What users see is `python/fairwire`, which wraps this.
#![forbid(unsafe_code)]

mod allocate;
mod answer;
mod arrays;
mod columns;
mod command;
mod document;
mod errors;
mod laws;
mod problem;
mod question;
mod ring_law;
mod run;
mod scenario;
mod solution;
mod sweep;
mod table;
mod threads;
mod what_if;

#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::allocate::{Allocated, allocate, allocated_of, criteria};
    #[pymodule_export]
    use crate::command::command;
    #[pymodule_export]
    use crate::document::to_toml;
    #[pymodule_export]
    use crate::laws::laws;
    #[pymodule_export]
    use crate::problem::Problem;
    #[pymodule_export]
    use crate::ring_law::{AddQueue, ByteCounts, ClassBytes, Driver, Site, SiteFlow, StationView, end_laws};
    #[pymodule_export]
    use crate::run::{Runs, Simulation, columns, laws_to_compare, nanoseconds, replay, run, save_pages};
    #[pymodule_export]
    use crate::scenario::{check, nearest, resolve};
    #[pymodule_export]
    use crate::solution::{Solution, solution_of};
    #[pymodule_export]
    use crate::sweep::{Sweep, sweep_work, swept};
    #[pymodule_export]
    use crate::table::{Table, table_of};
    #[pymodule_export]
    use crate::what_if::{sensitivities, what_if};

    /// The version of the software, as in `fairwire --version`.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
