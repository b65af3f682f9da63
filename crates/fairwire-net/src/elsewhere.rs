//! Systems that are not Linux: all of this says so.

use crate::error::NetError;
use crate::options::{Carried, Entrance, Finding, Frames, Guest, Options, Outcome, Own, Written};
use fairwire_core::Instant;

/// Where the process was before; there is no other place here.
#[derive(Debug)]
pub struct Home(());

/// Stations of real runs; there are none here.
#[derive(Debug)]
pub struct Stage(());

/// What ends programs in stations; there are none here.
#[derive(Debug)]
pub struct Warden(());

impl Warden {
    /// Refuses.
    ///
    /// # Errors
    /// [`NetError::Unsupported`].
    pub fn begin() -> Result<Self, NetError> {
        Err(NetError::Unsupported)
    }

    /// Refuses.
    ///
    /// # Errors
    /// [`NetError::Unsupported`].
    pub fn look_after(&mut self, _: &Stage) -> Result<(), NetError> {
        Err(NetError::Unsupported)
    }

    /// Nothing.
    pub fn end(self) {}
}

/// Refuses.
///
/// # Errors
/// [`NetError::Unsupported`].
pub fn enter(_: bool, _: &[Guest]) -> Result<Home, NetError> {
    Err(NetError::Unsupported)
}

/// What real runs need.
pub fn findings() -> Vec<Finding> {
    let what = "Linux";
    let mend = Some("simulate: leave out `--real`".to_owned());
    vec![Finding { what, needed_for: "run --real", ok: false, found: std::env::consts::OS.to_owned(), mend }]
}

impl Stage {
    /// Refuses.
    ///
    /// # Errors
    /// [`NetError::Unsupported`].
    pub fn set(_: &Home, _: &Carried) -> Result<Self, NetError> {
        Err(NetError::Unsupported)
    }

    /// Refuses.
    ///
    /// # Errors
    /// [`NetError::Unsupported`].
    pub fn run(
        &self,
        _: &mut Carried,
        _: &Options,
        _: Written,
        _: &dyn Fn(Instant) -> bool,
    ) -> Result<Outcome, NetError> {
        Err(NetError::Unsupported)
    }

    /// None.
    pub fn entrances(&self) -> Vec<Entrance> {
        Vec::new()
    }

    /// Refuses.
    ///
    /// # Errors
    /// [`NetError::Unsupported`].
    pub fn hold(
        &self,
        _: &mut Carried,
        _: &Options,
        _: Own,
        _: &dyn Fn() -> bool,
        _: &mut dyn FnMut(&mut Carried, &Frames),
    ) -> Result<(), NetError> {
        Err(NetError::Unsupported)
    }
}

/// Refuses.
pub fn become_program_in(_: u32, _: i32, _: &mut std::process::Command) -> NetError {
    NetError::Unsupported
}
