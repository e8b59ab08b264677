# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random memref programs, original against rewritten.

    python3 -m fuzz.memref_gen.run --programs 200                       a small share
    python3 -m fuzz.memref_gen.run --programs 5000 --jobs 2 --seed 1
    python3 -m fuzz.memref_gen.run --config pool-all --only 1234 --shrink    one program again
    python3 -m fuzz.memref_gen.run --only 1234 --print                  its text
    python3 -m fuzz.memref_gen.run --self --programs 300                the programs alone

--config takes a config or a group of them (reuse, merge, dealloc, all); passes.py has the
table.

Exit status: 0 no difference, 1 some, 2 bad usage or a missing tool, 77 no difference, but
the binary does not know the passes of some config.
"""

import sys
import tempfile
import time
from pathlib import Path

from fuzz import runner
from fuzz.memref_gen import check, emit, grow, knobs, passes, programs, shrink
from testing import options
from testing.compiled import Toolchain

HERE = Path(__file__).resolve().parent
BATCH = 50


def arguments():
    p = options.parser(__doc__)
    options.add_seeds(p, programs=200)
    options.add_jobs(p, jobs=1)
    p.add_argument("--profile", default="all", choices=sorted(knobs.PROFILES))
    runner.add_arguments(p, passes, stop_after=50)
    p.add_argument("--all-configs", action="store_true")
    p.add_argument("--input", action="append", choices=["freed", "others", "some", "none"],
                   help="for --print and --self: which deallocs the programs have")  # fmt: skip
    p.add_argument("--known", action="store_true", help="also the seeds listed in seeds.txt")
    p.add_argument("--self", action="store_true", help="run the programs as they are, no pass")
    args = p.parse_args()
    args.input = args.input or ["freed"]
    return args


def configs(args):
    """None with --self: the programs run as they are."""
    return [] if args.self else runner.chosen(args.config or (["all"] if args.all_configs else ["usual"]), passes)


def known_seeds():
    """The seeds of seeds.txt."""
    lines = (HERE / "seeds.txt").read_text().splitlines()
    return [int(line.split()[0]) for line in lines if line.strip() and not line.startswith("#")]


def run_batch(job):
    """One batch in its own process: ([(seed, config or what it was instead, Failure)], {config: Tally})."""
    seeds, args, wanted, driver = job
    runner.set_knobs(args, knobs)
    found, tallies = [], {}
    with tempfile.TemporaryDirectory(prefix="memref_gen") as work:
        tools = Toolchain(work, args.opt, driver)
        batches, ran = {}, {}  # per input: programs and their outcomes

        def originals(input):
            if input not in batches:
                grown = {f"p{s}": grow.generate(s, args.profile, input) for s in seeds}
                batches[input] = grown, check.run_original(tools, grown, input)
                for name, failure in batches[input][1].failures.items():
                    if failure.kind != "skipped":
                        found.append((int(name[1:]), f"as it is ({input})", failure))
            return batches[input]

        for input in args.input if not wanted else ():
            originals(input)
        for config in wanted:
            result = check.check(tools, *originals(config.input), config, ran)
            found += [(int(n[1:]), config, f) for n, f in result.failures.items()]
            tallies[config.name] = result.tally
    return found, tallies


def share(part, whole):
    return f"{100 * part / whole:5.1f} %" if whole and part else "-"


def show(tallies):
    print(f"{'config':18} {'programs':>8} {'allocs':>7} {'planned':>8} {'touched':>8} "
          f"{'calls saved':>11} {'peak saved':>10} {'refused':>7} {'wrong':>6} {'steady':>6}")  # fmt: skip
    for name, t in tallies.items():
        print(f"{name:18} {t.programs:8} {t.allocs:7} {share(t.planned, t.allocs):>8} "
              f"{share(t.touched, t.programs):>8} {share(t.calls_before - t.calls_after, t.calls_before):>11} "
              f"{share(t.peak_before - t.peak_after, t.peak_before):>10} {t.refused or '-':>7} "
              f"{t.wrong or '-':>6} {t.steady or '-':>6}")  # fmt: skip


def reduce(args, seed, config, failure):
    with tempfile.TemporaryDirectory(prefix="memref_gen") as work:
        tools = Toolchain(work, args.opt)
        program = grow.generate(seed, args.profile, config.input)
        small = shrink.shrink(
            tools, program, config, failure, lambda text: print(text, file=sys.stderr, flush=True)
        )
    text = emit.module([emit.program(small, f"p{seed}", config.input)], only_used=True)
    again = "".join(f" --knob {k}" for k in args.knob) + (
        f" --profile {args.profile}" if args.profile != "all" else "")  # fmt: skip
    lines = [f"// seed {seed}, config {config.name}: {failure.kind}: {failure.said.splitlines()[0]}",
             f"// {args.opt} --pass-pipeline='{config.pipeline}'",
             f"// again: python3 -m fuzz.memref_gen.run --opt {args.opt} --config {config.name} --only {seed} --shrink{again}",
             "// once mended, add to seeds.txt:",
             f"//   {seed}  {config.name}  {failure.kind}  WHAT WAS WRONG", text]  # fmt: skip
    runner.show_reduced(args, "\n".join(lines), f"{seed}-{config.name}.mlir")


def main():
    args = arguments()
    runner.set_knobs(args, knobs)
    if args.print:
        for input in args.input:
            print(programs.module(options.seeds(args), input, args.profile))
        return 0
    start = time.monotonic()
    seeds = (known_seeds() if args.known else []) + options.seeds(args)
    failures, tallies, missing = runner.run_all(args, configs(args), seeds, BATCH, run_batch, check.Tally)
    show(tallies)
    asked = len(options.seeds(args))
    print(f"{asked} programs, {len(failures)} failures, {missing} configs missing, "
          f"{time.monotonic() - start:.0f} s")  # fmt: skip
    if args.shrink:
        for seed, config, failure in [f for f in failures if f[1] in passes.TABLE][: args.shrink_limit]:
            reduce(args, seed, config, failure)
    return runner.status(failures, missing)


if __name__ == "__main__":
    sys.exit(main())
