# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a configuration made of valid programs, and what is wrong with that."""

import itertools
import re
from pathlib import Path

from fuzz.upstream import configs
from testing import batch, places
from testing.process import ToolError


class Tools:
    def __init__(self, opt):
        self.opt = Path(opt)
        plugin = self.opt.parent.parent / "lib" / "StowagePlugin.so"
        if not plugin.exists():
            raise ToolError(f"{plugin} is missing: a stock mlir-opt needs the plugin built with --opt")
        self.stock = [places.llvm_bindir() / "mlir-opt", f"--load-dialect-plugin={plugin}"]

    def ours(self, passes, texts, explain=True):
        return batch.run([self.opt, f"--pass-pipeline=builtin.module({passes})"], texts, explain)

    def verify(self, texts, explain=True):
        """The texts as a stock mlir-opt prints them."""
        return batch.run(self.stock, texts, explain)


def judge(tools, config, programs):
    """For each program what is wrong, "kind: text"; None where nothing is. What comes out as it
    went in was verified before, and would come out so again."""
    made = tools.ours(config.passes, [p.text for p in programs])
    whys = [bad_end(tools, config, p, o) for p, o in zip(programs, made)]
    new = [i for i, o in enumerate(made) if o.status == "ok" and o.text != programs[i].text]
    printed = list(zip(new, tools.verify([made[i].text for i in new])))
    for i, outcome in printed:
        if not re.search(configs.UNREADABLE, made[i].text):
            whys[i] = invalid(tools, config, programs[i], outcome)
        if config.promise == "unchanged":
            whys[i] = whys[i] or "changed: by an analysis"
    if config.promise == "idempotent":
        twice(tools, config, [(i, made[i].text) for i, o in printed if o.status == "ok"], whys)
    return whys


def bad_end(tools, config, program, outcome):
    """What is wrong with how a run ended."""
    if outcome.status == "ok":
        return None
    if outcome.status == "error" and expected(config, program.name, outcome.said):
        return None
    if config.without and tools.ours(config.without, [program.text])[0].status != "ok":
        return None
    return f"{outcome.status}: {gist(outcome.said)}"


def expected(config, name, said):
    """Whether an error is one that may be."""
    known = config.without.startswith(configs.CHECK) and configs.KNOWN.get(name)
    return (config.errors and re.search(config.errors, said)) or (known and known in said)


def invalid(tools, config, program, outcome):
    """What is wrong with what came out, unless it comes out so without the passes judged."""
    if outcome.status == "ok":
        return None
    if config.without:
        other = tools.ours(config.without, [program.text])[0]
        if other.status == "ok" and tools.verify([other.text])[0].status != "ok":
            return None
    return f"invalid IR: {gist(outcome.said)}"


def twice(tools, config, first, whys):
    """Runs what came out of the first run again."""
    texts = [o.text for o in tools.ours("", [text for _, text in first])]
    second = tools.ours(config.passes, texts)
    for (i, _), text, outcome in zip(first, texts, second):
        if outcome.status != "ok":
            whys[i] = f"second run: {outcome.status}: {gist(outcome.said)}"
        elif outcome.text != text:
            whys[i] = f"second run: changes the program: {change(text, outcome.text)}"


def change(before, after):
    """The first line that differs."""
    lines = itertools.zip_longest(before.splitlines(), after.splitlines(), fillvalue="")
    return next((f"{b.strip()} -> {a.strip()}" for b, a in lines if a != b), "")[:200]


def gist(said):
    """The line of a complaint that tells most, without where it stands."""
    lines = [x for x in said.splitlines() if x.strip()]
    marks = ("error: ", "Assertion", "terminate called", " stow_")
    telling = [x for mark in marks for x in lines if mark in x] + lines + ["it said nothing"]
    return telling[0].split("error: ")[-1].strip()[:300]
