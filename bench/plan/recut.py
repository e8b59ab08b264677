# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes problems of equal load everywhere, many of whose optima are above it.

What ends is replaced by as many bytes, cut otherwise. `python3 -m bench.plan.recut DIRECTORY SEED`
"""

import pathlib
import random
import sys

HEIGHTS = {"fine": 9973, "coarse": 24, "hole": 9973, "wide": 1 << 20}


def cut(rng, total, count):
    count = min(count, total)
    marks = sorted(rng.sample(range(1, total), count - 1)) if total > 1 and count > 1 else []
    return [b - a for a, b in zip([0, *marks], [*marks, total])]


def problem(kind, count, rng):
    width = 8 if kind == "wide" else 5
    alive = [[0, size] for size in cut(rng, HEIGHTS[kind], width)]
    rows, point = [], 0
    while len(rows) + len(alive) < count:
        point += 1
        ended = rng.sample(alive, min(len(alive), rng.choice([2, 2, 3])))
        for buffer in ended:
            alive.remove(buffer)
            rows.append((buffer[0], point, buffer[1]))
        pieces = max(1, len(ended) + rng.choice([-1, 0, 0, 1]))
        if len(alive) > width + 1:
            pieces = max(1, len(ended) - 1)
        if len(alive) < 2:
            pieces = 3
        alive += [[point, size] for size in cut(rng, sum(b[1] for b in ended), pieces)]
    rows += [(begin, point + 1, size) for begin, size in alive]
    return [row for row in rows if kind != "hole" or rng.random() > 0.08]


def main(directory, seed):
    for kind in HEIGHTS:
        for count in [12, 20, 30, 45, 60]:
            for k in range(10):
                rows = problem(kind, count, random.Random(f"{kind}{count}{seed + k}"))
                text = "id,lower,upper,size\n" + "".join(
                    f"{i},{begin},{end},{size}\n" for i, (begin, end, size) in enumerate(rows))
                pathlib.Path(directory, f"{kind}-{count}-{k}.csv").write_text(text)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
