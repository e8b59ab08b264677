# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stowage beside those whom people run networks with today: bytes and times of one thread.

    python3 -m bench.rivals.page [--quick] [--only RE] [--sides ours,ort,...] [--fresh] [--output FILE]

`make rivals` installs the rivals into an environment of their own and runs this there. Each network is measured by each side in a
process of its own. What was measured lies in a folder, so that a run that was ended goes on; --fresh measures all anew.
"""

import argparse
import datetime
import json
import os
import re
import statistics
import subprocess
import sys
import textwrap
from pathlib import Path

from bench.rivals.networks import NETWORKS
from testing import places, tables

SIDES = ["ours", "ort", "litert", "iree", "xla", "tvm", "tflm", "peak"]  # two read the file of one before them
TOOLS = SIDES[1:-1]
FOLDER = places.BUILD / "rivals"
HOURS = 3


def counting():
    """The library that counts the heap."""
    out = FOLDER / "heap.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", Path(__file__).with_name("heap.c"), "-o", out], check=True)
    return out


def attempt(side, generated, files, seconds):
    """Figures, or {"reason": why there are none}."""
    files.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "LD_PRELOAD": str(counting())} if side == "ort" else None
    try:
        done = subprocess.run([sys.executable, "-m", f"bench.rivals.{side}", generated, files, str(seconds)], capture_output=True,
                              text=True, cwd=places.ROOT, env=environment, timeout=HOURS * 3600)  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"reason": f"more than {HOURS} hours"}
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines() or [f"ended with {done.returncode}"]
    if done.returncode == 0:
        return json.loads(lines[-1])
    told = [line for line in lines if "error:" in line] or lines
    return {"reason": textwrap.shorten(told[-1].split("error: ")[-1].replace(f"{places.ROOT}/", ""), 100, placeholder="...")}


def find_or_measure(network, side, args):
    kept = FOLDER / "results" / f"{re.sub(r'[^a-z0-9]+', '-', network.lower())}-{side}.json"
    if kept.exists() and not args.fresh:
        return json.loads(kept.read_text())
    if side not in args.sides.split(","):
        return {"reason": "not measured"}
    found = {**attempt(side, NETWORKS[network], FOLDER / "files" / kept.stem.rpartition("-")[0] / side, 1 if args.quick else 10),
             "when": datetime.datetime.now().strftime("%Y-%m-%d %H:%M"), "quick": args.quick}  # fmt: skip
    tables.say(f"{network}, {side}: {json.dumps(found)}")
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(found))
    return found


# ---- The page -------------------------------------------------------------------------------

LOWERINGS = {"loops": "loops", "vectors": "vectors", "contract": "vectors, fused"}
OURS = [f"{form}, {lowering}" for form in ("op by op", "streamed") for lowering in LOWERINGS]
FAST = ["streamed, vectors", "streamed, contract"]


def rows_of(found):
    """Name and figures of each row of a network."""
    ours = found["ours"]
    for name in OURS:
        form, _, lowering = name.partition(", ")
        yield f"Stowage, {form}, {LOWERINGS[lowering]}", ours.get("rows", {}).get(name, {"reason": ours.get("reason", "not measured")})
    for side in TOOLS:
        yield found[side].get("version", side), found[side]


def milliseconds(row):
    return f"{1000 * row['seconds']:.3f}" if "seconds" in row else "–"


def least(found, key):
    """Of the rivals."""
    return min((found[side][key] for side in TOOLS if key in found[side]), default=None)


def over(row, best):
    return f"{row['seconds'] / best:.2f}" if best and "seconds" in row else "–"


def section(network, found):
    best = least(found, "seconds")
    rows = [[name, tables.count(row.get("bytes")), milliseconds(row), over(row, best), row.get("reason", "")]
            for name, row in rows_of(found)]
    equal = found["ours"].get("equal")
    note = "" if equal is None else "Loops and vectors are equal bit for bit, and so are both forms with fused products." if equal else \
        "**Outputs differ.**"  # fmt: skip
    return f"## {network}\n\n{tables.table(['<', 'bytes', 'ms', 'of the fastest', '<'], rows)}\n\n{note}"


def overview(results):
    """A row per network, and where a rival is ahead."""
    rows, ahead, streamed = [], [], []
    for network, found in results.items():
        ours, best, fewest = found["ours"].get("rows", {}), least(found, "seconds"), least(found, "bytes")
        mine = [ours.get(name, {}) for name in FAST]
        planned, whole = mine[0].get("bytes"), ours.get("op by op, contract", {}).get("seconds")
        rows.append([network, tables.count(planned), tables.count(fewest), *map(milliseconds, mine),
                     f"{1000 * best:.3f}" if best else "–", *(over(row, best) for row in mine), over(mine[1], whole),
                     milliseconds(found["peak"])])
        if whole and "seconds" in mine[1]:
            streamed.append(mine[1]["seconds"] / whole)
        times = [row["seconds"] for row in mine if "seconds" in row]
        if best and times and min(times) > best:
            ahead.append(f"{network} ({min(times) / best:.2f})")
    head = ["<network", "Stowage, bytes", "fewest of others, bytes", "vectors, ms", "fused, ms", "fastest other, ms",
            "vectors, of the fastest", "fused, of the fastest", "fused, of op by op", "multiply-adds alone, ms"]  # fmt: skip
    told = f"Another tool is faster on: {', '.join(ahead)}." if ahead else "No other tool is faster where both were measured."
    if streamed:
        told += f"\n\nStreamed of op by op, fused: {statistics.geometric_mean(streamed):.2f}, the geometric mean."
    return f"{tables.table(head, rows)}\n\n{told}"


HEAD = """# Compared with other compilers and runtimes

