//! Problems made of arrays.

use crate::allocate::{Allocated, judge, parse};
use crate::arrays::{Indices, Lent, Reals, Shared, bad, cells};
use crate::errors;
use crate::question::{Names, Question, Solved};
use crate::run::abandonable;
use crate::solution::Solution;
use fairwire_alloc::{MaxMin, Violation, check_with_terms, sensitivities, solve_with_terms};
use numpy::{Element, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex};

/// From so many crossings of flows over links on, others may use Python while
/// a problem is solved; below, handing over takes longer than solving.
const WORTH_LETTING_GO: usize = 2_000;

/// The same where arrays are solved as they lie, which takes a ms then: while others may write into them, they are copied.
const WORTH_COPYING: usize = 100_000;

/// The storage of a solver is kept for the next question below so many
/// crossings; beyond, memory is worth more than the time to ask for it again.
const WORTH_KEEPING: usize = 1_000_000;

/// Links with capacities, and flows with routes over them, as arrays.
///
/// The arrays are shared with their maker: what is written into them counts
/// from the next question on.
#[pyclass(frozen, module = "fairwire._native")]
pub struct Problem {
    capacities_bps: Reals,
    indptr: Indices,
    indices: Indices,
    weights: Option<Reals>,
    demands_bps: Option<Reals>,
    minimums_bps: Option<Reals>,
    peaks_bps: Option<Reals>,
    supported_bps: Option<Reals>,
    ingress: Option<Indices>,
    egress: Option<Indices>,
    ingress_weights: Option<Reals>,
    ingress_minimums_bps: Option<Reals>,
    names: Arc<Names>,
    storage: Mutex<MaxMin>,
}

/// What capacity on a link is worth, to all and to each flow.
type Worth = (usize, f64, f64, Vec<(usize, f64)>, Vec<(usize, f64)>);

/// An argument that may be left out.
type Maybe<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

#[pymethods]
impl Problem {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "one an array; Python calls them by name")]
    fn new(
        capacities_bps: &Bound<'_, PyAny>,
        indptr: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        weights: Maybe<'_, '_>,
        demands_bps: Maybe<'_, '_>,
        minimums_bps: Maybe<'_, '_>,
        peaks_bps: Maybe<'_, '_>,
        supported_bps: Maybe<'_, '_>,
        ingress: Maybe<'_, '_>,
        egress: Maybe<'_, '_>,
        ingress_weights: Maybe<'_, '_>,
        ingress_minimums_bps: Maybe<'_, '_>,
        flow_names: Option<Vec<String>>,
        link_names: Option<Vec<String>>,
        node_names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let problem = Self {
            capacities_bps: Shared::new("capacities_bps", capacities_bps)?,
            indptr: Shared::new("indptr", indptr)?,
            indices: Shared::new("indices", indices)?,
            weights: maybe("weights", weights)?,
            demands_bps: maybe("demands_bps", demands_bps)?,
            minimums_bps: maybe("minimums_bps", minimums_bps)?,
            peaks_bps: maybe("peaks_bps", peaks_bps)?,
            supported_bps: maybe("supported_bps", supported_bps)?,
            ingress: maybe("ingress", ingress)?,
            egress: maybe("egress", egress)?,
            ingress_weights: maybe("ingress_weights", ingress_weights)?,
            ingress_minimums_bps: maybe("ingress_minimums_bps", ingress_minimums_bps)?,
            names: Arc::new(Names { flows: flow_names, links: link_names, nodes: node_names }),
            storage: Mutex::default(),
        };
        problem.ask(capacities_bps.py(), |_| Ok(()))?;
        Ok(problem)
    }

    /// The number of flows.
    #[getter]
    fn flows(&self, py: Python<'_>) -> PyResult<usize> {
        self.ask(py, |question| Ok(question.flows()))
    }

    /// The number of links.
    #[getter]
    fn links(&self, py: Python<'_>) -> PyResult<usize> {
        self.ask(py, |question| Ok(question.capacities_bps.len()))
    }

    /// The fair rates under a criterion.
    fn solve(&self, py: Python<'_>, criterion: &str) -> PyResult<Solution> {
        let criterion = parse(criterion)?;
        self.ask(py, |question| {
            question.check_ends(criterion)?;
            let crossings = question.indices.len();
            let mut max_min = self.storage.try_lock().map(|mut kept| std::mem::take(&mut *kept)).unwrap_or_default();
            let short = if Question::as_it_lies(criterion) { WORTH_COPYING } else { WORTH_LETTING_GO };
            let solved = if crossings < short {
                question.solve(criterion, &mut max_min)
            } else {
                // Others may write into the arrays meanwhile.
                let copy = question.copied();
                let solve = move || (copy.lent().solve(criterion, &mut max_min), max_min);
                let (solved, storage) = abandonable(py, solve)?;
                max_min = storage;
                solved
            };
            let solution = match solved.map_err(|error| errors::alloc(&error))? {
                Solved::ByMaxMin => Solution::of_max_min(py, criterion, &max_min),
                Solved::InFull(rates) => Solution::new(py, criterion, rates),
            };
            if let (true, Ok(mut kept)) = (crossings < WORTH_KEEPING, self.storage.try_lock()) {
                *kept = max_min;
            }
            Ok(solution)
        })
    }

    /// The fair rates under a criterion, and what holds each flow, in words.
    fn explain(&self, py: Python<'_>, criterion: &str) -> PyResult<Allocated> {
        let criterion = parse(criterion)?;
        let (problem, terms, allocation, check) = self.ask(py, |question| {
            question.check_ends(criterion)?;
            let (problem, terms) = (question.problem(true), question.terms());
            let solve = move || {
                let allocation = solve_with_terms(&problem, &terms, criterion)?;
                let check = judge(&problem, &terms, &allocation);
                Ok((problem, terms, allocation, check))
            };
            aside(py, question, solve)?.map_err(|error| errors::alloc(&error))
        })?;
        Allocated::of_problem(py, &problem, &terms, &allocation, check)
    }

    /// What capacity is worth on every full link: its index, what all flows together
    /// gain per bit/s more and lose per bit/s less, and (flow, part) of each of them.
    fn sensitivities(&self, py: Python<'_>, criterion: &str) -> PyResult<Vec<Worth>> {
        let criterion = parse(criterion)?;
        let found = self.ask(py, |question| {
            question.check_ends(criterion)?;
            let (problem, terms) = (question.problem(true), question.terms());
            let found = aside(py, question, move || sensitivities(&problem, &terms, criterion));
            found?.map_err(|error| errors::alloc(&error))
        })?;
        Ok(found
            .into_iter()
            .map(|worth| (worth.link, worth.total_up, worth.total_down, worth.up, worth.down))
            .collect())
    }

    /// What is unfair about `rates_bps`; nothing where they are fair.
    fn why_unfair(
        &self,
        py: Python<'_>,
        rates_bps: PyReadonlyArray1<'_, f64>,
        criterion: &str,
        tolerance: f64,
    ) -> PyResult<Option<String>> {
        let criterion = parse(criterion)?;
        let rates = cells("rates_bps", &rates_bps)?;
        self.ask(py, |question| {
            question.check_ends(criterion)?;
            question.check_rates(rates)?;
            let (problem, terms, rates) = (question.problem(true), question.terms(), rates.to_vec());
            let check = move || check_with_terms(&problem, &terms, criterion, &rates, tolerance).err();
            match aside(py, question, check)? {
                Some(Violation::Problem(message)) => Err(bad(message, "problem")),
                Some(wrong @ Violation::Tolerance { .. }) => Err(bad(wrong.to_string(), "tolerance")),
                violation => Ok(violation.map(|violation| violation.to_string())),
            }
        })
    }

    /// What each link carries at the given rates, bit/s.
    fn loads<'py>(
        &self,
        py: Python<'py>,
        rates_bps: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let rates = cells("rates_bps", &rates_bps)?;
        Ok(PyArray1::from_vec(py, self.ask(py, |question| question.loads(rates))?))
    }
}

