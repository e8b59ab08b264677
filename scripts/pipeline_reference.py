# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pipelines' part of docs/passes.md, on stdout, from what `stowage-opt --help` says on stdin.

Usage: stowage-opt --help | pipeline_reference.py NAME..."""

import re
import sys


def entries(help_text, name):
    """The pipeline's line and those of its options: [(indent, flag, description)]."""
    lines = iter(help_text.splitlines())
    for line in lines:
        if found := re.match(rf"( +)--{name} +- +(.*)", line):
            break
    else:
        sys.exit(f"pipeline_reference.py: stowage-opt knows no {name}")
    own = [(len(found[1]), name, found[2])]
    for line in lines:
        option = re.match(r"( +)(--?[\w-]+|=[\w-]+)(?:=<\w+>)? +- +(.*)", line)
        if not option or (option[2].startswith("--") and len(option[1]) <= own[0][0]):
            break
        own.append((len(option[1]), option[2], option[3]))
    return own


def write(help_text, name):
    (_, _, summary), *options = entries(help_text, name)
    print(f"### `-{name}`\n\n_{summary}_\n\n#### Options\n\n```")
    width = max(len(flag) - 2 for _, flag, _ in options if flag.startswith("--"))
    for _, flag, text in options:
        value = flag.startswith("=")
        print(f"{'':{width + 4}}{flag[1:]}: {text}" if value else f"-{flag[2:]:{width}} : {text}")
    print("```")


def main(names):
    text = sys.stdin.read()
    print("\n# Pipelines\n")
    for name in names:
        write(text, name)


main(sys.argv[1:])
