//! Turns the list of queue laws into what the fronts need: a tagged choice with parameters, the
//! table of laws, and one law of any kind. Modules are declared one by one: tools that read
//! source (rustfmt, cargo-mutants) do not look into macros.

/// No queue law has that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no queue law `{0}`")]
pub struct UnknownQueueLaw(pub String);

macro_rules! queue_laws {
    ($($law:ident),+ $(,)?) => {
        /// A queue law with its parameters, as `queue = { name = "…", … }` in a scenario.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(tag = "name", rename_all = "kebab-case")]
        #[allow(non_camel_case_types, missing_docs, reason = "the variants are the laws' module names")]
        pub enum QueueLawChoice {
            $($law($law::Params)),+
        }

        impl QueueLawChoice {
            /// Every queue law there is, in the order of the list.
            pub const ALL: &'static [&'static crate::LawAbout] = &[$(&<$law::Law as QueueLaw>::ABOUT),+];

            /// The law called `name` with its default parameters.
            ///
            /// # Errors
            /// [`UnknownQueueLaw`] if there is none.
            pub fn by_name(name: &str) -> Result<Self, UnknownQueueLaw> {
                $(if name == <$law::Law as QueueLaw>::ABOUT.name {
                    return Ok(Self::$law(Default::default()));
                })+
                Err(UnknownQueueLaw(name.to_owned()))
            }

            /// What is to be known of the chosen law.
            pub const fn about(&self) -> &'static crate::LawAbout {
                match self {
                    $(Self::$law(_) => &<$law::Law as QueueLaw>::ABOUT),+
                }
            }

            /// Who decides which packet leaves next.
            pub const fn order(&self) -> Order {
                match self {
                    $(Self::$law(_) => <$law::Law as QueueLaw>::ORDER),+
                }
            }

            /// What is wrong with the parameters, if anything is.
            pub fn problem(&self) -> Option<String> {
                match self {
                    $(Self::$law(params) => <$law::Law as QueueLaw>::problem(params)),+
                }
            }

            /// The law with marks in place of drops, as [`QueueLaw::marking`]; none if it never marks.
            pub fn marking(&self) -> Option<Self> {
                match self {
                    $(Self::$law(params) => <$law::Law as QueueLaw>::marking(params).map(Self::$law)),+
                }
            }

            /// The chosen law at `site`.
            pub fn build(&self, site: &QueueSite) -> AnyQueueLaw {
                match self {
                    $(Self::$law(params) => AnyQueueLaw::$law($law::Law::new(params, site))),+
                }
            }
        }

        /// A queue law of any kind, dispatched by one branch.
        #[derive(Clone, Debug)]
        #[allow(non_camel_case_types, missing_docs, reason = "the variants are the laws' module names")]
        pub enum AnyQueueLaw {
            $($law($law::Law)),+
        }

        /// The calls of [`QueueLaw`].
        #[allow(missing_docs, reason = "documented at the contract")]
        impl AnyQueueLaw {
            #[inline]
            pub const fn order(&self) -> Order {
                match self {
                    $(Self::$law(_) => <$law::Law as QueueLaw>::ORDER),+
                }
            }

            #[inline]
            pub fn on_arrival(&mut self, cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) -> Verdict {
                match self {
                    $(Self::$law(law) => law.on_arrival(cx, packet, queue)),+
                }
            }

            #[inline]
            pub fn poll_eviction(&mut self, cx: &mut Cx<'_>, queue: &QueueView<'_>) -> Option<Eviction> {
                match self {
                    $(Self::$law(law) => law.poll_eviction(cx, queue)),+
                }
            }

            #[inline]
            pub fn select(&mut self, cx: &mut Cx<'_>, queue: &QueueView<'_>) -> Option<Selection> {
                match self {
                    $(Self::$law(law) => law.select(cx, queue)),+
                }
            }

            #[inline]
            pub fn on_departure(&mut self, cx: &mut Cx<'_>, packet: &QueuedPacket, queue: &QueueView<'_>) {
                match self {
                    $(Self::$law(law) => law.on_departure(cx, packet, queue)),+
                }
            }

            #[inline]
            pub fn on_idle(&mut self, now: Instant) {
                match self {
                    $(Self::$law(law) => law.on_idle(now)),+
                }
            }

            #[inline]
            pub fn poll_timeout(&self) -> Option<Instant> {
                match self {
                    $(Self::$law(law) => law.poll_timeout()),+
                }
            }

            #[inline]
            pub fn handle_timeout(&mut self, cx: &mut Cx<'_>, queue: &QueueView<'_>) {
                match self {
                    $(Self::$law(law) => law.handle_timeout(cx, queue)),+
                }
            }

            pub fn on_capacity(&mut self, now: Instant, capacity: BitRate) {
                match self {
                    $(Self::$law(law) => law.on_capacity(now, capacity)),+
                }
            }

            pub fn on_flow_gone(&mut self, flow: FlowId) {
                match self {
                    $(Self::$law(law) => law.on_flow_gone(flow)),+
                }
            }
        }
    };
}

pub(super) use queue_laws;
