# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a test's RUN lines call."""

import re
import shlex

DEPTH = 8  # of definitions in definitions


def commands(path):
    """The commands of a test, each in words, with lit's definitions put in."""
    definitions, pending = {}, ""
    for line in path.read_text(errors="replace").splitlines():
        found = re.match(r"\s*//\s*(RUN|DEFINE|REDEFINE):(.*)", line)
        if not found:
            continue
        text = pending + found[2].strip()
        if text.endswith("\\"):
            pending = text[:-1] + " "
            continue
        pending = ""
        if found[1] != "RUN":
            name, _, value = text.partition("=")
            definitions[name.strip()] = value.strip()
            continue
        for _ in range(DEPTH):
            text = re.sub(r"%\{\w+\}", lambda m: definitions.get(m[0], ""), text)
        if "%if" not in text:
            yield from split_commands(text)


def split_commands(text):
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|&<>")
    lexer.whitespace_split = True
    words = []
    for word in lexer:
        if set(word) <= set("|&"):
            yield words
            words = []
        else:
            words.append(word)
    yield words
