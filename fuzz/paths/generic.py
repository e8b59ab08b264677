# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads MLIR in its generic form: ops with operands, successors, regions, attributes as text."""

import re
from dataclasses import dataclass, field


@dataclass
class Op:
    name: str
    results: list
    operands: list
    successors: list
    attributes: str
    regions: list  # of lists of blocks
    types: str
    places: tuple = ()  # "line:column" in the source, where the text has debug information; of a call, too, that was inlined
    cache: dict = field(default_factory=dict)

    def attribute(self, pattern):
        """The first group of `pattern` in the attributes, or None."""
        if pattern not in self.cache:
            found = re.search(pattern, self.attributes)
            self.cache[pattern] = found.group(1) if found else None
        return self.cache[pattern]

    def numbers(self, name):
        """The numbers of an array or dense attribute."""
        key = ("numbers", name)
        if key not in self.cache:
            found = re.search(name + r" = (?:array<i\d+(?:: ([^>]*))?>|dense<\[?([^>\]]*)\]?>)",
                              self.attributes)
            listed = (found.group(1) or found.group(2) or "") if found else ""
            self.cache[key] = [int(n) for n in listed.split(",") if n.strip()]
        return self.cache[key]


@dataclass
class Block:
    name: str
    arguments: list
    types: list  # of the arguments
    ops: list


SPACE = re.compile(r"(?:\s|//[^\n]*)*")
NAME = re.compile(r"[%^][A-Za-z0-9_$.\-]+(?:#\d+)?")
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
OPEN, CLOSE = "([{<", ")]}>"


class Reader:
    def __init__(self, text):
        self.text, self.at = text, 0

    def space(self):
        self.at = SPACE.match(self.text, self.at).end()

    def sees(self, token):
        self.space()
        return self.text.startswith(token, self.at)

    def takes(self, token):
        if not self.sees(token):
            return False
        self.at += len(token)
        return True

    def expect(self, token):
        if not self.takes(token):
            raise SyntaxError(f"'{token}' expected at {self.text[self.at:self.at + 60]!r}")

    def match(self, pattern):
        self.space()
        found = pattern.match(self.text, self.at)
        if not found:
            raise SyntaxError(f"not understood: {self.text[self.at:self.at + 60]!r}")
        self.at = found.end()
        return found.group()

    def balanced(self, ends):
        """Text up to one of `ends` outside of all brackets."""
        self.space()
        start, depth = self.at, 0
        text = self.text
        while self.at < len(text):
            c = text[self.at]
            if c == '"':
                self.at = TEXT.match(text, self.at).end()
                continue
            if c == "-" and text[self.at + 1] == ">" or c in "<>" and text[self.at + 1] == "=":
                self.at += 2
                continue
            if depth == 0 and c in ends:
                break
            if c in OPEN:
                depth += 1
            elif c in CLOSE:
                depth -= 1
            self.at += 1
        return text[start:self.at]

    def names(self, close):
        found = []
        while not self.takes(close):
            found.append(self.match(NAME))
            self.takes(",")
        return found

    def results(self):
        found = []
        while not self.takes("="):
            name = self.match(NAME)
            if self.takes(":"):
                count = int(self.match(re.compile(r"\d+")))
                found += [f"{name}#{i}" for i in range(count)]
            else:
                found.append(name)
            self.takes(",")
        return found

    def op(self):
        self.space()
        results = self.results() if self.text[self.at] == "%" else []
        name = self.match(TEXT)[1:-1]
        self.expect("(")
        operands = self.names(")")
        successors = self.names("]") if self.takes("[") else []
        attributes = ""
        if self.takes("<{"):
            attributes = self.balanced("}")
            self.expect("}>")
        regions = []
        if self.takes("("):
            while not self.takes(")"):
                regions.append(self.region())
                self.takes(",")
        if self.takes("{"):
            attributes += " " + self.balanced("}")
            self.expect("}")
        self.expect(":")
        types, _, location = self.balanced("\n").partition(" loc(")
        return Op(name, results, operands, successors, attributes, regions, types, places_of(location))

    def region(self):
        self.expect("{")
        blocks = []
        while not self.takes("}"):
            label, arguments, types = "", [], []
            if self.sees("^"):
                label = self.match(NAME)
                if self.takes("("):
                    while not self.takes(")"):
                        arguments.append(self.match(NAME))
                        self.expect(":")
                        types.append(self.balanced(",)").partition(" loc(")[0].strip())
                        self.takes(",")
                self.expect(":")
            block = Block(label, arguments, types, [])
            while not self.sees("^") and not self.sees("}"):
                block.ops.append(self.op())
            blocks.append(block)
        return blocks


def places_of(location):
    return tuple(re.findall(r'":(\d+:\d+)', location))


def write_out(text):
    """The text without aliases of attributes."""
    aliases = dict(re.findall(r"^(#\w+) = (.*)$", text, re.M))
    text = re.sub(r"^#\w+ = .*$", "", text, flags=re.M)
    return re.sub(r"#\w+", lambda m: aliases.get(m.group(), m.group()), text)


def read_modules(text):
    """All top-level modules of the text."""
    text = "\n".join(write_out(part) for part in text.split("// -----"))
    reader = Reader(text)
    modules = []
    while True:
        reader.space()
        if reader.at >= len(text):
            return modules
        modules.append(reader.op())
