# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How lit runs the tests of the passes.

The build writes a lit.site.cfg.py beside its test output, which names the tools and
then loads this file; lit is pointed at the build, never at this folder:

    lit build/test            everything
    lit build/test/arena      one room
"""

import os
import subprocess
import sys

sys.path.append(os.path.dirname(__file__))
from relative_paths import RelativePathTest  # noqa: E402

if not hasattr(config, "stowage_opt"):
    lit_config.fatal("run lit on the build's test folder: lit build/test")

config.name = "Stowage"
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)

config.environment["PATH"] = os.pathsep.join(
    [os.path.dirname(config.stowage_opt), config.llvm_tools_dir, config.environment["PATH"]])
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
config.environment["LLVM_BINDIR"] = config.llvm_tools_dir
config.environment["STOWAGE_OPT"] = config.stowage_opt
config.environment["STOWAGE_BUILD"] = config.stowage_build


def preload_sanitizers():
    """An mlir-opt that instrumented plugins load into: the stock one with their runtime under it.

    What the plugin still holds when it is unloaded shows as leaks, of stowage-opt alone it does not."""
    compiler = subprocess.run(["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    folder = os.path.join(config.test_exec_root, "preloaded")
    os.makedirs(folder, exist_ok=True)
    for name in "mlir-opt", "mlir-opt-22":
        tool = os.path.join(folder, name)
        with open(tool, "w") as script:
            script.write("#!/bin/sh\n"
                         f'exec env LD_PRELOAD="{os.path.realpath(compiler.stdout.strip())}" ASAN_OPTIONS=detect_leaks=0 \\\n'
                         f'  "{os.path.join(config.llvm_tools_dir, "mlir-opt")}" "$@"\n')
        os.chmod(tool, 0o755)
    config.environment["PATH"] = folder + os.pathsep + config.environment["PATH"]


if config.stowage_sanitize == "ON":
    config.environment["STOWAGE_SANITIZED"] = "1"
    config.available_features.add("sanitized")
    preload_sanitizers()

root = config.test_source_root
# The tree's packages. Not in config.environment: lit's own diff sets PYTHONPATH for all that comes after it in a test.
python = f'env "PYTHONPATH={os.path.dirname(root)}" "{sys.executable}"'
config.test_format = RelativePathTest({"%plugin": config.stowage_plugin, "%root": root})
config.substitutions += [
    ("%python", python),
    # Executes a program as it is and after each variant of the rewrite: see variants.py.
    ("%variants", f'{python} "{os.path.join(root, "exec", "programs", "variants.py")}"'),
]


def has_vnni():
    """Whether this machine runs x86's VPDPBUSD."""
    try:
        with open("/proc/cpuinfo") as info:
            return " avx512_vnni" in info.read()
    except OSError:
        return False


if has_vnni():
    config.available_features.add("vnni")
