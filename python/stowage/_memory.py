# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pipeline stowage-model, and the files that it writes."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from stowage._errors import ERROR, CapacityError, CompileError


@dataclass(frozen=True)
class Planned:
    header: str  # in C
    report: dict  # arenas, buffers, frames; see docs/merge-alloc.md
    page: str  # the map, in HTML


@dataclass(frozen=True)
class Memory:
    """Where memory is, for the functions that are called from outside."""

    entries: tuple
    arena: str
    dynamic: str
    memories: Optional[Path] = None  # file of those that buffers are placed in

    def plan(self, module, reduce_peak, capacity=None):
        """Rewrites the module."""
        with tempfile.TemporaryDirectory(prefix="stowage-") as folder:
            files = [Path(folder, name) for name in ("h", "json", "html")]
            try:
                module.run("plan", self._pipeline(reduce_peak, capacity, *files))
            except CompileError as error:
                raise _explained(error, capacity, self.memories, self.dynamic) from None
            header, report, page = (path.read_text() if path.exists() else "" for path in files)
            return Planned(header, json.loads(report or "{}"), page)

    def _pipeline(self, reduce_peak, capacity, header, report, page):
        options = [f"entries={','.join(self.entries)}", f'emit-header="{header}"', f'report="json:{report},html:{page}"',
                   f"dynamic={self.dynamic}"]
        reduce = "true" if reduce_peak else "false"
        limit = f"capacity-in-bytes={capacity} " if capacity else f'memories="{self.memories}" ' if self.memories else ""
        return f"stowage-model{{arena={self.arena} reduce-peak={reduce} {limit}merge-options='{' '.join(options)}'}}"


def _explained(error, capacity, memories, dynamic):
    if dynamic != "off" and any("size is known at run time only" in said.text for said in error.messages if said.kind == ERROR):
        return CompileError("plan", error.messages, advice="its size does not follow from sizes of inputs at the begin of the function: "
                            "give fixed sizes, or fewer that change")
    if capacity and any("capacity" in said.text for said in error.messages if said.kind == ERROR):
        return CapacityError("plan", error.messages, advice="raise `capacity`, or leave `reduce_peak` set")
    if memories and any(said.text.startswith("fit-memory:") for said in error.messages if said.kind == ERROR):
        return CapacityError("plan", error.messages, advice="give a memory more `bytes`, or leave `reduce_peak` set")
    return error
