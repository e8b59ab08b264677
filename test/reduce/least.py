#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What reduce-peak chooses has no more bytes than any of the passes that it could have chosen, one after the other."""

import itertools
import json
import os
import sys
import tempfile

from testing import networks
from testing.execute import Tools

STEPS = ("elide-copies", "order-for-memory", "stream-rows")
NETWORKS = ("unet --size 32 --channels 8 --levels 3", "decoder --layers 2 --context 8 --hidden 16 --heads 2", "resnet8",
            "autoencoder")  # fmt: skip


def arenas(tools, memrefs, passes):
    with tempfile.NamedTemporaryFile("r", suffix=".json") as report:
        tools.apply(memrefs, f'builtin.module({",".join([*passes, ""])}merge-alloc{{report="json:{report.name}"}})')
        return sum(a["arena_size"] for a in json.load(report)["arenas"] if not a["within"])


def main():
    tools, wrong = Tools(), 0
    choices = [c for n in range(len(STEPS) + 1) for c in itertools.combinations(STEPS, n)]
    few = "STOWAGE_SANITIZED" in os.environ  # a build with sanitizers takes ten times as long
    for network in NETWORKS[-2:] if few else NETWORKS:
        memrefs = networks.bufferized(tools, *network.split())
        sizes = {choice: arenas(tools, memrefs, choice) for choice in choices}
        together = arenas(tools, memrefs, ["reduce-peak"])
        print(f"{network}: {together}, alone {sizes[()]}, all {sizes[STEPS]}")
        wrong += together != min(sizes.values())
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
