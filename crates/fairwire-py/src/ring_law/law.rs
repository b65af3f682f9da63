//! A law in Python at one station.

use super::{Driver, Site, StationView, Trouble};
use crate::errors::{ArgumentTypeError, SettingError};
use fairwire_core::{BitRate, Cx, Instant};
use fairwire_laws::ring::{self, Call, Outgoing, Rest, RingAction, RingLawObject, RingSite, Sends, SiteChange};
use fairwire_laws::{MessageError, PackedMessage};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use rand::Rng;
use std::collections::VecDeque;
use std::sync::Arc;

/// A law in Python at one station. Once a law of its batch has raised something it does nothing any more,
/// and its run is about to be cut short.
pub struct Law {
    /// The instance, and what it talks to; None if it could not be made.
    parts: Option<(Py<PyAny>, Py<Driver>)>,
    site: RingSite,
    wake: Option<Instant>,
    actions: VecDeque<RingAction<Outgoing>>,
    trouble: Arc<Trouble>,
}

impl Law {
    /// An instance of `class` at `site`.
    pub fn new(class: &Py<PyAny>, site: RingSite, sends: Sends, trouble: Arc<Trouble>) -> Self {
        if trouble.silences() {
            return Self { parts: None, site, wake: None, actions: VecDeque::new(), trouble };
        }
        let made = Python::attach(|py| {
            let _within = trouble.enter(py)?;
            let driver = Py::new(py, Driver::new(&site, sends))?;
            let class = class.bind(py);
            let law = class.call_method1("__new__", (class,))?;
            law.setattr("_driver", &driver)?;
            law.setattr("site", Site::new(&site))?;
            law.call_method0("__init__")?;
            Ok((law.unbind(), driver))
        });
        let parts = made.map_err(|error| trouble.keep(with_place(error, &site, None))).ok();
        Self { parts, site, wake: None, actions: VecDeque::new(), trouble }
    }

    /// Calls the law, and takes what it wants done.
    fn call(
        &mut self,
        cx: &mut Cx<'_>,
        view: &ring::StationView<'_>,
        call: impl FnOnce(&Bound<'_, PyAny>, &Driver, StationView) -> PyResult<()>,
    ) {
        let Some((law, driver)) = self.parts.as_ref().filter(|_| !self.trouble.silences()) else {
            self.wake = None;
            return;
        };
        let called = Python::attach(|py| {
            let _within = self.trouble.enter(py)?;
            call(law.bind(py), driver.get(), StationView::new(cx.now, view))
        });
        let mut wanted = driver.get().wanted();
        wanted.shown.drain(..).for_each(|sample| cx.show(sample.name, sample.index, sample.value));
        let capacity = self.site.capacity();
        self.actions.extend(wanted.actions.drain(..).map(|action| within(action, capacity)));
        self.wake = wanted.wake;
        drop(wanted);
        if let Err(error) = called {
            self.actions.clear();
            self.wake = None;
            self.trouble.keep(with_place(error, &self.site, Some(cx.now)));
        }
    }
}

impl RingLawObject for Law {
    fn prepare(&mut self, _cx: &mut Cx<'_>) {}

    fn start(&mut self, cx: &mut Cx<'_>, view: &ring::StationView<'_>) {
        let seed = cx.rng.next_u64();
        self.call(cx, view, |law, _, view| {
            let random = law.py().import("random")?.call_method1("Random", (seed,))?;
            law.setattr("random", random)?;
            tell(law, "start", (view,))
        });
    }

    fn on_message(&mut self, cx: &mut Cx<'_>, message: PackedMessage, view: &ring::StationView<'_>) {
        let Ok(bytes) = message.into_bytes() else { return };
        self.call(cx, view, |law, _, view| {
            let message = PyBytes::new(law.py(), &bytes);
            tell(law, "on_message", (message, view))
        });
    }

    fn handle_timeout(&mut self, cx: &mut Cx<'_>, view: &ring::StationView<'_>) {
        let now = cx.now;
        self.call(cx, view, |law, driver, view| {
            driver.wanted().wake = None;
            tell(law, "on_timeout", (view,))?;
            let wake = driver.wanted().wake;
            match wake {
                Some(at) if at <= now => Err(SettingError::new_err(format!(
                    "wake_at({}) in on_timeout: the time lies not ahead of now, {}",
                    at.as_nanos(),
                    now.as_nanos()
                ))),
                _ => Ok(()),
            }
        });
    }

    fn on_change(&mut self, cx: &mut Cx<'_>, change: SiteChange, view: &ring::StationView<'_>) {
        self.site.apply(change);
        let site = Site::new(&self.site);
        self.call(cx, view, |law, _, view| {
            law.setattr("site", site)?;
            tell(law, "on_change", (view,))
        });
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.wake
    }

    fn poll_action(&mut self) -> Option<RingAction<Outgoing>> {
        self.actions.pop_front()
    }

    fn read(&self, bytes: Vec<u8>) -> Result<PackedMessage, MessageError> {
        Ok(PackedMessage::Bytes(bytes.into()))
    }

    fn reads_adds(&self, _call: Call) -> bool {
        true
    }

    fn sends_only_advice(&self) -> bool {
        false
    }

    fn rests(&self) -> Option<Rest<PackedMessage>> {
        None
    }

    fn has_rested(&mut self, _timeouts: u64) {}
}

/// Calls a method of the law, which wants what it wants by its own methods: what it returned would be lost.
fn tell<'py>(law: &Bound<'py, PyAny>, method: &str, arguments: impl PyCallArgs<'py>) -> PyResult<()> {
    let answer = law.call_method1(method, arguments)?;
    if answer.is_none() {
        return Ok(());
    }
    let kind = answer.get_type().name()?;
    Err(ArgumentTypeError::new_err(format!(
        "{method} returned something of type {kind}, which nobody heeds: say what the law wants by self.limit, self.wake_at and the like, \
         and return nothing (`async` and `yield` do not work here)"
    )))
}

/// A limit is never above what the outgoing link carries.
fn within(action: RingAction<Outgoing>, capacity: BitRate) -> RingAction<Outgoing> {
    match action {
        RingAction::SetAddRate { flow, rate } => RingAction::SetAddRate { flow, rate: rate.min(capacity) },
        other => other,
    }
}

/// The error with a line that says at which station, and when.
fn with_place(error: PyErr, site: &RingSite, now: Option<Instant>) -> PyErr {
    Python::attach(|py| {
        let when = now.map_or_else(String::new, |now| format!(", at {} ns", now.as_nanos()));
        let note = format!("raised by the law of station {}, ringlet {}{when}", site.home, site.ringlet.index());
        // Without the line the error is still the error.
        drop(error.value(py).call_method1("add_note", PyTuple::new(py, [note])?));
        Ok::<_, PyErr>(())
    })
    .map_or_else(|other| other, |()| error)
}
