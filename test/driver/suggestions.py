# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""suggestions.py [PATH ...]: no remark advises an option that is set, or one that its pass does not have.

Runs what the RUN lines of all tests, or of those paths' under test/, call, with remarks on, and again with each option
that is advised. Prints the suggestions that break the rule, and how many there were."""

import re
import shlex
import sys
from multiprocessing.pool import ThreadPool

from testing import places, process
from testing.run_lines import commands

TESTS = places.ROOT / "test"
LIMITS = process.Limits(clock=300)
WORD = r"[a-z]+(?:-[a-z]+)*"
# What a suggestion does with an option, or with options.
ADVICE = re.compile(rf"\b(set|raise|lower|leave out) ({WORD})(?:=([\w.-]+))?(?![\w ]*\bfirst\b)")
MORE = re.compile(rf",? (?:and|or) (?:set )?({WORD}-{WORD})(?:=([\w.-]+))?")
REMARK = re.compile(r'remark: .*?Category:([\w-]+).*?Suggestion="([^"]*)"')


def known_options():
    """Per pass its options with their defaults, as docs/passes.md has them."""
    known, name = {}, None
    for line in (places.ROOT / "docs" / "passes.md").read_text().splitlines():
        heading = re.match(r"### `-([\w-]+)`", line)
        option = re.match(r"-([\w-]+) *:.*?(?:\(default: ([^)]*)\))?$", line)
        if heading:
            name = heading[1]
            known[name] = {}
        elif option and name:
            known[name][option[1]] = option[2] or "false"
    return known


KNOWN = known_options()


def is_of(word, name):
    return re.fullmatch(rf"--?{name}(=.*)?", word)


def given(text):
    return {name: value or "true" for name, value in re.findall(rf"(?<![\w/.-])({WORD})(?:=([\w.-]+))?(?![\w/.-])", text)}


def settings(words, name):
    """The options of each run of the pass; where a pipeline runs it, those of the pipeline."""
    runs = [word.partition("=")[2] for word in words if is_of(word, name)]
    runs += re.findall(rf"(?<![\w-]){name}\{{([^}}]*)\}}", " ".join(words))
    return [{**KNOWN[name], **given(run)} for run in runs or [" ".join(words)]]


def is_set(value, wanted):
    return value == wanted if wanted else value not in ("false", "none", "")


def breach(name, verb, option, value, runs):
    if option not in KNOWN[name]:
        return f"{name} has no option {option}"
    set_in_all = all(is_set(run[option], value) for run in runs)
    if verb == "set" and set_in_all:
        return f"{option} is set"
    if verb == "leave out" and not set_in_all:
        return f"{option} is not set"
    if verb == "lower" and all(run[option] in ("0", "1") for run in runs):
        return f"{option} is as low as it gets"
    return None


def advised(suggestion):
    """What is done with which options: after `set A`, `and B` is of the same verb."""
    for found in ADVICE.finditer(suggestion):
        if found[1] == "lower" and found[2] == "to":
            continue
        yield found.groups()
        more = MORE.match(suggestion, found.end())
        if more:
            yield found[1], *more.groups()


def with_remarks(words):
    kept = [word for word in words if not re.match("--?(remarks-|verify-diagnostics)", word)]
    return [places.OPT, *kept, "--remarks-filter=.*", "-o", "/dev/null"]


def calls(path):
    """The arguments of stowage-opt, where it reads the test and needs nothing that the test writes."""
    for words in commands(path):
        while words and words[0] in ("not", "env"):
            words = words[1:]
        ends = [i for i, word in enumerate(words) if re.match(r"\d?[<>]", word)]
        words = words[: ends[0]] if ends else words
        words = words[:-1] if words and words[-1] in ("1", "2") else words
        if "-o" in words:
            words = words[: words.index("-o")] + words[words.index("-o") + 2 :]
        if words and words[0] == "stowage-opt" and "%s" in words and not any("%t" in word for word in words):
            yield tuple(word.replace("%s", str(path)).replace("%root", str(TESTS)) for word in words[1:])


def suggestions(words):
    return set(REMARK.findall(process.run(with_remarks(words), limits=LIMITS).err))


def breaches(words, said):
    for name, suggestion in said:
        for verb, option, value in advised(suggestion):
            why = breach(name, verb, option, value, settings(words, name))
            if why:
                yield f"{suggestion}: {why}\n    stowage-opt {shlex.join(words)}"


def following(words, said):
    """The command with each option that is to be set."""
    for name, suggestion in said:
        for verb, option, value in advised(suggestion):
            if verb == "set" and option in KNOWN[name]:
                text = option + (f"={value}" if value else "")
                added = [f"{word} {text}" if "=" in word else f"{word}={text}" for word in words if is_of(word, name)]
                if added:
                    kept = iter(added)
                    yield tuple(next(kept) if is_of(word, name) else word for word in words)


def look(words):
    said = suggestions(words)
    found = set(breaches(words, said))
    for more in sorted(set(following(words, said))):
        found |= set(breaches(more, suggestions(more)))
    return found, len(said)


def main(paths):
    roots = [TESTS / path for path in paths] or [TESTS]
    files = sorted(path for root in roots for path in (root.rglob("*.mlir") if root.is_dir() else [root]))
    lines = sorted({words for path in files for words in calls(path)})
    with ThreadPool(2) as pool:
        looked = pool.map(look, lines)
    found, count = set().union(*(one for one, _ in looked)), sum(said for _, said in looked)
    for text in sorted(found):
        print(text)
    print(f"{len(lines)} commands, {count} suggestions, {len(found)} that do not apply")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
