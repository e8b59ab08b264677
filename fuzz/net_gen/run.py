# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random networks, as upstream bufferizes them and after our passes.

    python3 -m fuzz.net_gen.run --programs 200                          streamed, as the usual configs have it
    python3 -m fuzz.net_gen.run --programs 5000 --jobs 2 --config all
    python3 -m fuzz.net_gen.run --config merged --only 1234 --shrink    one program again
    python3 -m fuzz.net_gen.run --pipeline 'stream-rows{rows=2},merge-alloc,buffer-deallocation'
    python3 -m fuzz.net_gen.run --only 1234 --print                     its text

--config takes a config or a group of them (usual, merge, elide, stream, all); configs.py has the table.

Exit status: 0 no difference, 1 some, 2 bad usage or a missing tool, 77 no difference, but the binary
does not know the passes of some config.
"""

import sys
import tempfile
import time

from fuzz import runner
from fuzz.net_gen import check, configs, emit, grow, knobs, shrink
from testing import options
from testing.compiled import Toolchain

BATCH = 25
MANY = 200  # of programs within capacities, of which few go through one process together


def arguments():
    p = options.parser(__doc__)
    options.add_seeds(p, programs=200)
    options.add_jobs(p, jobs=1)
    p.add_argument("--profile", default="all", choices=sorted(knobs.PROFILES))
    runner.add_arguments(p, configs)
    p.add_argument("--pipeline", action="append", default=[], metavar="PASSES", help="one that is not in the table")
    p.add_argument("--unbounded", action="store_true", help="a --pipeline may need more bytes than merge-alloc alone")
    return p.parse_args()


def chosen(args):
    given = [configs.Config(text, text, bounded=not args.unbounded) for text in args.pipeline]
    return runner.chosen(args.config or ([] if given else ["usual"]), configs) + given


def run_batch(job):
    """([(seed, config or what it was instead, Failure)], {config: Tally})"""
    seeds, args, wanted, driver = job
    runner.set_knobs(args, knobs)
    found, tallies = [], {}
    with tempfile.TemporaryDirectory(prefix="net_gen") as work:
        tools = Toolchain(work, args.opt, driver)
        batch = check.originals(tools, {f"p{s}": grow.generate(s, args.profile) for s in seeds})
        for config in wanted:
            failures, tallies[config.name] = check.check(tools, batch, config)
            found += [(int(name[1:]), config, f) for name, f in failures.items()]
        found += [(int(name[1:]), configs.BASELINE, f) for name, f in batch.failures.items()]
    return found, tallies


def show(tallies):
    width = max(map(len, tallies), default=0)
    print(f"{'config':{width}} {'programs':>8} {'changed':>8} {'lower':>8} {'peak':>8} {'refused':>8}   of merge-alloc alone")
    for name, t in tallies.items():
        shares = [f"{100 * part / max(whole, 1):.1f} %" for part, whole in
                  ((t.changed, t.programs), (t.lower, t.programs), (t.peak, t.baseline))]  # fmt: skip
        print(f"{name:{width}} {t.programs:8} " + " ".join(f"{share:>8}" for share in [*shares, t.refused]))


def show_capacities(tallies):
    """How many programs fit into which share, why others do not, and that none needs more than it may."""
    for name, t in tallies.items():
        if t.shares or t.reasons:
            fits = ", ".join(f"{count} in {share:.0%}" for share, count in sorted(t.shares.items()))
            refused = ", ".join(f"{count} in {share:.0%}: {reason}" for (share, reason), count in sorted(t.reasons.items()))
            print(f"{name}: {t.programs + t.refused} programs, {t.programs} fit ({fits}), {t.again} of them by ops that run again; "
                  f"{t.refused} are refused (of all shares: {refused}); {t.above} above")  # fmt: skip


def reduce(args, seed, config, failure):
    with tempfile.TemporaryDirectory(prefix="net_gen") as work:
        tools = Toolchain(work, args.opt)
        small = shrink.shrink(tools, grow.generate(seed, args.profile), config, failure,
                              lambda text: print(text, file=sys.stderr, flush=True))  # fmt: skip
        failures = {}
        (header, common, text), = check.bufferize(tools, {f"p{seed}": small}, failures).values() or [([], "", "")]
    tensors = emit.module([emit.program(small, f"p{seed}")])
    again = "".join(f" --knob {k}" for k in args.knob) + f" --profile {args.profile}" * (args.profile != "all")
    how = f"--config {config.name}" if config.name in configs.CONFIGS else f"--pipeline '{config.passes}'"
    if config is configs.BASELINE:
        how = "--config merged"
    said = failure.said.splitlines()[0] if failure.said else ""
    lines = [f"// seed {seed}, config {config.name}: {failure.kind}: {said}",
             f"// {args.opt} --pass-pipeline='{config.pipeline}'",
             f"// again: python3 -m fuzz.net_gen.run --opt {args.opt} {how} --only {seed} --shrink{again}", tensors,
             "// ---- bufferized", *header, "module {", common, text, "}"]  # fmt: skip
    runner.show_reduced(args, "\n".join(lines), f"{seed}-{failure.kind}.mlir")


def main():
    args = arguments()
    runner.set_knobs(args, knobs)
    if args.print:
        print(emit.module([emit.program(grow.generate(s, args.profile), f"p{s}") for s in options.seeds(args)]))
        return 0
    start, wanted = time.monotonic(), chosen(args)
    size = MANY if all(c.shares for c in wanted) else BATCH
    failures, tallies, missing = runner.run_all(args, wanted, options.seeds(args), size, run_batch, check.Tally)
    show(tallies)
    show_capacities(tallies)
    print(f"{len(options.seeds(args))} programs, {len(failures)} failures, {missing} configs missing, "
          f"{time.monotonic() - start:.0f} s")  # fmt: skip
    for seed, config, failure in failures[: args.shrink_limit] if args.shrink else []:
        reduce(args, seed, config, failure)
    return runner.status(failures, missing)


if __name__ == "__main__":
    sys.exit(main())
