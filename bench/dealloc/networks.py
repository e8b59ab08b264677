# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generated networks, run after every way of deallocation.

A network is the IR of examples/generate.py right after one-shot bufferization with function
boundaries: it has no deallocs, and leaks when it runs as it is. That run is what outputs are
compared with, and its least peak (testing/least_peak.py) is what peaks are measured against.
"""

import re
from dataclasses import dataclass

from bench.dealloc import times
from testing import networks
from testing.execute import difference
from testing.least_peak import least_peak
from testing.native import sanitizer_said
from testing.networks import DEALLOCATION, LIVENESS
from testing.process import ToolError
from testing.tables import count, ratio, say

# Small and larger ones of each kind.
NETWORKS = [
    ("attention", "--sequence 8 --hidden 16"), ("attention", "--sequence 64 --hidden 128"),
    ("lenet", "--batch 1"), ("lenet", "--batch 4"),
    ("mlp", "--inputs 20 --hidden 16 --layers 2"), ("mlp", "--inputs 64 --hidden 128"),
    ("mlp", "--dynamic 1 --inputs 20 --hidden 16 --layers 2"), ("mlp", "--dynamic 1 --inputs 64 --hidden 128"),
    ("mobilenetv2", "--size 32 --width 0.25 --classes 10"), ("mobilenetv2", "--size 64 --width 0.5"),
    ("transformer", "--layers 2 --sequence 8 --hidden 16"),
    ("transformer", "--layers 3 --sequence 32 --hidden 64"),
    ("unet", "--size 16 --channels 4 --levels 2"), ("unet", "--size 32 --channels 8 --levels 3"),
]  # fmt: skip
SMALL, LARGE = NETWORKS[::2], NETWORKS[1::2]

# Each ends with the clean-up that upstream's pipeline ends with.
CLEAN = ",cse,canonicalize"
WAYS = {
    "buffer-deallocation": "buffer-deallocation" + CLEAN,
    "prefer=clones": "buffer-deallocation{prefer=clones}" + CLEAN,
    "stowage-memory": "stowage-memory" + CLEAN,
    "start=merge-alloc": "stowage-memory{start=merge-alloc}" + CLEAN,
}
UPSTREAM = {
    "upstream + liveness": f"{DEALLOCATION},{LIVENESS}",
    "upstream": DEALLOCATION,
}

# On these networks clones are none, and that way's IR the same. The last is what times are told of.
TIMED = ["buffer-deallocation", "stowage-memory", "start=merge-alloc", *UPSTREAM]


def label(network):
    kind, options = network
    return f"{kind} {options}".replace("--dynamic 1", "dynamic").replace("--", "")


def bufferized(tools, network, runs=1):
    kind, options = network
    return networks.bufferized(tools, kind, *options.split(), "--runs", str(runs))


def after(tools, text, way):
    if way in WAYS:
        return tools.apply(text, f"builtin.module({WAYS[way]})")
    return tools.apply(text, f"builtin.module({UPSTREAM[way]})", opt=tools.mlir_opt)


# ---- heaps ------------------------------------------------------------------------------


@dataclass
class Row:
    network: str
    way: str
    said: str  # what went wrong
    allocs: int = 0
    peak: int = 0
    leaked: int = 0
    ops: int = 0


def ops_of(lowered):
    return len(re.findall(r"^\s*(?:%.*? = )?\"?llvm\.", lowered, re.M))


def fault_of(first, run, leaks):
    said = difference(first, run)
    if said:
        return said.splitlines()[0]
    return f"leaks {run.heap.leaked_bytes:,} bytes" if leaks and run.heap.leaked_bytes else ""


def row_of(tools, network, way, text, first):
    """Of one way, and its run."""
    try:
        done = after(tools, text, way) if way else text
        lowered = tools.lower(done)
    except ToolError as error:
        return Row(label(network), way, str(error).splitlines()[-1]), None
    run = tools.execute(lowered)
    said = fault_of(first, run, True) if way else run.fault() or ""
    heap = run.heap
    return Row(label(network), way or "as it is", said, heap.allocs, heap.peak_bytes,
               heap.leaked_bytes, ops_of(lowered)), run


def rows_of(tools, network):
    """The rows of a network, and its least peak."""
    text = bufferized(tools, network)
    least = least_peak(tools, text)
    row, first = row_of(tools, network, None, text, None)
    if first.output != least.run.output:
        raise ToolError(f"{label(network)}: touches change the output")
    rows = [row]
    for way in (*WAYS, *UPSTREAM):
        rows.append(row_of(tools, network, way, text, first)[0])
    return rows, least.bytes


def heap_rows(found):
    for rows, least in found:
        for row in rows:
            if row.said:
                yield row.network, row.way, row.said, "", "", "", ""
            else:
                yield (row.network, row.way, count(row.peak), ratio(row.peak, least),
                       count(row.leaked), row.allocs, count(row.ops))


def peaks(found, way):
    """(networks, at the least peak, below upstream, above it)"""
    pairs = [({r.way: r for r in rows}, least) for rows, least in found]
    both = [(ways[way].peak, ways["upstream"].peak, least) for ways, least in pairs
            if not ways[way].said and not ways["upstream"].said]
    return (len(both), sum(ours == least for ours, _, least in both),
            sum(ours < theirs for ours, theirs, _ in both),
            sum(ours > theirs for ours, theirs, _ in both))


def summary(found):
    for way in (*WAYS, "upstream + liveness"):
        networks, at, less, more = peaks(found, way)
        yield (f"{way}: of {networks} networks, at the least peak on {at}; below upstream on {less}, "
               f"above on {more}")


# ---- times ------------------------------------------------------------------------------


def time_rows(tools, native, chosen, rounds):
    for network in chosen:
        say(f"time: {label(network)}")
        text = bufferized(tools, network, runs=3)
        executables = {w: native.optimized(after(tools, text, w)) for w in TIMED}
        taken = times.rounds_of(native, executables, rounds)
        fastest = min(row["upstream"]["seconds"] for row in taken)
        yield (label(network), f"{1e6 * fastest:,.0f}",
               *(times.ratios(taken, w, "upstream", "seconds") for w in TIMED[:-1]))


# ---- checks -----------------------------------------------------------------------------


def written(bench, which):
    """(name, file) of networks right after bufferization."""
    for network in which:
        path = bench.folder / f"{label(network).replace(' ', '-')}.memref.mlir"
        path.write_text(bufferized(bench.tools, network))
        yield path.name.removesuffix(".memref.mlir"), path


def sanitized(tools, native, all_ways):
    """What AddressSanitizer says, by small network and way; or of the quickest networks, each after
    one of the ways."""
    found = {}
    for i, network in enumerate(SMALL if all_ways else SMALL[:4]):
        text = bufferized(tools, network)
        first = tools.run(text)
        for way in list(WAYS) if all_ways else [list(WAYS)[i % len(WAYS)]]:
            run = native.run(native.sanitized(after(tools, text, way)))
            found[f"{label(network)}, {way}"] = sanitizer_said(run) or difference(first, run) or ""
    return found
