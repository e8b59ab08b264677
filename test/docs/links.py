#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every link of the pages leads somewhere within the tree, or out of it.

    links.py ROOT
"""

import pathlib
import re
import sys

FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(page):
    """Of headings, as they are made of their text."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def fault(page, link):
    if re.match(r"https?:", link):
        return None
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists():
        return "is not there"
    return "has no such heading" if anchor and anchor not in anchors(target) else None


def main(root):
    pages = [p for p in sorted(root.rglob("*.md")) if "build" not in p.relative_to(root).parts]
    links = [(p, link) for p in pages for link in LINK.findall(FENCED.sub("", p.read_text()))]
    faults = [(p, link, fault(p, link)) for p, link in links if fault(p, link)]
    for page, link, why in faults:
        print(f"{page}: {link} {why}")
    print(f"{len(links)} links in {len(pages)} pages, {len(faults)} faults")
    return 1 if faults or not links else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
