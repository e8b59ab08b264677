# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the programs go through, and what each configuration promises."""

from dataclasses import dataclass

# What buffer-deallocation may refuse, as docs/buffer-deallocation.md says.
OWNERSHIP = (
    r"implement RegionBranchOpInterface|implement AllocationOpInterface|has no terminator|copy it"
)

# What arenas of the caller refuse, as docs/frames.md says.
FRAMES = r"result-arguments: result \d+ cannot be an argument|arena needs an entry point"

# What check-arena-plan says of IR in which somebody cut memory into pieces. After our passes it must
# not say it of more programs than before.
CHECK = "check-arena-plan"
PLAN = r"arena|element type asks for|was not checked"

# What is wrong with a program itself, and seen by check-arena-plan only once its buffer is a part of an
# arena.
KNOWN = {
    "Conversion/SCFToGPU/parallel_loop.mlir#15": "iterations that run at once write to the same bytes",
    "Dialect/MemRef/canonicalize.mlir#95": "the view leaves its arena",
    "Dialect/MemRef/expand-strided-metadata.mlir#38": "which the element type asks for",
    "Dialect/SCF/parallel-loop-fusion.mlir#12": "iterations that run at once write to the same bytes",
    "Transforms/canonicalize.mlir#1": "which the element type asks for",
}

# What MLIR prints, and does not read again: this op takes the value behind it for its operand.
UNREADABLE = r"vector\.print\n\s*%"


@dataclass(frozen=True)
class Config:
    name: str
    passes: str
    promise: str = ""  # "idempotent": a second run changes nothing. "unchanged": nor does the first
    errors: str = None  # a pattern: what may be said of valid IR
    without: str = ""  # the same without the passes judged: where that fails, too, it is not their fault


ALL = [
    Config("analysis", "buffer-reuse{analysis report=none}", "unchanged"),
    Config("annotate", "buffer-reuse{analysis report=none annotate=1 require-dealloc=0 unknown-ops=use}"),
    Config("reuse", "buffer-reuse"),
    Config("reuse-all", "buffer-reuse{require-dealloc=0 pool-all=1 unknown-ops=use},check-arena-plan", without=CHECK),
    Config("reuse-poison", "buffer-reuse{require-dealloc=0 pool-all=1 poison=1}"),
    Config("merge", "merge-alloc,check-arena-plan", without=CHECK),
    Config("merge-hoist", "merge-alloc{unknown-ops=use hoist-parallel=1},check-arena-plan", without=CHECK),
    Config("merge-analysis", "merge-alloc{analysis-only=1}"),
    Config("frames", "merge-alloc{arena=argument public=1 result-arguments=1},check-arena-plan", errors=FRAMES, without=CHECK),
    Config("global", "merge-alloc{arena=global},check-arena-plan", errors=FRAMES, without=CHECK),
    Config("sizes", "merge-alloc{dynamic=exact verify-sizes=1},check-arena-plan{samples=4}", without=f"{CHECK}{{samples=4}}"),
    Config("sizes-frames", "merge-alloc{dynamic=exact arena=argument public=1}", errors=FRAMES),
    Config("copies", "elide-copies,lower-strided-copies"),
    Config("copies-merge", "elide-copies{lend-arguments=1},merge-alloc,check-arena-plan", without=CHECK),
    Config("order", "order-for-memory", "idempotent"),
    Config("rows", "stream-rows,merge-alloc,check-arena-plan", without=CHECK),
    Config("reduce", "reduce-peak,merge-alloc{poison=1},check-arena-plan", without=CHECK),
    Config("stack", "pack-stack,check-arena-plan", without=CHECK),
    Config("stack-use", "pack-stack{unknown-ops=use poison=1}"),
    Config("check", "check-arena-plan", "unchanged", PLAN),
    Config("lifetimes", "insert-lifetimes,verify-lifetimes", "idempotent"),
    Config("lifetimes-value", "insert-lifetimes{form=value unknown-ops=use},verify-lifetimes", "idempotent"),
    Config("lifetimes-poison", "insert-lifetimes{unknown-ops=use},convert-lifetime-to-llvm{prepare poison=1}"),
    Config("lifetimes-llvm", "insert-lifetimes,lower-lifetimes-to-llvm", "",
           r"conversion of memref memory space", "lower-lifetimes-to-llvm"),  # of what would be dead
    Config("dealloc", "buffer-deallocation", "idempotent", OWNERSHIP),
    Config("dealloc-clones", "buffer-deallocation{prefer=clones}", "idempotent", OWNERSHIP),
    Config("dealloc-escape", "buffer-deallocation{unknown-ops=escape}", "idempotent", OWNERSHIP),
    Config("tighten", "buffer-deallocation{tighten}", "idempotent", OWNERSHIP),
    Config("hoist", "hoist-allocations", "idempotent", OWNERSHIP),
    Config("clones", "lower-clones{simplify-only}", "idempotent"),
    Config("promote", "promote-allocs-to-stack", "idempotent"),
    Config("memory", "stowage-memory", "", OWNERSHIP),
    Config("memory-merge", "stowage-memory{start=merge-alloc hoist=1 stack-bytes=1024}", "", OWNERSHIP),
    Config("memory-reduce", "stowage-memory{reduce-peak=1}", "", OWNERSHIP),
    Config("bufferized", "one-shot-bufferize{bufferize-function-boundaries=1},stowage-memory", "", OWNERSHIP,
           "one-shot-bufferize{bufferize-function-boundaries=1},convert-bufferization-to-memref"),
    Config("tasks", "convert-affine-to-taskflow{copies=1}", "idempotent"),
    Config("fusion", "convert-affine-to-taskflow,memory-access-streaming-fusion,convert-taskflow-to-affine"),
]  # fmt: skip
