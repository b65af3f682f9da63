"""Many runs of one scenario: each point of a sweep, as often as it takes, on any executor."""

from __future__ import annotations

import os
import queue
import re
import shutil
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from fairwire import _native
from fairwire._arguments import function, mapping, natural, path, seconds, several, text, truth
from fairwire._html import estimate, table
from fairwire._live import Live
from fairwire._scenario import ScenarioLike, name_and_text
from fairwire._table import Table
from fairwire._text import counted
from fairwire.errors import ArgumentTypeError, FairwireError, SettingError, SweepError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A task that fails for no fault of its own is given out so many times.
_ATTEMPTS = 3
# Tasks given out at a time, so that a long round does not fill an executor's memory.
_IN_FLIGHT = 512


class Future(Protocol):
    """What `submit` gives: a result that comes later."""

    def add_done_callback(self, fn: Callable[[Any], object], /) -> object: ...
    def result(self) -> Any: ...


class Executor(Protocol):
    """Anything with `submit` that gives futures: processes, loky, mpi4py, a Dask `Client`."""

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Any: ...


ExecutorLike: TypeAlias = Executor | Callable[[], Executor]
"""An executor, or what makes one: then a new one is made when a worker's death has broken it."""


class Sweep:
    """A sweep that has come to its end.

    The tables are those that `fairwire sweep` leaves in its folder: :attr:`points` with a row for each point
    and measure, :attr:`runs` with a row for each run, :attr:`pairs` with laws beside the first law; and
    :attr:`series`, if they were asked for. Two of them are equal where title, points, runs and pairs are:
    then series are, too.
    """

    def __init__(
        self,
        tables: Mapping[str, _native.Table],
        series: Callable[[], _native.Table] | None,
        title: str,
        done: int,
        report: str,
    ) -> None:
        self._tables = dict(tables)
        self._series = series
        self.title = title
        """The scenario's title."""
        self.done = done
        """How many runs were done now; all others were known."""
        self.report = report
        """The report, as a page of HTML."""

    def __reduce__(self) -> tuple[Any, ...]:
        # The folder that series are in may not be there where a pickle is read.
        series = None if self._series is None else self.series._native
        return _again, (type(self), self._tables, series, self.title, self.done, self.report)

    def __copy__(self) -> Sweep:
        return type(self)(self._tables, self._series, self.title, self.done, self.report)

    def __deepcopy__(self, memo: object) -> Sweep:
        # Nobody can write into the tables.
        return self.__copy__()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sweep):
            return NotImplemented
        return self.title == other.title and all(
            getattr(self, name) == getattr(other, name) for name in ("points", "runs", "pairs")
        )

    def __hash__(self) -> int:
        return hash((self.title, len(self.runs)))

    @cached_property
    def points(self) -> Table:
        """Each measure at each point: axes, mean, half-width, both ends, `n`, and why it `stopped`."""
        return Table(self._tables["points"])

    @cached_property
    def runs(self) -> Table:
        """Each run: axes, `law`, `seed`, `run`, `broken`, `warning`, and a column for each measure."""
        return Table(self._tables["runs"])

    @cached_property
    def pairs(self) -> Table:
        """Laws less the first one, run by run on the same random numbers; empty without a sweep over laws."""
        return Table(self._tables["pairs"])

    @cached_property
    def series(self) -> Table:
        """Rates of every flow over time, run by run.

        A row has the axes, `law`, `seed`, `run`, `flow`, `t_ns`, `rate_bps` and `left_bps`. With a folder
        they are read when they are first asked for. Those of many runs are better scanned there:
        `polars.scan_parquet("FOLDER/series")`.

        Raises:
            SettingError: if the sweep was run without `series=True`.

        """
        if self._series is None:
            raise SettingError("the sweep has no series; run it with series=True")
        return Table(self._series())

    def plot(self, measure: str, along: str, ax: Axes | None = None) -> Axes:
        """Draw a measure along an axis, with 95 % intervals, a line for each law.

        Args:
            measure: one of the `measure` column of :attr:`points`, such as `"jain"`.
            along: one of the axes of the sweep, such as `"ring.span-delay"`.
            ax: where to draw; a new figure unless told.

        Raises:
            SettingError: if there is no such measure or axis.

        """
        from fairwire.plotting import draw_sweep

        return draw_sweep(self, text("measure", measure), text("along", along), ax)

    def __repr__(self) -> str:
        return f"<fairwire.Sweep: {self.title!r}, {len(self.runs)} runs>"

    def _repr_html_(self) -> str:
        return _points_html(self)


