//! `scenario new`: commented scenarios to start from.

/// A scenario to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows.
    pub summary: &'static str,
    text: &'static str,
}

/// There is no template of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no template `{asked}`; use one of {known}")]
pub struct UnknownTemplate {
    /// What was asked for.
    pub asked: String,
    /// What there is.
    pub known: String,
}

/// All templates.
pub const TEMPLATES: &[Template] = &[
    Template {
        name: "parking-lot",
        summary: "Four senders, one exit: does the farthest get as much as the nearest?",
        text: include_str!("templates/parking-lot.toml"),
    },
    Template {
        name: "parallel-parking-lot",
        summary: "A short flow beside the first of four long ones: is what they leave over used?",
        text: include_str!("templates/parallel-parking-lot.toml"),
    },
    Template {
        name: "two-exit",
        summary: "One sender with two destinations: does spreading out pay?",
        text: include_str!("templates/two-exit.toml"),
    },
    Template {
        name: "upstream-parallel",
        summary: "A short flow upstream of the crowded link: is what is free there used?",
        text: include_str!("templates/upstream-parallel.toml"),
    },
    Template {
        name: "ring",
        summary: "A ring with every setting written out and explained",
        text: include_str!("templates/ring.toml"),
    },
    Template {
        name: "network",
        summary: "Nodes and links of different capacity, with weights, routes and demands",
        text: include_str!("templates/network.toml"),
    },
    Template {
        name: "protected-ring",
        summary: "A ring whose span is cut and mended: how long is traffic away?",
        text: include_str!("templates/protected-ring.toml"),
    },
    Template {
        name: "dumbbell",
        summary: "Connections and a deaf stream through one crowded link: who gets how much?",
        text: include_str!("templates/dumbbell.toml"),
    },
    Template {
        name: "chain",
        summary: "A row of links: what does the flow get that crosses all of them?",
        text: include_str!("templates/chain.toml"),
    },
    Template {
        name: "tree",
        summary: "A feeder, branches and homes, with a contract and a weight",
        text: include_str!("templates/tree.toml"),
    },
    Template {
        name: "explicit-rate",
        summary: "Switches that tell rates: minimums first, the rest by weight",
        text: include_str!("templates/explicit-rate.toml"),
    },
    Template {
        name: "sweep",
        summary: "Laws against delays, with several runs each",
        text: include_str!("templates/sweep.toml"),
    },
];

/// The text of a new scenario; `title` replaces the template's own if it is not empty.
///
/// # Errors
/// [`UnknownTemplate`] with the names there are.
pub fn template(kind: &str, title: &str) -> Result<String, UnknownTemplate> {
    let Some(template) = TEMPLATES.iter().find(|template| template.name == kind) else {
        let known = TEMPLATES.iter().map(|template| template.name).collect::<Vec<_>>().join(", ");
        return Err(UnknownTemplate { asked: kind.to_owned(), known });
    };
    if title.trim().is_empty() {
        return Ok(template.text.to_owned());
    }
    let title = toml_edit::Value::from(title.trim()).to_string();
    let lines = template
        .text
        .lines()
        .map(|line| if line.starts_with("title = ") { format!("title = {title}\n") } else { format!("{line}\n") });
    Ok(lines.collect())
}
