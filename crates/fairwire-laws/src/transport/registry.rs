//! Turns the list of congestion controls into what the fronts need: a tagged choice with parameters, the table of controls, and one control of any kind.

/// No congestion control has that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no congestion control `{0}`")]
pub struct UnknownControl(pub String);

macro_rules! controls {
    ($($control:ident: $law:ty),+ $(,)?) => {
        /// A congestion control with its parameters, as `control = { name = "…", … }` in a scenario.
        #[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(tag = "name", rename_all = "kebab-case")]
        #[allow(non_camel_case_types, missing_docs, reason = "the variants are the controls' names")]
        pub enum ControlChoice {
            $($control(<$law as CongestionControl>::Params)),+
        }

        impl ControlChoice {
            /// Every congestion control there is, in the order of the list.
            pub const ALL: &'static [&'static crate::LawAbout] =
                &[$(&<$law as CongestionControl>::ABOUT),+];

            /// The control called `name` with its default parameters.
            ///
            /// # Errors
            /// [`UnknownControl`] if there is none.
            pub fn by_name(name: &str) -> Result<Self, UnknownControl> {
                $(if name == <$law as CongestionControl>::ABOUT.name {
                    return Ok(Self::$control(Default::default()));
                })+
                Err(UnknownControl(name.to_owned()))
            }

            /// What is to be known of the chosen control.
            pub const fn about(&self) -> &'static crate::LawAbout {
                match self {
                    $(Self::$control(_) => &<$law as CongestionControl>::ABOUT),+
                }
            }

            /// What is wrong with the parameters, if anything is.
            pub fn problem(&self) -> Option<String> {
                match self {
                    $(Self::$control(params) => <$law as CongestionControl>::problem(params)),+
                }
            }

            /// How it recovers lost segments.
            pub const fn recovery(&self) -> Recovery {
                match self {
                    $(Self::$control(_) => <$law as CongestionControl>::RECOVERY),+
                }
            }

            /// Whether it is told of every delivery.
            pub fn follows_delivery(&self) -> bool {
                match self {
                    $(Self::$control(params) => <$law as CongestionControl>::follows_delivery(params)),+
                }
            }

            /// The same in kernels of Linux, as [`CongestionControl::KERNEL`].
            pub const fn kernel(&self) -> Option<KernelControl> {
                match self {
                    $(Self::$control(_) => <$law as CongestionControl>::KERNEL),+
                }
            }

            /// How its receiver tells of marks.
            pub const fn mark_echo(&self) -> MarkEcho {
                match self {
                    $(Self::$control(_) => <$law as CongestionControl>::MARK_ECHO),+
                }
            }

            /// Whether the first two duplicates send a new segment each (RFC 3042).
            pub fn limited_transmit(&self) -> bool {
                match self {
                    $(Self::$control(params) => <$law as CongestionControl>::limited_transmit(params)),+
                }
            }

            /// The chosen control before anything was sent.
            pub fn build(&self, start: &StartWindow) -> AnyControl {
                match self {
                    $(Self::$control(params) => AnyControl::$control(<$law as CongestionControl>::new(params, start))),+
                }
            }
        }

        /// A congestion control of any kind, dispatched by one branch.
        #[derive(Clone, Debug)]
        #[allow(non_camel_case_types, missing_docs, reason = "the variants are the controls' names")]
        pub enum AnyControl {
            $($control($law)),+
        }

        /// The calls of [`CongestionControl`].
        #[allow(missing_docs, reason = "documented at the contract")]
        impl AnyControl {
            #[inline]
            pub fn cwnd(&self) -> f64 {
                match self {
                    $(Self::$control(law) => law.cwnd()),+
                }
            }

            #[inline]
            pub fn ssthresh(&self) -> f64 {
                match self {
                    $(Self::$control(law) => law.ssthresh()),+
                }
            }

            #[inline]
            pub fn on_ack(&mut self, acked: &Acked) {
                match self {
                    $(Self::$control(law) => law.on_ack(acked)),+
                }
            }

            pub fn on_congestion(&mut self, congestion: &Congestion) {
                match self {
                    $(Self::$control(law) => law.on_congestion(congestion)),+
                }
            }

            pub fn on_timeout(&mut self, timeout: &Timeout) {
                match self {
                    $(Self::$control(law) => law.on_timeout(timeout)),+
                }
            }

            pub fn on_recovered(&mut self) {
                match self {
                    $(Self::$control(law) => law.on_recovered()),+
                }
            }

            pub fn on_lost(&mut self, lost: &LostSegment) {
                match self {
                    $(Self::$control(law) => law.on_lost(lost)),+
                }
            }

            pub fn on_delivered(&mut self, delivered: &Delivered) {
                match self {
                    $(Self::$control(law) => law.on_delivered(delivered)),+
                }
            }

            #[inline]
            pub fn pacing(&self) -> Option<f64> {
                match self {
                    $(Self::$control(law) => law.pacing()),+
                }
            }

            #[inline]
            pub fn is_opening(&self) -> bool {
                match self {
                    $(Self::$control(law) => law.is_opening()),+
                }
            }

            pub fn state(&self) -> Option<&'static str> {
                match self {
                    $(Self::$control(law) => law.state()),+
                }
            }
        }
    };
}

pub(super) use controls;
