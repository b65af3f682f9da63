"""`fairwire.sweep`: the same tables on any executor, and what is told where something is wrong."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import warnings
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import fairwire
from fairwire import _native
from fairwire._live import in_words, points_html
from fairwire._sweep import work

SCENARIO = """schema = 1
title = "Two queues"

[run]
duration = "40 ms"
warmup = "10 ms"

[network]
nodes = ["a", "b"]
queue = { name = "droptail" }

[[network.link]]
name = "only"
from = "a"
to = "b"
capacity = "10 Mb/s"
delay = "1 ms"

[[flow]]
name = "one"
from = "a"
to = "b"
traffic = { kind = "poisson", rate = "5 Mb/s", packet = "500 B" }

[sweep]
"network.queue.name" = ["droptail", "red"]
"network.link.only.capacity" = { from = "4 Mb/s", to = "16 Mb/s", steps = 4, scale = "log" }
until = { measure = "flow.one.ratio", half-width = "5 %", first = 4, most = 12 }
"""

TABLES = ("runs.parquet", "points.parquet", "pairs.parquet", "report.html")


def files(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in TABLES}


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("reference") / "sweep"
    fairwire.sweep(SCENARIO, folder=folder)
    return files(folder)


def processes() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(2, mp_context=get_context("spawn"))


class Backwards(Executor):
    """Does nothing until it is asked for the last task it was given, then the last first."""

    def __init__(self) -> None:
        self.tasks: list[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = []
        self.pool = ThreadPoolExecutor(1)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.tasks.append((future, fn, args))
        self.pool.submit(self._one)
        return future

    def _one(self) -> None:
        future, fn, args = self.tasks.pop()
        future.set_result(fn(*args))


def test_any_executor_gives_the_same_files(tmp_path: Path, reference: dict[str, bytes]) -> None:
    with processes() as pool, ThreadPoolExecutor(3) as threads:
        executors: dict[str, Any] = {"processes": pool, "threads": threads, "backwards": Backwards()}
        for name, executor in executors.items():
            found = fairwire.sweep(SCENARIO, folder=tmp_path / name, executor=executor, batch_s=0.002)
            assert files(tmp_path / name) == reference, name
            assert found.done == len(found.runs)


def test_series_are_the_same_from_any_executor_and_are_read_as_a_folder(tmp_path: Path) -> None:
    found = fairwire.sweep(SCENARIO, series=True, folder=tmp_path / "here")
    with processes() as pool:
        fairwire.sweep(SCENARIO, series=True, folder=tmp_path / "there", executor=pool, batch_s=0.002)
    here, there = (
        (tmp_path / name / "series" / "series-00000.parquet").read_bytes() for name in ("here", "there")
    )
    assert here == there
    assert files(tmp_path / "here") == files(tmp_path / "there")
    series = found.series.to_polars()
    assert series.equals(pl.scan_parquet(tmp_path / "here" / "series").collect())
    assert series.columns[-5:] == ["run", "flow", "t_ns", "rate_bps", "left_bps"]
    # The mean over time of what one run delivered, warm-up and all, is near the mean that tables have.
    runs = found.runs.to_polars().select("point", "run", "flow.one.rate.mean_bps")
    means = (
        series.filter(pl.col("t_ns") >= 10_000_000).group_by("point", "run").agg(pl.col("rate_bps").mean())
    )
    joined = runs.join(means, on=["point", "run"], validate="1:1")
    assert len(joined) == len(runs)
    assert (joined["rate_bps"] / joined["flow.one.rate.mean_bps"] - 1).abs().max() < 1e-9  # type: ignore[operator]
    # Without a folder they are in memory; unasked for there are none.
    assert fairwire.sweep(SCENARIO, series=True).series.to_polars().equals(series)
    with pytest.raises(fairwire.SettingError, match="series=True"):
        _ = fairwire.sweep(SCENARIO).series


def test_dask_gives_the_same_files(tmp_path: Path, reference: dict[str, bytes]) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster:
        client = distributed.Client(cluster)
        fairwire.sweep(SCENARIO, folder=tmp_path / "dask", executor=client, batch_s=0.002)
        client.close()
    assert files(tmp_path / "dask") == reference


def test_dask_gives_out_again_what_a_killed_worker_had(tmp_path: Path, reference: dict[str, bytes]) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster:
        client = distributed.Client(cluster)
        killed: list[int] = []

        def kill_one(_done: int, _all: int) -> None:
            if not killed:
                killed.append(cluster.workers[0].pid)
                os.kill(killed[0], signal.SIGKILL)

        fairwire.sweep(SCENARIO, folder=tmp_path / "dask", executor=client, batch_s=0.002, progress=kill_one)
        client.close()
    assert killed
    assert files(tmp_path / "dask") == reference


def test_loky_gives_the_same_files(tmp_path: Path, reference: dict[str, bytes]) -> None:
    loky = pytest.importorskip("loky")
    with loky.ProcessPoolExecutor(2) as pool:
        fairwire.sweep(SCENARIO, folder=tmp_path / "loky", executor=pool, batch_s=0.002)
    assert files(tmp_path / "loky") == reference


def test_the_ten_lines_of_the_guide_are_enough_for_ray(tmp_path: Path, reference: dict[str, bytes]) -> None:
    ray = pytest.importorskip("ray")
    guide = (Path(__file__).resolve().parents[2] / "docs" / "sweeps.md").read_text()
    (lines,) = (
        block for block in re.findall(r"^```py\n(.*?)^```", guide, re.M | re.S) if "RayExecutor" in block
    )
    names: dict[str, Any] = {}
    exec(compile(lines, "docs/sweeps.md", "exec"), names)
    ray.init(num_cpus=2, include_dashboard=False)
    try:
        fairwire.sweep(SCENARIO, folder=tmp_path / "ray", executor=names["RayExecutor"](), batch_s=0.002)
    finally:
        ray.shutdown()
    assert files(tmp_path / "ray") == reference


def die_once(task: str, mark: str) -> str:
    """Kill the process that does the first task."""
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return work(task)
    os._exit(9)


class Deadly:
    """Processes of which the first one to work dies."""

    def __init__(self, mark: Path) -> None:
        self.mark, self.pool = mark, processes()

    def submit(self, fn: Callable[..., Any], /, task: str) -> Any:
        return self.pool.submit(die_once, task, str(self.mark))


def test_what_a_dead_worker_had_is_given_out_again(tmp_path: Path, reference: dict[str, bytes]) -> None:
    made: list[Deadly] = []

    def make() -> Deadly:
        made.append(Deadly(tmp_path / "mark"))
        return made[-1]

    with pytest.raises(fairwire.SweepError, match="a worker died"):
        fairwire.sweep(SCENARIO, folder=tmp_path / "dead", executor=Deadly(tmp_path / "first"), batch_s=0.002)
    fairwire.sweep(SCENARIO, folder=tmp_path / "dead", executor=make, batch_s=0.002)
    assert len(made) > 1
    assert files(tmp_path / "dead") == reference


def test_one_executor_serves_all_rounds_and_is_let_go(tmp_path: Path, reference: dict[str, bytes]) -> None:
    made: list[ThreadPoolExecutor] = []

    def make() -> ThreadPoolExecutor:
        made.append(ThreadPoolExecutor(2))
        return made[-1]

    fairwire.sweep(SCENARIO, folder=tmp_path / "made", executor=make, batch_s=0.002)
    assert files(tmp_path / "made") == reference
    assert len(made) == 1, "there are several rounds"
    with pytest.raises(RuntimeError, match="after shutdown"):
        made[0].submit(work, "")


def test_progress_can_be_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fairwire.sweep(SCENARIO, progress=True)
    assert capsys.readouterr().err == "", "neither a notebook nor a terminal"
    native = _native.Sweep("two.toml", SCENARIO, None, str(tmp_path / "sweep"))
    tables = []

    def look(done: int, of: int) -> None:
        tables.append(points_html(native, in_words(done, of, 2.0)))

    assert native.axes == ["network.queue.name", "network.link.only.capacity"]
    assert native.next_round() == 32
    native.fill(1, look, 0)
    assert "<p>32 of 32 runs</p>" in tables[-1]
    assert tables[-1].count("<td>4</td>") == 8, "every point has four runs"
    measure, unit, points = native.so_far(3)
    assert (measure, unit, len(points)) == ("flow.one.ratio", "1", 3)
    values, runs, mean, half, ends = points[0]
    assert (values, runs) == (["droptail", "4 Mb/s"], 4)
    assert mean is not None
    assert half is not None
    assert ends is not None
    assert list(ends) == pytest.approx([mean - half, mean + half])
    assert in_words(5, 20, 2.0) == "5 of 20 runs, about 6 s left"


def test_a_worker_of_another_build_is_refused(tmp_path: Path) -> None:
    native = _native.Sweep("two.toml", SCENARIO, None, str(tmp_path / "sweep"))
    assert native.next_round() > 0
    (task, runs), *_ = native.tasks(0.001)
    assert runs > 0
    build = task.split('"')[3]
    with pytest.raises(fairwire.SweepError, match="another"):
        work(task.replace(build, "another"))
    assert native.keep(work(task)) == runs


def test_points_come_from_python(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    base = SCENARIO.split("[sweep]")[0]
    capacities = numpy.array([8e6, 12e6])
    found = fairwire.sweep(base, points={"network.link.only.capacity_bps": capacities}, replications=3)
    rows = found.runs.to_dicts()
    assert [row["network.link.only.capacity_bps"] for row in rows] == [8e6] * 3 + [12e6] * 3
    assert [row["run"] for row in rows] == [0, 1, 2] * 2
    over = fairwire.sweep(base, {"run.seed": [1, 2, 3]}, measures=["flow.one.delay.p99"])
    assert over.points.to_dicts()[0]["measure"] == "flow.one.delay.p99_ns"
    assert len(over.runs) == 3
    assert len(over.pairs) == 0


def test_laws_stand_beside_each_other(reference: dict[str, bytes]) -> None:
    found = fairwire.sweep(SCENARIO)
    pair = next(row for row in found.pairs.to_dicts() if row["measure"] == "flow.one.delay.mean_ns")
    assert (pair["law"], pair["base"]) == ("red", "droptail")
    assert pair["half_width"] is not None
    assert found.report == reference["report.html"].decode()
    assert "flow.one.ratio" in found._repr_html_()


def test_a_measure_is_drawn_along_an_axis() -> None:
    pytest.importorskip("matplotlib").use("agg")
    found = fairwire.sweep(SCENARIO)
    ax = found.plot("flow.one.delay.mean", "network.link.only.capacity")
    legend = ax.get_legend()
    assert legend is not None
    assert [line.get_text() for line in legend.get_texts()] == ["droptail", "red"]
    assert ax.get_xlabel() == "network.link.only.capacity (Mb/s)"
    with pytest.raises(fairwire.SettingError, match=r"jain"):
        found.plot("jian", "network.link.only.capacity")
    with pytest.raises(fairwire.SettingError, match="capacity"):
        found.plot("jain", "network.link.only.capacty")


def test_values_in_even_multiples_are_drawn_on_a_log_axis() -> None:
    pytest.importorskip("matplotlib").use("agg")
    base = SCENARIO.split("[sweep]")[0]

    def scale(values: object) -> str:
        found = fairwire.sweep(base, {"network.link.only.delay": values}, replications=1)
        return found.plot("jain", "network.link.only.delay").get_xscale()

    assert scale({"from": "0.1 ms", "to": "3 ms", "steps": 5, "scale": "log"}) == "log"
    assert scale({"from": "0.1 ms", "to": "3 ms", "steps": 5}) == "linear"
    assert scale(["1 ms", "2 ms", "4 ms"]) == "linear"


def test_mistakes_are_told() -> None:
    base = SCENARIO.split("[sweep]")[0]
    with pytest.raises(fairwire.ScenarioError, match="is empty"):
        fairwire.sweep(base, {"network.link.only.capacity": {"from": "1 Mb/s", "to": "1 Mb/s", "steps": 3}})
    with pytest.raises(fairwire.SettingError, match="as many values"):
        fairwire.sweep(base, points={"run.seed": [1, 2], "run.duration": ["1 s"]})
    with pytest.raises(fairwire.SettingError, match="not dict"):
        fairwire.sweep(base, points={"run.seed": [{}]})
    with pytest.raises(fairwire.ScenarioError, match=r"row 2 of points"):
        fairwire.sweep(base, points={"run.duration": ["1 s", "-1 s"]})


def test_run_says_that_it_is_not_a_sweep() -> None:
    with pytest.warns(fairwire.ScenarioWarning, match="`sweep` all points"):
        fairwire.run(SCENARIO)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fairwire.compare(SCENARIO)


class Ishigami:
    """An executor that simulates nothing: every run gives Ishigami's function of the three weights."""

    def submit(self, fn: Callable[..., Any], /, task: str) -> Future[str]:
        lines = []
        for point in json.loads(task)["points"]:
            x, y, z = ((float(value) - 2) * math.pi for _, value in point["set"])
            value = math.sin(x) + 7 * math.sin(y) ** 2 + 0.1 * z**4 * math.sin(x)
            for run in range(point["from"], point["to"]):
                line = {"key": point["key"], "run": run, "broken": 0, "warning": None, "hops": 0}
                lines.append(line | {"values": [value]})
        future: Future[str] = Future()
        future.set_result(json.dumps({"wall_s": 0.0, "lines": lines}))
        return future


