//! Turns the list of rate laws into what the fronts need: a tagged choice with parameters, the
//! table of laws, and one port and one source of any kind. Modules are declared one by one: tools that read
//! source (rustfmt, cargo-mutants) do not look into macros.

use super::{RateMessage, Refusal};

/// No rate law has that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no rate law `{0}`")]
pub struct UnknownRateLaw(pub String);

/// Reads `bytes` as a message, has it rewritten, and writes it back; what is refused stays as it was.
#[inline]
pub(super) fn rewrite<M: RateMessage>(
    bytes: &mut Vec<u8>,
    change: impl FnOnce(&mut M) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let mut message = M::read(bytes)?;
    change(&mut message)?;
    message.write(bytes);
    Ok(())
}

macro_rules! rate_laws {
    ($($law:ident),+ $(,)?) => {
        /// A rate law with its parameters, as `rate = { name = "…", … }` in a scenario.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(tag = "name", rename_all = "kebab-case")]
        #[allow(non_camel_case_types, missing_docs, reason = "the variants are the laws' module names")]
        pub enum RateLawChoice {
            $($law($law::Params)),+
        }

        /// How control packets of the laws of the list are laid out, law by law.
        pub(crate) fn message_formats() -> Vec<&'static [&'static crate::format::MessageFormat]> {
            vec![$(<<$law::Law as RateLaw>::Message as crate::WireMessage>::FORMATS),+]
        }

        impl RateLawChoice {
            /// How the law's control packets are laid out.
            pub const fn message_formats(&self) -> &'static [&'static crate::format::MessageFormat] {
                match self {
                    $(Self::$law(_) => <<$law::Law as RateLaw>::Message as crate::WireMessage>::FORMATS),+
                }
            }

            /// Every rate law there is, in the order of the list.
            pub const ALL: &'static [&'static crate::LawAbout] = &[$(&<$law::Law as RateLaw>::ABOUT),+];

            /// The law called `name` with its default parameters.
            ///
            /// # Errors
            /// [`UnknownRateLaw`] if there is none.
            pub fn by_name(name: &str) -> Result<Self, UnknownRateLaw> {
                $(if name == <$law::Law as RateLaw>::ABOUT.name {
                    return Ok(Self::$law(Default::default()));
                })+
                Err(UnknownRateLaw(name.to_owned()))
            }

            /// What is to be known of the chosen law.
            pub const fn about(&self) -> &'static crate::LawAbout {
                match self {
                    $(Self::$law(_) => &<$law::Law as RateLaw>::ABOUT),+
                }
            }

            /// What is wrong with the parameters, if anything is.
            pub fn problem(&self) -> Option<String> {
                match self {
                    $(Self::$law(params) => <$law::Law as RateLaw>::problem(params)),+
                }
            }

            /// The thresholds of the queue that ports go by.
            pub fn queue_thresholds(&self) -> QueueThresholds {
                match self {
                    $(Self::$law(params) => <$law::Law as RateLaw>::queue_thresholds(params)),+
                }
            }

            /// The law with these thresholds; none if it does not have both.
            pub fn with_queue_thresholds(&self, q_t: Packets, q_d: Packets) -> Option<Self> {
                match self {
                    $(Self::$law(params) => {
                        <$law::Law as RateLaw>::with_queue_thresholds(params, q_t, q_d).map(Self::$law)
                    }),+
                }
            }

            /// The chosen law at a port.
            pub fn port(&self, site: &PortSite) -> AnyRateLaw {
                match self {
                    $(Self::$law(params) => AnyRateLaw::$law($law::Law::new(params, site))),+
                }
            }

            /// The chosen law at a source.
            pub fn source(&self, terms: &Terms, first: FirstRate) -> AnyRateSource {
                match self {
                    $(Self::$law(params) => AnyRateSource::$law(
                        <$law::Law as RateLaw>::Source::new(params, terms, first)
                    )),+
                }
            }

            /// How a flow says that it ends.
            pub const fn farewell(&self) -> Farewell {
                match self {
                    $(Self::$law(_) => <<$law::Law as RateLaw>::Source as RateSource>::FAREWELL),+
                }
            }

            /// Whether ports send control packets by themselves.
            pub const fn sends_notices(&self) -> bool {
                match self {
                    $(Self::$law(_) => <$law::Law as RateLaw>::SENDS_NOTICES),+
                }
            }

            /// The destination turns a control packet around.
            ///
            /// # Errors
            /// [`Refusal`] if the bytes are no control packet of the law on its way forward.
            pub fn turn(&self, terms: &Terms, bytes: &mut Vec<u8>) -> Result<(), Refusal> {
                match self {
                    $(Self::$law(params) => registry::rewrite(bytes, |message: &mut <$law::Law as RateLaw>::Message| {
                        if message.is_backward() {
                            return Err(Refusal::Direction);
                        }
                        <$law::Law as RateLaw>::turn(params, terms, message);
                        message.set_backward();
                        Ok(())
                    })),+
                }
            }
        }

        /// A port of any rate law, dispatched by one branch.
        #[derive(Clone, Debug)]
        #[allow(
            non_camel_case_types, missing_docs, clippy::large_enum_variant,
            reason = "the variants are the laws' module names; ports are few and stay where they are"
        )]
        pub enum AnyRateLaw {
            $($law($law::Law)),+
        }

        /// The calls of [`RateLaw`]; control packets are bytes.
        #[allow(missing_docs, clippy::missing_errors_doc, reason = "documented at the contract")]
        impl AnyRateLaw {
            pub fn on_open(&mut self, cx: &mut Cx<'_>, flow: FlowId, terms: &Terms) {
                match self {
                    $(Self::$law(law) => law.on_open(cx, flow, terms)),+
                }
            }

            pub fn on_terms(&mut self, cx: &mut Cx<'_>, flow: FlowId, terms: &Terms) {
                match self {
                    $(Self::$law(law) => law.on_terms(cx, flow, terms)),+
                }
            }

            pub fn on_close(&mut self, cx: &mut Cx<'_>, flow: FlowId) {
                match self {
                    $(Self::$law(law) => law.on_close(cx, flow)),+
                }
            }

            #[inline]
            pub fn on_data(&mut self, cx: &mut Cx<'_>, flow: FlowId, size_bytes: u32, port: &PortView) -> Admission {
                match self {
                    $(Self::$law(law) => law.on_data(cx, flow, size_bytes, port)),+
                }
            }

            pub fn on_forward(
                &mut self, cx: &mut Cx<'_>, flow: FlowId, bytes: &mut Vec<u8>, port: &PortView,
            ) -> Result<(), Refusal> {
                match self {
                    $(Self::$law(law) => registry::rewrite(bytes, |message: &mut <$law::Law as RateLaw>::Message| {
                        if message.is_backward() {
                            return Err(Refusal::Direction);
                        }
                        law.on_forward(cx, flow, message, port)
                    })),+
                }
            }

            pub fn on_backward(
                &mut self, cx: &mut Cx<'_>, flow: FlowId, bytes: &mut Vec<u8>, port: &PortView,
            ) -> Result<(), Refusal> {
                match self {
                    $(Self::$law(law) => registry::rewrite(bytes, |message: &mut <$law::Law as RateLaw>::Message| {
                        if !message.is_backward() {
                            return Err(Refusal::Direction);
                        }
                        law.on_backward(cx, flow, message, port)
                    })),+
                }
            }

            pub fn on_capacity(&mut self, now: Instant, capacity: BitRate) {
                match self {
                    $(Self::$law(law) => law.on_capacity(now, capacity)),+
                }
            }

            #[inline]
            pub fn reserved_bps(&self) -> f64 {
                match self {
                    $(Self::$law(law) => law.reserved_bps()),+
                }
            }

            #[inline]
            pub fn poll_timeout(&self) -> Option<Instant> {
                match self {
                    $(Self::$law(law) => law.poll_timeout()),+
                }
            }

            #[inline]
            pub fn look_ahead(&self, flow: FlowId, control: bool) {
                match self {
                    $(Self::$law(law) => law.look_ahead(flow, control)),+
                }
            }

            pub fn handle_timeout(&mut self, cx: &mut Cx<'_>, port: &PortView) {
                match self {
                    $(Self::$law(law) => law.handle_timeout(cx, port)),+
                }
            }

            /// The flow to whose source the port sends a control packet by itself, written in place of what `bytes` held.
            pub fn poll_notice(&mut self, bytes: &mut Vec<u8>) -> Option<FlowId> {
                match self {
                    $(Self::$law(law) => {
                        let (flow, message) = law.poll_notice()?;
                        message.write(bytes);
                        Some(flow)
                    }),+
                }
            }

            pub fn violation(&self) -> Option<String> {
                match self {
                    $(Self::$law(law) => law.violation()),+
                }
            }

            pub fn flows(&self) -> usize {
                match self {
                    $(Self::$law(law) => law.flows()),+
                }
            }
        }

        /// A source of any rate law.
        #[derive(Clone, Debug)]
        #[allow(non_camel_case_types, missing_docs, reason = "the variants are the laws' module names")]
        pub enum AnyRateSource {
            $($law(<$law::Law as RateLaw>::Source)),+
        }

        /// The calls of [`RateSource`]; control packets are bytes.
        #[allow(missing_docs, clippy::missing_errors_doc, reason = "documented at the contract")]
        impl AnyRateSource {
            #[inline]
            pub fn allowed_bps(&self) -> f64 {
                match self {
                    $(Self::$law(source) => source.allowed_bps()),+
                }
            }

            #[inline]
            pub fn may_send_data(&self) -> bool {
                match self {
                    $(Self::$law(source) => source.may_send_data()),+
                }
            }

            #[inline]
            pub fn asks_at(&self) -> Option<Instant> {
                match self {
                    $(Self::$law(source) => source.asks_at()),+
                }
            }

            pub fn on_start(&mut self, now: Instant, again_after: fairwire_core::Span) {
                match self {
                    $(Self::$law(source) => source.on_start(now, again_after)),+
                }
            }

            pub fn on_pause(&mut self, until: Instant) {
                match self {
                    $(Self::$law(source) => source.on_pause(until)),+
                }
            }

            pub fn write(&mut self, now: Instant, closing: bool, bytes: &mut Vec<u8>) {
                match self {
                    $(Self::$law(source) => source.write(now, closing).write(bytes)),+
                }
            }

            pub fn on_return(&mut self, now: Instant, bytes: &[u8]) -> Result<(), Refusal> {
                match self {
                    $(Self::$law(source) => {
                        let message = <<$law::Law as RateLaw>::Message as RateMessage>::read(bytes)?;
                        source.on_return(now, &message)
                    }),+
                }
            }

            pub fn on_terms(&mut self, terms: &Terms) {
                match self {
                    $(Self::$law(source) => source.on_terms(terms)),+
                }
            }

            pub fn confirm_nothing(&mut self) {
                match self {
                    $(Self::$law(source) => source.confirm_nothing()),+
                }
            }
        }
    };
}

pub(super) use rate_laws;
