//! Turns the list of ring laws into what the fronts need: a tagged choice with parameters, the
//! table of laws, and their objects. Modules are declared one by one: tools that read source
//! (rustfmt, cargo-mutants) do not look into macros.

use super::{OutsideLaw, RingLaw};

/// Runs the same code for whichever law was chosen, compiled once for each law of the list.
pub trait RingLawVisitor {
    /// What the code answers.
    type Output;

    /// Called with the type of a law of the list and its parameters.
    fn visit<L: RingLaw>(self, params: &L::Params) -> Self::Output;

    /// Called with a law from outside.
    fn visit_outside(self, law: &OutsideLaw) -> Self::Output;
}

/// No law has that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no ring law `{0}`")]
pub struct UnknownLaw(pub String);

macro_rules! ring_laws {
    ($($law:ident),+ $(,)?) => {
        /// A ring law with its parameters, as `law = { name = "…", … }` in a scenario, or one from outside.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(tag = "name", rename_all = "kebab-case")]
        #[allow(non_camel_case_types, missing_docs, reason = "the variants are the laws' module names")]
        pub enum RingLawChoice {
            $($law($law::Params),)+
            #[serde(skip_deserializing)]
            #[schemars(skip)]
            outside(OutsideLaw),
        }

        /// How messages of the laws of the list are laid out, law by law.
        pub(crate) fn message_formats() -> Vec<&'static [&'static crate::format::MessageFormat]> {
            vec![$(<<$law::Law as RingLaw>::Msg as crate::WireMessage>::FORMATS),+]
        }

        impl RingLawChoice {
            /// How the law's messages are laid out, in each of the ways that there are; none where nobody has told.
            pub const fn message_formats(&self) -> &'static [&'static crate::format::MessageFormat] {
                match self {
                    $(Self::$law(_) => <<$law::Law as RingLaw>::Msg as crate::WireMessage>::FORMATS,)+
                    Self::outside(_) => &[],
                }
            }

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
                    $(Self::$law(_) => &<$law::Law as RingLaw>::ABOUT,)+
                    Self::outside(law) => law.about(),
                }
            }

            /// What is wrong with the parameters, if anything is.
            pub fn problem(&self) -> Option<String> {
                match self {
                    $(Self::$law(params) => <$law::Law as RingLaw>::problem(params),)+
                    Self::outside(_) => None,
                }
            }

            /// What one stands for in the rates of its messages, as [`RingLaw::rate_unit_bps`]; of a law from outside nobody
            /// has told.
            pub fn rate_unit_bps(&self, capacities: &[BitRate]) -> Option<f64> {
                match self {
                    $(Self::$law(params) => <$law::Law as RingLaw>::rate_unit_bps(params, capacities),)+
                    Self::outside(_) => None,
                }
            }

            /// What the chosen law needs of its ring.
            pub fn needs(&self) -> RingNeeds {
                match self {
                    $(Self::$law(_) => <$law::Law as RingLaw>::NEEDS,)+
                    Self::outside(law) => law.needs(),
                }
            }

            /// Runs `visitor` with the chosen law.
            pub fn visit<V: RingLawVisitor>(&self, visitor: V) -> V::Output {
                match self {
                    $(Self::$law(params) => visitor.visit::<$law::Law>(params),)+
                    Self::outside(law) => visitor.visit_outside(law),
                }
            }

            /// What makes the chosen law's objects for the stations of a ring.
            pub fn factory(&self) -> Box<dyn RingLawFactory> {
                match self {
                    $(Self::$law(params) => Box::new(Typed::<$law::Law>(params.clone())),)+
                    Self::outside(law) => Box::new(law.clone()),
                }
            }
        }
    };
}

pub(super) use ring_laws;
