//! Carries what the claims on the paper's testbed send.

use super::options::Testbed as Asked;
use fairwire_claims::{Carried, Carrier, Run};
use fairwire_core::Instant;
use fairwire_laws::ring::RingLawChoice;
use fairwire_net::{Carried as Packets, Home, Options, Stage, Verdict, Written};
use fairwire_plan::RingPlan;
use fairwire_sim::RingSimulation;
use fairwire_terminal::{CliError, Interrupt};

/// A run of which nothing can be said is done so many times more.
const AGAIN: usize = 3;

/// This machine's kernel.
pub struct Kernel {
    home: Home,
    options: Options,
    interrupt: Interrupt,
}

impl Kernel {
    /// Enters a place of the process's own, if packets are to be real: first thing, as for any real run.
    ///
    /// # Errors
    /// What the environment lacks.
    pub fn enter(asked: &Asked) -> Result<Option<Self>, CliError> {
        let Some(home) = asked.enter()? else { return Ok(None) };
        Ok(Some(Self { home, options: asked.of_run(), interrupt: Interrupt::default() }))
    }

    /// From now on this ends what is being carried.
    pub fn heed(&mut self, interrupt: &Interrupt) {
        self.interrupt = interrupt.clone();
    }

    /// One run; whether it is to be believed, and why not.
    fn once(&self, plan: RingPlan, law: &RingLawChoice) -> Result<(Run, Verdict, String), String> {
        let ring = RingSimulation::carried(plan, law).map_err(|error| error.to_string())?;
        let mut packets = Packets::Ring(Box::new(ring));
        let stage = Stage::set(&self.home, &packets).map_err(|error| error.to_string())?;
        let stop = |_: Instant| self.interrupt.is_raised();
        let outcome = stage.run(&mut packets, &self.options, Written::default(), &stop);
        let fidelity = outcome.map_err(|error| error.to_string())?.fidelity;
        let why = fidelity.why.join("; ");
        let how = if why.is_empty() { fidelity.verdict.to_string() } else { format!("{}, as {why}", fidelity.verdict) };
        match packets {
            Packets::Ring(ring) => {
                let plan = ring.plan().clone();
                Ok((Run { plan, record: ring.into_record() }, fidelity.verdict, how))
            }
            Packets::Network(_) => unreachable!("it was made a ring"),
        }
    }
}

impl Carrier for Kernel {
    fn carry(&self, plan: RingPlan, law: &RingLawChoice) -> Result<Carried, String> {
        let mut why = String::new();
        for _ in 0..=AGAIN {
            if self.interrupt.is_raised() {
                return Err("it was stopped".to_owned());
            }
            let (run, verdict, how) = self.once(plan.clone(), law)?;
            if verdict != Verdict::Invalid {
                return Ok(Carried { run, how });
            }
            why = how;
        }
        Err(format!("the machine is too busy: {why}"))
    }
}
