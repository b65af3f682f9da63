//! What is fair in a scenario: its problem and terms solved, with what classes guarantee.

use crate::answer::Check;
use crate::reading::diagnostic::{Diagnostics, Report};
use crate::{Scenario, Topology};
use fairwire_alloc::{
    AllocError, Allocation, Ceiling, Criterion, Problem, Rates, Terms, solve_rates_with_terms, solve_with_terms, text,
};
use fairwire_core::{BitRate, ServiceClass};
use std::borrow::Cow;
use std::ops::Range;

impl Scenario {
    /// The scenario of which it can be asked what is fair: itself. But where switches tell rates, flows that are never on
    /// together need not fit together; if what they are promised does not, it is the scenario as all changes have left it.
    pub fn to_be_shared(&self) -> Cow<'_, Self> {
        let does_not_fit = || {
            let rates = self.fair_rates(Criterion::GeneralWeighted);
            matches!(rates, Err(AllocError::InfeasibleMinimums { .. }))
        };
        if self.tells_rates() && does_not_fit() { Cow::Owned(self.in_the_end()) } else { Cow::Borrowed(self) }
    }

    /// Fair rates and what holds each flow, in words; what classes guarantee is included. This is what every verb and
    /// Python answer, and what runs are compared with.
    ///
    /// # Errors
    /// As [`fairwire_alloc::solve_with_terms`]; [`Scenario::place`] finds what is to blame
    /// in the file.
    pub fn fair_allocation(&self, criterion: Criterion) -> Result<Allocation, AllocError> {
        let mut allocation = solve_with_terms(&self.problem(), &self.terms(), criterion)?;
        self.granting().inspect(|granting| granting.complete(&mut allocation));
        Ok(allocation)
    }

    /// The same, and what the checker says of it.
    ///
    /// # Errors
    /// As [`Scenario::fair_allocation`].
    pub fn checked_allocation(&self, criterion: Criterion) -> Result<FairAllocation, AllocError> {
        let (problem, terms) = (self.problem(), self.terms());
        let mut allocation = solve_with_terms(&problem, &terms, criterion)?;
        let rates: Vec<f64> = allocation.flows.iter().map(|flow| flow.rate_bps).collect();
        let check = Check::of(&problem, &terms, criterion, &rates);
        self.granting().inspect(|granting| granting.complete(&mut allocation));
        Ok(FairAllocation { allocation, check })
    }

    /// The same without words, for large scenarios.
    ///
    /// # Errors
    /// As [`Scenario::fair_allocation`].
    pub fn fair_rates(&self, criterion: Criterion) -> Result<Rates, AllocError> {
        let mut rates = solve_rates_with_terms(&self.problem(), &self.terms(), criterion)?;
        if let Some(granting) = self.granting() {
            for list in [&mut rates.rates_bps, &mut rates.low_bps, &mut rates.high_bps] {
                list.iter_mut().enumerate().for_each(|(flow, rate)| *rate = granting.rate_bps(flow, *rate));
            }
        }
        Ok(rates)
    }

    /// Minimum rates that do not fit, at their place in the file.
    pub fn unkept_minimums(&self) -> Option<Diagnostics> {
        // Max-min heeds no promise, so it tells of any that there is.
        let promises = self.unheeded_promise(Criterion::MaxMin).is_some();
        let refused = promises.then(|| self.fair_rates(self.criterion()).err())??;
        self.place(&refused)
    }

    /// Whether something is promised that `criterion` does not heed: the key that says so.
    pub fn unheeded_promise(&self, criterion: Criterion) -> Option<&'static str> {
        let terms = self.terms();
        let of_flows = !terms.min_rates_bps.is_empty() && criterion != Criterion::GeneralWeighted;
        let of_ingresses = !terms.ingress_min_rates_bps.is_empty() && criterion != Criterion::Rias;
        of_flows.then_some("min-rate").or(of_ingresses.then_some("min-rates"))
    }

    /// Why a flow that no link holds has no more than it has.
    pub fn why_satisfied(&self, flow: usize) -> Satisfied {
        let number = flow;
        let flow = &self.flows()[flow];
        let mut least = Satisfied { ceiling: Ceiling::Demand, first: None, rate_bps: flow.offered_bps() };
        let caps = [(Ceiling::Peak, flow.peak_rate), (Ceiling::Supported, flow.supported_rate)];
        for (ceiling, rate) in caps.into_iter().filter_map(|(ceiling, rate)| Some((ceiling, rate?.as_bps_f64()))) {
            if rate < least.rate_bps {
                least = Satisfied { ceiling, first: None, rate_bps: rate };
            }
        }
        if flow.high_priority {
            let granted = self.guaranteed_bps()[number];
            if granted < least.rate_bps {
                least = Satisfied { ceiling: Ceiling::Peak, first: Some(First::Priority), rate_bps: granted };
            }
        }
        let reserved = flow.committed().as_bps_f64();
        if flow.class.is_primary() && reserved < least.rate_bps {
            least = Satisfied { ceiling: Ceiling::Peak, first: Some(First::Reserved(flow.class)), rate_bps: reserved };
        }
        least
    }

    /// An error about minimum rates as a finding in the file, which names the lines of
    /// all that do not fit together; none for other errors, and for rates that the file does not give.
    pub fn place(&self, error: &AllocError) -> Option<Diagnostics> {
        match error {
            AllocError::InfeasibleMinimums { link, capacity_bps, promised_bps, flows } => {
                let promise = |name: &String| {
                    let flow = self.flows().iter().find(|flow| flow.name == *name)?;
                    Some(Promise { to: name.clone(), rate: flow.min_rate, span: flow.min_rate_span.clone() })
                };
                let promises: Option<Vec<Promise>> = flows.iter().map(promise).collect();
                let nouns = ["flow", "flows", "min-rate"];
                self.overbooked(nouns, link, [*capacity_bps, *promised_bps], &promises?)
            }
            AllocError::InfeasibleIngressMinimums { link, capacity_bps, promised_bps, ingresses } => {
                let (names, minimums) = match self.topology() {
                    Topology::Ring(ring) => ((0..ring.stations).map(|at| at.to_string()).collect(), &ring.min_rates),
                    Topology::Network(network) => (network.nodes.clone(), &network.min_rates),
                };
                let promise = |name: &String| {
                    let minimum = minimums.get(names.iter().position(|known| known == name)?)?;
                    Some(Promise { to: name.clone(), rate: minimum.rate, span: minimum.span.clone() })
                };
                let promises: Option<Vec<Promise>> = ingresses.iter().map(promise).collect();
                let nouns = ["ingress", "ingresses", "min-rates"];
                self.overbooked(nouns, link, [*capacity_bps, *promised_bps], &promises?)
            }
            _ => None,
        }
    }

    fn overbooked(
        &self,
        [one, several, key]: [&str; 3],
        link: &str,
        [capacity_bps, promised_bps]: [f64; 2],
        promises: &[Promise],
    ) -> Option<Diagnostics> {
        let report = Report::new(&self.origin.text);
        let told = |promise: &Promise| format!("{} {} (line {})", promise.to, promise.rate, report.line(&promise.span));
        let told: Vec<String> = promises.iter().map(told).collect();
        let [capacity, promised] = [capacity_bps, promised_bps].map(BitRate::from_bps_f64);
        let excess = BitRate::from_bps_f64((promised_bps - capacity_bps).ceil());
        let (who, smaller) = match &told[..] {
            [only] => (format!("{one} {only}"), String::new()),
            [first @ .., last] => (
                format!("{several} {} and {last}, together {promised}", first.join(", ")),
                "; without any one of them the others would fit".to_owned(),
            ),
            [] => return None,
        };
        let message = format!("link {link} carries {capacity}, but `{key}` promises more: {who}");
        let help = format!("promise {excess} less, or give link {link} more capacity{smaller}");
        report.error(promises.first()?.span.clone(), message, "does not fit", help);
        Some(report.into_diagnostics(&self.origin.file_name))
    }
}

