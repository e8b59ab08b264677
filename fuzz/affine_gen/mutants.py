# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows and channels of random programs, made smaller by one, and readers of windows that come too early.

    python3 -m fuzz.affine_gen.mutants --programs 50

Of each program that wants windows (windows.py), each channel loses an element of its depth, which
check-arena-plan must find. Each dimension of a window that is used in a cycle loses an index, and each reader of a
window comes before the writer of the same iteration, which execution must show. Within the pass, where a window is
found (test/taskflow/planted.c), its own check must find the same two. Exit status: 0 all are found, 1 some are not, 2 bad
usage or a missing tool."""

import collections
import re
import sys
import tempfile
from dataclasses import replace

from fuzz.affine_gen import gen, windows
from fuzz.affine_gen.run import ALL, execute, module, rewrite
from testing import batch, options, places
from testing.compiled import Toolchain, compare
from testing.taskflow import FUSE

CHANNELS = f"{ALL},{FUSE}{{form=channels allow-permutation=false allow-reduction=false assume-noalias-arguments}}"
DEPTH = re.compile(r"(taskflow\.channel depth )(\d+)")


# ---- Channels.


def shallower(text):
    """The text with each of its channels one less deep, where that leaves any depth."""
    for found in DEPTH.finditer(text):
        if int(found[2]) > 1:
            yield f"{text[:found.start()]}{found[1]}{int(found[2]) - 1}{text[found.end():]}"


def check_depths(opt, texts):
    """How many mutants there are, and which were not found."""
    made = batch.run([opt, f"--pass-pipeline=builtin.module({CHANNELS})"], [module([t]) for t in texts])
    mutants = [m for outcome in made for m in shallower(outcome.text)]
    checked = batch.run([opt, "--check-arena-plan"], mutants)
    return len(mutants), [m for m, c in zip(mutants, checked) if c.status != "error" or "waits forever" not in c.said]


# ---- Windows, in the pass.

PLANTED = places.BUILD / "test" / "taskflow" / "planted-windows"
ASKED = re.compile(r"^(cell|reader) (found|passes)$", re.M)


def check_replay(texts):
    """How often the check of windows finds each kind, or lets it pass: counts by (kind, answer)."""
    done = batch.call([PLANTED, f"--pass-pipeline=builtin.module({ALL},{FUSE}{{assume-noalias-arguments}})"],
                      [module([t]) for t in texts])
    return collections.Counter(ASKED.findall(done.err))


# ---- Windows, executed.


def accesses(text, buffer):
    """The indices of each access to a buffer: a match whose second group they are."""
    return re.finditer(rf"(affine\.(?:load|store) [^\n]*{re.escape(buffer)}\[)([^\]]*)\]", text)


def smaller_in(text, buffer, dimension, size):
    """The text with a cycle of one index less in a dimension of a buffer; None where it has no cycle."""
    made, end, any_cycle = [], 0, False
    for found in accesses(text, buffer):
        indices = found[2].split(", ")
        if not indices[dimension].endswith(f" mod {size}"):
            return None
        indices[dimension] = indices[dimension].removesuffix(str(size)) + str(size - 1)
        made += [text[end:found.start()], found[1], ", ".join(indices)]
        end, any_cycle = found.end() - 1, True
    return "".join(made) + text[end:] if any_cycle else None


def smaller(text):
    """Each text with a smaller window."""
    for buffer, shape in re.findall(r"(%\w+) = memref\.alloc\(\) : memref<([\dx]+)xi32>", text):
        for dimension, size in enumerate(map(int, shape.split("x"))):
            mutant = smaller_in(text, buffer, dimension, size) if size > 1 else None
            if mutant:
                yield mutant


# ---- Readers.


def end_of_loop(lines, begin):
    """The line behind the loop that begins at a line; None where none does."""
    indent = lines[begin][: len(lines[begin]) - len(lines[begin].lstrip())]
    return lines.index(f"{indent}}}", begin) + 1 if lines[begin].startswith(f"{indent}affine.for") else None


def reads_behind(writer, reader):
    """Whether the reader loads from a window to which the writer stores, and from which that does not load."""
    stored = set(re.findall(r"affine\.store [^\n]*(%\w+)\[[^\]\n]* mod ", writer))
    loaded = [set(re.findall(r"affine\.load (%\w+)\[", text)) for text in (writer, reader)]
    return bool(stored & loaded[1] - loaded[0])


def earlier(text):
    """Each text with a reader one iteration of the common loop earlier: before the writer that it stands behind."""
    lines = text.split("\n")
    tops = [n for n, line in enumerate(lines) if line.lstrip().startswith("affine.for")]
    outer = min((len(lines[n]) - len(lines[n].lstrip()) for n in tops), default=0)
    for first in tops:
        begin = end_of_loop(lines, first)
        end = end_of_loop(lines, begin)
        common = len(lines[first]) - len(lines[first].lstrip()) > outer
        if common and end and reads_behind("\n".join(lines[first:begin]), "\n".join(lines[begin:end])):
            yield "\n".join(lines[:first] + lines[begin:end] + lines[first:begin] + lines[end:])


# ---- Execution.


def check_windows(tools, programs, work):
    """Per kind of mutant how many there are and which were not found; and what failed otherwise."""
    failures, programs = {}, dict(programs)
    texts = {name: gen.text(p) for name, p in programs.items()}
    before = execute(tools, programs, texts, [], [], "before", failures, "invalid")
    after, _ = rewrite(tools, "rolled", texts, failures, f"{work}/report.json")
    total, missed = [0, 0], [[], []]
    for header, common in {(tuple(h), c) for h, c, _ in after.values()}:
        for kind, change in enumerate([smaller, earlier]):
            mutants = {}
            for name in [n for n, (h, c, _) in after.items() if (tuple(h), c) == (header, common)]:
                for k, text in enumerate(change(after[name][2])):
                    programs[f"{name}_{k}"] = replace(programs[name], name=f"{name}_{k}")
                    mutants[f"{name}_{k}"] = text.replace(f"@{name}(", f"@{name}_{k}(")
            ran = execute(tools, programs, mutants, list(header), [common], f"mutants{kind}", failures, "lower")
            total[kind] += len(mutants)
            missed[kind] += [n for n in ran if not compare(before[n.split("_")[0]][0], ran[n], 0)]
    return total, missed, failures


def main():
    p = options.parser(__doc__)
    options.add_seeds(p, programs=50)
    p.add_argument("--harmless", type=float, default=0, help="share of smaller windows, and of earlier readers, that may change nothing; in the pass it must be less")
    args = p.parse_args()
    counts, amiss, asked = [0] * 6, 0, collections.Counter()
    with tempfile.TemporaryDirectory(prefix="mutants") as work:
        tools = Toolchain(work, args.opt)
        for some in options.batches(options.seeds(args), 25):
            programs = {f"p{s}": windows.generate(s) for s in some}
            texts = [gen.text(q) for q in programs.values()]
            depths, deep = check_depths(args.opt, texts)
            asked += check_replay(texts)
            (cycles, readers), (harmless, late), failures = check_windows(tools, programs, work)
            for name in harmless:
                print(f"{name}: a smaller window changes nothing", flush=True)
            for name in late:
                print(f"{name}: an earlier reader changes nothing", flush=True)
            for mutant in deep:
                print(f"a channel of less depth comes to its end:\n{mutant}", flush=True)
            for name, failure in failures.items():
                print(f"{name}: {failure.kind}: {failure.said}", flush=True)
            counts = [a + b for a, b in zip(counts, [depths, len(deep), cycles, len(harmless), readers, len(late)])]
            amiss += len(failures)
    print("{} channels of less depth, {} not found; {} smaller windows, {} not found; {} earlier readers, {} not found"
          .format(*counts) + f"; {amiss} failures")
    for kind in ("cell", "reader"):
        print(f"in the pass, {kind}: {asked[kind, 'found']} found, {asked[kind, 'passes']} not")
    loose = any(asked[kind, "passes"] >= args.harmless * asked[kind, "found"] for kind in ("cell", "reader"))
    return int(amiss > 0 or counts[1] > 0 or loose or any(counts[k + 1] > args.harmless * counts[k] for k in (2, 4)))


if __name__ == "__main__":
    sys.exit(main())
