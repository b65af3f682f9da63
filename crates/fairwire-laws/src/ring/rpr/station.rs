//! The station that all laws of the packet ring share ([dvsr] §II-B).
//!
//! At the end of every aging interval, in this order: measure, judge congestion, find
//! the local fair rate, choose what to tell upstream, and set the own limits. What the
//! laws do differently is in their [`Profile`].

use super::advertisement::{Advertisement, Grounds, choose};
use super::client::MultiChokeClient;
use super::divisor::Divisor;
use super::filter::Window;
use super::limits::{Bounds, Limits};
use super::meter::{Asked, Meter, Sample};
use super::outbox::Outbox;
use super::params::Contributes;
use super::profile::{Profile, Settings};
use super::received::{Ear, Received};
use super::round_trip::{RoundTrip, Sent, drain_time};
use super::rules::{FairRateRule, LocalRate};
use super::situation::Situation;
use super::timer::{AccessTimer, Every};
use super::{Choke, FAIRNESS_BYTES, FULL_RATE, FairnessFrame, Message, RateCode};
use crate::frame::{Address, ControlFrame};
use crate::ring::{
    AdviceHints, Call, Counters, LawAbout, Rest, RingAction, RingHints, RingLaw, RingNeeds, RingSite, Sends,
    SiteChange, StationView, StqThresholds, Weighing,
};
use fairwire_core::{BitRate, Bytes, Cx, Instant, Ringlet, Span, StationId};

/// A law of the packet ring for one ringlet at one station.
pub struct Station<P: Profile> {
    params: P::Params,
    settings: Settings,
    site: RingSite,
    /// The own weight in units of the least on the ring, so that a rate per unit is
    /// never above a link's; one if the law has no weights.
    weight: f64,
    per_weight: Divisor,
    /// R.
    unreserved_bps: f64,
    code: RateCode,
    meter: Meter,
    rule: P::Rule,
    limits: P::Limits,
    client: Option<MultiChokeClient>,
    ear: Ear,
    access: AccessTimer,
    round_trip: RoundTrip,
    local: LocalRate,
    /// The most that waited in the secondary transit queue in this aging interval.
    most_waiting: Bytes,
    /// The last aging interval found nothing and changed nothing; nor will the next one that finds nothing.
    at_rest: bool,
    /// When the last aging interval ended.
    aged_at: Instant,
    aging: Every,
    advertising: Every,
    reporting: Every,
    pairing: Every,
    outbox: Outbox,
}

impl<P: Profile> RingLaw for Station<P> {
    type Params = P::Params;
    type Msg = Message;

    const ABOUT: LawAbout = P::ABOUT;
    const NEEDS: RingNeeds = RingNeeds {
        datapath: P::DATAPATH,
        weighing: if P::WEIGHTED { Weighing::Bytes } else { Weighing::Alike },
        limits_together: <P::Limits as Limits>::TOGETHER,
        sends: if P::SENDS_DOWNSTREAM { Sends::BothWays } else { Sends::Upstream },
        ..RingNeeds::PLAIN
    };
    const HINTS: RingHints<Self> = RingHints {
        // A fairness frame; control frames are larger.
        least_message: |_, _| Bytes::new(FAIRNESS_BYTES as u64),
        // Only the access timer has to know whether anything waits.
        reads_adds: |law, call| call == Call::Timeout && law.settings.access.is_some(),
        advice: Some(AdviceHints {
            // The neighbour's advertisement counts when the aging interval ends.
            is_advice: |message| matches!(message, Message::Fairness(frame) if frame.choke() == Choke::Single),
            sends_only_advice: Self::only_advertises,
            rests: Self::rests,
            has_rested: Self::has_rested,
        }),
    };

    fn problem(params: &P::Params) -> Option<String> {
        P::problem(params)
    }

