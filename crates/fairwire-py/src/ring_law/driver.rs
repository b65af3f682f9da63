//! What a law in Python can have done.

use super::arguments::{bytes, name, real, real_or_truth, whole};
use crate::errors::{NoSuchIndexError, SettingError};
use fairwire_core::{BitRate, Instant, Sample};
use fairwire_laws::PackedMessage;
use fairwire_laws::ring::{MessageQueue, Outgoing, RingAction, RingSite, SHOWN_UNITS, Sends, tells_its_unit};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a law at one station wants done. A mistake is raised where the law makes it.
#[pyclass(frozen, module = "fairwire._native")]
pub struct Driver {
    flows: usize,
    stations: usize,
    sends: Sends,
    wanted: Mutex<Wanted>,
}

/// What is wanted since the last look, and when the law wakes.
#[derive(Default)]
pub struct Wanted {
    pub actions: Vec<RingAction<Outgoing>>,
    pub shown: Vec<Sample>,
    pub wake: Option<Instant>,
}

impl Driver {
    /// That of a law at `site` which tells whom it sends to.
    pub fn new(site: &RingSite, sends: Sends) -> Self {
        Self { flows: site.flows.len(), stations: site.stations(), sends, wanted: Mutex::default() }
    }

    /// What is wanted, for taking it.
    pub fn wanted(&self) -> MutexGuard<'_, Wanted> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Driver {
    fn send_upstream(&self, message: &Bound<'_, PyAny>) -> PyResult<()> {
        let message = self.outgoing(message, self.sends != Sends::Nothing, "upstream")?;
        self.wanted().actions.push(RingAction::SendUpstream(message));
        Ok(())
    }

    fn send_downstream(&self, message: &Bound<'_, PyAny>, ahead: bool) -> PyResult<()> {
        let message = self.outgoing(message, self.sends == Sends::BothWays, "both-ways")?;
        let queue = if ahead { MessageQueue::Ahead } else { MessageQueue::Secondary };
        self.wanted().actions.push(RingAction::SendDownstream { message, queue });
        Ok(())
    }

    fn limit(&self, flow: &Bound<'_, PyAny>, rate_bps: &Bound<'_, PyAny>) -> PyResult<()> {
        let none = || NoSuchIndexError::new_err(format!("flow {flow}: the station has {} of them, from 0", self.flows));
        let flow = whole("flow", flow, self.flows as u64, none)? as usize;
        let rate_bps = real("rate_bps", rate_bps)?;
        if !(rate_bps.is_finite() && rate_bps >= 0.0) {
            return Err(SettingError::new_err(format!("rate_bps: {rate_bps}; a limit is a number from 0 on")));
        }
        let rate = BitRate::from_bps_f64(rate_bps);
        self.wanted().actions.push(RingAction::SetAddRate { flow, rate });
        Ok(())
    }

    fn wake_at(&self, at_ns: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let at = at_ns.map(|at| {
            let none = || SettingError::new_err(format!("at_ns: {at}; a time is a number of ns from 0 on, below 2^64"));
            whole("at_ns", at, u64::MAX, none)
        });
        self.wanted().wake = at.transpose()?.map(Instant::from_nanos);
        Ok(())
    }

    fn show(&self, called: &Bound<'_, PyAny>, index: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let name = name("name", called)?;
        let none = || {
            let last = self.stations - 1;
            SettingError::new_err(format!("index: {index}; the station that the value is about, from 0 to {last}"))
        };
        let index = whole("index", index, self.stations as u64, none)? as u32;
        let value = real_or_truth("value", value)?;
        if !value.is_finite() {
            return Err(SettingError::new_err(format!("value: {value}; what is shown as {name:?} is a finite number")));
        }
        if !tells_its_unit(name, value) {
            let units = SHOWN_UNITS.join(", ");
            return Err(SettingError::new_err(format!(
                "name: {name:?}; end it with the unit of {value}, one of {units}; a name without one shows 0 or 1"
            )));
        }
        self.wanted().shown.push(Sample { name, index, value });
        Ok(())
    }
}

impl Driver {
    fn outgoing(&self, message: &Bound<'_, PyAny>, may: bool, needed: &str) -> PyResult<Outgoing> {
        if !may {
            return Err(SettingError::new_err(format!("the law says nothing of this: give it `sends = \"{needed}\"`")));
        }
        let message = bytes(message)?;
        if message.is_empty() {
            return Err(SettingError::new_err("a message has one byte or more"));
        }
        Ok(Outgoing { message: PackedMessage::Bytes(message.into()), is_advice: false })
    }
}
