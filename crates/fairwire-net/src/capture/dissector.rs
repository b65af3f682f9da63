//! A dissector for Wireshark, made of the formats of all messages.

use super::message::{MESSAGE_ETHERTYPE, MESSAGE_HEADER_BYTES, MESSAGE_UNIT_BYTES};
use fairwire_laws::format::{Field, Kind, MessageFormat, Section, Times, When, Width, all};
use std::fmt::Write;

/// What does the work, by the tables before it.
const ENGINE: &str = include_str!("dissector.lua");

/// The dissector, in Lua: it reads the frames of control messages in captures.
pub fn dissector() -> String {
    let mut lua = format!(
        "-- A dissector for the control messages in captures of fairwire {}.\n\
         -- Put it into Wireshark's folder of personal Lua plugins, or use: tshark -X lua_script:fairwire.lua\n\
         local ETHERTYPE = {MESSAGE_ETHERTYPE}\nlocal HEADER = {}\nlocal UNIT = {MESSAGE_UNIT_BYTES}\nlocal FORMATS = {{\n",
        env!("CARGO_PKG_VERSION"),
        MESSAGE_HEADER_BYTES - ETHERNET
    );
    all().into_iter().for_each(|format| push_format(&mut lua, format));
    lua.push_str("}\n\n");
    lua.push_str(ENGINE);
    lua
}

/// Of Ethernet's header, which is Wireshark's own.
const ETHERNET: usize = crate::frame::ETHERNET_BYTES;

fn push_format(lua: &mut String, format: &MessageFormat) {
    let MessageFormat { code, name, title, sections } = format;
    // Writing to a text does not fail.
    let _ = writeln!(lua, "  [{code}] = {{ name = {name:?}, title = {title:?}, sections = {{");
    sections.iter().for_each(|section| push_section(lua, section));
    lua.push_str("  } },\n");
}

fn push_section(lua: &mut String, Section { when, times, fields }: &Section) {
    lua.push_str("    { ");
    if *when != When::ALWAYS {
        let When { at, mask, is } = when;
        let _ = write!(lua, "when = {{ {at}, {mask}, {is} }}, ");
    }
    if let Times::NumberAt { at, bytes } = times {
        let _ = write!(lua, "times = {{ {at}, {bytes} }}, ");
    }
    lua.push_str("fields = {\n");
    fields.iter().for_each(|field| push_field(lua, field));
    lua.push_str("    } },\n");
}

fn push_field(lua: &mut String, Field { name, title, width, kind }: &Field) {
    let width = match width {
        Width::Bytes(bytes) => format!("bytes = {bytes}"),
        Width::AllBut(behind) => format!("all_but = {behind}"),
    };
    let kind = match kind {
        Kind::Number { least, names } => format!("kind = 'number', least = {least}{}", table_of(names)),
        Kind::Parts(parts) => {
            let part = |part: &fairwire_laws::format::Part| {
                let mask = ((1u32 << part.bits) - 1) << part.shift;
                let (name, title, bits, names) = (part.name, part.title, part.bits, table_of(part.names));
                format!("{{ name = {name:?}, title = {title:?}, mask = {mask}, bits = {bits}{names} }}")
            };
            let parts: Vec<String> = parts.iter().map(part).collect();
            format!("kind = 'parts', parts = {{ {} }}", parts.join(", "))
        }
        Kind::Share { of, less, signed } => format!("kind = 'share', of = {of:?}, less = {less}, signed = {signed}"),
        Kind::Double { unit, least, most } => {
            let most = if most.is_finite() { format!("{most:e}") } else { "math.huge".to_owned() };
            format!("kind = 'double', unit = {unit:?}, least = {least:e}, most = {most}")
        }
        Kind::AtmFloat => "kind = 'atm'".to_owned(),
        Kind::RateCode => "kind = 'code'".to_owned(),
        Kind::Address => "kind = 'address'".to_owned(),
        Kind::Checksum => "kind = 'checksum'".to_owned(),
        Kind::Zero => "kind = 'zero'".to_owned(),
        Kind::Bytes => "kind = 'bytes'".to_owned(),
    };
    let _ = writeln!(lua, "      {{ name = {name:?}, title = {title:?}, {width}, {kind} }},");
}

/// What numbers are called; nothing where none has a name.
fn table_of(names: &[(u64, &str)]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let names: Vec<String> = names.iter().map(|(number, name)| format!("[{number}] = {name:?}")).collect();
    format!(", names = {{ {} }}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_all_formats_and_their_fields_and_every_bracket_closes() {
        let lua = dissector();
        for format in all() {
            assert!(lua.contains(&format!("name = {:?}, title = {:?}, sections", format.name, format.title)));
            for field in format.sections.iter().flat_map(|section| section.fields) {
                assert!(lua.contains(&format!("name = {:?}, title = {:?}", field.name, field.title)));
            }
        }
        let count = |of: char| lua.chars().filter(|letter| *letter == of).count();
        assert_eq!((count('{'), count('(')), (count('}'), count(')')));
        assert!(lua.is_ascii(), "Lua escapes no other letters as we do");
    }
}
