# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR's own lit inputs through our passes: see README.md.

    LLVM_TESTS=.../mlir/test python3 -m fuzz.upstream.lit_inputs
    ... --config dealloc --config tighten      some configurations (--list)
    ... --only Dialect/MemRef --jobs 1         names that begin so
    ... --only Dialect/MemRef/ops.mlir#3 --config reuse --print
    ... --shard 2/50                           every 50th program, from the 2nd on

Exit status: 0 all passed, 1 not all, 2 bad usage, 77 LLVM_TESTS names no tests.
"""

import re
import shlex
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from fuzz.upstream import configs, inputs, judge
from testing import options

# The dialects that our passes read or write, and what is lowered to them or from them.
PARTS = """
    Dialect/Affine Dialect/Arith Dialect/Async Dialect/Bufferization Dialect/ControlFlow
    Dialect/Func Dialect/GPU Dialect/Linalg Dialect/MLProgram Dialect/MemRef Dialect/OpenACC
    Dialect/OpenMP Dialect/SCF Dialect/SparseTensor Dialect/Tensor Dialect/Vector
    Conversion/AffineToStandard Conversion/AsyncToLLVM Conversion/BufferizationToMemRef
    Conversion/ControlFlowToSCF Conversion/GPUCommon Conversion/MemRefToEmitC
    Conversion/MemRefToLLVM Conversion/MemRefToSPIRV Conversion/OpenACCToSCF
    Conversion/SCFToControlFlow Conversion/SCFToEmitC Conversion/SCFToGPU Conversion/SCFToOpenMP
    Conversion/TensorToLinalg Conversion/VectorToGPU Conversion/VectorToSCF
    Analysis Integration Interfaces Transforms""".split()

BATCH = 150


@dataclass(frozen=True)
class Failure:
    config: str
    program: str
    why: str


def arguments():
    parser = options.parser(__doc__)
    parser.add_argument("--config", action="append", choices=[c.name for c in configs.ALL])
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    options.add_shard(parser)
    options.add_jobs(parser)
    parser.add_argument("--print", action="store_true", help="print the programs and what comes out")
    parser.add_argument("--list", action="store_true", help="print the configurations")
    return parser.parse_args()


def chosen(programs, args):
    """Those that --only and --shard leave."""
    if args.only:
        programs = [p for p in programs if any(matches(p.name, name) for name in args.only)]
    return options.shard(programs, args)


def matches(program, name):
    return program == name if "#" in name else program.startswith(name)


def valid(tools, programs, pool):
    """The programs with memory to plan that our tool takes unchanged, and a stock mlir-opt after
    it: as they are printed, since MLIR does not read all that it prints."""
    def check(some):
        ours = tools.ours("", [p.text for p in some], explain=False)
        kept = [(p, o.text) for p, o in zip(some, ours) if HOLDS_MEMORY.search(o.text)]
        stock = tools.verify([text for _, text in kept], explain=False)
        return [inputs.Program(p.name, text) for (p, text), o in zip(kept, stock) if o.text == text]

    return [p for some in pool.map(check, options.batches(programs, BATCH)) for p in some]


HOLDS_MEMORY = re.compile(r"memref|tensor<")


def run_all(tools, programs, chosen_configs, pool):
    """[(config, program, why or None)], configuration by configuration."""
    work = [(c, some) for c in chosen_configs for some in options.batches(programs, BATCH)]
    answers = pool.map(lambda job: judge.judge(tools, *job), work)
    return [(c, p, why) for (c, some), whys in zip(work, answers) for p, why in zip(some, whys)]


def report(answers, args):
    failures = [(c, p, why) for c, p, why in answers if why]
    for config, program, why in failures:
        print(f"FAILED {config.name} {program.name}: {why}")
        again = ["python3", "-m", "fuzz.upstream.lit_inputs", "--opt", args.opt, "--config", config.name, "--only", program.name]
        print("  repeat:", shlex.join(map(str, again)), "--print")
    for (name, kind), count in sorted(Counter((c.name, w.split(":")[0]) for c, _, w in failures).items()):
        print(f"{count:6} {kind}, {name}")
    print(f"{len(answers) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


def show(tools, programs, some_configs):
    for program in programs:
        print(f"// {program.name}\n{program.text}")
        for config in some_configs:
            outcome = tools.ours(config.passes, [program.text])[0]
            print(f"// {config.name}: {outcome.status}\n{outcome.text}{outcome.said}")


def main():
    args = arguments()
    if args.list:
        for config in configs.ALL:
            print(f"{config.name:18}{config.passes}")
        return 0
    folder = inputs.tests_folder()
    tools = judge.Tools(args.opt)
    picked = [c for c in configs.ALL if not args.config or c.name in args.config]
    programs = chosen(inputs.programs(folder, PARTS), args)
    with ThreadPoolExecutor(args.jobs) as pool:
        usable = valid(tools, programs, pool)
        print(f"{len(programs)} programs, {len(usable)} of them valid and with memory in them, {len(picked)} configurations")
        if args.print:
            show(tools, usable, picked)
        return report(run_all(tools, usable, picked, pool), args)


if __name__ == "__main__":
    sys.exit(main())
