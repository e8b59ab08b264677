# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that lie beside the tree, in ../shared/data/faults3 or $STOWAGE_SHARED, in every pass and pipeline.

Where they are not there, there is nothing to check. Prints what is wrong, and how much was tried.
"""

import os
import re
import sys
from dataclasses import replace

from testing import batch, callers, places, process
from testing.execute import Tools, difference
from testing.process import ToolError

DATA = places.SHARED / "faults3"
FREE = "buffer-deallocation,lower-clones"
OPTIONS = {"fit-memory": "{capacity-in-bytes=100000}", "promote-allocs-to-stack": "{max-size-in-bytes=65536}"}
# What only looks, or leaves a program in which there is nothing to run.
NOT_RUN = {"check-arena-plan", "verify-lifetimes", "refuse-allocs", "prepare-model", "stowage-model",
           "memory-access-streaming-fusion", "convert-affine-to-taskflow"}
PIPELINES = {
    "nothing": "",
    "reuse-all": "buffer-reuse{require-dealloc=false pool-all poison}",
    "merge-use": "merge-alloc{unknown-ops=use poison}",
    "dealloc-bounded": f"merge-alloc{{max-heap-overhead=0}},{FREE}",
    "merge-stack": "merge-alloc{arena=stack}",
    "merge-global": "merge-alloc{arena=global}",
    "merge-dynamic": "merge-alloc{dynamic=exact}",
    "dealloc-reuse": f"{FREE},buffer-reuse{{pool-all}}",
    "dealloc-reduced": f"reduce-peak,merge-alloc{{poison}},{FREE}",
    "dealloc-hoisted": f"hoist-allocations,{FREE},hoist-allocations,buffer-deallocation{{tighten}}",
    "fused": "convert-affine-to-taskflow{copies},memory-access-streaming-fusion{assume-noalias-arguments},convert-taskflow-to-affine",
    "lives": "insert-lifetimes,verify-lifetimes,pack-stack,convert-lifetime-to-llvm{prepare}",
    "value-lives": "insert-lifetimes{form=value},verify-lifetimes,merge-alloc,convert-lifetime-to-llvm{prepare}",
    "memory": "stowage-memory",
    "memory-all": "stowage-memory{reduce-peak stack-bytes=1024}",
    "memory-merge": "stowage-memory{start=merge-alloc hoist}",
    "memory-bounded": "stowage-memory{max-heap-overhead=0}",
}
UNDEFINED = {"000_pipe_buf"}  # adds to memory that nothing wrote
# Errors that are right: (program, pipeline, what is said).
ERRORS = [
    (r".*", r"refuse-allocs", r"still takes memory from the heap"),
    (r".*", r"stowage-model", r".*"),
    (r".*", r"merge-(global|stack)", r"no function is one: it is no func\.func of the module itself"),
    (r"004_.*", r"fit-memory", r"needs \d+ bytes"),
    (r"001_gpu_check", r"check-arena-plan", r"as no barrier comes first"),
    (r"bufferization_dealloc_check_arena", r"check-arena-plan", r"uses an arena after it was deallocated"),
    (r"bufferization_dealloc_verify_lifetimes", r"verify-lifetimes|(value-)?lives", r"uses memory after it was freed"),
]
# What a program says or prints in a pipeline: (program, pipeline, pattern that is there, or behind "!" one that is not).
SAYS = [
    ("000_pipe_buf", "merge-alloc{report=text}", r"p +32\.00 KiB  32768 B  32\.00 KiB  32768 B"),
    ("001_async2", "merge-alloc", r"2 workgroup buffers of 512 bytes put into 256 bytes"),
    ("001_token_block", "merge-alloc", r"2 buffers of 512 bytes put into one arena of 256 bytes"),
    ("001_token_block", "merge-alloc", r"!pointer-taken"),
    ("001_offset_attr", "merge-alloc", r"%c1024.*\n.*memref\.view %alloc\[%c1024\]"),
    ("001_offset_attr", "buffer-reuse{require-dealloc=false}", r"%c1024.*\n.*memref\.view %alloc\[%c1024\]"),
    ("002_async_life", "merge-alloc", r"Function=known_async \| Remark=\"2 buffers of 512 bytes put into one arena of 256"),
    ("002_async_life", "merge-alloc", r"Function=unknown_async \| Remark=\"2 buffers of 512 bytes put into one arena of 256"),
    ("002_replan", "merge-alloc", r"live at the peak: 256 bytes"),
    ("002_value", "merge-alloc", r"Function=halves \| Remark=\"2 buffers of 384 bytes put into one arena of 256"),
    ("003_clonelayout_leak", "buffer-deallocation", r"!left-alone"),
    ("003_hoist", "hoist-allocations", r"@late\(.*\n.*memref\.alloc"),
    ("003_hoist", "hoist-allocations", r"Function=loop \| Reason=\"its size is known only at run time, and 'func.call' may not be passed"),
    ("004_chain5", "convert-affine-to-taskflow,memory-access-streaming-fusion{assume-noalias-arguments report=text}",
     r"before +5 tasks +41616 bytes[^\n]*\n +after +3 tasks +18744 bytes"),
    ("cols_offset_not_split", "stream-rows", r"arenas of 160 bytes, not 5120"),
    ("manual_deallocation", FREE, r"!(?m)^ *memref\.dealloc"),
    ("manual_deallocation", "promote-allocs-to-stack", r"!memref\.alloca\b"),
    ("bufferization_dealloc_freed_twice", FREE, r"!(?sm)func\.func @f\((?:(?!@main).)*?^ +memref\.dealloc"),
    ("returned_twice_result_arguments", "merge-alloc{arena=argument public result-arguments}", r"!= memref\.alloc\b|Suggestion"),
    ("untaken-branch-raises-peak", "stowage-memory{max-heap-overhead=0}", r"scf\.if[^\n]*\n +%\w+ = memref\.alloc\(\)"),
    ("wish_noalias_stream_rows", "stream-rows,merge-alloc", r"arena of 592 bytes"),
]  # fmt: skip


def passes():
    """All that are documented, each alone."""
    names = re.findall(r"^### `-([\w-]+)`", (places.ROOT / "docs" / "passes.md").read_text(), re.M)
    return {name: name + OPTIONS.get(name, "") for name in names}


def command(pipeline):
    return [places.OPT, *batch.FLAGS, "--remarks-filter=.*", f"--pass-pipeline=builtin.module({pipeline})"]


def is_right(program, pipeline, said):
    return any(re.fullmatch(p, program) and re.fullmatch(q, pipeline) and re.search(text, said) for p, q, text in ERRORS)


def outcomes(programs, name, pipeline):
    """What is wrong with what a pipeline says; and {program: text} of what it makes."""
    wrong, made = [], {}
    for program, outcome in zip(programs, batch.run(command(pipeline), list(programs.values()))):
        if outcome.status == "ok":
            made[program] = outcome.text
        elif outcome.status != "error" or not is_right(program, name, outcome.said):
            wrong.append(f"{program}: {name}: {outcome.status}: {outcome.said[:400]}")
    return wrong, made


def says():
    for program, pipeline, pattern in SAYS:
        done = process.run(command(pipeline), (DATA / f"{program}.mlir").read_text())
        if bool(re.search(pattern.lstrip("!"), done.out + done.err)) == pattern.startswith("!"):
            yield f"{program}: {pipeline}: {'says' if pattern[0] == '!' else 'does not say'} {pattern}"


def printed(programs):
    """The programs as MLIR prints them."""
    return dict(zip(programs, [o.text for o in batch.run(command(""), list(programs.values()))]))


def with_main(text):
    """The program with a main that calls its function, or itself; None where there is none to call."""
    names = re.findall(r"func\.func (?:public )?@(\w+)", text)
    if "main" in names:
        return text
    try:
        return callers.with_main(text, names[0], arguments_too=True) if len(names) == 1 else None
    except ToolError:
        return None


def execute(tools, text, poison=True):
    """What was freed is out of reach, addresses are not printed, and markers of lives say nothing to the processor."""
    if "lifetime." in text:
        text = tools.apply(text, "builtin.module(convert-lifetime-to-llvm{prepare})")
        text = re.sub(r"^ *lifetime\.(start|end) .*\n", "", text, flags=re.M)
    run = tools.run(text, poison=poison, protect=True)
    return replace(run, stdout=re.sub(r"base@ = 0x\w+", "", run.stdout))


def fault(run):
    freed = run.heap and run.heap.double_frees + run.heap.unknown_frees
    return run.fault() or (f"{freed} wrong frees" if freed else None)


def differs(tools, original, text, frees):
    try:
        after = execute(tools, text)
    except ToolError as error:
        return str(error)
    if not frees and after.heap:
        after.heap.leaked_bytes = 0
    return fault(after) or difference(original, after)


def executed(tools, programs, made):
    """What differs when it runs; `made` is a list of (pipeline, {program: text}). What no pipeline frees may stay."""
    for program, text in programs.items():
        original, known = execute(tools, text), {(text, False)}
        amiss = "undefined" if program in UNDEFINED else fault(original) or difference(original, execute(tools, text, poison=False))
        if amiss:
            print(f"{program} is not compared, wrong as it is: {amiss.splitlines()[0]}")
            continue
        for name, after in made:
            case = (after.get(program), "dealloc" in name or "memory" in name)
            if program in after and case not in known:
                known.add(case)
                found = differs(tools, original, *case)
                if found:
                    yield f"{program}: {name}: {found}"


def main():
    programs = printed({path.stem: path.read_text() for path in sorted(DATA.glob("*.mlir"))})
    runnable = {name: with_main(text) for name, text in programs.items() if with_main(text)}
    every, wrong, made = {**passes(), **PIPELINES}, list(says()), []
    for name, pipeline in every.items():
        found, texts = outcomes({**programs, **runnable}, name, pipeline)
        wrong += found
        if name not in NOT_RUN:
            made.append((name, {program: texts[program] for program in runnable if program in texts}))
    if "STOWAGE_SANITIZED" not in os.environ:  # which makes the same text
        wrong += executed(Tools(), runnable, made)
    print("\n".join(wrong))
    print(f"{len(programs)} programs in {len(every)} pipelines, {len(runnable)} with a main; {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    if not DATA.is_dir():
        print(f"{DATA} is not there: nothing to check")
    else:
        sys.exit(main())