    fn counters(params: &P::Params) -> Counters {
        let secondary_deepest = P::Rule::ASKS_FOR_HIGHEST;
        Counters { secondary_deepest, ..Meter::counters(asked::<P>(&anywhere::<P>(params))) }
    }

    fn rate_unit_bps(params: &P::Params, capacities: &[BitRate]) -> Option<f64> {
        code(&anywhere::<P>(params), capacities).decode(1)
    }

    fn stq_thresholds(params: &P::Params, secondary: Bytes, max_packet: Bytes) -> StqThresholds {
        P::stq_thresholds(params, secondary, max_packet)
    }

    fn new(params: &P::Params, site: RingSite) -> Self {
        let settings = P::settings(params, &site);
        let weights = weights::<P>(&site);
        let weight = weights[site.station.index()];
        let asked = asked::<P>(&settings);
        let unreserved_bps = site.unreserved().as_bps_f64();
        Self {
            params: params.clone(),
            weight,
            per_weight: Divisor::new(weight),
            unreserved_bps,
            code: code(&settings, &site.capacities),
            meter: Meter::new(settings.meter, &site, &weights, asked),
            rule: P::rule(params),
            limits: Limits::new(&site, settings.ramp_coef),
            client: settings.obeys_reports.then(|| MultiChokeClient::new(&site, weight, settings.ramp_coef)),
            ear: Ear::new(settings.advertising),
            access: AccessTimer::new(settings.access, settings.meter.aging),
            round_trip: RoundTrip::new(settings.round_trip, settings.fixed_round_trip, &site),
            local: LocalRate { rate_bps: unreserved_bps, congested: false },
            most_waiting: Bytes::ZERO,
            at_rest: false,
            aged_at: Instant::ZERO,
            aging: Every::new(settings.meter.aging),
            advertising: Every::new(settings.advertising),
            reporting: Every::new(settings.advertising * u64::from(settings.report_every)),
            pairing: Every::new(settings.pair_every),
            outbox: Outbox::default(),
            settings,
            site,
        }
    }

    #[inline(always)]
    fn on_message(&mut self, cx: &mut Cx<'_>, message: Message, view: &StationView<'_>) {
        self.note_depth(view);
        match message {
            Message::Fairness(frame) if frame.ringlet() == self.site.ringlet => {}
            Message::Fairness(frame) => match frame.choke() {
                Choke::Single => self.ear.hear(cx.now, frame, self.code, &self.site),
                Choke::Multi => self.pass_report_on(frame),
            },
            Message::Control(frame) => self.pass_or_take(cx.now, *frame),
        }
    }

    fn start(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        self.meter.begin(view);
        self.aged_at = cx.now;
        for every in [&mut self.aging, &mut self.advertising, &mut self.reporting, &mut self.pairing] {
            every.start(cx.now);
        }
    }

    #[inline]
    fn poll_timeout(&self) -> Option<Instant> {
        Some(self.aging.due().min(self.advertising.due()))
    }

    #[inline]
    fn handle_timeout(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        self.note_depth(view);
        if self.aging.has_passed(cx.now) {
            self.age(cx, view);
        }
        if self.advertising.has_passed(cx.now) {
            self.advertise(cx.now);
        }
    }

    fn on_change(&mut self, _cx: &mut Cx<'_>, change: SiteChange, _view: &StationView<'_>) {
        self.site.apply(change);
        self.follow_site();
    }

    #[inline(always)]
    fn poll_action(&mut self) -> Option<RingAction<Message>> {
        let sent = self.outbox.pop();
        let limit = sent.or_else(|| self.limits.changed());
        limit.or_else(|| self.client.as_mut().and_then(MultiChokeClient::changed))
    }
}

/// What hangs on parameters alone.
fn anywhere<P: Profile>(params: &P::Params) -> Settings {
    P::settings(params, &RingSite::bare(StationId(0), Ringlet::Zero, vec![BitRate::from_bps(1); 2]))
}