/// What is fair, and whether it is.
#[derive(Clone, Debug)]
pub struct FairAllocation {
    /// The rates with their reasons.
    pub allocation: Allocation,
    /// What a checker says of them that shares no code with the solver.
    pub check: Check,
}

/// What somebody is promised, and where the file says so.
struct Promise {
    to: String,
    rate: BitRate,
    span: Range<usize>,
}

/// Why a flow has no more than it has, where no link holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Satisfied {
    /// What sets the most that it can have.
    pub ceiling: Ceiling,
    /// What is granted before anything is shared, if that is what sets it.
    pub first: Option<First>,
    /// That rate in bit/s.
    pub rate_bps: f64,
}

/// What is granted before anything is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// What a class of a ring has reserved.
    Reserved(ServiceClass),
    /// What the minimums of others leave to flows of high priority.
    Priority,
}

impl Satisfied {
    /// The same for a flow of a problem that no scenario describes.
    pub fn under(terms: &Terms, problem: &Problem, flow: usize) -> Self {
        let (rate_bps, ceiling) = terms.ceiling(problem, flow);
        Self { ceiling, first: None, rate_bps }
    }

    /// The kind as answers tell it: `demand`, `peak`, `supported` or `priority`.
    pub fn kind(&self) -> &'static str {
        if self.first == Some(First::Priority) { "priority" } else { self.ceiling.name() }
    }

    /// The same in words.
    pub fn why(&self) -> String {
        let rate = text::rate(self.rate_bps);
        match (self.first, self.ceiling) {
            (Some(First::Priority), _) => {
                format!(
                    "it goes before others, and the minimums of others and flows of its own priority leave it {rate}"
                )
            }
            (Some(First::Reserved(class)), _) => format!("class {class:?} sends no more than it has reserved: {rate}"),
            (None, Ceiling::Demand) => format!("it has all it asks for: {rate}"),
            (None, Ceiling::Peak) => format!("it may have no more than its peak rate of {rate}"),
            (None, Ceiling::Supported) => format!("the equipment on its way lets no more through than {rate}"),
        }
    }
}
