# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmarks measure with: passes on files, their time, and the networks that they are run on.

Networks are the files NAME.memref.mlir of --models, and those of examples/generate.py.
"""

import argparse
import json
import os
import re
import resource
import statistics
from dataclasses import dataclass
from pathlib import Path

from bench import ir_text
from testing import networks, places, process
from testing.execute import Tools
from testing.process import ToolError

ELIDE = ["--mlir-elide-elementsattrs-if-larger=8", "--mlir-elide-resource-strings-if-larger=8"]
EXAMPLES = ("mobilenetv2", "transformer", "unet", "mlp")


def arguments(doc, output=None, models=False):
    """The options that all benchmarks have."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opt", type=Path, default=places.OPT, help="default: the build's stowage-opt")
    parser.add_argument("--output", type=Path, default=output, help=f"default: {output or 'standard output'}")
    if models:
        parser.add_argument("--models", type=Path, default=places.MODELS,
                            help="a folder of NAME.memref.mlir (default: ../shared/data/models)")  # fmt: skip
    return parser


class Bench:
    def __init__(self, args):
        self.args, self.runs = args, args.runs
        self.opt = str(args.opt)
        self.tools = Tools(opt=self.opt)
        self.mlir_opt = str(self.tools.mlir_opt)
        self.folder = places.BUILD / "bench"
        self.folder.mkdir(parents=True, exist_ok=True)

    def run(self, program, source, pipeline=None, output=os.devnull, extra=()):
        """What the tool wrote to stderr. Raises ToolError with it if the tool failed."""
        command = [program, "--allow-unregistered-dialect", str(source), "-o", str(output), *extra]
        command += [f"--pass-pipeline=builtin.module({pipeline})"] if pipeline else []
        done = process.run(command)
        if done.status != 0:
            raise ToolError(f"exit status {done.status}: {done.err.strip()[:300]}")
        return done.err

    def made(self, name, program, source, pipeline):
        path = self.folder / f"{name}.mlir"
        self.run(program, source, pipeline, path)
        return path

    def liveness_of(self, path):
        """Per function: its allocations as the text of the IR has them."""
        generic = path.with_suffix(".generic")
        self.run(self.mlir_opt, path, output=generic, extra=["--mlir-print-op-generic", *ELIDE])
        functions = ir_text.read(generic.read_text())
        return {f.name: ir_text.Liveness(f) for f in functions if f.ops}

    def timing(self, source, pipeline, pass_name, runs=None, verify=False,
               typical=statistics.median):
        """Milliseconds of parser and output, of the pass, and the ratio, each typical of runs. With
        `verify`, MLIR's verifier, which by default runs after a pass that changes IR and counts
        as its time."""
        extra = ["--mlir-timing", "--mlir-timing-display=list", f"--verify-each={verify}".lower()]
        rows = [Timing.read(self.run(self.opt, source, pipeline, extra=extra), pass_name)
                for _ in range(runs or self.runs)]
        return Timing(*map(typical, zip(*map(Timing.row, rows))))


@dataclass
class Timing:
    around: float  # parser and output
    work: float    # the pass
    ratio: float

    def row(self):
        return self.around, self.work, self.ratio

    @staticmethod
    def read(text, pass_name):
        found = {name: 1000 * float(seconds) for seconds, name in
                 re.findall(r"^\s+([\d.]+) \(\s*[\d.]+%\)\s+(\S+)$", text, re.M)}
        around, work = found["Parser"] + found["Output"], found.get(pass_name, 0.0)
        return Timing(around, work, work / max(around, 0.1))


def generated(bench):
    for name in EXAMPLES:
        path = bench.folder / f"generated-{name}.tensor.mlir"
        path.write_text(networks.generate(name, "--runs", "3"))
        yield f"generated-{name}", bench.made(f"generated-{name}.memref", bench.mlir_opt, path,
                                              networks.BUFFERIZE)


def given(folder):
    return [(p.name.removesuffix(".memref.mlir"), p) for p in sorted(folder.glob("*.memref.mlir"))]


def reported(path):
    """The arenas of a JSON report, as counted()."""
    return counted(json.loads(Path(path).read_text(encoding="utf-8"))["arenas"])


def counted(every):
    """Those that have bytes of their own. Buffers in the bytes of a result are counted with the function's first."""
    own = [dict(a) for a in every if not a["within"]]
    for arena in every:
        home = next((a for a in own if a["function"] == arena["function"]), None)
        if arena["within"] and home:
            home["planned"] += arena["planned"]
            home["planned_bytes"] += arena["planned_bytes"]
        elif arena["within"]:
            own.append(dict(arena, within="", load=0, lower_bound=0, arena_size=0, buffers=[]))
    return own


def processor_seconds(command, text=None):
    """Of a whole process, and what it said."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = process.call(command, text)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, done.err
