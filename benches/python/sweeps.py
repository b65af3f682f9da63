"""What a sweep costs, and that all ways to run it end with the same bytes.

`python benches/python/sweeps.py`, with the package and its command installed; loky, Dask and Ray
are tried where they are installed. 200 points with ten replications each, of a ring whose runs
have about 4,300 hops, go by threads, in parts that are merged in another order, and through each
executor, and what is left is compared file by file. Then what the same runs cost under
`fairwire run` and through Dask, what checking 100,000 points costs, and what up to 100,000 runs
take and keep, and take when they are known. Prints a line a figure; ends with 1 where files differ.
`--page docs/sweeps.md` also writes the lines into that page.
"""

import argparse
import contextlib
import importlib.util
import random
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from threading import Thread

import fairwire

POINTS, REPLICATIONS = 200, 10
TABLES = ("runs.parquet", "points.parquet", "report.html", "scenario.toml")
# Each cost is the median of so many pairs, one after the other.
ROUNDS = 5
PROGRAM = Path(sys.executable).with_name("fairwire")
SAID = []


def say(what, figure):
    """Print a line, and remember it."""
    SAID.append(f"{what:<40} {figure}")
    print(SAID[-1], flush=True)


def scenario(file, axis, duration="66 ms", replications=REPLICATIONS):
    """Write a scenario of greedy flows on a ring that sweeps an axis, or none."""
    sweep = f"\n[sweep]\n{axis}\n" if axis else ""
    file.write_text(f"""schema = 1
title = "Greedy flows on a ring"

[run]
duration = "{duration}"
replications = {replications}

[ring]
stations = 5
capacity = "100 Mb/s"
span-delay = "0.1 ms"
law = {{ name = "dvsr" }}

[[flow]]
name = "a"
from = [0, 1, 2]
to = 4
traffic = {{ kind = "greedy", packet = "1 kB" }}
{sweep}""")
    return file


def spans(points):
    """Spell an axis of so many lengths of the ring."""
    return f'"ring.span-delay" = {{ from = "0.1 ms", to = "1 ms", steps = {points}, scale = "log" }}'