impl Problem {
    /// Hands the arrays to `answer` as slices, without a copy.
    fn ask<T>(&self, py: Python<'_>, answer: impl FnOnce(&Question<'_>) -> PyResult<T>) -> PyResult<T> {
        let (capacities, indptr, indices) =
            (self.capacities_bps.lend(py)?, self.indptr.lend(py)?, self.indices.lend(py)?);
        let (weights, demands) = (lend(py, &self.weights)?, lend(py, &self.demands_bps)?);
        let (minimums, peaks) = (lend(py, &self.minimums_bps)?, lend(py, &self.peaks_bps)?);
        let (supported, ingress) = (lend(py, &self.supported_bps)?, lend(py, &self.ingress)?);
        let (egress, ingress_weights) = (lend(py, &self.egress)?, lend(py, &self.ingress_weights)?);
        let ingress_minimums = lend(py, &self.ingress_minimums_bps)?;
        let question = Question {
            capacities_bps: capacities.cells()?,
            indptr: indptr.cells()?,
            indices: indices.cells()?,
            weights: given(&weights)?,
            demands_bps: given(&demands)?,
            minimums_bps: given(&minimums)?,
            peaks_bps: given(&peaks)?,
            supported_bps: given(&supported)?,
            ingress: given(&ingress)?,
            egress: given(&egress)?,
            ingress_weights: given(&ingress_weights)?,
            ingress_minimums_bps: given(&ingress_minimums)?,
            names: &self.names,
        };
        question.check_shape()?;
        answer(&question)
    }
}

/// Does what owns all it needs, on a thread of its own if it takes a while.
fn aside<T: Send + 'static>(
    py: Python<'_>,
    question: &Question<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    if question.indices.len() < WORTH_LETTING_GO { Ok(py.detach(work)) } else { abandonable(py, work) }
}

fn maybe<T: Element>(name: &'static str, array: Maybe<'_, '_>) -> PyResult<Option<Shared<T>>> {
    array.map(|array| Shared::new(name, array)).transpose()
}

fn lend<'py, T: Element>(py: Python<'py>, array: &Option<Shared<T>>) -> PyResult<Option<Lent<'py, T>>> {
    array.as_ref().map(|array| array.lend(py)).transpose()
}

/// The cells of an array that was given; none otherwise.
fn given<'a, T: Element>(lent: &'a Option<Lent<'_, T>>) -> PyResult<&'a [T]> {
    lent.as_ref().map_or(Ok(&[]), Lent::cells)
}
