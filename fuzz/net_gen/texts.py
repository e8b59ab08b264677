# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of a program: (lines before the module, what programs have in common, its own functions)."""

import re

from testing.batch import TOP, join, split

GLOBAL = re.compile(r"memref\.global .*?(@\w+)")


def parts_of(said, names):
    header, parts = split(said)
    return {name: (header, parts.get(None, ""), parts[name]) for name in names}


def together(texts, names):
    """One module of programs that have what is common in common."""
    header, common, _ = texts[names[0]]
    return join(header, {None: common, **{name: texts[name][2] for name in names}}, names)


def in_groups(texts):
    groups = {}
    for name, (header, common, _) in texts.items():
        groups.setdefault((tuple(header), common), []).append(name)
    return groups.values()


def alone(text, name):
    """A module of one program, without the constants of others."""
    header, common, own = text
    used = set(re.findall(r"@\w+", own))
    kept = [line for line in common.splitlines() if not (found := GLOBAL.search(line)) or found[1] in used]
    return join(header, {None: "\n".join(kept), name: own}, [name])


def with_own_names(texts):
    """The same texts, where a global has the name of its program at the end if another program's has the same name and is another."""
    lines = {}
    for _, common, _ in texts.values():
        for line in common.splitlines():
            if found := GLOBAL.search(line):
                lines.setdefault(found[1], set()).add(line)
    shared = [re.escape(symbol) for symbol, some in lines.items() if len(some) > 1]
    if not shared:
        return texts
    name_of = re.compile(rf"({'|'.join(shared)})\b")
    return {name: (header, *(name_of.sub(rf"\1_of_{name}", part) for part in (common, own))) for name, (header, common, own) in texts.items()}


def united(texts):
    """The same texts, of which each has what any has in common, so that they go into one module; these are from modules of one program
    each. What is more than a line stays apart."""
    texts = with_own_names(texts)
    lines = [line for _, common, _ in texts.values() for line in common.splitlines()]
    if any(not TOP.match(line) or line.endswith("{") for line in lines):
        return texts
    common = "\n".join(dict.fromkeys(lines))
    return {name: (header, common, own) for name, (header, _, own) in texts.items()}
