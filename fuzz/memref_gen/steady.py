# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a program's arenas are all its memory, by what merge-alloc reports of it. Such a program
calls no allocator, whatever it is given; only a wrapper allocates, what it is there for."""

import json
import re
from collections import defaultdict

from testing.batch import NAMED

WRAPPED = "_with_arena"


def reporting(pipeline, path):
    """The pipeline with a report, as JSON, of where its arenas are."""
    return pipeline.replace("merge-alloc{", f"merge-alloc{{report=json:{path} ", 1)


def allowed(path, names):
    """{program: how many allocations a run of it may make}, of those that are planned as a whole."""
    with open(path) as file:
        report = json.load(file)
    framed = {(f["function"], f["memory_space"]) for f in report["frames"] if f["kind"] != "heap"}
    functions = {function for function, _ in framed}
    on_heap = defaultdict(list)
    for arena in report["arenas"]:
        if arena["planned"] and not arena["within"]:
            if arena["scope"] or (arena["function"], arena["memory_space"]) not in framed:
                on_heap[arena["function"]].append(arena)
    left = {a["function"] for a in report["arenas"] if a["left_alone"]}
    wrappers = {f.removesuffix(WRAPPED) for f in functions if f.endswith(WRAPPED)}
    unsteady = {program_of(f) for f in left | set(on_heap) - wrappers}
    return {name: len(on_heap[name]) for name in names if name not in unsteady}


def program_of(function):
    return re.match(NAMED, f"@{function} ").group(1)
