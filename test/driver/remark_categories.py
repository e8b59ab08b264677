# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every pass over the programs of a few tests, and prints whose remarks are not its own, and which has no statistics.

    python3 remark_categories.py SCRATCH-FILE
"""

import re
import subprocess
import sys
from pathlib import Path

FLAGS = ["--allow-unregistered-dialect", "--split-input-file", "--remarks-filter=.*", "--mlir-pass-statistics"]
ROOT = Path(__file__).parents[2]
# In which each pass that has remarks finds something to say.
TESTS = ["dealloc/left-alone", "dealloc/clones-aligned", "driver/idle", "arena/remarks", "arena/suggestions",
         "taskflow/reasons"]  # fmt: skip
# Passes that run others, which speak for themselves.
RUN_BY = {"reduce-peak": {"order-for-memory", "elide-copies", "stream-rows"}}


def passes():
    for path in sorted((ROOT / "src").glob("*/Passes.td")):
        yield from re.findall(r'^def \w+ : ModulePass<"([\w-]+)"', path.read_text(), re.M)


def said_by(name, programs):
    command = ["stowage-opt", *FLAGS, f"--pass-pipeline=builtin.module({name})", "-o", "/dev/null", programs]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace").stderr


def main():
    programs = Path(sys.argv[1])
    programs.write_text("\n// -----\n".join(Path(ROOT, "test", f"{t}.mlir").read_text() for t in TESTS))
    speaking = 0
    for name in passes():
        text = said_by(name, programs)
        said = set(re.findall(r"Category:([\w-]+)", text))
        speaking += name in said
        if not re.search(rf"^{name}$", text, re.M):
            print(f"{name} has no statistics")
        for other in sorted(said - {name} - RUN_BY.get(name, set())):
            print(f"{name} emits remarks of the category {other}")
    print(f"{speaking} passes with remarks")


main()
