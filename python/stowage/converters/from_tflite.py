# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""from_tflite.py MODEL.tflite OUT.mlir: a model as TOSA, by Arm's converter."""

import subprocess
import sys
from pathlib import Path

source, target = sys.argv[1:3]
program = Path(sys.executable).parent / "tosa-converter-for-tflite"
done = subprocess.run([str(program), source, "--text", "-o", target], capture_output=True, text=True)
if done.returncode:
    sys.exit(done.stderr or f"tosa-converter-for-tflite: error: ended by signal {-done.returncode}")
