# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What generators that write a program from front to back have: lines, and names for values."""


class Lines:
    def __init__(self, indent=0):
        self.lines, self.count, self.indent = [], 0, indent

    def put(self, text):
        self.lines.append("  " * self.indent + text)

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def define(self, text):
        name = self.name()
        self.put(f"{name} = {text}")
        return name
