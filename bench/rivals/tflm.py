# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TensorFlow Lite for Microcontrollers, with the file of LiteRT's side: what it plans. No time is taken, as its kernels here are the
portable ones.

Bytes: the head of its arena, which is input, intermediates and result.
"""

import re
import subprocess
import sys
from importlib.metadata import version

from bench.rivals import networks, side

VERSION = f"TFLM {version('tflite-micro')}"
ROOM = 64 << 20
TOLD = f"""import sys
from tflite_micro.python.tflite_micro import runtime
runtime.Interpreter.from_file(sys.argv[1], arena_size={ROOM}).print_allocations()"""


def measure(generated, folder, seconds):
    if not networks.is_narrow(generated):
        return {"reason": "only networks of 8 bits"}
    done = subprocess.run([sys.executable, "-c", TOLD, folder.parent / "litert" / "model.tflite"], capture_output=True, text=True)
    told = re.search(r"Arena allocation head (\d+) bytes", done.stdout + done.stderr)
    return {"bytes": int(told[1])} if told else {"reason": done.stderr.strip().splitlines()[-1]}


if __name__ == "__main__":
    side.run(VERSION, measure)
