# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs with buffers of dynamic shape, original against rewritten.

    python3 -m fuzz.dynamic_gen.run --programs 200                      a small share
    python3 -m fuzz.dynamic_gen.run --programs 3000 --jobs 2 --config exact
    python3 -m fuzz.dynamic_gen.run --config exact --only 1234 --shrink one program again
    python3 -m fuzz.dynamic_gen.run --only 1234 --print                 its text
    python3 -m fuzz.dynamic_gen.run --pipeline 'merge-alloc{dynamic=exact stackings=8},buffer-deallocation'

--config takes a config or a group of them (off, exact, bound, usual, all); configs.py has the table.

Exit status: 0 no difference, 1 some, 2 bad usage or a missing tool, 77 no difference, but the binary
does not know the passes of some config.
"""

import sys
import tempfile
import time

from fuzz import runner
from fuzz.dynamic_gen import check, configs, grow, knobs, shrink
from testing import options
from testing.compiled import Toolchain

BATCH = 20
AS_IT_IS = "as it is"


def arguments():
    p = options.parser(__doc__)
    options.add_seeds(p, programs=200)
    options.add_jobs(p, jobs=1)
    p.add_argument("--tuples", type=int, default=grow.TUPLES, help="of sizes that each program runs with")
    runner.add_arguments(p, configs)
    p.add_argument("--pipeline", action="append", default=[], metavar="PASSES", help="one that is not in the table")
    p.add_argument("--freed", action="store_true", help="programs of a --pipeline have their deallocs")
    return p.parse_args()


def chosen(args):
    given = [configs.Config(p, p, freed=args.freed) for p in args.pipeline]
    return runner.chosen(args.config or ([] if given else ["usual"]), configs) + given


def run_batch(job):
    """([(seed, config or AS_IT_IS, Failure)], {config: Tally})"""
    seeds, args, wanted, driver = job
    runner.set_knobs(args, knobs)
    found, tallies = [], {}
    with tempfile.TemporaryDirectory(prefix="dynamic_gen") as work:
        tools = Toolchain(work, args.opt, driver)
        batch = check.originals(tools, {f"p{s}": grow.generate(s, args.tuples) for s in seeds})
        found += [(int(n[1:]), AS_IT_IS, f) for n, f in batch.failures.items() if f.kind != "skipped"]
        for config in wanted:
            failures, tallies[config.name] = check.check(tools, batch, config)
            found += [(int(n[1:]), config, f) for n, f in failures.items()]
    return found, tallies


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def show(tallies):
    width = max(map(len, tallies), default=0)
    print(f"{'config':{width}} {'programs':>8} {'allocs':>7} {'planned':>8} {'calls':>8} {'of apart':>9} {'of held':>8}  worst")
    for name, t in tallies.items():
        print(f"{name:{width}} {t.programs:8} {t.allocs:7} {share(t.planned, t.allocs):>8} "
              f"{share(t.calls_after, t.calls_before):>8} {share(t.peak, t.apart):>9} {share(t.peak, t.held):>8}  "
              f"{t.worst[0]} {t.worst[1]}")  # fmt: skip


def reduce(args, seed, config, failure):
    with tempfile.TemporaryDirectory(prefix="dynamic_gen") as work:
        tools = Toolchain(work, args.opt)
        small = shrink.shrink(tools, grow.generate(seed, args.tuples), config, failure,
                              lambda text: print(text, file=sys.stderr, flush=True))  # fmt: skip
        text = tools.verify(check.module([small.text(config.freed), *small.wrappers]))
    again = "".join(f" --knob {k}" for k in args.knob)
    how = f"--config {config.name}" if config.name in configs.CONFIGS else f"--pipeline '{config.passes}'"
    said = failure.said.splitlines()[0] if failure.said else ""
    lines = [f"// seed {seed}, config {config.name}: {failure.kind}: {said}",
             f"// stowage-opt --pass-pipeline='{config.pipeline}'",
             f"// again: python3 -m fuzz.dynamic_gen.run {how} --only {seed} --shrink{again}", text]  # fmt: skip
    runner.show_reduced(args, "\n".join(lines), f"{seed}-{failure.kind}.mlir")


def main():
    args = arguments()
    runner.set_knobs(args, knobs)
    if args.print:
        for seed in options.seeds(args):
            program = grow.generate(seed, args.tuples)
            print(check.module([program.text(freed=True), *program.wrappers]))
        return 0
    start = time.monotonic()
    failures, tallies, missing = runner.run_all(args, chosen(args), options.seeds(args), BATCH, run_batch, check.Tally)
    show(tallies)
    print(f"{len(options.seeds(args))} programs, {len(failures)} failures, {missing} configs missing, "
          f"{time.monotonic() - start:.0f} s")  # fmt: skip
    for seed, config, failure in [f for f in failures if f[1] != AS_IT_IS][: args.shrink_limit] if args.shrink else []:
        reduce(args, seed, config, failure)
    return runner.status(failures, missing)


if __name__ == "__main__":
    sys.exit(main())
