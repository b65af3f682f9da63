//! The parameters that RED, FRED, VRR and CHOKe share, once: names, ranges, defaults, and what
//! is wrong with them. What a threshold means beside RED's meaning is each law's to say.

/// The thresholds, the weight and the probability of RED.
#[derive(Clone, Copy, Debug)]
pub struct RedParams {
    /// Below it nothing is dropped early, in packets.
    pub min_th: f64,
    /// From there on everything is, in packets.
    pub max_th: f64,
    /// Weight of the present length in the average.
    pub w_q: f64,
    /// Base probability just below `max_th`.
    pub max_p: f64,
}

impl RedParams {
    /// [vrr-gateway] §III.
    pub const DEFAULT: Self = Self { min_th: 30.0, max_th: 90.0, w_q: 0.002, max_p: 0.1 };

    /// What is wrong with them, if anything is.
    pub fn problem(&self) -> Option<String> {
        let Self { min_th, max_th, w_q, max_p } = self;
        if !(*min_th > 0.0 && min_th.is_finite()) {
            Some(format!("`min-th` is {min_th}; write a number of packets above 0"))
        } else if !(max_th > min_th && max_th.is_finite()) {
            Some(format!("`max-th` is {max_th}; write a number of packets above `min-th`, which is {min_th}"))
        } else if !(*max_p > 0.0 && *max_p <= 1.0) {
            Some(format!("`max-p` is {max_p}; write a probability above 0 and at most 1"))
        } else if !(*w_q > 0.0 && *w_q <= 1.0) {
            Some(format!("`w-q` is {w_q}; write a weight above 0 and at most 1"))
        } else {
            None
        }
    }
}

/// A law's `Params`: the four of RED, with what three of them mean to this law, and its own.
macro_rules! red_params {
    (
        $(#[$about:meta])*
        min_th: $min_th:literal,
        max_th: $max_th:literal,
        max_p: $max_p:literal,
        $($(#[$meaning:meta])* $own:ident: $kind:ty = $default:expr,)*
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub struct Params {
            #[doc = $min_th]
            #[schemars(extend("exclusiveMinimum" = 0))]
            pub min_th: f64,
            #[doc = $max_th]
            #[schemars(extend("exclusiveMinimum" = 0))]
            pub max_th: f64,
            /// w_q: weight of the present length in the average.
            #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
            pub w_q: f64,
            #[doc = $max_p]
            #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
            pub max_p: f64,
            $($(#[$meaning])* pub $own: $kind,)*
        }

        impl Default for Params {
            fn default() -> Self {
                let $crate::queue::parts::red_params::RedParams { min_th, max_th, w_q, max_p } = $crate::queue::parts::red_params::RedParams::DEFAULT;
                Self { min_th, max_th, w_q, max_p, $($own: $default),* }
            }
        }

        impl Params {
            fn red(&self) -> $crate::queue::parts::red_params::RedParams {
                let Self { min_th, max_th, w_q, max_p, .. } = *self;
                $crate::queue::parts::red_params::RedParams { min_th, max_th, w_q, max_p }
            }
        }
    };
}

pub(in crate::queue) use red_params;
