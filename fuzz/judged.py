# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line of a generator whose programs a model judges."""

from fuzz.paths import shrink
from testing import batch, options


def outcomes(command, texts, explain=True):
    """What the command does with each text, by its key."""
    return dict(zip(texts, batch.run(command, list(texts.values()), explain)))


def shrink_one(opt, seed, grow, judge, invalid):
    def wrong(text):
        try:
            return judge(opt, {seed: text})[0].get(seed, "")
        except (invalid, KeyError, IndexError, SyntaxError):
            return ""

    print(shrink.shrink(grow(seed), wrong))


def main(doc, what, grow, judge, invalid):
    """`judge(opt, {seed: text})`: what is wrong, by seed, and counts; `invalid`: raised on programs that say nothing."""
    parser = options.parser(doc)
    options.add_seeds(parser, programs=200, seed=0)
    parser.add_argument("--shrink", action="store_true", help="with --only")
    args = parser.parse_args()
    seeds = options.seeds(args)
    if args.print:
        print("\n// -----\n".join(map(grow, seeds)))
        return 0
    if args.shrink:
        for seed in seeds:
            shrink_one(args.opt, seed, grow, judge, invalid)
        return 0
    bad, total = 0, {}
    for some in options.batches(seeds, 50):
        wrong, counts = judge(args.opt, {seed: grow(seed) for seed in some})
        for seed, said in wrong.items():
            print(f"{seed}: {said}", flush=True)
        bad += len(wrong)
        total = {key: total.get(key, 0) + count for key, count in counts.items()}
    print(f"{len(seeds)} {what}, {bad} wrong, {total}")
    return bad > 0