/// How rates are told on a ringlet whose links carry `capacities`.
fn code(settings: &Settings, capacities: &[BitRate]) -> RateCode {
    RateCode::new(settings.encoding, capacities, settings.meter.aging)
}

impl<P: Profile> Station<P> {
    /// The site is another: what was worked out from it is worked out anew, and what was measured stays.
    fn follow_site(&mut self) {
        let weights = weights::<P>(&self.site);
        self.weight = weights[self.site.station.index()];
        self.per_weight = Divisor::new(self.weight);
        self.settings = P::settings(&self.params, &self.site);
        self.unreserved_bps = self.site.unreserved().as_bps_f64();
        self.code = code(&self.settings, &self.site.capacities);
        self.advertising.set_interval(self.settings.advertising);
        self.meter.set_weights(&weights);
        self.local.rate_bps = self.local.rate_bps.min(self.unreserved_bps);
        self.limits.follow(&self.site);
        if let Some(client) = &mut self.client {
            client.follow(&self.site, self.weight);
        }
        self.at_rest = false;
    }

    /// It advertises to its neighbour, and nothing else.
    fn only_advertises(&self) -> bool {
        self.settings.report_every == 0 && !self.round_trip.is_measured()
    }

    /// Where nothing is limited and nothing has passed for long, whatever is heard changes nothing: there is no limit to
    /// tell, for who forwards nothing contributes to no congestion.
    #[inline]
    fn rests(&self) -> Option<Rest<Message>> {
        let in_step =
            self.aging.due() == self.advertising.due() && self.aging.interval() == self.advertising.interval();
        let limits_nothing = self.site.flows.is_empty() && !P::Limits::TOGETHER && self.client.is_none();
        let forwards_nothing = self.meter.sample().lp_forward_bps == 0.0;
        let rests = self.at_rest && limits_nothing && forwards_nothing && in_step && self.only_advertises();
        rests.then(|| Rest {
            period: self.aging.interval(),
            message: Message::Fairness(self.frame(Choke::Single, FULL_RATE)),
        })
    }

    fn has_rested(&mut self, timeouts: u64) {
        let last = self.aging.due() + self.aging.interval() * timeouts.saturating_sub(1);
        [&mut self.aging, &mut self.advertising].into_iter().for_each(|every| every.go_by(timeouts));
        self.aged_at = last;
        self.meter.turn_intervals(timeouts);
        self.access.rest(last);
    }

    fn age(&mut self, cx: &mut Cx<'_>, view: &StationView<'_>) {
        let window = Window::new(cx.now.since(self.aged_at), self.settings.meter.aging);
        self.aged_at = cx.now;
        if self.at_rest && self.finds_nothing(view) && !cx.is_watched() {
            self.access.rest(cx.now);
            self.most_waiting = Bytes::ZERO;
            return self.meter.turn_window(window);
        }
        let sample = self.meter.close(view, window);
        if window.missed() > 0 {
            self.ear.excuse(cx.now, self.settings.meter.aging * window.missed());
        }
        self.ear.forget(cx.now);
        self.meter.set_head(self.ear.received().map(|received| received.head_hops));
        let situation = self.situation(cx.now, view, sample);
        self.local = self.rule.age(&situation);
        let obeyed = P::Rule::OBEYED && self.local.congested;
        let local = obeyed.then_some(self.local);
        let bounds = Bounds { local, received: self.ear.received(), weight: self.weight };
        self.limits.age(&bounds);
        if let Some(client) = &mut self.client {
            client.age();
        }
        if cx.is_watched() {
            self.show(cx, &situation);
        }
        let calm = self.ear.received().is_none() && !self.local.congested && self.meter.is_at_rest();
        self.at_rest = calm && !situation.fill.above_low() && self.client.is_none() && self.limits.are_at_rest();
    }

