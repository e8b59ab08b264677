# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Would it notice? Plants a fault in bufferized programs and counts those that are seen.

    python3 -m fuzz.net_gen.selfcheck --programs 100

A fault is one element of a buffer that is wrong after one op, an op that is not there, or a row that one
op leaves as it was. Not all do harm: an element is overwritten, a maximum is another one's, integers of
8 bits are clamped. Exit status: 0 enough are seen, 1 not.
"""

import random
import re
import sys
import tempfile

from fuzz.net_gen import check, grow, run
from testing import options
from testing.batch import Failure
from testing.compiled import Toolchain, compare

WRITES = re.compile(r"^(?P<indent> *)(linalg\.|memref\.copy).*?(?:outs\((?P<into>%\w+) : |, (?P<copied>%\w+) : .* to )"
                    r"memref<(?P<shape>[\dx]*)(?P<element>f32|f64|i8|i32)>\)?(?P<opens> \{)?$")  # fmt: skip
ENOUGH = {"element": 0.7, "missing": 0.75, "row": 0.7}
WRONG = {"f32": "3.25 : f32", "f64": "3.25 : f64", "i8": "93 : i8", "i32": "-12345 : i32"}


def ops(lines):
    """(first line, the line after, what is matched) of each op that writes a whole buffer."""
    for first, line in enumerate(lines):
        found = WRITES.match(line)
        if not found or lines[first + 1].lstrip().startswith("("):  # a linalg.map with a region of its own
            continue
        last = first
        if found["opens"]:
            last = next(i for i in range(first, len(lines)) if lines[i] == found["indent"] + "}")
        yield first, last + 1, found


def store(found, at, names):
    """Lines that write a wrong element."""
    into, shape = found["into"] or found["copied"], [int(s) for s in found["shape"].split("x") if s]
    indices = [f"%{names}_{d}" for d in range(len(shape))]
    type = f"memref<{found['shape']}{found['element']}>"
    return [*(f"{name} = arith.constant {i} : index" for name, i in zip(indices, at(shape))),
            f"%{names}_wrong = arith.constant {WRONG[found['element']]}",
            f"memref.store %{names}_wrong, {into}[{', '.join(indices)}] : {type}"]  # fmt: skip


def kept_row(found, rng):
    """Lines before and after an op: one index of one dimension keeps what it had."""
    into, shape = found["into"] or found["copied"], [int(s) for s in found["shape"].split("x") if s]
    d = rng.randrange(len(shape))
    i, sizes = rng.randrange(shape[d]), [1 if k == d else s for k, s in enumerate(shape)]
    type, row = f"memref<{found['shape']}{found['element']}>", f"memref<{'x'.join(map(str, sizes))}x{found['element']}>"
    strides = [1] * len(shape)
    for k in reversed(range(len(shape) - 1)):
        strides[k] = strides[k + 1] * shape[k + 1]
    offset = i * strides[d]
    view = f"memref<{'x'.join(map(str, sizes))}x{found['element']}, strided<{strides}{f', offset: {offset}' * (offset > 0)}>>"
    at = [i if k == d else 0 for k in range(len(shape))]
    return ([f"%kept_view = memref.subview {into}{at} {sizes} {[1] * len(shape)} : {type} to {view}",
             f"%kept = memref.alloc() : {row}", f"memref.copy %kept_view, %kept : {view} to {row}"],
            [f"memref.copy %kept, %kept_view : {row} to {view}"])  # fmt: skip


def planted(text, kind, rng):
    lines = text.splitlines()
    found = [op for op in ops(lines) if kind != "row" or op[2]["shape"]]
    if not found:
        return None
    first, after, op = rng.choice(found)
    if kind == "missing":
        lines[first:after] = []
    elif kind == "element":
        lines[after:after] = store(op, lambda shape: [rng.randrange(s) for s in shape], "wrong")
    else:
        before, behind = kept_row(op, rng)
        lines[first:after] = before + lines[first:after] + behind
    return "\n".join(lines)


def main():
    p = options.parser(__doc__)
    options.add_seeds(p, programs=50)
    args = p.parse_args()
    counts = {kind: [0, 0] for kind in ENOUGH}
    with tempfile.TemporaryDirectory(prefix="net_gen") as work:
        tools = Toolchain(work, args.opt)
        for seeds in options.batches(options.seeds(args), run.BATCH):
            batch = check.originals(tools, {f"p{s}": grow.generate(s) for s in seeds})
            for kind, count in counts.items():
                made = {n: (batch.texts[n][0], batch.texts[n][1], planted(batch.texts[n][2], kind, random.Random(n)))
                        for n in batch.rewritten if n not in batch.failures}  # fmt: skip
                made = {n: text for n, text in made.items() if text[2]}
                failures = {}
                ran = check.execute(tools, batch.programs, made, kind, failures, "lower")
                assert not failures, failures
                for name, after in ran.items():
                    seen = compare(batch.outcomes[name][0], after, None) or Failure("", "")
                    count[0] += 1
                    count[1] += seen.kind != ""
    for kind, (planted_, seen) in counts.items():
        print(f"{kind}: {planted_} planted, {seen} seen")
    return any(seen < ENOUGH[kind] * number for kind, (number, seen) in counts.items())


if __name__ == "__main__":
    sys.exit(main())
