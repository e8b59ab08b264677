# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A side of the comparison: one network, measured in a process of its own.

    python -m bench.rivals.ort "resnet50" FOLDER SECONDS      prints {"version": ..., "bytes": ..., "seconds": ...}
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np


def values(shape, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def least(call, seconds):
    """Of the processor's time: at least five calls, and others for so many seconds."""
    times, begun = [], time.monotonic()
    while len(times) < 5 or (len(times) < 1000 and time.monotonic() - begun < seconds):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times[1:])


def run(version, measure):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    generated, folder, seconds = sys.argv[1:]
    print(json.dumps({"version": version, **measure(generated, Path(folder), float(seconds))}))
