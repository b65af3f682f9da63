//! All points of a sweep in order, each built when it is asked for.

use super::axes::{self, Block, SweepAxis};
use super::set::{names_a_law, places, set};
use super::table::PointTable;
use super::{MEASURES, UNTIL};
use crate::reading::diagnostic::{Diagnostics, Report, Reported};
use crate::reading::document::{Node, Value};
use crate::reading::table::Table;
use crate::scenario::Scenario;
use crate::scenario_table;
use std::collections::BTreeMap;
use std::ops::Range as TextRange;

/// One point of a sweep: what was set, and the scenario that comes of it.
pub type SweepPoint = (Vec<(String, String)>, Scenario);

/// All points of a sweep: each value of each key with all values of the others, the last key changing fastest. Keys that go
/// together, ranges that a design lays points out in, and the columns of a table count as one.
#[derive(Clone, Debug)]
pub struct Sweep {
    axes: Vec<SweepAxis>,
    blocks: Vec<Block>,
    /// In which order keys are set, as (block, axis): a law goes before its parameters.
    order: Vec<(usize, usize)>,
    /// The file without what it sweeps.
    base: Node,
    /// The scenario as it stands, with the settings that were changed since it was read.
    whole: Scenario,
    /// The name of a table of points.
    table: Option<String>,
}

impl Sweep {
    /// The sweep of a scenario, and of points from outside beside it. Without either the scenario itself is the only point.
    ///
    /// # Errors
    /// What is wrong with the table; what is wrong with the file [`Scenario::parse`] has told.
    pub(crate) fn new(whole: &Scenario, table: Option<&PointTable>) -> Result<Self, Diagnostics> {
        let origin = &whole.origin;
        let report = Report::new(&origin.text);
        let read = || {
            let tree = scenario_table::tree(&origin.text, &origin.settings, &report)?;
            let root = Table::new(&tree, 0..0, "a scenario".to_owned(), &report);
            let blocks = axes::read(&root, table)?;
            check_each_counts(&tree, &blocks, &report)?;
            Ok((tree.clone(), blocks))
        };
        let read: Result<_, Reported> = read();
        let ((tree, blocks), _) = report.finish(&origin.file_name, read)?;
        Ok(Self {
            axes: blocks.iter().flat_map(|block| &block.axes).map(axes::Axis::told).collect(),
            order: order(&blocks),
            base: without_axes(tree),
            whole: whole.clone(),
            table: table.map(|table| table.name.clone()),
            blocks,
        })
    }

    /// The keys and their values, in order.
    pub fn axes(&self) -> &[SweepAxis] {
        &self.axes
    }

    /// The scenario as it stands, every key at the value that it has in the file.
    pub fn base(&self) -> &Scenario {
        &self.whole
    }

    /// How many points there are, at least one.
    pub fn len(&self) -> usize {
        self.blocks.iter().map(|block| block.len).product()
    }

    /// Never: without a sweep the scenario itself is the only point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which value each axis has at the point at position `point`.
    pub fn choices(&self, point: usize) -> Vec<usize> {
        let by_block = self.by_block(point);
        self.blocks.iter().zip(by_block).flat_map(|(block, choice)| block.axes.iter().map(move |_| choice)).collect()
    }

    /// What is set at a point, as (key, value).
    pub fn labels(&self, point: usize) -> Vec<(String, String)> {
        let chosen = self.axes.iter().zip(self.choices(point));
        chosen.map(|(axis, choice)| (axis.key.clone(), axis.values[choice].clone())).collect()
    }

    /// How many points lie between a value of an axis and the next one, all else being the same; none where other keys go together
    /// with it.
    pub fn stride_of(&self, axis: usize) -> Option<usize> {
        let mut first = 0;
        for (at, block) in self.blocks.iter().enumerate() {
            if axis < first + block.axes.len() {
                let stride = self.blocks[at + 1..].iter().map(|block| block.len).product();
                return (block.axes.len() == 1).then_some(stride);
            }
            first += block.axes.len();
        }
        None
    }

    /// What makes the point of the file, as [`Scenario::parse_with`] takes it: the settings that were made beside the file, then
    /// what the sweep sets, in the order in which it is set. Other changes since the file was read are not among them.
    pub fn settings(&self, point: usize) -> Vec<(String, String)> {
        let chosen = self.by_block(point);
        let swept = self.order.iter().map(|&(block, axis)| {
            let axis = &self.blocks[block].axes[axis];
            (axis.key.clone(), axis.values[chosen[block]].to_inline_toml())
        });
        self.whole.origin.settings.iter().cloned().chain(swept).collect()
    }

    /// Name and text of the file.
    pub fn file(&self) -> (&str, &str) {
        (&self.whole.origin.file_name, &self.whole.origin.text)
    }

    fn by_block(&self, point: usize) -> Vec<usize> {
        let mut rest = point;
        let mut chosen = vec![0; self.blocks.len()];
        for (block, choice) in self.blocks.iter().zip(&mut chosen).rev() {
            *choice = rest % block.len;
            rest /= block.len;
        }
        chosen
    }

    /// The scenario at a point. Settings changed since the file was read hold where the sweep does not set them.
    ///
    /// # Errors
    /// What is wrong with it, placed in the sweep if a value of it is.
    pub fn point(&self, point: usize) -> Result<Scenario, Diagnostics> {
        let origin = &self.whole.origin;
        let report = Report::new(&origin.text);
        let chosen = self.by_block(point);
        let mut tree = self.base.clone();
        let set = self.order.iter().try_for_each(|&(block, axis)| {
            let axis = &self.blocks[block].axes[axis];
            set(&mut tree, axis, &axis.values[chosen[block]], &report)
        });
        report
            .finish(&origin.file_name, set)
            .and_then(|_| scenario_table::build(&origin.file_name, &origin.text, &tree))
            .map_err(|errors| self.placed(point, errors))
            .and_then(|built| self.carry_over(point, built))
    }

