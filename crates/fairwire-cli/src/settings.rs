//! `--set KEY=VALUE`: other values under keys of the file.

/// A dotted key and its value, in TOML or as text without quotes.
pub type Setting = (String, String);

/// A setting, for clap.
pub fn parse(text: &str) -> Result<Setting, String> {
    // The key of a name may hold anything but `=`.
    let example = "write a dotted key of the file and its value, such as 'ring.span-delay=1 ms'";
    let (key, value) = text.split_once('=').ok_or(example)?;
    let (key, value) = (key.trim(), value.trim());
    if key.is_empty() || value.is_empty() { Err(example.to_owned()) } else { Ok((key.to_owned(), value.to_owned())) }
}
