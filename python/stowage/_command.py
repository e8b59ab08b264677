# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `stowage`: `stowage compile` here, all others in the planner's own program, which lies beside this file."""

import argparse
import os
import re
import signal
import sys

from stowage._compile import ARENAS, DYNAMIC, Clock, plan_model
from stowage._errors import REMARK, Error
from stowage._library import FOLDER, find_target, targets
from stowage._program import write_files

EXAMPLES = """examples:
  stowage compile model.onnx -o out --target cortex-m4
  stowage compile model.tflite -o out --capacity 64KiB

Other commands plan, draw and check memory that is given as a table: `stowage help`."""


def _parser():
    parser = argparse.ArgumentParser(
        prog="stowage compile", description="Turns a model into an object, a header and a static library that need no malloc.",
        epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a file .onnx, .tflite or .mlir (linalg, TOSA, StableHLO)")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where the files go")
    parser.add_argument("--target", default="host", help="processor: " + ", ".join(targets()))
    parser.add_argument("--name", help="of the function in C (default: the file's)")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=SIZE", 
                        help="size of a dimension (ONNX), by name or as INPUT.AXIS; NAME=LEAST..MOST: one that changes, with --dynamic")
    parser.add_argument("--capacity", metavar="BYTES", help="what the arena may have: 65536, 64KiB")
    parser.add_argument("--memories", metavar="FILE", help="the machine's memories, fast and slow, with an arena in each (docs/fit-memory.md)")
    parser.add_argument("--arena", choices=ARENAS, default="argument", help="the caller's memory (default), or the object's own")
    parser.add_argument("--dynamic", choices=DYNAMIC, default="off",
                        help="for sizes that change: an arena as large as those of the call need, or one for the largest")
    parser.add_argument("--no-reduce-peak", action="store_true", help="plan the network as it is")
    return parser


def _progress():
    """A line per stage on a terminal."""
    if not sys.stderr.isatty():
        return None
    return lambda stage, seconds: print(f"  {stage:<24} {seconds:7.2f} s", file=sys.stderr, flush=True)


def _dims(texts):
    pairs = [text.partition("=") for text in texts]
    wrong = next((name for name, _, size in pairs if not re.fullmatch(r"\d+(\.\.\d+)?", size)), None)
    if wrong is not None:
        raise ValueError(f"--dim {wrong}: expected NAME=SIZE or NAME=LEAST..MOST")
    return {name: tuple(map(int, size.split(".."))) if "." in size else int(size) for name, _, size in pairs}


def table(program):
    """Rows of what a program needs, in bytes; None: it depends on the call."""

    def together(arrays):
        sizes = [array.bytes for array in arrays]
        return None if None in sizes else sum(sizes)

    return [("buffers", program.unplanned_bytes), ("op by op", program.unreduced_bytes), *_arenas(program),
            ("weights", program.weight_bytes), ("state", program.state_bytes), ("input", together(program.inputs)),
            ("output", together(program.results))]


def _arenas(program):
    return [(name.replace("_", " ", 1), size) for name, size in program.arenas.items()]


def _compile(arguments):
    given = _parser().parse_args(arguments)
    find_target(given.target)  # which is of no use when all else is done
    clock = Clock(_progress())

    def tell(stage):
        clock(stage)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # most of what follows is C, which Python does not interrupt

    program = plan_model(given.model, (), given.capacity, not given.no_reduce_peak, given.arena, given.dynamic, given.name,
                         _dims(given.dim), given.memories, tell)
    contents = {**program.files(given.target), "map.html": str(program.map).encode()}
    clock("machine code")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    files = write_files(given.output, contents)
    for name, size in table(program):
        print(f"{name:<10} {size:>14,} bytes" if size is not None else f"{name:<10} {'by the call':>14}")
    if program.arena_formula:
        print(f"arena of a call: {program.arena_formula} bytes")
    for said in program.remarks:
        if said.pass_name == "fit-memory" and said.kind == REMARK:
            print(f"to fit: {said.text}")
    print("wrote", ", ".join(str(path) for path in files))


def main():
    arguments = sys.argv[1:]
    if arguments[:1] != ["compile"]:
        if arguments[:1] in ([], ["help"], ["--help"], ["-h"]) and len(arguments) < 2:
            print("stowage compile MODEL -o FOLDER    a model as a program; `stowage compile --help`\n", flush=True)
        tool = str(FOLDER / "stowage")
        os.execv(tool, [tool, *arguments])
    try:
        _compile(arguments[1:])
    except (Error, OSError, ValueError) as error:
        sys.exit(f"stowage: error: {error}")
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


if __name__ == "__main__":
    main()
