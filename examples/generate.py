#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes whole networks as MLIR: linalg on tensors, ready for one-shot-bufferize.

    generate.py mobilenetv2 > mobilenetv2.mlir
    generate.py transformer --layers 2 --sequence 64 > transformer.mlir
    generate.py resnet50 --layout nchw > resnet50.mlir

Structure and shapes are the published ones, in the form a front end hands over: batch
normalization folded into weights and biases, every op with a destination of its own,
nothing fused. `forward` is the network. `main` runs it on an input that varies by index
and prints a hash over every output bit, so that two compilations of one file can be
compared exactly; lines that begin with '#' are times.

There are no trained weights. Each weight is a memref.global that the program fills as it
starts, with a hash of the weight's number and the element's index, in the range of He
initialization. Values differ between weights and within each, so a network that reads the
wrong buffer gives another answer; activations stay in a healthy range through all layers;
files are small; nothing folds or merges, as equal splats would. Weights are static data and
no part of the heap that is measured.

With --constants the same weights are constants, which a linker can place in read-only memory; with --library
there is only `forward` with such weights, for a program in another language to call.
"""

import argparse
import sys

sys.dont_write_bytecode = True

from networks import program  # noqa: E402
from networks.models import NETWORKS  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = parser.add_subparsers(required=True, metavar="NETWORK")
    for name, (build, options) in NETWORKS.items():
        one = names.add_parser(name, help=(build.__doc__ or "").strip())
        one.set_defaults(build=build)
        for option, (default, meaning, *choices) in options.items():
            one.add_argument(f"--{option}", type=type(default), default=default, metavar=option.upper(),
                             choices=choices[0] if choices else None,
                             help=f"{meaning} (default: {default})")  # fmt: skip
        one.add_argument("--runs", type=int, default=1, help="times main runs it (default: 1)")
        one.add_argument("--constants", action="store_true", help="weights are constants")
        one.add_argument("--library", action="store_true", help="the same, and no main")
    args = parser.parse_args()
    network, output = args.build(args)
    if args.library:
        sys.stdout.writelines(program.library(network, output))
    else:
        sys.stdout.writelines(program.text(network, output, args.runs, args.constants))


if __name__ == "__main__":
    main()
