#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a report of stream-rows as a program would, and replays what it says.

    streams_report.py REPORT.json

Every member must be there with its type, and no other. In every step of every stream, the rows that
ops touch must lie in the window that the report gives each buffer. Prints a line per stream.
"""

import argparse
import json

REPORT = {"version": int, "title": str, "functions": list}
FUNCTION = {"function": str, "arena_before": int, "arena_after": int, "undone": bool,
            "streams": list, "whole": list}
STREAM = {"steps": int, "bytes": int, "kept_bytes": int, "moved_bytes": int, "ops": list,
          "buffers": list}
OP = {"name": str, "location": str, "turn": str, "iterations": int}
STEPPED = {"rate": int, "period": int, "delay": int}
BUFFER = {"name": str, "type": str, "location": str, "bytes": int, "kept_bytes": int, "rows": int,
          "kept": int, "storage": str, "touches": list}
WINDOW = {"period": int, "phase": int, "advance": int, "base": int, "moved": int}
TOUCH = {"op": int, "writes": bool, "whole": bool}
ROWS = {"stride": int, "low": int, "high": int}
WHOLE = {"name": str, "type": str, "location": str, "bytes": int, "reason": str, "detail": str}
REASONS = {"not-split", "all-rows", "sum-of-rows", "across-a-cut", "escapes"}


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
        assert op["turn"] in ("steps", "before", "after"), op
        has(op, OP | STEPPED if op["turn"] == "steps" else OP, ["layer"])
    for buffer in stream["buffers"]:
        assert buffer["storage"] in ("step", "shift", "ring", "whole"), buffer
        has(buffer, BUFFER, ["window"])
        assert ("window" in buffer) == (buffer["storage"] != "whole"), buffer
        if "window" in buffer:
            has(buffer["window"], WINDOW)
        for touch in buffer["touches"]:
            has(touch, TOUCH if touch["whole"] else TOUCH | ROWS)


def iterations_in(op, step):
    """The iterations that an op makes in a step, as a range."""
    if op["turn"] != "steps":
        return range(0)
    times, rest = divmod(step - op["delay"], op["period"])
    if rest or times < 0:
        return range(0)
    return range(min(op["iterations"], op["rate"] * times),
                 min(op["iterations"], op["rate"] * (times + 1)))


def rows_touched(stream, buffer, step, writes=None):
    """The rows of a buffer that ops touch in a step, as a set: those written or read, or all."""
    rows = set()
    for touch in buffer["touches"]:
        made = iterations_in(stream["ops"][touch["op"]], step)
        if writes is not None and touch["writes"] != writes:
            continue
        for i in made:
            if touch["whole"]:
                rows |= set(range(buffer["rows"]))
            else:
                first = touch["stride"] * i
                rows |= set(range(first + touch["low"], first + touch["high"] + 1))
    assert not rows or 0 <= min(rows) and max(rows) < buffer["rows"], (buffer, step, rows)
    return rows


def window_in(buffer, step):
    """The rows that a buffer has memory for in a step."""
    window = buffer.get("window")
    if not window:
        return range(buffer["rows"])
    begin = (window["advance"] * ((step - window["phase"]) // window["period"]) + window["base"])
    return range(begin, begin + buffer["kept"])


def check_windows(stream):
    for buffer in stream["buffers"]:
        for step in range(stream["steps"]):
            window = window_in(buffer, step)
            for row in rows_touched(stream, buffer, step):
                assert row in window, (buffer["name"], step, row, window)


def check_sums(stream):
    windows = [b for b in stream["buffers"] if b["storage"] != "whole"]
    assert sum(b["bytes"] for b in windows) == stream["bytes"], stream["bytes"]
    for op in stream["ops"]:
        made = sum(len(iterations_in(op, step)) for step in range(stream["steps"]))
        assert made == (op["iterations"] if op["turn"] == "steps" else 0), op


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("report")
    with open(parser.parse_args().report, encoding="utf-8") as file:
        report = json.load(file)
    check_members(report)
    for function in report["functions"]:
        for stream in function["streams"]:
            check_windows(stream)
            check_sums(stream)
            print(f"{function['function']}: {stream['steps']} steps of {len(stream['ops'])} ops, "
                  f"{stream['bytes']} bytes in {stream['kept_bytes']}")
    print("replayed")


if __name__ == "__main__":
    main()
