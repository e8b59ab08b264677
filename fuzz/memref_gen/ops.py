# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registers all kinds of statements."""

from fuzz.memref_gen import ops_async, ops_calls, ops_cfg, ops_control, ops_kept, ops_linalg, ops_loops, ops_memory, ops_realloc, ops_turn, ops_views  # noqa: F401
