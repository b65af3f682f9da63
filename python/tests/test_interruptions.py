"""What comes in between: Ctrl-C, laws that call back, threads, forks, arrays that change meanwhile.

These tests look at a clock: `make test` leaves them to the end.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fairwire
from fairwire import RingLaw
from fairwire.laws import StationView

RING: dict[str, Any] = {
    "schema": 1,
    "run": {"duration": "20 ms"},
    "ring": {"stations": 4, "capacity": "1 Gb/s", "span-delay": "0.1 ms", "law": {"name": "dvsr"}},
    "flow": [{"name": "far", "from": 0, "to": 2}, {"name": "near", "from": 1, "to": 2}],
}
LONG = RING | {"run": {"duration": "2000 s", "window": "1 s"}}


# Longer than any test here may wait: who hears only the second Ctrl-C fails, and hangs no other test.
PATIENCE_S = 10.0


def heard_after(work: Callable[[], object]) -> float:
    """Tell how long after Ctrl-C work ends with it, in seconds.

    Python drops an interruption that comes in a callback of its collector of garbage, which rests meanwhile.
    """
    sent: list[float] = []
    done = threading.Event()

    def interrupt() -> None:
        while not done.wait(PATIENCE_S if sent else 0.3):
            sent.append(time.monotonic())
            signal.raise_signal(signal.SIGINT)

    presser = threading.Thread(target=interrupt)
    gc.disable()
    presser.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
        ended = time.monotonic()
    finally:
        done.set()
        presser.join()
        gc.enable()
    return ended - sent[0]


def in_a_process(code: str) -> str:
    """Run code in a process of its own, which gets a few seconds, and give what it prints."""
    whole = f"import fairwire\nRING = {RING!r}\n{textwrap.dedent(code)}"
    ended = subprocess.run(
        [sys.executable, "-c", whole], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


class Endless(RingLaw):
    def start(self, view: StationView) -> None:
        while True:
            pass


class Sleepy(RingLaw):
    def start(self, view: StationView) -> None:
        time.sleep(1)


def test_ctrl_c_ends_a_law_that_does_not_return() -> None:
    assert heard_after(lambda: fairwire.run(RING, law=Endless)) < 2
    assert heard_after(lambda: fairwire.Simulation(RING, law=Endless)) < 2


def test_no_law_is_called_after_ctrl_c() -> None:
    # Four stations would sleep for four seconds.
    assert heard_after(lambda: fairwire.run(RING, law=Sleepy)) < 2.5


def test_a_simulation_whose_law_was_interrupted_says_so() -> None:
    class EndlessLater(RingLaw):
        def start(self, view: StationView) -> None:
            self.wake_at(1_000_000)

        def on_timeout(self, view: StationView) -> None:
            while True:
                pass

    simulation = fairwire.Simulation(RING, law=EndlessLater)
    assert heard_after(simulation.advance) < 2
    with pytest.raises(fairwire.SettingError, match="begin anew"):
        simulation.advance()


def test_a_process_ends_whatever_its_laws_do() -> None:
    said = in_a_process("""
        import threading, time

        class Endless(fairwire.RingLaw):
            def start(self, view):
                while True:
                    pass

        threading.Thread(target=fairwire.run, args=(RING,), kwargs={"law": Endless}, daemon=True).start()
        time.sleep(0.5)
        print("bye")
    """)
    assert said == "bye\n"


@pytest.mark.skipif(sys.platform != "linux", reason="threads are slowed down as Linux does it")
def test_a_simulation_that_is_slow_to_hear_ctrl_c_goes_on_afterwards() -> None:
    def threads() -> set[int]:
        return {int(thread.name) for thread in Path("/proc/self/task").iterdir()}

    before = threads()
    simulation = fairwire.Simulation(LONG)
    slow = threads() - before
    place = min(os.sched_getaffinity(0))
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        ending = threading.Timer(1.5, busy.kill)
        ending.start()
        for process in [*slow, busy.pid]:
            os.sched_setaffinity(process, {place})
        for thread in slow:
            os.sched_setscheduler(thread, os.SCHED_IDLE, os.sched_param(0))
        assert heard_after(simulation.advance) < 5
    assert 0 < simulation.now_ns < simulation.end_ns
    simulation.advance("1 ms")


def test_ctrl_c_is_heard_while_another_thread_advances() -> None:
    simulation = fairwire.Simulation(LONG)
    other = threading.Thread(target=simulation.advance, kwargs={"until": "300 s"})
    other.start()

    def look_all_the_time() -> None:
        while not simulation.is_over:
            simulation.view()

    assert heard_after(look_all_the_time) < 1
    other.join()
    assert simulation.now_s == 300


def test_ctrl_c_leaves_a_simulation_as_it_was_while_it_is_changed() -> None:
    simulation = fairwire.Simulation(LONG)
    simulation.advance(until="200 s")
    before = simulation.scenario
    assert heard_after(lambda: simulation.change("capacity", capacity="500 Mb/s")) < 1
    assert (simulation.now_s, simulation.scenario) == (200, before)


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_ctrl_c_is_heard_by_a_sweep_on_an_executor(kind: Any) -> None:
    with kind(1) as executor:
        swept = {"ring.span-delay": ["0.1 ms", "0.2 ms"]}
        short = RING | {"run": {"duration": "5 s"}}
        work = lambda: fairwire.sweep(short, swept, replications=10_000, executor=executor)  # noqa: E731
        assert heard_after(work) < 2
        began = time.monotonic()
    # All of them would take minutes.
    assert time.monotonic() - began < 30, "tasks that nobody waits for are still done"


ASKED = [
    "problem.explain('proportional')",
    "problem.explain('rias')",
    "problem.sensitivities('max-min')",
    "problem.sensitivities('proportional')",
    "fairwire.sensitivities(ring, 'max-min')",
]


def test_solvers_that_nobody_waits_for_give_up() -> None:
    # Each in a process of its own, whose time tells of all its threads. However fast a machine is,
    # it asks until Ctrl-C comes.
    def has_given_up(ask: str) -> str:
        return in_a_process(f"""
            import os, signal, threading, time
            import numpy as np
            rng = np.random.default_rng(1)
            nodes = rng.integers(0, 200, (2, 20_000))
            routes = [rng.choice(2_000, 20, replace=False) for _ in range(20_000)]
            problem = fairwire.Problem.from_routes(
                rng.uniform(1e6, 1e9, 2_000), routes, ingress=nodes[0], egress=nodes[1]
            )
            ends = [(a, b) for a in range(100) for b in range(100) if a != b]
            flow = lambda a, b: {{"name": f"{{a}}-{{b}}", "from": a, "to": b, "weight": 1 + (a * b) % 7}}
            flows = [flow(a, b) for a, b in ends]
            ring = RING | {{"ring": RING["ring"] | {{"stations": 100}}, "flow": flows}}
            assert fairwire.check_scenario(ring) == []
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
            try:
                while True:
                    {ask}
            except KeyboardInterrupt:
                time.sleep(1)
                before = time.process_time()
                time.sleep(0.3)
                print(time.process_time() - before < 0.01)
        """)

    with ThreadPoolExecutor(len(ASKED)) as at_once:
        assert dict(zip(ASKED, at_once.map(has_given_up, ASKED), strict=True)) == dict.fromkeys(
            ASKED, "True\n"
        )


def test_a_law_cannot_ask_the_simulation_that_calls_it() -> None:
    asks: list[Callable[[fairwire.Simulation], object]] = [
        fairwire.Simulation.advance,
        fairwire.Simulation.view,
        fairwire.Simulation.finish,
        lambda simulation: simulation.change("capacity", capacity="1 Mb/s"),
    ]
    for ask in asks:

        class CallsBack(RingLaw):
            def start(self, view: StationView) -> None:
                self.wake_at(1_000_000)

            def on_timeout(self, view: StationView) -> None:
                ask(simulation)  # noqa: B023

        simulation = fairwire.Simulation(RING, law=CallsBack)
        with pytest.raises(fairwire.SettingError, match="cannot ask the simulation that calls it"):
            simulation.advance()


def test_a_law_may_run_something_else() -> None:
    class Curious(RingLaw):
        def start(self, view: StationView) -> None:
            assert len(fairwire.run(RING)) == 1

    assert len(fairwire.run(RING, law=Curious)) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_process_that_was_forked_works_and_leaves_simulations_to_its_parent() -> None:
    said = in_a_process("""
        import os, signal, sys
        swept = {"ring.span-delay": ["1 us", "2 us"]}
        fairwire.sweep(RING, swept, replications=2)
        simulation = fairwire.Simulation(RING)
        if os.fork() == 0:
            signal.alarm(20)
            print(fairwire.sweep(RING, swept, replications=2))
            try:
                simulation.advance()
            except fairwire.SettingError as error:
                print(error)
            sys.stdout.flush()
            os._exit(0)
        os.wait()
        simulation.advance()
    """)
    assert said.splitlines() == [
        "<fairwire.Sweep: '<dict>', 4 runs>",
        "a simulation stays in the process that began it; begin another one here",
    ]


@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="only there root limits threads")
def test_where_no_thread_can_be_started_it_says_so() -> None:
    said = in_a_process("""
        import os, resource
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        os.setgid(65534)
        os.setuid(65534)
        for ask in (fairwire.run, fairwire.Simulation, fairwire.sweep):
            try:
                ask(RING)
            except RuntimeError as error:
                print("allow more processes" in str(error))
    """)
    assert said.split() == ["True"] * 3


def test_arrays_may_be_written_while_they_are_looked_at() -> None:
    # What comes of it is an answer, or an error that says what made no sense.
    flows = 20_000
    rng = np.random.default_rng(1)
    indptr = np.arange(flows + 1, dtype=np.uint32)
    indices = rng.integers(0, 1_000, flows).astype(np.uint32)
    capacities = np.full(1_000, 1e6)
    problem = fairwire.Problem(capacities, indptr, indices)
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            indptr[rng.integers(1, flows)] = rng.integers(0, 2 * flows)
            indices[rng.integers(0, flows)] = rng.integers(0, 2_000)
            capacities[rng.integers(0, 1_000)] = rng.choice([np.nan, -1, 1e6])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(10):
            for ask in (problem.solve, problem.explain, lambda: problem.loads_bps(np.ones(flows))):
                indptr[:] = np.arange(flows + 1)
                indices[:] = 0
                capacities[:] = 1e6
                with contextlib.suppress(fairwire.ProblemError):
                    ask()
    finally:
        stop.set()
        writer.join()


def test_a_sweep_has_no_more_threads_than_runs() -> None:
    swept = {"ring.span-delay": ["1 us", "2 us"]}
    assert len(fairwire.sweep(RING, swept, replications=1, threads=10**9).runs) == 2


def test_tasks_are_cut_whatever_their_length() -> None:
    with ThreadPoolExecutor(1) as executor:
        for batch_s in (0, 1e300):
            swept = {"ring.span-delay": ["1 us", "2 us"]}
            found = fairwire.sweep(RING, swept, replications=2, executor=executor, batch_s=batch_s)
            assert len(found.runs) == 4


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told by Linux")
def test_thousands_of_simulations_leave_nothing_behind() -> None:
    said = in_a_process("""
        import os
        short = RING | {"run": {"duration": "1 ms"}}

        def memory_mb():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

        def some(count):
            for _ in range(count):
                simulation = fairwire.Simulation(short)
                simulation.advance()
                simulation.finish()

        some(300)
        before = memory_mb()
        some(3_000)
        print(memory_mb() - before, len(os.listdir("/proc/self/task")))
    """)
    grown_mb, threads = map(float, said.split())
    assert grown_mb < 5
    assert threads < 20


def test_what_progress_raises_stops_the_runs(scenarios: Path) -> None:
    class EnoughError(Exception):
        pass

    def stop(part: float) -> None:
        raise EnoughError

    begin = time.monotonic()
    with pytest.raises(EnoughError):
        fairwire.run(scenarios / "bench/w1.toml", duration="1000 s", progress=stop, detail=False)
    assert time.monotonic() - begin < 30


def test_other_threads_go_on_meanwhile(scenarios: Path) -> None:
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.wait(0.001):
            counted += 1

    counter = threading.Thread(target=count)
    counter.start()
    # About a second: enough for hundreds, and for some on a busy machine.
    fairwire.run(scenarios / "bench/w1.toml", duration="300 s", detail=False)
    done.set()
    counter.join()
    assert counted > 5


INTERRUPTED = """
import sys, fairwire
print("begun", flush=True)
try:
    fairwire.run(sys.argv[1], duration="1000 s", seed=range(8), detail=False)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


def test_control_c_stops_everything(scenarios: Path) -> None:
    command = [sys.executable, "-c", INTERRUPTED, str(scenarios / "bench/w1.toml")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        answer, _ = child.communicate(timeout=60)
    assert answer == "stopped\n"
    assert child.returncode == 0