    /// Takes down how much waited at most, for rules that ask.
    #[inline(always)]
    fn note_depth(&mut self, view: &StationView<'_>) {
        if P::Rule::ASKS_FOR_HIGHEST {
            self.most_waiting = self.most_waiting.max(view.transit.secondary_deepest);
        }
    }

    /// Whether nothing has passed the station in this aging interval and nothing waits.
    #[inline]
    fn finds_nothing(&self, view: &StationView<'_>) -> bool {
        let waits = view.transit.secondary.get() > 0 || view.adds.iter().any(|add| add.packets > 0);
        self.meter.counted_nothing(view) && self.ear.received().is_none() && !waits
    }

    fn situation(&mut self, now: Instant, view: &StationView<'_>, sample: Sample) -> Situation {
        let waiting = self.settings.access.is_some() && view.adds.iter().any(|add| add.packets > 0);
        let starved = waiting && {
            let of = |flow: usize| if view.adds[flow].packets > 0 { self.limits.allowed_bps(flow) } else { 0.0 };
            let allowed_bps = (0..view.adds.len()).map(of).fold(0.0, f64::max);
            self.access.is_over(now, sample.added, self.site.max_packet, allowed_bps)
        };
        if !waiting {
            self.access.rest(now);
        }
        let round_trip = || {
            let queued = drain_time(&self.site, view.transit.secondary);
            self.round_trip.span(sample.tail_hops, queued, self.settings.meter.aging)
        };
        Situation {
            now,
            aging: self.settings.meter.aging,
            unreserved_bps: self.unreserved_bps,
            weight: self.weight,
            sample,
            fill: self.settings.gauge.read(
                &sample,
                view.transit.secondary,
                std::mem::take(&mut self.most_waiting),
                starved,
            ),
            waiting,
            round_trip: if P::Rule::AWAITS_ROUND_TRIP { round_trip() } else { Span::ZERO },
        }
    }

    fn show(&self, cx: &mut Cx<'_>, situation: &Situation) {
        let here = self.site.station.0.into();
        cx.show("fair_rate_bps", here, self.local.rate_bps);
        cx.show("congested", here, f64::from(u8::from(self.local.congested)));
        cx.show("add_rate_bps", here, situation.sample.lp_add_bps);
        cx.show("forward_rate_bps", here, situation.sample.lp_forward_bps);
        if P::Rule::AWAITS_ROUND_TRIP {
            cx.show("frtt_ns", here, situation.round_trip.as_nanos() as f64);
        }
        self.show_domain(cx, situation);
        for (flow, pair) in self.site.flows.iter().enumerate() {
            let client = self.client.as_ref().map_or(f64::INFINITY, |client| client.allowed_bps(flow));
            cx.show("allowed_rate_bps", pair.egress.0.into(), self.limits.allowed_bps(flow).min(client));
        }
    }

    /// The congestion domain that the station heads, or the head of the one that it is in.
    fn show_domain(&self, cx: &mut Cx<'_>, situation: &Situation) {
        let here = self.site.station.0.into();
        if self.local.congested {
            let hops = situation.sample.tail_hops;
            cx.show("tail_hops", self.site.downstream(self.site.stations() - hops) as u32, hops as f64);
        }
        if let Some(received) = self.ear.received() {
            let hops = received.head_hops;
            cx.show("head_hops", self.site.downstream(hops) as u32, hops as f64);
        }
        if let Some((lrtt, fdd)) = self.round_trip.parts() {
            cx.show("lrtt_ns", here, lrtt.as_nanos() as f64);
            cx.show("fdd_ns", here, fdd.as_nanos() as f64);
        }
    }

