//! Turns the list of ring laws into what the fronts need: modules, a tagged
//! choice with parameters, the table of laws, and static dispatch.

use super::RingLaw;

/// Runs the same code for whichever law a scenario chose, compiled once for each.
pub trait RingLawVisitor {
    /// What the code answers.
    type Output;

    /// Called with the chosen law's type and its parameters.
    fn visit<L: RingLaw>(self, params: &L::Params) -> Self::Output;
}

/// No law has that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no ring law `{0}`")]
pub struct UnknownLaw(pub String);

macro_rules! ring_laws {
    ($($law:ident),+ $(,)?) => {
        $(pub mod $law;)+

        /// A ring law with its parameters, as `law = { name = "…", … }` in a scenario.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(tag = "name", rename_all = "kebab-case")]
        #[allow(non_camel_case_types, missing_docs, reason = "the variants are the laws' module names")]
        pub enum RingLawChoice {
            $($law($law::Params)),+
        }

        impl RingLawChoice {
            /// Every law there is, in the order of the list.
            pub const ALL: &'static [&'static LawAbout] = &[$(&<$law::Law as RingLaw>::ABOUT),+];

            /// The law called `name` with its default parameters.
            ///
            /// # Errors
            /// [`UnknownLaw`] if there is none.
            pub fn by_name(name: &str) -> Result<Self, UnknownLaw> {
                $(if name == <$law::Law as RingLaw>::ABOUT.name {
                    return Ok(Self::$law(Default::default()));
                })+
                Err(UnknownLaw(name.to_owned()))
            }

            /// What is to be known of the chosen law.
            pub const fn about(&self) -> &'static LawAbout {
                match self {
                    $(Self::$law(_) => &<$law::Law as RingLaw>::ABOUT),+
                }
            }

            /// The transit path that the chosen law is described for.
            pub const fn datapath(&self) -> Datapath {
                match self {
                    $(Self::$law(_) => <$law::Law as RingLaw>::DATAPATH),+
                }
            }

            /// Whether the chosen law needs stations whose packets wait beside the transit queues.
            pub const fn limits_together(&self) -> bool {
                match self {
                    $(Self::$law(_) => <$law::Law as RingLaw>::LIMITS_TOGETHER),+
                }
            }

            /// What the weights of stations mean to the chosen law.
            pub const fn weighing(&self) -> Weighing {
                match self {
                    $(Self::$law(_) => <$law::Law as RingLaw>::WEIGHING),+
                }
            }

            /// Whether the chosen law keeps what stations are promised as ingresses.
            pub const fn keeps_minima(&self) -> bool {
                match self {
                    $(Self::$law(_) => <$law::Law as RingLaw>::KEEPS_MINIMA),+
                }
            }

            /// Runs `visitor` with the chosen law's type.
            pub fn visit<V: RingLawVisitor>(&self, visitor: V) -> V::Output {
                match self {
                    $(Self::$law(params) => visitor.visit::<$law::Law>(params)),+
                }
            }
        }
    };
}

pub(super) use ring_laws;
