//! Tests in which laws run rings and networks of their own, for minutes of simulated time. One program, as in `tests/all`, but an
//! optimised one (`.cargo/test-compiler`).

mod dvsr_plus;
mod protection;
mod rate_laws;
