#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""exports.py [ROOM...]: functions that a header of src/ROOM declares and no other file than the one that
has them calls. Fails if there is one. Without a room, of all."""

import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ['*.c', '*.h', '*.cpp', '*.cc', '*.td']


def text_of(path):
    text = (ROOT / path).read_text()
    return re.sub(r'//[^\n]*|/\*.*?\*/', '', text, flags=re.S)


def main():
    listed = subprocess.run([ROOT / 'scripts/sources.sh', *SOURCES], capture_output=True, text=True, check=True)
    texts = {path: text_of(path) for path in listed.stdout.split()}
    mentions = collections.defaultdict(list)
    for path, text in texts.items():
        for name in set(re.findall(r'\bstow\w+', text)):
            mentions[name].append(path)
    rooms = sys.argv[1:] or sorted({p.split('/')[1] for p in texts if p.startswith('src/')})
    found = False
    for header, text in texts.items():
        if not header.endswith('.h') or header.split('/')[:1] != ['src'] or header.split('/')[1] not in rooms:
            continue
        text = re.sub(r'^(static )?inline.*?^\}', '', text, flags=re.M | re.S)
        for name in re.findall(r'\b(stow\w+)\((?=[^;{}]*\)\s*;)', re.sub(r'^#.*?[^\\]$', '', text, flags=re.M | re.S)):
            others = [p for p in mentions[name] if p != header]
            if len(others) < 2 and len(re.findall(rf'\b{name}\b', texts[header])) < 2:
                found = True
                print(f'{header}: {name} is used by {"no other file than " + others[0] if others else "nobody"}')
    return found


sys.exit(main())
