"""The ``fairwire`` command, as ``pip install fairwire``, ``pipx`` and ``uvx`` put it on the path.

The command is in the native module of :mod:`fairwire`. That module is loaded here without the package around
it: the command need not wait for NumPy.
"""

import signal
import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec, module_from_spec

NATIVE = "fairwire._native"


def native_spec() -> ModuleSpec:
    """Find the native module beside the package, without importing the package."""
    package = find_spec("fairwire")
    places = package.submodule_search_locations if package else None
    spec = PathFinder.find_spec(NATIVE, places)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"no module named {NATIVE!r}: install fairwire anew")
    return spec


def main() -> int:
    """Run the command with the arguments of the process; the exit code is the command's."""
    # Ctrl-C is the command's: it keeps what is done.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    spec = native_spec()
    module = module_from_spec(spec)
    assert spec.loader is not None
    spec.loader.exec_module(module)
    return int(module.command(["fairwire", *sys.argv[1:]]))
