"""Simulations of a scenario."""

from __future__ import annotations

import json
import os
import tomllib
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

from fairwire import _native
from fairwire._arguments import criterion_called, function, natural, naturals, path, text, truth, with_unit
from fairwire._html import rate, table
from fairwire._promises import Promise, promises
from fairwire._ring_law import RingLaw
from fairwire._scenario import ScenarioLike, name_and_text, read
from fairwire._table import Table
from fairwire.errors import ArgumentTypeError, ScenarioWarning, SettingError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class _Kept(NamedTuple):
    """Runs that were pickled: what they answer, and what a result folder is made of."""

    title: str
    criterion: str
    wall_s: float
    warnings: list[str]
    promises_json: str
    summaries_json: str
    tables: dict[str, _native.Table]
    files: list[tuple[str, bytes]]
    saved: list[str]

    def pages(self) -> tuple[list[tuple[str, bytes]], list[str]]:
        """Give what a result folder holds beside its tables, and the names of its tables."""
        return self.files, self.saved

    def table(self, name: str) -> _native.Table:
        """Give a table."""
        return self.tables[name]

    def save(self, folder: Path, csv: bool, replace: bool) -> None:
        """Write a result folder."""
        tables = [(name, self.tables[name]) for name in self.saved]
        _native.save_pages(folder, self.files, tables, csv, replace)


_TABLES = tuple(dict.fromkeys(table for table, *_ in _native.columns()))


