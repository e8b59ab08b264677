#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports are as docs/report.schema.json says, and have nothing that it does not mention.

    schema.py SCHEMA.json REPORT.json...

Prints which of the schema's properties no report has: `unseen` and their names. Reads as much of JSON Schema as
the file uses; what it does not know is an error.
"""

import json
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "null": type(None)}
WORDS = {"$schema", "title", "description", "$defs"}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and not (name == "integer" and isinstance(value, bool))


class Checker:
    def __init__(self, schema):
        self.schema, self.seen, self.faults = schema, set(), []

    def check(self, value, rule, where, owner):
        for key, said in rule.items():
            if key in WORDS:
                continue
            getattr(self, "check_" + {"$ref": "ref"}.get(key, key))(value, said, where, owner, rule)

    def fault(self, holds, where, what):
        if not holds:
            self.faults.append(f"{where}: {what}")

    def check_ref(self, value, said, where, *_):
        name = said.removeprefix("#/$defs/")
        self.check(value, self.schema["$defs"][name], where, name)

    def check_type(self, value, said, where, *_):
        self.fault(any(is_type(value, t) for t in ([said] if isinstance(said, str) else said)), where, f"is no {said}")

    def check_const(self, value, said, where, *_):
        self.fault(value == said, where, f"is not {said}")

    def check_enum(self, value, said, where, *_):
        self.fault(value in said, where, f"'{value}' is none of {said}")

    def check_minimum(self, value, said, where, *_):
        self.fault(value is None or value >= said, where, f"{value} is below {said}")

    def check_minItems(self, value, said, where, *_):
        self.fault(len(value) >= said, where, f"has fewer than {said} items")

    def check_maxItems(self, value, said, where, *_):
        self.fault(len(value) <= said, where, f"has more than {said} items")

    def check_items(self, value, said, where, owner, _):
        for i, item in enumerate(value):
            self.check(item, said, f"{where}[{i}]", owner)

    def check_required(self, value, said, where, *_):
        self.fault(not set(said) - set(value), where, f"lacks {sorted(set(said) - set(value))}")

    def check_additionalProperties(self, value, said, where, _, rule):
        assert said is False
        more = set(value) - set(rule["properties"])
        self.fault(not more, where, f"has {sorted(more)}, which the schema does not mention")

    def check_properties(self, value, said, where, owner, _):
        for key in set(value) & set(said):
            self.seen.add((owner, key))
            self.check(value[key], said[key], f"{where}.{key}", owner)


def properties(schema):
    for owner, rule in {"report": schema, **schema["$defs"]}.items():
        yield from ((owner, key) for key in rule.get("properties", {}))


def main(arguments):
    with open(arguments[0]) as file:
        checker = Checker(json.load(file))
    for name in arguments[1:]:
        with open(name) as file:
            checker.check(json.load(file), checker.schema, name, "report")
    print(*checker.faults[:20], sep="\n", end="\n" if checker.faults else "")
    unseen = sorted(f"{o}.{k}" for o, k in set(properties(checker.schema)) - checker.seen)
    print(f"{len(arguments) - 1} reports, {len(checker.faults)} faults, unseen: {' '.join(unseen) or 'none'}")
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