def _again(
    kind: type[Sweep],
    tables: Mapping[str, _native.Table],
    series: _native.Table | None,
    title: str,
    done: int,
    report: str,
) -> Sweep:
    """Make a sweep that was pickled."""
    return kind(tables, None if series is None else lambda: series, title, done, report)


def sweep(
    scenario: ScenarioLike,
    over: Mapping[str, Any] | None = None,
    *,
    until: Mapping[str, Any] | None = None,
    design: Mapping[str, Any] | None = None,
    points: Mapping[str, Sequence[Any]] | None = None,
    measures: Sequence[str] | None = None,
    replications: int | None = None,
    series: bool = False,
    folder: str | os.PathLike[str] | None = None,
    executor: ExecutorLike | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | bool | None = None,
    batch_s: float = 0.5,
) -> Sweep:
    """Run all points of a sweep, each as often as it takes.

    Decisions depend on what runs 0 to n - 1 of each point came to and on nothing else, so that tables are the
    same to the byte on any executor, in any order, after any interruption.

    Args:
        scenario: a path, text in TOML, or a dictionary.
        over: axes in place of the file's: keys with lists, or with ranges such as
            `{"from": "0.05 ms", "to": "2 ms", "steps": 8, "scale": "log"}`.
        until: when a point has enough runs: `{"measure": "flow.*.ratio", "half-width": "1 %"}`.
        design: how points are laid out in ranges: `{"method": "sobol", "points": 256}`.
        points: a table of points, a list for each key; every row goes with all that is swept besides.
        measures: what to keep of each run beside the usual measures, named as in `[expect]`.
        replications: how many runs each point has without `until`.
        series: also keep the rates of all flows over time of every run.
        folder: where to keep runs, tables and report. What is known there is not run again. Without one
            everything is in memory when this returns.
        executor: None for threads of this process; or anything with `submit` that gives futures: a
            `ProcessPoolExecutor`, loky, mpi4py, a Dask `Client`; or a function that makes one.
        threads: how many runs go on at a time without an executor; as many as there are cores unless told.
        progress: True shows how far it is: a table of the points that follows the sweep in a notebook, a line
            in a terminal. Or what is called now and then with the number of runs done now, and to be done as
            far as is known.
        batch_s: a task of an executor has runs of at least this many seconds.

    Raises:
        ScenarioError: if the scenario or one of its points has mistakes.
        SettingError: if a setting does not fit.
        SweepError: if runs cannot be kept, or workers are of another build.

    """
    name, toml = _with_sweep(scenario, over, until, design, measures, replications)
    columns = None if points is None else _columns(points)
    place = None if folder is None else path("folder", folder)
    series = truth("series", series)
    threads = 0 if threads is None else natural("threads", threads)
    batch_s = seconds("batch_s", batch_s)
    shown = progress is True
    if progress is False:
        progress = None
    told = None if shown else function("progress", progress)
    if executor is not None and not callable(getattr(executor, "submit", executor)):
        raise ArgumentTypeError(
            f"executor: what has `submit`, or a function that makes one, not {executor!r}"
        )
    own = tempfile.mkdtemp(prefix="fairwire-sweep-") if place is None else None
    try:
        native = _native.Sweep(name, toml, columns, own or place or "", series)
        live = Live(native) if shown else None
        try:
            done = _run(native, executor, threads, live or told, batch_s)
            if live is not None:
                live.close(done)
            report = Path(native.finish()).read_text(encoding="utf-8")
            tables = {table: native.table(table) for table in ("points", "runs", "pairs")}
            return Sweep(tables, _reader(native, series, own), native.title, done, report)
        finally:
            native.close()
    finally:
        if own is not None:
            shutil.rmtree(own, ignore_errors=True)