    /// Every point in turn.
    ///
    /// # Errors
    /// What is wrong with the first wrong one.
    pub fn check(&self) -> Result<(), Diagnostics> {
        (0..self.len()).try_for_each(|point| self.point(point).map(drop))
    }

    fn carry_over(&self, point: usize, built: Scenario) -> Result<Scenario, Diagnostics> {
        let beneath = |key: &str, swept: &str| {
            swept.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let swept = |key: &str| self.axes.iter().any(|axis| beneath(key, &axis.key));
        self.whole.carry_over(built, swept).map_err(|error| {
            let report = Report::new(&self.whole.origin.text);
            let span = self.axes.first().map_or(0..0, |axis| axis.span.clone());
            let help = "ask for another setting, or remove this value from the sweep";
            report.error(span, format!("with {}: {error}", self.named(point)), "swept here", help);
            report.into_diagnostics(&self.whole.origin.file_name)
        })
    }

    /// Errors that lie outside of the sweep say with which of its values they come.
    fn placed(&self, point: usize, mut errors: Diagnostics) -> Diagnostics {
        if self.axes.is_empty() {
            return errors;
        }
        let is_in_sweep = |place: &TextRange<usize>| {
            let swept = self.blocks.iter().flat_map(|block| &block.axes);
            let mut places = swept.flat_map(|axis| axis.values.iter().map(|value| &value.span).chain([&axis.key_span]));
            self.table.is_none() && places.any(|known| known.start <= place.start && place.end <= known.end)
        };
        for item in &mut errors.items {
            if !is_in_sweep(&item.span) {
                item.message = format!("with {}: {}", self.named(point), item.message);
            }
        }
        errors
    }

    /// What is set at a point, in words.
    fn named(&self, point: usize) -> String {
        let set: Vec<String> = self.labels(point).into_iter().map(|(key, value)| format!("{key} = {value}")).collect();
        match (&self.table, self.by_block(point).last()) {
            (Some(name), Some(row)) => format!("{} (row {} of {name})", set.join(", "), row + 1),
            _ => set.join(", "),
        }
    }
}

/// A new law starts from its own defaults, so it goes before its parameters; what holds others goes before them.
fn order(blocks: &[Block]) -> Vec<(usize, usize)> {
    let all = blocks.iter().enumerate().flat_map(|(block, of)| (0..of.axes.len()).map(move |axis| (block, axis)));
    let mut order: Vec<(usize, usize)> = all.collect();
    let key = |&(block, axis): &(usize, usize)| blocks[block].axes[axis].key.as_str();
    order.sort_by_key(|at| key(at).split('.').count());
    order.sort_by_key(|at| !names_a_law(key(at)));
    order
}

/// No key is swept for nothing: what others set in all of its places, such as `flow.a.weight` after `flow.*.weight` where there is no
/// other flow, would be swept twice.
fn check_each_counts(tree: &Node, blocks: &[Block], report: &Report<'_>) -> Result<(), Reported> {
    let mut set: BTreeMap<String, &str> = BTreeMap::new();
    for &(block, axis) in order(blocks).iter().rev() {
        let axis = &blocks[block].axes[axis];
        let places = places(tree, &axis.key);
        if let Some(other) = places.first().and_then(|place| set.get(place))
            && places.iter().all(|place| set.contains_key(place))
        {
            let message = format!("`{}` is swept twice: `{other}` takes its place everywhere", axis.key);
            return Err(report.error(axis.key_span.clone(), message, "swept for nothing", "remove one of the two"));
        }
        set.extend(places.into_iter().map(|place| (place, axis.key.as_str())));
    }
    Ok(())
}

/// The file with nothing in `[sweep]` but what is measured.
fn without_axes(mut tree: Node) -> Node {
    if let Value::Table(entries) = &mut tree.value {
        for entry in entries.iter_mut().filter(|entry| entry.key == "sweep") {
            if let Value::Table(inner) = &mut entry.node.value {
                inner.retain(|entry| entry.key == UNTIL || entry.key == MEASURES);
            }
        }
        entries.retain(|entry| entry.key != "sweep" || entry.node.entries().is_some_and(|inner| !inner.is_empty()));
    }
    tree
}

impl Scenario {
    /// The sweep of the file.
    ///
    /// # Errors
    /// None that [`Scenario::parse`] has not told.
    pub fn sweep_points(&self) -> Result<Sweep, Diagnostics> {
        Sweep::new(self, None)
    }

    /// The sweep of the file over the points of a table as well: each row with all that the file sweeps.
    ///
    /// # Errors
    /// What is wrong with the table as a whole.
    pub fn sweep_points_of(&self, table: &PointTable) -> Result<Sweep, Diagnostics> {
        Sweep::new(self, Some(table))
    }

    /// Every point of the sweep with what it sets, as [`Sweep`] has them one by one.
    ///
    /// # Errors
    /// What is wrong with the first wrong point, placed in the sweep's line.
    pub fn expand_sweep(&self) -> Result<Vec<SweepPoint>, Diagnostics> {
        let sweep = self.sweep_points()?;
        (0..sweep.len()).map(|point| Ok((sweep.labels(point), sweep.point(point)?))).collect()
    }
}