def fairwire_command(*words):
    """Run the command: seconds and MB that it took."""
    code = (
        "import resource, subprocess, sys, time; begin = time.perf_counter();"
        " subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL);"
        " print(time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    words = [sys.executable, "-c", code, PROGRAM, *words]
    seconds, kb = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return float(seconds), int(kb) / (1e6 if sys.platform == "darwin" else 1e3)


def sweep_by(executor, file, folder):
    """Sweep through an executor, or our own threads: seconds it took."""
    begin = time.perf_counter()
    fairwire.sweep(file, folder=folder, executor=executor)
    return time.perf_counter() - begin


class RayExecutor:
    """Ray, as the guide has it."""

    def submit(self, work, task):
        """Hand a task out."""
        import ray

        future, reference = Future(), ray.remote(work).remote(task)

        def wait():
            try:
                future.set_result(ray.get(reference))
            except Exception as error:
                future.set_exception(error)

        Thread(target=wait, daemon=True).start()
        return future


@contextlib.contextmanager
def by_dask():
    """Two workers, a thread each."""
    import distributed

    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@contextlib.contextmanager
def by_ray():
    """Two processors."""
    import ray

    ray.init(num_cpus=2, include_dashboard=False)
    try:
        yield RayExecutor()
    finally:
        ray.shutdown()


@contextlib.contextmanager
def by_loky():
    """Two processes."""
    import loky

    with loky.ProcessPoolExecutor(2) as pool:
        yield pool


@contextlib.contextmanager
def by_processes():
    """Two processes of the standard library."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


EXECUTORS = {
    "concurrent": ("two processes", by_processes),
    "loky": ("loky, two processes", by_loky),
    "distributed": ("Dask, two workers", by_dask),
    "ray": ("Ray, two processors", by_ray),
}


def files(folder):
    """Read what a sweep has left that tells no times."""
    return {name: (folder / name).read_bytes() for name in TABLES}


def parts_of(file, here, parts):
    """Run a sweep in parts, in a random order, and merge these in another."""
    folders = {f"{part}/{parts}": here / f"part-{part}-of-{parts}" for part in range(1, parts + 1)}
    for part in random.sample(list(folders), parts):
        fairwire_command("sweep", file, "--part", part, "--out", folders[part])
    merged = random.sample(list(folders.values()), parts)
    fairwire_command("sweep", file, "--out", here / f"merged-{parts}", "--merge", *merged)
    return here / f"merged-{parts}"


def same_bytes(here):
    """Run a sweep in every way; whether something differs from one thread."""
    file = scenario(here / "ring.toml", spans(POINTS))
    ways = {}
    for threads in (1, 2, 3):
        folder = here / f"threads-{threads}"
        seconds, _ = fairwire_command("sweep", file, "--threads", str(threads), "--out", folder)
        say(f"{POINTS} points x {REPLICATIONS}, threads: {threads}", f"{seconds:.2f} s")
        ways[f"threads: {threads}"] = files(folder)
    for parts in (1, 3, 7):
        ways[f"parts, merged in random order: {parts}"] = files(parts_of(file, here, parts))
    sweep_by(None, file, here / "python")
    ways["from Python"] = files(here / "python")
    for module, (name, made) in EXECUTORS.items():
        if importlib.util.find_spec(module) is None:
            say(name, "not installed")
            continue
        with made() as executor:
            sweep_by(executor, file, here / module)
        ways[name] = files(here / module)
    first = ways["threads: 1"]
    differ = {way: [name for name in TABLES if tables[name] != first[name]] for way, tables in ways.items()}
    for way, names in differ.items():
        say(way, ", ".join(names) + " differ" if names else "all files equal to the byte")
    return any(differ.values())


def ratio(name, ours, theirs):
    """Print how two costs compare, pair by pair."""
    pairs = [(ours(turn), theirs(turn)) for turn in range(ROUNDS)]
    ratios = sorted(theirs / ours for ours, theirs in pairs)
    base_s = median(ours for ours, _ in pairs)
    say(name, f"{median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}), {base_s:.2f} s the latter")


def costs(here):
    """Measure what sweeps cost."""
    run = scenario(here / "run.toml", None, replications=2_000)
    swept = scenario(here / "swept.toml", '"run.seed" = [1, 2]', replications=1_000)
    ratio(
        "2,000 runs, sweep / run",
        lambda turn: fairwire_command("run", run, "--no-folder")[0],
        lambda turn: fairwire_command("sweep", swept, "--out", here / f"swept-{turn}")[0],
    )
    if importlib.util.find_spec("distributed"):
        file = scenario(here / "dask.toml", spans(POINTS))
        with by_dask() as client:
            sweep_by(client, file, here / "warm")
            ratio(
                "2,000 runs, Dask / our threads",
                lambda turn: sweep_by(None, file, here / f"ours-{turn}"),
                lambda turn: sweep_by(client, file, here / f"dask-{turn}"),
            )
    points = scenario(here / "points.toml", spans(100_000))
    seconds, mb = fairwire_command("scenario", "check", points)
    say("100,000 points checked", f"{seconds:.2f} s, {mb:.0f} MB")
    for runs in (1_000, 10_000, 100_000):
        short = scenario(here / "short.toml", spans(100), duration="0.1 ms", replications=runs // 100)
        words = ["sweep", short, "--out", here / f"short-{runs}"]
        seconds, mb = fairwire_command(*words)
        say(f"{runs:,} short runs at 100 points", f"{seconds:.2f} s, {mb:.0f} MB")
        known = [fairwire_command(*words) for _ in range(ROUNDS)]
        say("the same, all known", f"{median(seconds for seconds, _ in known):.2f} s")


def rewrite(page):
    """Put what was said into the part of a page that is generated."""
    begin, end = "<!-- generated: benches/python/sweeps.py -->\n", "<!-- end -->"
    text = page.read_text()
    before, rest = text.split(begin)
    _, after = rest.split(end, 1)
    said = "\n".join(["$ python benches/python/sweeps.py", *SAID])
    page.write_text(f"{before}{begin}\n```text\n{said}\n```\n\n{end}{after}")


def main():
    """Compare and measure."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--page", type=Path, help="write the lines into the generated part of this page")
    page = options.parse_args().page
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        differ = same_bytes(here)
        costs(here)
    if page is not None:
        rewrite(page)
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
