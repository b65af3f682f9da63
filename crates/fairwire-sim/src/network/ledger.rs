//! What is counted for each flow while packets move.
//!
//! Parts of a network may be ahead of others, so what is counted here comes in no
//! order of time, and every entry has its own.
//!
//! With thousands of flows each packet is another flow's than the one before, and what is counted for it has to come
//! from afar. So what every packet changes is one line of the processor's cache for each flow ([`Account`]), and what few
//! packets change stands elsewhere ([`Exceptions`]).

use super::rows::Rows;
use crate::delays::Delays;
use fairwire_plan::DelaySummary;
use prefetch_index::prefetch_index;

/// Books of all flows.
#[derive(Debug)]
pub struct Ledger {
    warmup: u64,
    /// Packets sent, by flow.
    sent: Vec<u64>,
    accounts: Vec<Account>,
    /// Of packets that arrived after the warm-up; the last few of each flow stand in its account.
    delays: Vec<Delays>,
    exceptions: Vec<Exceptions>,
    rows: Rows,
}

/// What each data packet of a flow changes when it arrives: 64 bytes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Account {
    arrived: u64,
    /// That arrived and were not there before, over the whole run.
    bytes: u64,
    /// The last delays, in ns, which are entered among the others together.
    recent: [u32; RECENT],
    recent_count: u32,
}

/// So many fill the line.
const RECENT: usize = 11;

/// What some packets of a flow change; before the warm-up ends, all do.
#[derive(Clone, Copy, Debug, Default)]
struct Exceptions {
    retransmitted: u64,
    dropped: u64,
    lost: u64,
    marked: u64,
    early_sent: u64,
    early_dropped: u64,
    early_bytes: u64,
}

/// One flow's data packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    pub sent: u64,
    pub retransmitted: u64,
    pub dropped: u64,
    pub lost: u64,
    pub marked: u64,
    pub arrived: u64,
    /// Bytes that arrived and were not there before.
    pub bytes: u64,
    /// After the warm-up.
    pub measured_sent: u64,
    /// Dropped or lost after the warm-up.
    pub measured_dropped: u64,
    /// Arrived after the warm-up.
    pub measured_bytes: u64,
}

/// Whose packet it is, for those that count: data packets of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner(u32);

impl Owner {
    /// Of acknowledgements nobody keeps account.
    pub const NOBODY: Self = Self(u32::MAX);

    pub fn flow(flow: u32) -> Self {
        Self(flow)
    }

    pub fn number(self) -> usize {
        self.0 as usize
    }
}

impl Ledger {
    pub fn new(flows: usize, warmup: u64, window: u64) -> Self {
        Self {
            warmup,
            sent: vec![0; flows],
            accounts: vec![Account::default(); flows],
            delays: (0..flows).map(|_| Delays::default()).collect(),
            exceptions: vec![Exceptions::default(); flows],
            rows: Rows::new(flows, window),
        }
    }

    /// What is to be counted of an owner besides what each packet changes; early is before the end of the warm-up.
    #[cold]
    fn except(&mut self, owner: Owner, count: impl FnOnce(&mut Exceptions)) {
        if let Some(exceptions) = self.exceptions.get_mut(owner.number()) {
            count(exceptions);
        }
    }

    #[inline]
    pub fn send(&mut self, owner: Owner, now: u64, retransmitted: bool) {
        if let Some(sent) = self.sent.get_mut(owner.number()) {
            *sent += 1;
        }
        let early = now < self.warmup;
        if early || retransmitted {
            self.except(owner, |exceptions| {
                exceptions.retransmitted += u64::from(retransmitted);
                exceptions.early_sent += u64::from(early);
            });
        }
    }

    #[cold]
    pub fn drop(&mut self, owner: Owner, now: u64) {
        let early = now < self.warmup;
        self.except(owner, |exceptions| {
            exceptions.dropped += 1;
            exceptions.early_dropped += u64::from(early);
        });
    }

    #[cold]
    pub fn lose(&mut self, owner: Owner, now: u64) {
        let early = now < self.warmup;
        self.except(owner, |exceptions| {
            exceptions.lost += 1;
            exceptions.early_dropped += u64::from(early);
        });
    }

    #[cold]
    pub fn mark(&mut self, owner: Owner) {
        self.except(owner, |exceptions| exceptions.marked += 1);
    }

    /// A packet arrived, which brings so many bytes that were not there before.
    #[inline]
    pub fn arrive(&mut self, owner: Owner, now: u64, born: u64, new_bytes: u64) {
        let Some(account) = self.accounts.get_mut(owner.number()) else { return };
        account.arrived += 1;
        account.bytes += new_bytes;
        self.rows.add(owner.number(), now, new_bytes);
        if now < self.warmup {
            return self.except(owner, |exceptions| exceptions.early_bytes += new_bytes);
        }
        let delay_ns = now - born;
        let room = account.recent.get_mut(account.recent_count as usize);
        let (Ok(short), Some(room)) = (u32::try_from(delay_ns), room) else { return self.enter(owner, delay_ns) };
        *room = short;
        account.recent_count += 1;
    }

    /// Enters the last delays of a flow among the others, and this one.
    #[inline(never)]
    fn enter(&mut self, owner: Owner, delay_ns: u64) {
        self.enter_recent(owner.number());
        self.delays[owner.number()].record(delay_ns);
    }

    fn enter_recent(&mut self, flow: usize) {
        let account = &mut self.accounts[flow];
        let recent = account.recent.iter().take(account.recent_count as usize);
        recent.for_each(|delay_ns| self.delays[flow].record((*delay_ns).into()));
        account.recent_count = 0;
    }

    /// A packet of the owner will soon be sent.
    #[inline]
    pub fn look_at_sent(&self, owner: Owner) {
        prefetch_index(&self.sent, owner.number());
    }

    /// A packet of the owner will soon arrive: its account is fetched into the cache.
    #[inline]
    pub fn look_at_arrived(&self, owner: Owner) {
        prefetch_index(&self.accounts, owner.number());
        self.rows.look_ahead(owner.number());
    }

    /// The same a little later: if the account is full, what its delays are entered among is fetched, too.
    #[inline]
    pub fn look_at_delays(&self, owner: Owner) {
        if self.accounts.get(owner.number()).is_some_and(|account| account.recent_count as usize == RECENT) {
            prefetch_index(&self.delays, owner.number());
        }
    }

    /// How many flows there are.
    pub fn flows(&self) -> usize {
        self.accounts.len()
    }

    /// What was counted for a flow.
    pub fn counts(&self, flow: usize) -> Counts {
        let (account, exceptions) = (&self.accounts[flow], &self.exceptions[flow]);
        Counts {
            sent: self.sent[flow],
            retransmitted: exceptions.retransmitted,
            dropped: exceptions.dropped,
            lost: exceptions.lost,
            marked: exceptions.marked,
            arrived: account.arrived,
            bytes: account.bytes,
            measured_sent: self.sent[flow] - exceptions.early_sent,
            measured_dropped: exceptions.dropped + exceptions.lost - exceptions.early_dropped,
            measured_bytes: account.bytes - exceptions.early_bytes,
        }
    }

    /// Delays of a flow's packets.
    pub fn delay_summary(&mut self, flow: usize) -> DelaySummary {
        self.enter_recent(flow);
        self.delays[flow].summary()
    }

    /// Bytes that arrived in each row of a run of `reached` ns, by flow.
    pub fn take_rows(&mut self, reached: u64) -> Vec<Vec<u32>> {
        self.rows.take(reached)
    }
}