Written by `make rivals`, which runs `python3 -m bench.rivals.page`. {quick}

{machine}
- measured: {when}

One network at a time, on one thread. A time is the least of many runs, in milliseconds of processor time. Networks are those of
`examples/generate.py`, with random weights; each tool gets the same layers in its own form ([networks.py](rivals/networks.py)). 8 bits: ONNX
Runtime and LiteRT quantize the network of 32 bits by their own tools.

What counts as bytes differs; weights are never counted:

| tool | bytes |
|---|---|
| Stowage | the arena: intermediates, without input and result |
| ONNX Runtime | the heap at the peak of a run without its own arena: intermediates and what kernels need, without input and result |
| LiteRT | TFLite's arena without XNNPACK: intermediates, input and result. The time is with XNNPACK, which does not report its memory |
| IREE | transient slabs: intermediates, without input and result |
| XLA | temp_size: intermediates, without input and result |
| TVM | planned storages: intermediates and result. Its untuned code is not timed |
| TFLM | the arena's head: intermediates, input and result. Only for networks of 8 bits; its portable kernels are not timed |

*op by op*: `merge-alloc` alone. *streamed*: `reduce-peak` before it. *vectors*: `convert-linalg-to-vectors`, bit-equal to plain loops;
*fused*: with `contract=true`, fused multiply-add. *of the fastest*: time as a multiple of the fastest other tool's. *of op by op*:
streamed, as a multiple of the same road without streams. *multiply-adds alone*: those of the network, at the rate of a loop in
registers that does nothing else ([peak.c](rivals/peak.c)): the least time of a program of 32 bits that does all of them.
"""


def page(results):
    every = [row for found in results.values() for row in found.values() if "when" in row]
    times = sorted(row["when"] for row in every)
    quick = "**A quick look: few runs, not to be quoted.**" if any(row["quick"] for row in every) else ""
    head = HEAD.format(machine=tables.machine(), quick=quick, when=f"{times[0]} to {times[-1]}" if times else "nothing")
    return "\n\n".join([head, overview(results), *(section(network, found) for network, found in results.items())])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path)
    parser.add_argument("--only", default="", metavar="RE", help="networks to measure")
    parser.add_argument("--sides", default=",".join(SIDES), help="to measure (default: all)")
    parser.add_argument("--quick", action="store_true", help="a second for each time instead of ten")
    parser.add_argument("--fresh", action="store_true", help="measure what was measured before, too")
    args = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = [network for network in NETWORKS if re.search(args.only, network)]
    tables.write(args.output, page({network: {side: find_or_measure(network, side, args) for side in SIDES} for network in wanted}))


if __name__ == "__main__":
    main()