class Runs:
    """Finished runs of one scenario, under each law, with each seed, each replication.

    Every table has the columns `law`, `seed` and `run` first, then those that
    :func:`fairwire.columns` describes; they are the tables of a result folder.

    Runs can be pickled and sent to other processes, with all their tables. Two of them are equal where
    all that was simulated and promised is; how long it took does not matter.
    """

    def __init__(self, native: _native.Runs | _Kept) -> None:
        self._native = native

    def __reduce__(self) -> tuple[Any, ...]:
        if isinstance(self._native, _Kept):
            return type(self), (self._native,)
        native, (files, saved) = self._native, self._native.pages()
        kept = _Kept(
            title=native.title,
            criterion=native.criterion,
            wall_s=native.wall_s,
            warnings=native.warnings,
            promises_json=native.promises_json,
            summaries_json=native.summaries_json,
            tables={name: native.table(name) for name in _TABLES},
            files=files,
            saved=saved,
        )
        return type(self), (kept,)

    def __copy__(self) -> Runs:
        return type(self)(self._native)

    def __deepcopy__(self, memo: object) -> Runs:
        # Nobody can write into the tables.
        return type(self)(self._native)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Runs):
            return NotImplemented
        ours, theirs = self._native, other._native
        return (ours.title, ours.criterion, ours.warnings, ours.promises_json) == (
            theirs.title,
            theirs.criterion,
            theirs.warnings,
            theirs.promises_json,
        ) and all(getattr(self, name) == getattr(other, name) for name in _TABLES)

    def __hash__(self) -> int:
        return hash((self.title, self.criterion, len(self)))

    @property
    def title(self) -> str:
        """The scenario's title."""
        return self._native.title

    @property
    def criterion(self) -> str:
        """What fair means: the criterion behind the fair rates."""
        return self._native.criterion

    @property
    def wall_s(self) -> float:
        """How long all runs together took on this machine, in seconds."""
        return self._native.wall_s

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting the numbers, a sentence each; empty for nothing."""
        return tuple(self._native.warnings)

    @cached_property
    def promises(self) -> tuple[Promise, ...]:
        """What became of the scenario's promises, each against the run that came nearest to breaking it.

        They are about the scenario's own law, or about the one that alone was asked for; empty if that
        did not run, and for a scenario that promises nothing.
        """
        return promises(json.loads(self._native.promises_json))

    @cached_property
    def summaries(self) -> list[dict[str, Any]]:
        """Each run in numbers, in the shape of `"runs"` in `fairwire run --json`."""
        summaries: list[dict[str, Any]] = json.loads(self._native.summaries_json)
        return summaries

    @cached_property
    def flows(self) -> Table:
        """The rate of each flow over time."""
        return Table(self._native.table("flows"))

    @cached_property
    def links(self) -> Table:
        """What each link sent over time."""
        return Table(self._native.table("links"))

    @cached_property
    def queues(self) -> Table:
        """What waited in front of each link over time."""
        return Table(self._native.table("queues"))

    @cached_property
    def laws(self) -> Table:
        """What the laws showed of themselves over time."""
        return Table(self._native.table("laws"))

    @cached_property
    def summary(self) -> Table:
        """Each flow of each run in numbers: rate, fair rate, loss, delay."""
        return Table(self._native.table("summary"))

    @cached_property
    def link_summary(self) -> Table:
        """Each link of a network in numbers: use, queue, waiting, drops; empty for a ring."""
        return Table(self._native.table("link_summary"))

    @cached_property
    def transfers(self) -> Table:
        """Each TCP transfer that came to its end."""
        return Table(self._native.table("transfers"))

    @cached_property
    def windows(self) -> Table:
        """What TCP senders showed of themselves over time."""
        return Table(self._native.table("windows"))

    @cached_property
    def explicit_rates(self) -> Table:
        """Each flow whose rate switches tell: its allowed rate, its longest response, its control packets."""
        return Table(self._native.table("explicit_rates"))

    @cached_property
    def allowed_rates(self) -> Table:
        """The rate that switches allow each flow over time: a row for each change."""
        return Table(self._native.table("allowed_rates"))

    @cached_property
    def responses(self) -> Table:
        """How fast allowed rates followed: a row for each change on the way and each flow that is on then."""
        return Table(self._native.table("responses"))

    @cached_property
    def ports(self) -> Table:
        """What ports under a rate law did: longest queue, drops, control packets rewritten and refused."""
        return Table(self._native.table("ports"))

    @cached_property
    def runs(self) -> Table:
        """Each run in numbers: time to fair, oscillation, utilisation."""
        return Table(self._native.table("runs"))

    def save(self, folder: str | os.PathLike[str], *, csv: bool = False, replace: bool = False) -> Path:
        """Write a result folder: manifest, scenario, tables and a report for the browser.

        Tables are Parquet, or CSV if asked for. The folder is complete or not there.

        Raises:
            FolderError: if there is something else already, or it cannot be written.

        """
        place = Path(path("folder", folder))
        self._native.save(place, truth("csv", csv), truth("replace", replace))
        return place

    def plot(self, kind: str = "rates") -> Figure:
        """Draw the runs for a paper; needs matplotlib.

        `rates` has a bar for each flow and law beside its fair rate, with the range
        over runs; `time` the rate of each flow over time in the first run of each law;
        `queues` what waited in front of each link.
        """
        from fairwire.plotting import draw_runs

        return draw_runs(self, kind)

    def __len__(self) -> int:
        return len(self.runs)

    def _repr_html_(self) -> str:
        several = len({summary["seed"] for summary in self.summaries}) > 1
        rows = (
            [
                summary["law"],
                *([summary["seed"]] if several else []),
                summary["run"],
                flow["id"],
                rate(flow["rate_bps"]),
                rate(flow["fair_rate_bps"]),
                flow["ratio"],
                None if flow["loss"] is None else f"{flow['loss']:.2%}",
            ]
            for summary in self.summaries
            for flow in summary["flows"]
        )
        seed = ["seed"] if several else []
        headings = ["law", *seed, "run", "flow", "rate", "fair rate", "ratio", "loss"]
        return table(f"{self.title} (fair means {self.criterion})", headings, rows)

    def __repr__(self) -> str:
        return f"<fairwire.Runs: {len(self)} of {self.title!r}; fair means {self.criterion}>"


def run(
    scenario: ScenarioLike,
    *,
    law: str | type[RingLaw] | Mapping[str, Any] | Sequence[str | type[RingLaw]] | None = None,
    seed: SupportsIndex | Iterable[SupportsIndex] | None = None,
    replications: int | None = None,
    duration: str | None = None,
    criterion: str | None = None,
    detail: bool = True,
    check: bool = False,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> Runs:
    """Simulate a scenario packet by packet, and hold it against the fair rates.

    All runs go side by side on all cores, and other threads of Python go on
    meanwhile. The same scenario, seed and version give the same tables to the bit,
    however many threads there are. Ctrl-C stops everything at once.

    Args:
        scenario: a path, text in TOML (it has more than one line), or a dictionary.
        law: the control law of the ring, or of a network's queues: a name of :func:`fairwire.laws`,
            a subclass of :class:`fairwire.RingLaw`, several of either to compare, or `{"name": …}` with
            parameters; the scenario's own unless told.
        seed: the experiment, from 0 to 2^63 - 1, or several; the scenario's own unless told.
        replications: how many runs with independent random numbers each law and seed gets.
        duration: simulated time with its unit, such as `"2 s"`.
        criterion: what fair means, one of :func:`fairwire.criteria`; unless told as for
            :func:`fairwire.allocate`.
        detail: whether to keep links, queues and what laws show; without, these tables are empty.
        check: whether to audit the simulator's invariants all along.
        threads: how many runs at a time; as many as there are cores unless told.
        progress: called now and then with the part that is done, from 0 to 1.

    Raises:
        ScenarioError: if the scenario has mistakes; it tells all of them.
        SettingError: if a law, seed, duration or number does not fit.
        CriterionError: if nobody knows the criterion.
        Exception: whatever a law in Python raises; a note tells at which station, and when.

    """
    _tell_of_sweep(scenario)
    return _run(
        scenario,
        law=law,
        seed=seed,
        replications=replications,
        duration=duration,
        criterion=criterion,
        detail=detail,
        check=check,
        threads=threads,
        progress=progress,
    )


def replay(
    folder: str | os.PathLike[str],
    law: str | type[RingLaw] | Sequence[str | type[RingLaw]] | None = None,
) -> Runs:
    """Bring the packets of a real run again: the same tables, or what another law does to them.

    Works wherever Python does; the run itself, `fairwire run --real`, needs Linux.

    Args:
        folder: the result folder of `fairwire run --real` or `fairwire compare --real`.
        law: another law than those that ran, or several, as for :func:`run`. Nobody who sent the packets
            hears what it does to them, so that only datagrams tell what would have been.

    Raises:
        FolderError: if the folder holds no arrivals, or they are damaged or of another scenario.
        SettingError: if nobody knows the law.

    """
    return Runs(_native.replay(Path(path("folder", folder)), None if law is None else _laws("law", law)))


def compare(
    scenario: ScenarioLike,
    *,
    laws: Sequence[str | type[RingLaw]] | None = None,
    seed: SupportsIndex | Iterable[SupportsIndex] | None = None,
    replications: int | None = None,
    duration: str | None = None,
    criterion: str | None = None,
    detail: bool = True,
    check: bool = False,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> Runs:
    """Simulate a scenario under several laws, side by side.

    Args:
        scenario: a path, text in TOML, or a dictionary.
        laws: names of :func:`fairwire.laws` and subclasses of :class:`fairwire.RingLaw`, in the order of the
            tables; unless told those of the scenario's sweep over laws, or all there are.
        seed: as for :func:`run`, and so is all that follows.
        replications: how many runs each law and seed gets.
        duration: simulated time with its unit.
        criterion: what fair means.
        detail: whether to keep links, queues and what laws show.
        check: whether to audit the simulator's invariants all along.
        threads: how many runs at a time.
        progress: called now and then with the part that is done.

    Raises:
        FairwireError: as :func:`run` does.
        Exception: whatever a law in Python raises.

    """
    if laws is None:
        laws = [*_native.laws_to_compare(*name_and_text(scenario))]
    return _run(
        scenario,
        law=_laws("laws", laws),
        seed=seed,
        replications=replications,
        duration=duration,
        criterion=criterion,
        detail=detail,
        check=check,
        threads=threads,
        progress=progress,
    )


def _tell_of_sweep(scenario: ScenarioLike) -> None:
    """Warn that one run is not all points."""
    keys = _native.swept(*name_and_text(scenario))
    if keys:
        told = ", ".join(keys)
        message = f"the scenario has a [sweep] over {told}: `run` takes it as it stands, `sweep` all points"
        warnings.warn(message, ScenarioWarning, stacklevel=3)


def _run(
    scenario: ScenarioLike,
    *,
    law: str | type[RingLaw] | Mapping[str, Any] | Sequence[str | type[RingLaw]] | None,
    seed: SupportsIndex | Iterable[SupportsIndex] | None,
    replications: int | None,
    duration: str | None,
    criterion: str | None,
    detail: bool,
    check: bool,
    threads: int | None,
    progress: Callable[[float], object] | None,
) -> Runs:
    if isinstance(law, Mapping):
        scenario, law = with_law(scenario, law), None
    name, toml = read(scenario, stacklevel=4)
    return Runs(
        _native.run(
            name,
            toml,
            laws=None if law is None else _laws("law", law),
            seeds=None if seed is None else naturals("seed", seed),
            replications=None if replications is None else natural("replications", replications),
            duration=None if duration is None else with_unit("duration", duration, "s"),
            criterion=criterion_called(criterion),
            full=truth("detail", detail),
            check=truth("check", check),
            threads=0 if threads is None else natural("threads", threads),
            progress=function("progress", progress),
        )
    )


def one_law(name: str, law: Any) -> str | type[RingLaw]:
    """Give the name of a law, or a class that is one."""
    if isinstance(law, str):
        return text(name, law)
    if isinstance(law, type) and issubclass(law, RingLaw) and law is not RingLaw:
        return law
    if isinstance(law, Mapping):
        raise SettingError(
            f"{name}: a law with parameters stands alone, as `law={dict(law)!r}` of fairwire.run"
        )
    raise ArgumentTypeError(f"{name}: the name of a law or a subclass of fairwire.RingLaw, not {law!r}")


def _laws(name: str, laws: Any) -> list[str | type[RingLaw]]:
    """Give one law or several."""
    if isinstance(laws, str | bytes | Mapping) or not isinstance(laws, Iterable):
        return [one_law(name, laws)]
    return [one_law(name, law) for law in laws]


def with_law(scenario: ScenarioLike, law: Mapping[str, Any]) -> dict[str, Any]:
    """Give the scenario as a dictionary in which the ring, or a network's queues, have another law."""
    name, toml = name_and_text(scenario)
    _native.check(name, toml)  # mistakes are told with the places they have in the file
    document = tomllib.loads(toml)
    if "network" in document:
        document["network"]["queue"] = dict(law)
    else:
        document.setdefault("ring", {})["law"] = dict(law)
    return document