def _run(
    native: _native.Sweep,
    executor: ExecutorLike | None,
    threads: int,
    progress: Callable[[int, int], object] | None,
    batch_s: float,
) -> int:
    """Do round after round; how many runs that was."""
    done = 0
    pool = None if executor is None else _Pool(executor)
    try:
        while native.next_round():
            if pool is None:
                done += native.fill(threads, progress, done)
            else:
                done += _submit_all(native, pool, batch_s, progress, done)
    except BaseException:
        if pool is not None:
            pool.close(wait=False)
        raise
    if pool is not None:
        pool.close(wait=True)
    return done


class _Pool:
    """The executor that was given; or one that is made when needed, and another when it has broken."""

    def __init__(self, executor: ExecutorLike) -> None:
        self._made: Any = None
        self._given = executor if hasattr(executor, "submit") else None
        self._make = executor if self._given is None else None

    @property
    def is_made(self) -> bool:
        """Whether a broken one can be made anew."""
        return self._make is not None

    def submit(self, text: str) -> Any:
        if self._given is not None:
            return self._given.submit(work, text)
        if self._made is None:
            self._made = self._make()  # type: ignore[misc, operator]
            if not callable(getattr(self._made, "submit", None)):
                raise SettingError(f"executor: the function made {self._made!r}, which has no `submit`")
        return self._made.submit(work, text)

    def close(self, wait: bool) -> None:
        """Let go of the one that was made here."""
        shutdown = getattr(self._made, "shutdown", None)
        self._made = None
        if shutdown is not None:
            shutdown(wait=wait)


def _reader(native: _native.Sweep, series: bool, own: str | None) -> Callable[[], _native.Table] | None:
    """Give what reads the series; those of a folder that is about to go are read at once."""
    if not series:
        return None
    if own is None:
        return native.series
    read = native.series()
    return lambda: read


def work(task: str) -> str:
    """Do a task of a sweep: text comes in, text goes out. This is what executors are given."""
    return _native.sweep_work(task)


def _submit_all(
    native: _native.Sweep,
    pool: _Pool,
    batch_s: float,
    progress: Callable[[int, int], object] | None,
    before: int,
) -> int:
    """Have all tasks of a round done elsewhere, and keep what comes back; what fails calls off the rest."""
    flying: dict[int, _Flying] = {}
    try:
        return _until_all_are_back(native, pool, native.tasks(batch_s), flying, progress, before)
    except BaseException:
        for task in flying.values():
            cancel = getattr(task.future, "cancel", None)
            if cancel is not None:
                cancel()
        raise


class _Flying(NamedTuple):
    """A task that was given out."""

    text: str
    attempt: int
    future: Any


def _until_all_are_back(
    native: _native.Sweep,
    pool: _Pool,
    tasks: Sequence[tuple[str, int]],
    flying: dict[int, _Flying],
    progress: Callable[[int, int], object] | None,
    before: int,
) -> int:
    """Give out tasks, a few at a time, and again what has failed; what is under way is in `flying`."""
    left = sum(runs for _, runs in tasks)
    waiting = [(task, 1) for task, _ in reversed(tasks)]
    ended: queue.SimpleQueue[tuple[Any, Any]] = queue.SimpleQueue()
    number = done = 0
    while waiting or flying:
        while waiting and len(flying) < _IN_FLIGHT:
            task, attempt = waiting.pop()
            try:
                future = pool.submit(task)
            except BrokenExecutor as error:
                flying[number] = _Flying(task, attempt, None)
                ended.put((number, error))
            else:
                flying[number] = _Flying(task, attempt, future)
                future.add_done_callback(lambda future, at=number, to=ended: to.put((at, future)))
            number += 1
        which, future = ended.get()
        task, attempt, _ = flying.pop(which)
        try:
            if isinstance(future, BaseException):
                raise future
            done += native.keep(future.result())
        except FairwireError:
            raise
        except BrokenExecutor as error:
            if not pool.is_made:
                message = "a worker died and has broken the executor; what was done is kept in `folder`: "
                mend = "call it again, or give a function that makes an executor"
                raise SweepError(message + mend) from error
            if attempt >= _ATTEMPTS:
                raise SweepError(f"a task has broken {attempt} executors") from error
            # All that is under way is lost with the executor.
            waiting += [(task, attempt + 1), *((other.text, other.attempt + 1) for other in flying.values())]
            flying.clear()
            ended = queue.SimpleQueue()
            pool.close(wait=False)
        except Exception as error:
            if attempt >= _ATTEMPTS:
                why = str(error) or type(error).__name__
                raise SweepError(f"a task failed {attempt} times: {why}") from error
            waiting.append((task, attempt + 1))
        if progress is not None:
            progress(before + done, before + left)
    return done


