# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streaming fusion: its passes, and what their report says."""

import json
import tempfile

TO = "convert-affine-to-taskflow"
BACK = "convert-taskflow-to-affine"
FUSE = "memory-access-streaming-fusion"


def fuse(tools, text, options="", to=TO):
    """The functions of the report on a module, and what becomes of it."""
    with tempfile.NamedTemporaryFile("r", suffix=".json") as report:
        passes = f"{to},{FUSE}{{{options} report=\"json:{report.name}\"}},{BACK}"
        after = tools.apply(text, f"builtin.module({passes})")
        return json.load(report)["functions"], after
