//! Max-Min shares by marking, as Tsang and Wong compute them: [wmfqc] §2.3, eq. (1).
//!
//! A flow is *constrained* at a port if its limit ERm, known from elsewhere, is no more than what the port would give it;
//! its share CA is then its limit. The other flows share equally what is left:
//!
//! A = (ABW − Σ CA of constrained flows) / (number of unconstrained flows)
//!
//! Flows are marked by A, and A is computed again, until no mark changes. Each of these passes looks at all flows.
//!
//! **Where the text says nothing.** If all flows are constrained, A = ABW − Σ CA + max CA, as in Charny's rule. A limit counts
//! as above A from 10⁻⁹·ABW on, or rounding could change the mark of a flow for ever.
//!
//! **Why passes end.** Let a be the level at which Σ min(ERm, a) = ABW. Marks that follow from any A lead to an A of at most
//! a; marks that follow from an A below a lead to a larger one, at most a. So from the second pass on A only rises,
//! and each further pass constrains another flow, which stays constrained: at most N + 3 passes.
//!
//! **What it cannot do.** A port writes its share into passing control packets, and takes the least of what both directions bring
//! as the limit of the flow. With two such ports on a way each keeps the other at the present share. When another flow
//! falls silent, nobody raises it: [wmfqc] §2.3, last paragraph. The scheme is here as it was published.

const NONE: u32 = u32::MAX;
/// Slack of comparisons, as a part of the available bandwidth.
const SLACK: f64 = 1e-9;

/// The flows of an output port with their limits and marks.
#[derive(Clone, Debug, Default)]
pub struct Marking {
    members: Vec<Member>,
    /// By flow: its place in `members`.
    places: Vec<u32>,
    share: f64,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    flow: u32,
    constrained: bool,
    limit: f64,
}

impl Marking {
    /// No flows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Flows that are there.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether no flow is there.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The flow is there from now on, with this limit ERm in bit/s: finite and not negative. A new flow is unconstrained.
    /// Says whether anything changed; then marks have to settle.
    ///
    /// Flows are small numbers that the caller gives, and gives again after a flow has left.
    pub fn set(&mut self, flow: u32, limit: f64) -> bool {
        debug_assert!(limit.is_finite() && limit >= 0.0, "limit {limit}");
        if let Some(place) = self.place(flow) {
            return std::mem::replace(&mut self.members[place].limit, limit) != limit;
        }
        if self.places.len() <= flow as usize {
            self.places.resize(flow as usize + 1, NONE);
        }
        self.places[flow as usize] = self.members.len() as u32;
        self.members.push(Member { flow, constrained: false, limit });
        true
    }

    /// The flow is gone. Says whether it was there.
    pub fn remove(&mut self, flow: u32) -> bool {
        let Some(place) = self.place(flow) else { return false };
        self.places[flow as usize] = NONE;
        self.members.swap_remove(place);
        if let Some(moved) = self.members.get(place) {
            self.places[moved.flow as usize] = place as u32;
        }
        true
    }

    /// Marks all flows until no mark changes, with an available bandwidth ABW in bit/s. Returns the passes.
    pub fn settle(&mut self, abw: f64) -> usize {
        let most = self.members.len() + 3;
        let mut passes = 0;
        let mut changed = !self.members.is_empty();
        while changed && passes < most {
            passes += 1;
            self.share = self.equal_share(abw);
            changed = self.mark(SLACK * abw);
        }
        passes
    }

    /// The share CA of a flow in bit/s, by the marks that were settled last.
    pub fn share(&self, flow: u32) -> Option<f64> {
        let member = self.members[self.place(flow)?];
        Some(if member.constrained { member.limit } else { self.share })
    }

    /// A of eq. (1).
    fn equal_share(&self, abw: f64) -> f64 {
        let (mut unconstrained, mut sum, mut largest) = (0u32, 0.0, 0.0f64);
        for member in &self.members {
            if member.constrained {
                sum += member.limit;
                largest = largest.max(member.limit);
            } else {
                unconstrained += 1;
            }
        }
        if unconstrained > 0 { (abw - sum) / f64::from(unconstrained) } else { abw - sum + largest }
    }

    /// Marks each flow by A. Says whether a mark changed.
    fn mark(&mut self, slack: f64) -> bool {
        let mut changed = false;
        for member in &mut self.members {
            let slack = if member.constrained { slack } else { 0.0 };
            let constrained = member.limit <= self.share + slack;
            changed |= constrained != member.constrained;
            member.constrained = constrained;
        }
        changed
    }

    fn place(&self, flow: u32) -> Option<usize> {
        self.places.get(flow as usize).filter(|place| **place != NONE).map(|place| *place as usize)
    }
}
