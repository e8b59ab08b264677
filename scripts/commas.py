#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""commas.py: expressions that a comma joins, as file:line. Fails if there is one. They may be in the header of a for,
and what macros stand for is not read."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ['*.c', '*.h', '*.cpp', '*.cc']
LEFT_OUT = re.compile(r'''//[^\n]*|/\*.*?\*/|^[ ]*\#(?:[^\n\\]|\\.)*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'
                      |__attribute__\(\((?:[^()]|\([^()]*\))*\)\)|<(?:[\w\s:,*&]|<[\w\s:,*&]*>)+>''', re.M | re.S | re.X)
TOKEN = re.compile(r'\n|\w+|->|::|[^\s\w]')
LABEL = re.compile(r'case |default$|\w+$')
DECLARATION = re.compile(r'(?!return )\w[\w:*& ]*[*& ]\w')
CONDITIONS = ['if', 'constexpr', 'while', 'switch']


def role_of_parenthesis(before):
    """Values are separated by commas, in conditions and other groups they join."""
    if before in CONDITIONS:
        return 'condition'
    return 'values' if re.match(r'[\w\])<>]', before) and before != 'return' else 'group'


def role_of_brace(before, closed, outer):
    is_block = closed in ('values', 'condition') if before == ')' else before in [*'};:', 'else', 'do', 'const', 'override']
    return 'block' if is_block or (before, outer) == ('{', 'block') else 'values'


def is_header(words):
    return words and (words[0] in ('for', *CONDITIONS) or 'EACH' in words[0])


def joined_in(text):
    """The lines of such commas. A frame is what the brackets around a token are, and the statement's words so far."""
    code = LEFT_OUT.sub(lambda m: '0' + '\n' * m[0].count('\n'), text)
    frames, line, before, closed = [('values', [])], 1, ';', ''
    for token in TOKEN.findall(code):
        if token == '\n':
            line += 1
            continue
        role, words = frames[-1]
        if token == ',' and (role in ('group', 'condition') or role == 'block' and not DECLARATION.match(' '.join(words))):
            yield line
        words.append(token)
        if token == '(':
            frames.append((role_of_parenthesis(before), []))
        elif token in '[{':
            frames.append((role_of_brace(before, closed, role) if token == '{' else 'values', []))
        elif token in ')]}' and len(frames) > 1:
            closed, words = frames.pop()[0], frames[-1][1]
            words.append(token)
        ends = token == '}' and closed == 'block' or token == ')' and is_header(words)
        if ends or token in (';', 'else', 'do') or token == ':' and LABEL.match(' '.join(words[:-1])):
            words.clear()
        before = token


def main():
    listed = subprocess.run([ROOT / 'scripts/sources.sh', *SOURCES], capture_output=True, text=True, check=True)
    breaches = [f'{path}:{line}' for path in listed.stdout.split() for line in joined_in((ROOT / path).read_text())]
    for breach in breaches:
        print(f'{breach}:    # a statement each')
    return bool(breaches)


if __name__ == '__main__':
    sys.exit(main())