    fn advertise(&mut self, now: Instant) {
        self.ear.forget(now);
        let received = self.ear.received();
        let told = choose(&Grounds {
            own_bps: self.own_bps(),
            received_bps: received.map(|received| received.rate_bps),
            contributing: received.is_some_and(|received| self.is_contributing(received)),
            minimum: self.settings.minimum,
        });
        let full = || self.frame(Choke::Single, FULL_RATE);
        let frame = match told {
            Advertisement::Own(rate) => self.frame(Choke::Single, self.code.encode(rate)),
            Advertisement::PassOn => received.and_then(|received| received.frame.forwarded()).unwrap_or_else(full),
            Advertisement::Full => full(),
        };
        self.outbox.tell(frame);
        if self.settings.report_every > 0 && self.reporting.has_passed(now) {
            self.report();
        }
        if told == Advertisement::Full
            && let Some(received) = self.ear.received()
        {
            self.make_delay_visible(now, received.frame.source());
        }
    }

    /// L/W, if the own link is congested.
    fn own_bps(&self) -> Option<f64> {
        self.local.congested.then(|| self.per_weight.divide(self.local.rate_bps))
    }

    fn is_contributing(&self, received: &Received) -> bool {
        let allowed_beyond_bps = || self.limits.allowed_beyond_bps(received.head_hops);
        self.settings.contributes.judge(received, self.meter.sample(), allowed_beyond_bps)
    }

    /// Tells all stations about the own link.
    fn report(&mut self) {
        let code = self.own_bps().map_or(FULL_RATE, |rate| self.code.encode(rate));
        self.outbox.tell(self.frame(Choke::Multi, code));
    }

    /// A frame of its own.
    fn frame(&self, choke: Choke, code: u16) -> FairnessFrame {
        FairnessFrame::new(choke, self.site.ringlet.opposite(), self.address(), code)
    }

    /// A report goes all the way around, to where it came from.
    fn pass_report_on(&mut self, frame: FairnessFrame) {
        let source = frame.source().station().filter(|source| source.index() < self.site.stations());
        let Some(source) = source.filter(|source| *source != self.site.station) else { return };
        if let Some(client) = &mut self.client {
            client.hear(source, self.code.decode(frame.fair_rate()));
        }
        if let Some(frame) = frame.forwarded() {
            self.outbox.tell(frame);
        }
    }

    /// The tail of a congestion domain lets the head see how long the queues between them are.
    fn make_delay_visible(&mut self, now: Instant, head: Address) {
        if self.round_trip.is_measured() && self.pairing.has_passed(now) {
            let pair = self.round_trip.pair(head);
            pair.into_iter().for_each(|sent| self.send(sent));
        }
    }

    fn pass_or_take(&mut self, now: Instant, frame: ControlFrame) {
        if !self.round_trip.is_measured() || frame.header().source == self.address() {
            return;
        }
        if frame.header().destination == self.address() {
            if let Some(answer) = self.round_trip.take(now, &frame) {
                self.send(answer);
            }
            return;
        }
        let is_up = frame.header().base.ringlet != self.site.ringlet;
        let queue = RoundTrip::queue_of(&frame);
        if let Some(frame) = frame.forwarded() {
            self.send(if is_up { Sent::Up(frame) } else { Sent::Down(frame, queue) });
        }
    }

    fn send(&mut self, sent: Sent) {
        let message = |frame| Message::Control(Box::new(frame));
        self.outbox.send(match sent {
            Sent::Up(frame) => RingAction::SendUpstream(message(frame)),
            Sent::Down(frame, queue) => RingAction::SendDownstream { message: message(frame), queue },
        });
    }

    fn address(&self) -> Address {
        Address::of(self.site.station)
    }
}

/// What the station asks of its meter.
fn asked<P: Profile>(settings: &Settings) -> Asked {
    Asked { who: P::Rule::ASKS_WHO_IS_ACTIVE, how_far: settings.contributes != Contributes::ForwardRate }
}

/// What stations weigh, in units of the least on the ring; one each if the law has no weights.
fn weights<P: Profile>(site: &RingSite) -> Vec<f64> {
    if P::WEIGHTED {
        site.weights_in_units_of_the_least().iter().map(|weight| weight.get()).collect()
    } else {
        vec![1.0; site.stations()]
    }
}