def test_sobol_indices_are_those_of_the_closed_form() -> None:
    sample = pytest.importorskip("SALib.sample.sobol")
    analyze = pytest.importorskip("SALib.analyze.sobol")
    names = [f"flow.{name}.weight" for name in "abc"]
    problem = {"num_vars": 3, "names": names, "bounds": [[1.0, 3.0]] * 3}
    flows = "".join(
        f'[[flow]]\nname = "{name}"\nfrom = "a"\nto = "b"\ntraffic = {{ kind = "greedy" }}\n'
        for name in "abc"
    )
    head = SCENARIO.split("[[flow]]")[0]
    points = sample.sample(problem, 1024, calc_second_order=False, seed=3)
    columns = dict(zip(names, points.T, strict=True))
    found = fairwire.sweep(head + flows, points=columns, measures=["jain"], executor=Ishigami())
    values = found.runs.to_polars().sort("point")["jain"].to_numpy()
    got = analyze.analyze(problem, values, calc_second_order=False, seed=3)
    # Ishigami and Homma 1990, a = 7, b = 0.1.
    expected = {"S1": (0.3139, 0.4424, 0.0), "ST": (0.5576, 0.4424, 0.2437)}
    for order, exact in expected.items():
        for index, half, true in zip(got[order], got[f"{order}_conf"], exact, strict=True):
            assert abs(index - true) <= half, (order, index, half, true)