def _with_sweep(
    scenario: ScenarioLike,
    over: Mapping[str, Any] | None,
    until: Mapping[str, Any] | None,
    design: Mapping[str, Any] | None,
    measures: Sequence[str] | None,
    replications: int | None,
) -> tuple[str, str]:
    """Give the scenario with another sweep, where one is given; else its text as it stands."""
    name, toml = name_and_text(scenario)
    if over is None and until is None and design is None and measures is None and replications is None:
        return name, toml
    _native.check(name, toml)  # mistakes are told with the places they have in the file
    document = tomllib.loads(toml)
    # What is in the file stays where nothing takes its place.
    kept = document.get("sweep", {})
    words = ("design", "until", "measures")
    if over is None:
        swept = kept
    else:
        axes = mapping("over", over, '{"ring.span-delay": ["0.1 ms", "1 ms"]}')
        swept = {word: kept[word] for word in words if word in kept} | dict(axes)
    if until is not None:
        example = '{"measure": "flow.*.ratio", "half-width": "1 %"}'
        swept["until"] = dict(mapping("until", until, example))
    if design is not None:
        swept["design"] = dict(mapping("design", design, '{"method": "sobol", "points": 256}'))
    if measures is not None:
        swept["measures"] = several("measures", measures, "names")
    document["sweep"] = swept
    if replications is not None:
        document.setdefault("run", {})["replications"] = natural("replications", replications)
    return name, _native.to_toml(document)


def _columns(points: Mapping[str, Sequence[Any]]) -> list[tuple[str, list[str | bool | int | float]]]:
    """Give the columns of a table of points."""
    columns = mapping("points", points, '{"ring.span-delay": ["0.1 ms", "1 ms"]}')
    return [(text("points", key), _cells(key, values)) for key, values in columns.items()]


def _cells(key: str, values: Sequence[Any]) -> list[str | bool | int | float]:
    """Give the values of a column in plain Python."""
    name = f"points[{key!r}]"
    plain = several(name, values.tolist() if hasattr(values, "tolist") else values, "values, one a point")
    for value in plain:
        if not isinstance(value, str | bool | int | float):
            raise SettingError(f"{name} holds text, numbers and booleans, not {type(value).__name__}")
        if isinstance(value, str):
            text(name, value)
    return list(plain)


MOST_MEASURES = 4
"""So many measures have a column in a notebook: those that were asked for come first."""


def _points_html(found: Sweep) -> str:
    """Give the points as a table for notebooks, a row for each point under each law."""
    lines = found.points.to_dicts()
    if not lines:
        return "<p>no points</p>"
    names = list(lines[0])
    axes = names[: names.index("measure")]
    measures = list(dict.fromkeys(line["measure"] for line in lines))
    shown, left_out = measures[:MOST_MEASURES], len(measures) - MOST_MEASURES
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for line in lines:
        row = rows.setdefault(tuple(line[axis] for axis in axes), {})
        ends = None if line["low"] is None else (line["low"], line["high"])
        row[line["measure"]] = estimate(line["unit"], line["mean"], line["half_width"], ends)
        row["runs"], row["stopped"] = line["runs"], line["stopped"]
    columns = [*shown, "runs", "stopped"]
    title = found.title
    if left_out > 0:
        title += f" ({counted(left_out, 'more measure')} in .points)"
    return table(
        title,
        [re.sub(r"_(ns|bps)$", "", column) for column in [*axes, *columns]],
        (
            [*map(_with_its_unit, axes, key), *(row.get(column) for column in columns)]
            for key, row in rows.items()
        ),
    )


def _with_its_unit(axis: str, value: Any) -> Any:
    """Give a value of an axis as people write it."""
    unit = {"ns": "ns", "bps": "bit/s"}.get(axis.rpartition("_")[2])
    return value if unit is None else estimate(unit, value, None)
