//! How frames of a packet ring are laid out.

use super::{ControlType, FrameType, ServiceClass};
use crate::format::{Field, Kind, MessageFormat, Part, Section, When, Width};

/// Fairness, control and idle frames.
pub const FORMAT: MessageFormat = MessageFormat {
    code: 3,
    name: "rpr",
    title: "802.17 frame",
    sections: &[
        Section::always(&[
            Field::new("ttl", "ttl", 1, Kind::Number { least: 1, names: &[] }),
            Field::new(
                "basecontrol",
                "baseControl",
                1,
                Kind::Parts(&[
                    Part::flag("ri", "ri, ringlet", 7),
                    Part::flag("fe", "fe, fairness eligible", 6),
                    Part { name: "ft", title: "ft, frame type", shift: 4, bits: 2, names: FRAME_TYPES },
                    Part { name: "sc", title: "sc, service class", shift: 2, bits: 2, names: CLASSES },
                    Part::flag("we", "we, wrap eligible", 1),
                    Part::flag("parity", "parity", 0),
                ]),
            ),
        ]),
        Section::when(
            is(FrameType::Fairness),
            &[
                Field::new("sa", "saCompact, the station whose rate it is", 6, Kind::Address),
                Field::new(
                    "fairnessheader",
                    "fairnessHeader",
                    1,
                    Kind::Parts(&[Part {
                        name: "fftype",
                        title: "ffType",
                        shift: 5,
                        bits: 3,
                        names: &[(0, "single choke"), (1, "multi choke")],
                    }]),
                ),
                Field::zero(1),
                Field::new("fairrate", "fairRate per unit weight", 2, Kind::RateCode),
                Field::checksum("FCS", 4),
            ],
        ),
        Section::when(
            is(FrameType::Control),
            &[
                Field::new("da", "da, destination", 6, Kind::Address),
                Field::new("sa", "sa, source", 6, Kind::Address),
                Field::new("ttlbase", "ttlBase", 1, Kind::Number { least: 1, names: &[] }),
                Field::new(
                    "extendedcontrol",
                    "extendedControl",
                    1,
                    Kind::Parts(&[
                        Part::flag("ef", "ef, extended frame", 7),
                        Part { name: "fi", title: "fi, flooding", shift: 5, bits: 2, names: &[] },
                        Part::flag("ps", "ps, passed source", 4),
                        Part::flag("so", "so, strict order", 3),
                    ]),
                ),
                Field::checksum("HEC", 2),
                Field::new("controltype", "controlType", 1, Kind::Number { least: 1, names: CONTROL_TYPES }),
                Field::new("controlversion", "controlVersion", 1, Kind::Number { least: 0, names: &[(0, "0")] }),
                Field { name: "payload", title: "payload", width: Width::AllBut(4), kind: Kind::Bytes },
                Field::checksum("FCS", 4),
            ],
        ),
        Section::when(
            is(FrameType::Idle),
            &[
                Field::new("sa", "saCompact, the source", 6, Kind::Address),
                Field::new("payload", "payload", 4, Kind::Bytes),
                Field::checksum("FCS", 4),
            ],
        ),
    ],
};

const FRAME_TYPES: &[(u64, &str)] = &[
    (FrameType::Idle as u64, "idle"),
    (FrameType::Control as u64, "control"),
    (FrameType::Fairness as u64, "fairness"),
];

const CLASSES: &[(u64, &str)] = &[
    (ServiceClass::C as u64, "C"),
    (ServiceClass::B as u64, "B"),
    (ServiceClass::A1 as u64, "A1"),
    (ServiceClass::A0 as u64, "A0"),
];

const CONTROL_TYPES: &[(u64, &str)] = &[
    (ControlType::Attributes as u64, "attributes (ATD)"),
    (ControlType::Topology as u64, "topology and protection (TP)"),
    (ControlType::TopologyChecksum as u64, "topology checksum (TC)"),
    (ControlType::LoopRoundTripRequest as u64, "loop round trip request (LRTT)"),
    (ControlType::LoopRoundTripResponse as u64, "loop round trip response (LRTT)"),
    (ControlType::FairnessDifferentialDelay as u64, "fairness differential delay (FDD)"),
];

const fn is(kind: FrameType) -> When {
    When::byte(1, 3 << 4, (kind as u8) << 4)
}
