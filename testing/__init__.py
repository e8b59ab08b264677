# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests, fuzzers and benchmarks have in common.

places       the tree, the build, LLVM's tools, data beside the tree
process      a tool, run within limits of time and memory
batch        many programs through one process, with an answer for each
execute      IR lowered and run on a heap that counts and poisons
before_after a program before and after pipelines
compiled     the same for many generated programs at once, as native code
native       executables: with AddressSanitizer, or to take times
least_peak   the least peak that any placement of deallocs could have
networks     the networks of examples/generate.py
embedded     networks as programs without malloc, on an emulated board too
taskflow     the passes of streaming fusion, and their report
run_lines    what a test's RUN lines call
options      seeds, shards and jobs on the command line
tables       pages of results

The root of the tree is on Python's path wherever CMake, lit or make start a script. By hand, from
the root: python3 -m fuzz.memref_gen.run, or PYTHONPATH=. before a script of test/.
"""

import sys

sys.dont_write_bytecode = True
