//! The parameters and settings that the laws of one generation have in common.
//!
//! Each file holds a macro that makes the `Params` of a law from those of its
//! generation and its own, and `settings()`, what they mean for the shared station.

mod dvsr_paper;
mod enhanced_paper;
mod final_standard;

pub(in crate::ring) use dvsr_paper::dvsr_paper_params;
pub(in crate::ring) use enhanced_paper::enhanced_paper_params;
pub(in crate::ring) use final_standard::final_standard_params;

/// Makes `Params`, its default and its reader; every field is told with its default.
macro_rules! params {
    ($($(#[$attribute:meta])* $field:ident: $type:ty = $default:expr),+ $(,)?) => {
        /// What a scenario may set.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub struct Params {
            $($(#[$attribute])* pub $field: $type,)+
        }

        impl Default for Params {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }
    };
}

pub(in crate::ring) use params;
