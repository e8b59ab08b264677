#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a report of stream-rows as a program would, and replays what it says.

    streams_report.py REPORT.json [PAGE.html]

Every member must be there with its type, and no other. In every step of every stream, the rows that
ops touch, or that wait for it, must lie in the window that the report gives each buffer. Each band of the page must show
just the rows that follow from the report. Prints a line per stream.
"""

import argparse
import itertools
import json
import re
import xml.etree.ElementTree

REPORT = {"version": int, "title": str, "functions": list}
FUNCTION = {"function": str, "arena_before": int, "arena_after": int, "undone": bool,
            "streams": list, "whole": list}
STREAM = {"steps": int, "bytes": int, "kept_bytes": int, "moved_bytes": int, "ops": list,
          "buffers": list}
OP = {"name": str, "location": str, "stage": str, "iterations": int}
STEPPED = {"rate": int, "period": int, "delay": int}
BUFFER = {"name": str, "type": str, "location": str, "bytes": int, "kept_bytes": int, "rows": int,
          "kept": int, "storage": str, "touches": list}
WINDOW = {"period": int, "phase": int, "advance": int, "base": int, "moved": int}
TOUCH = {"op": int, "writes": bool, "whole": bool}
ROWS = {"stride": int, "low": int, "high": int}
WHOLE = {"name": str, "type": str, "location": str, "bytes": int, "reason": str, "detail": str}
REASONS = {"not-split", "all-rows", "sum-of-rows", "not-in-steps", "writes-outside",
           "across-a-cut", "escapes"}


def has(entry, needed, optional=()):
    for key, kind in needed.items():
        assert type(entry.get(key)) is kind, (key, entry)
    extra = set(entry) - set(needed) - set(optional)
    assert not extra, (extra, entry)


def check_members(report):
    has(report, REPORT, ["note"])
    for function in report["functions"]:
        has(function, FUNCTION)
        for stream in function["streams"]:
            check_stream_members(stream)
        for whole in function["whole"]:
            has(whole, WHOLE, ["op", "op_location", "suggestion"])
            assert whole["reason"] in REASONS, whole


def check_stream_members(stream):
    has(stream, STREAM)
    for op in stream["ops"]:
        assert op["stage"] in ("steps", "before", "after"), op
        has(op, OP | STEPPED if op["stage"] == "steps" else OP, ["layer"])
    for buffer in stream["buffers"]:
        assert buffer["storage"] in ("step", "shift", "ring", "whole"), buffer
        has(buffer, BUFFER, ["window", "over", "distance"])
        assert ("over" in buffer) == ("distance" in buffer) and isinstance(buffer.get("distance", 0), int), buffer
        assert ("window" in buffer) == (buffer["storage"] != "whole"), buffer
        if "window" in buffer:
            has(buffer["window"], WINDOW)
        for touch in buffer["touches"]:
            has(touch, TOUCH if touch["whole"] else TOUCH | ROWS)


def iterations_in(op, step):
    """The iterations that an op makes in a step, as a range."""
    if op["stage"] != "steps":
        return range(0)
    times, rest = divmod(step - op["delay"], op["period"])
    if rest or times < 0:
        return range(0)
    return range(min(op["iterations"], op["rate"] * times),
                 min(op["iterations"], op["rate"] * (times + 1)))


def rows_touched(stream, buffer, step, writes):
    """The rows of a buffer that ops write in a step, or that they read, as a set."""
    rows = set()
    for touch in buffer["touches"]:
        made = iterations_in(stream["ops"][touch["op"]], step)
        if touch["writes"] != writes:
            continue
        for i in made:
            if touch["whole"]:
                rows |= set(range(buffer["rows"]))
            else:
                first = touch["stride"] * i
                rows |= set(range(first + touch["low"], first + touch["high"] + 1))
    assert not rows or 0 <= min(rows) and max(rows) < buffer["rows"], (buffer, step, rows)
    return rows


def hull(rows):
    """From the lowest row to after the highest, or None."""
    return (min(rows), max(rows) + 1) if rows else None


def joined(spans):
    spans = [span for span in spans if span]
    return (min(low for low, _ in spans), max(high for _, high in spans)) if spans else None


class Shown:
    """What is to be seen of a buffer: by step, the rows (low, high) or None."""

    def __init__(self, stream, buffer):
        steps = range(stream["steps"])
        self.written = [hull(rows_touched(stream, buffer, step, True)) for step in steps]
        self.read = [hull(rows_touched(stream, buffer, step, False)) for step in steps]
        self.touched = [joined(both) for both in zip(self.written, self.read)]
        self.highest = list(itertools.accumulate(
            (span[1] if span else 0 for span in self.written), max))  # written so far
        far = buffer["rows"]
        self.lowest = list(itertools.accumulate(
            (span[0] if span else far for span in reversed(self.touched)), min))[::-1]  # to come
        self.held = [joined([(low, high) if low < high else None, now])
                     for low, high, now in zip(self.lowest, self.highest, self.touched)]
        self.window = [self.window_in(buffer, step) for step in steps]

    def window_in(self, buffer, step):
        """The rows that a buffer has memory for; in a ring, the last that were written."""
        window = buffer.get("window")
        if not window:
            return 0, buffer["rows"]
        if buffer["storage"] == "ring":
            return self.highest[step] - buffer["kept"], self.highest[step]
        begin = window["advance"] * ((step - window["phase"]) // window["period"]) + window["base"]
        return begin, begin + buffer["kept"]

    def memory(self, rows):
        """The windows while they are used, without what is beyond the buffer."""
        return [held and (max(0, low), min(rows, high))
                for held, (low, high) in zip(self.held, self.window)]


def check_windows(stream):
    for buffer in stream["buffers"]:
        shown = Shown(stream, buffer)
        for step, (held, window) in enumerate(zip(shown.held, shown.window)):
            if held and "window" in buffer:
                assert window[0] <= held[0] and held[1] <= window[1], (buffer["name"], step, held, window)


def check_sums(stream):
    windows = [b for b in stream["buffers"] if b["storage"] != "whole"]
    assert sum(b["bytes"] for b in windows) == stream["bytes"], stream["bytes"]
    for op in stream["ops"]:
        made = sum(len(iterations_in(op, step)) for step in range(stream["steps"]))
        assert made == (op["iterations"] if op["stage"] == "steps" else 0), op


# ---- the page ---------------------------------------------------------------------------

def with_class(element, name):
    return [part for part in element.iter() if name in part.get("class", "").split()]


def pictures_of(page):
    """The streams' pictures; they must be well-formed."""
    section = page[page.index('<section id="streams">'):]
    section = section[:section.index("</section>") + len("</section>")]
    return with_class(xml.etree.ElementTree.fromstring(section), "stream")


