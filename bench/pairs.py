# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two programs that do the same, timed in pairs, and the networks that are.

    forms = pairs.forms(tools, pairs.bufferized(tools, network), ["merge-alloc", "stream-rows,merge-alloc"])
    times = pairs.lowered(native, forms, args)["vectors"]
    times.median(), times.least(), times.spread()

Times are the processor's. The two take turns, and who is first changes with each pair, so that a slow moment of the
machine hits both. Each pair has a ratio, of which the median counts.
"""

import signal
import statistics
import time
from dataclasses import dataclass

from bench.rows import vectors
from testing import networks
from testing.execute import difference
from testing.process import ToolError

RUNS = {  # of a network in a program, of which the fastest counts; 1 where nothing stands here
    "ds-cnn": 150, "resnet8": 30, "person-detection": 40, "lenet": 1000, "decoder": 4, "unet": 2, "attention": 2, "mlp": 50,
    "autoencoder": 1000,
}  # fmt: skip
LEAST_PAIRS = 3
CLOCK = 3600  # seconds
LIMIT = 15    # of the processor's seconds, for a program


class Different(ToolError):
    """Programs that are to print the same do not."""


@dataclass
class Times:
    first: list
    second: list

    def least(self):
        return min(self.second) / min(self.first)

    def ratios(self):
        return sorted(b / a for a, b in zip(self.first, self.second))

    def median(self):
        return statistics.median(self.ratios())

    def spread(self):
        """Of the middle half of the ratios."""
        low, _, high = statistics.quantiles(self.ratios(), n=4, method="inclusive")
        return high - low


def bufferized(tools, network):
    """With weights that are constants, and a main that runs it as often as its time needs."""
    return networks.bufferized(tools, *network.split(), "--constants", "--runs", str(RUNS.get(network, 1)))


def forms(tools, memrefs, pipelines):
    """The program after each pipeline."""
    return [tools.apply(memrefs, f"builtin.module({passes})") for passes in pipelines]


def compiled(native, forms, expected=None):
    """An executable for each form, and a run of the first. All of them, and `expected`, print the same. No executables
    where one takes too long."""
    programs, first = [], expected
    for form in forms:
        programs.append(native.optimized(form, cpu="native"))
        run = native.run(programs[-1], CLOCK, LIMIT)
        if run.status == -signal.SIGKILL:
            return None, expected
        problem = difference(first or run, run)
        if problem:
            raise Different(problem)
        first = first or run
    return programs, first


def seconds_of(native, program):
    run = native.run(program, CLOCK)
    if run.fault():
        raise ToolError(run.fault())
    return run.measures["seconds"]


def timed(native, programs, seconds, most):
    """At least three pairs, and up to `most` while they take fewer seconds."""
    times, begun = Times([], []), time.monotonic()
    while len(times.first) < LEAST_PAIRS or (len(times.first) < most and time.monotonic() - begun < seconds):
        both = list(zip(programs, (times.first, times.second)))
        for program, to in both if len(times.first) % 2 == 0 else both[::-1]:
            to.append(seconds_of(native, program))
    return times


LOWERINGS = {
    "loops": lambda tools, form: form,
    "vectors": vectors.vectorized,
    "contract": lambda tools, form: vectors.vectorized(tools, form, "contract=true"),
}


def lowered(native, forms, args, fails=None, names=("loops", "vectors")):
    """By lowering, times of two forms of a network; None where a program takes too long. Both forms of a lowering print the
    same, and so do loops and vectors. `fails(name, error)` is told of a lowering that upstream cannot do; without it that
    is an error."""
    found, printed = {}, None
    for name in names:
        expected = printed if name != "contract" else None
        try:
            made = [LOWERINGS[name](native.tools, form) for form in forms]
            programs, expected = compiled(native, made, expected)
            found[name] = timed(native, programs, args.seconds, args.pairs) if programs else None
        except ToolError as error:
            if not fails or isinstance(error, Different):
                raise
            fails(name, error)
            found[name] = None
        printed = printed or expected
    return found


def arguments(parser):
    parser.add_argument("--seconds", type=float, default=5, help="of the pairs of two programs, beyond the first three")
    parser.add_argument("--pairs", type=int, default=15, help="at most")
