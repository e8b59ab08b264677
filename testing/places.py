# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where things are.

$STOWAGE_BUILD names the build (default: build/ in the tree) and $STOWAGE_OPT its stowage-opt; $LLVM_BINDIR
names the folder of LLVM's tools (default: as the PATH has them); $STOWAGE_SHARED names data that
lies beside the tree (default: ../shared). What needs data that is not there is skipped.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from testing.process import ToolError

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("STOWAGE_BUILD", ROOT / "build")).absolute()
OPT = Path(os.environ.get("STOWAGE_OPT", BUILD / "bin" / "stowage-opt"))
SHARED = Path(os.environ.get("STOWAGE_SHARED", ROOT.parent / "shared")) / "data"
MODELS = SHARED / "models"

LLVM = re.search(r"STOWAGE_MLIR_MAJOR (\d+)", (ROOT / "CMakeLists.txt").read_text())[1]
SKIPPED = 77  # the exit status that CTest takes for "skipped"


def skip(why):
    """Ends the process."""
    print(f"skipped: {why}", file=sys.stderr)
    raise SystemExit(SKIPPED)


def llvm_bindir():
    if os.environ.get("LLVM_BINDIR"):
        return Path(os.environ["LLVM_BINDIR"])
    for config in (f"llvm-config-{LLVM}", "llvm-config"):
        if shutil.which(config):
            return Path(subprocess.check_output([config, "--bindir"], text=True).strip())
    for tool in (f"mlir-opt-{LLVM}", "mlir-opt"):
        if shutil.which(tool):
            return Path(os.path.realpath(shutil.which(tool))).parent
    raise ToolError(f"neither llvm-config-{LLVM} nor mlir-opt-{LLVM} is on the PATH; set LLVM_BINDIR")