def spans_of(path):
    """The rows inside of a path by step, as (low, high). Lines to the right are the lower edge of
    rows, lines to the left the upper one."""
    low, high, x, y = {}, {}, 0, 0
    for command, numbers in re.findall(r"([MhvVz])([-0-9 ]*)", path):
        if command == "M":
            x, y = map(int, numbers.split())
        elif command == "v":
            y += int(numbers)
        elif command == "V":
            y = int(numbers)
        elif command == "h":
            to = x + int(numbers)
            for step in range(min(x, to), max(x, to)):
                (low if to > x else high)[step] = y
            x = to
    assert low.keys() == high.keys(), path
    return {step: (low[step], high[step]) for step in low}


def tells_rows_apart(stream, buffer):
    return any(not touch["whole"] and touch["stride"] > 0 and
               stream["ops"][touch["op"]]["stage"] == "steps" for touch in buffer["touches"])


def by_column(spans):
    """As drawn: of more than 512 steps, several are one."""
    width = -(-len(spans) // 512)
    columns = {first: joined(spans[first:first + width]) for first in range(0, len(spans), width)}
    return {step: columns[step // width * width] for step in range(len(spans))
            if columns[step // width * width]}


def paths_in(element, ids):
    """Paths by class, also those that are used from elsewhere."""
    found = {}
    for part in element.iter():
        if part.tag == "path" and part.get("class") != "grid":
            found[part.get("class")] = spans_of(part.get("d"))
        elif part.tag == "use":
            found |= paths_in(ids[part.get("href").removeprefix("#")], ids)
    return found


def check_band(stream, buffer, line, ids):
    assert line.get("title").startswith(buffer["name"] + " "), buffer["name"]
    far, = with_class(line, "far")
    box = far.find("svg").get("viewBox")
    assert box == f"0 0 {stream['steps']} {buffer['rows']}", box
    paths = paths_in(line, ids)
    shown = Shown(stream, buffer)
    wanted = {"rows-written": shown.written, "rows-read": shown.read}
    if buffer["storage"] in ("shift", "ring"):
        wanted |= {"rows-memory": shown.memory(buffer["rows"]), "rows-held": shown.held}
    assert paths.keys() == wanted.keys(), (buffer["name"], paths.keys())
    for kind, spans in paths.items():
        assert spans == by_column(wanted[kind]), (buffer["name"], kind, spans, wanted[kind])
    delay = min(op["delay"] for op in (stream["ops"][t["op"]] for t in buffer["touches"])
                if op["stage"] == "steps")
    marks = with_class(far, "delay")
    assert bool(marks) == (delay > 0), buffer["name"]
    if marks:
        share = float(re.fullmatch(r"width:([0-9.]+)%", marks[0].get("style"))[1])
        assert abs(100 * delay / stream["steps"] - share) < 0.02


def check_page(report, page):
    pictures = pictures_of(page)
    streams = [(f, s) for f in report["functions"] if not f["undone"] for s in f["streams"]]
    assert len(pictures) == len(streams), (len(pictures), len(streams))
    named = [part for picture in pictures for part in picture.iter() if part.get("id")]
    ids = {part.get("id"): part for part in named}
    assert len(ids) == len(named), "an id that two have"
    for (_, stream), picture in zip(streams, pictures):
        bands = [b for b in stream["buffers"] if tells_rows_apart(stream, b)]
        lines = with_class(picture, "buffer")
        assert len(bands) == len(lines), (len(bands), len(lines))
        for buffer, line in zip(bands, lines):
            check_band(stream, buffer, line, ids)
    print(f"{len(pictures)} pictures as the report has them")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("report")
    parser.add_argument("page", nargs="?")
    options = parser.parse_args()
    with open(options.report, encoding="utf-8") as file:
        report = json.load(file)
    check_members(report)
    for function in report["functions"]:
        for stream in function["streams"]:
            check_windows(stream)
            check_sums(stream)
            print(f"{function['function']}: {stream['steps']} steps of {len(stream['ops'])} ops, "
                  f"{stream['bytes']} bytes in {stream['kept_bytes']}")
    print("replayed")
    if options.page:
        with open(options.page, encoding="utf-8") as file:
            check_page(report, file.read())


if __name__ == "__main__":
    main()
