#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every road to an HTML map, walked to its end: the page in a browser shows what the plan has.

    map_roads.py BUILD

BUILD is the build's folder. The network is small; its bufferization is upstream's.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUFFERIZE = ("eliminate-empty-tensors,empty-tensor-to-alloc-tensor,one-shot-bufferize{"
             "bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map},"
             "canonicalize,cse")

failures = []


def check(name, holds, seen=""):
    if not holds:
        failures.append(name)
    print("ok  " if holds else "FAIL", name, "" if holds else repr(seen)[:300])


# What one arena's page shows: the rectangles by the buffer they belong to, as [left, top, right, bottom].
RECTANGLES = """[...document.querySelectorAll("#map [data-buffer]")].map(rect => {
  const {left, top, right, bottom} = rect.getBoundingClientRect();
  return [Number(rect.dataset.buffer), left, top, right, bottom];
})"""


def pieces_of(buffer):
    """A buffer's life and bytes, [begin, end, low, high] each."""
    pieces = buffer.get("pieces") or [[buffer["begin"], buffer["end"]]]
    return [[p[0], p[1], buffer["offset"] + (p[2] if len(p) > 2 else 0),
             buffer["offset"] + (p[3] if len(p) > 2 else buffer["size"])] for p in pieces]


def scale(values, ends):
    """The function from plan to screen that takes the least value to one end, the largest to the other."""
    low, high = min(values), max(values)
    return lambda value: ends[0] + (value - low) / (high - low) * (ends[1] - ends[0])


def are_where_planned(rectangles, pieces):
    x = scale([p[0] for p in pieces] + [p[1] for p in pieces],
              (min(r[1] for r in rectangles), max(r[3] for r in rectangles)))
    y = scale([p[2] for p in pieces] + [p[3] for p in pieces],
              (max(r[4] for r in rectangles), min(r[2] for r in rectangles)))
    wanted = [[x(p[0]), y(p[3]), x(p[1]), y(p[2])] for p in pieces]
    return all(abs(a - b) < 2 for r, w in zip(rectangles, wanted) for a, b in zip(r[1:], w))


def check_arena(page, name, arena):
    sized = [b for b in arena["buffers"] if b["size"]]
    pieces = [p for b in sized for p in pieces_of(b)]
    rectangles = page.run(RECTANGLES)
    check(f"{name}: a rectangle for each piece of each buffer",
          len(pieces) == len(rectangles) and len({r[0] for r in rectangles}) == len(sized),
          (len(rectangles), len(pieces)))
    if pieces and len(pieces) == len(rectangles):
        check(f"{name}: where the plan has it", are_where_planned(rectangles, pieces), rectangles)
    rows = page.run("window.stowageMap.table.rows.length")
    check(f"{name}: a row for each", rows == len(arena["buffers"]), rows)
    most = page.run("Math.max(...window.stowageMap.current().samples.map(s => s.live))")
    check(f"{name}: the profile reaches the load", most == arena["load"], (most, arena["load"]))
    for word in ("op", "type", "location"):
        named = page.run(f"window.stowageMap.current().buffers.filter(b => b.{word}).length")
        check(f"{name}: each {word} is known", named == len(arena["buffers"]), named)


FRAMES = "[...document.querySelectorAll('#frames button')].map(b => b.textContent)"


def check_frames(page, name, frames):
    """The tree lists every frame, and a click shows the arena of its function."""
    shown = page.run(FRAMES)
    check(f"{name}: a row for each frame", len(shown) == len(frames), shown)
    for i, frame in enumerate(frames):
        page.run(f"document.querySelectorAll('#frames button')[{i}].click()")
        page.frame()
        function = page.run("window.stowageMap.current().function")
        check(f"{name}: a click on {frame['function']} shows it",
              not frame["bytes"] or function == frame["function"], function)


def check_page(name, page_file, plan_file):
    report = json.loads(plan_file.read_text())
    arenas = report["arenas"]
    check(f"{name}: something is planned", any(a["buffers"] for a in arenas))
    with browser.Page(page_file) as page:
        for i, arena in enumerate(arenas):
            page.run(f"location.hash = '#arena={i}'")
            page.frame()
            check_arena(page, f"{name}, arena {i}" if i else name, arena)
        check_frames(page, name, report.get("frames", []))
        check(f"{name}: no script error", not page.errors, page.errors)


# All that a page shows: its words, its rectangles with their colours, and where it has something to compare.
SHOWN = """[document.title, document.body.innerText,
  ...[...document.querySelectorAll("#map [data-buffer], #map-before [data-buffer]")].map(r => r.outerHTML)]"""


def shown(page_file):
    with browser.Page(page_file) as page:
        page.frame()
        check(f"{page_file.name}: no script error", not page.errors, page.errors)
        return page.run(SHOWN)


def check_same(name, wanted, found):
    pair = [(a, b) for a, b in zip(wanted, found) if a != b]
    check(f"{name}: the command shows what the pass does", wanted == found and len(wanted) > 2, pair[:1] or len(found))


class Roads:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder

    def run(self, tool, *arguments):
        subprocess.run([self.build / "bin" / tool, *arguments], check=True, cwd=self.folder,
                       stdout=subprocess.DEVNULL)

    def optimize(self, source, passes, target):
        self.run("stowage-opt", source, f"--pass-pipeline=builtin.module({passes})", "-o", target)

    def make_programs(self):
        with open(self.folder / "tensors.mlir", "wb") as out:
            subprocess.run([sys.executable, ROOT / "examples" / "generate.py", "lenet"], check=True,
                           stdout=out)
        self.optimize("tensors.mlir", BUFFERIZE, "allocs.mlir")
        self.optimize("allocs.mlir", "buffer-deallocation-pipeline", "deallocs.mlir")
        text = (self.folder / "allocs.mlir").read_text()
        (self.folder / "allocas.mlir").write_text(text.replace("memref.alloc(", "memref.alloca("))

    def check_pass(self, source, name, options=""):
        reports = f"report=html:{name}.html,json:{name}.json {options}"
        self.optimize(source, f"{name}{{{reports}}}", f"{name}.mlir")
        check_page(name, self.folder / f"{name}.html", self.folder / f"{name}.json")

    def check_rows(self):
        """Windows of rows, in the pass's own page beside what was before, and in that of the planner after it."""
        self.optimize("allocs.mlir", "stream-rows{report=html:rows.html},merge-alloc{report=html:after.html,"
                      "json:after.json,trace:trace.json}", "rows.mlir")
        arena = json.loads((self.folder / "after.json").read_text())["arenas"][0]
        parts = [part for b in arena["buffers"] for part in b.get("parts", [])]
        whole = [b for b in arena["buffers"] if "parts" not in b]
        check("stream-rows: buffers lie in one allocation", len(parts) > 4 and all(p["before"] for p in parts), arena)
        check("stream-rows: each is known by the op that makes it", all(p["op"] and p["location"] for p in parts))
        ops = {part["op"] for part in parts}
        check("stream-rows: and not by the fill before that", "linalg.fill" not in ops, ops)
        self.check_trace(arena, len(parts) + len(whole))
        for name in ("rows", "after"):
            with browser.Page(self.folder / f"{name}.html") as page:
                drawn = page.run("new Set([...document.querySelectorAll('#map [data-buffer]')]"
                                 ".map(r => r.dataset.buffer)).size")
                check(f"{name}: each is drawn", drawn == len(parts) + len(whole), drawn)
                said = page.run("document.querySelector('[data-figure=planned]').textContent")
                check(f"{name}: and counted by the figures", said == str(drawn), said)
                names = page.run("""[...document.querySelectorAll("#map text[paint-order][stroke]:not([stroke=none])")].map(t => {
                    const r = t.getBoundingClientRect(); return [t.textContent, r.left, r.top, r.right, r.bottom]; })""")
                covered = [(a, b) for i, a in enumerate(names) for b in names[:i]
                           if a[1] < b[3] and b[1] < a[3] and a[2] < b[4] and b[2] < a[4]]
                check(f"{name}: no name covers another", not covered and (names or name == "rows"), covered or names)
                known = {p["op_location"].split(":")[-2] for b in arena["buffers"] for p in b.get("parts", [b])}
                check(f"{name}: and each ends with the line of its op", all(n[0].split(":")[-1] in known for n in names),
                      names)
                beside = page.run("document.querySelectorAll('#map-before [data-buffer]').length")
                check(f"{name}: beside what was before, where that is known", (beside > 0) == (name == "rows"), beside)
                check(f"{name}: no script error", not page.errors, page.errors)

    def check_trace(self, arena, count):
        """The trace has a slice for each buffer, and counts what the plan does."""
        events = json.loads((self.folder / "trace.json").read_text())["traceEvents"]
        kinds = {kind: [e for e in events if e["ph"] == kind] for kind in "be"}
        check("trace: a slice for each window", len(kinds["b"]) == len(kinds["e"]) == count, len(kinds["b"]))
        ends = {(e["cat"], e["id"]): e["ts"] for e in kinds["e"]}
        check("trace: each ends after it begins", all(b["ts"] < ends[b["cat"], b["id"]] for b in kinds["b"]))
        alive = [e["args"]["bytes"] for e in events if e["ph"] == "C" and e["name"] == "bytes alive"]
        check("trace: the counter reaches the load", max(alive) == arena["load"], max(alive))

    def check_words(self):
        """Sizes, shares and heads of columns are whole; of paths the end is in sight, and ticks are inside the picture."""
        for width in (1400, 390):
            with browser.Page(self.folder / "rows.html", width=width, touch=width == 390) as page:
                cut = page.run("""[...document.querySelectorAll(".bars b, .bars b + span, .row.head > *, #rows .number, #rows .type, #figures *")]
                    .filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth && e.clientWidth).map(e => e.textContent)""")
                check(f"{width}: no figure and no head of a column is cut", not cut, cut)
                fold = page.run("document.getElementById('filter').getBoundingClientRect().bottom")
                check(f"{width}: the filter is above the fold", fold < 844, fold)
                ends = page.run("""[...document.querySelectorAll("#rows .path")].filter(e => e.scrollWidth > e.clientWidth)
                    .map(e => [e.getBoundingClientRect(), e.firstElementChild.getBoundingClientRect()])
                    .map(([cell, text]) => [text.left < cell.left + 10, text.right <= cell.right])""")
                check(f"{width}: paths are cut from the front", ends and all(a and b for a, b in ends), ends)
                outside = page.run("""[...document.querySelectorAll(".panel text")].filter(t => {
                    const r = t.getBoundingClientRect(), p = t.closest(".panel").getBoundingClientRect();
                    return r.left < p.left - 1 || r.right > p.right + 1; }).map(t => t.textContent)""")
                check(f"{width}: the words of the pictures are inside of them", not outside, outside)

    def check_streams(self):
        """The pictures of streams fit a telephone, and all but the first are closed."""
        for width in (1400, 390):
            with browser.Page(self.folder / "rows.html", width=width, touch=width == 390) as page:
                open_ones = page.run("[...document.querySelectorAll('.stream')].map(s => s.open)")
                check(f"{width}: the first stream is open", open_ones[:1] == [True] and not any(open_ones[1:]), open_ones)
                page.run("document.querySelectorAll('.stream').forEach(s => s.open = true)")
                page.frame()
                boxes = page.run("""[...document.querySelectorAll("#streams td, .buffer > *, .buffer svg, .axis")]
                    .map(e => e.getBoundingClientRect()).map(r => [r.left, r.right, r.width, r.height])""")
                check(f"{width}: tables and bands are in sight", len(boxes) > 20 and
                      all(0 <= left < right <= width and w > 20 and h > 10 for left, right, w, h in boxes), boxes)
                wide = page.run("document.documentElement.scrollWidth")
                check(f"{width}: nothing is beside the screen", wide <= width, wide)

    def check_command(self):
        """Of a report's JSON the command makes the page that the pass makes."""
        self.run("stowage-opt", ROOT / "test" / "driver" / "contents.mlir", "--stream-rows=overlap=false",
                 "--merge-alloc=report=html:before.html,json:before.json", "-o", "before.mlir")
        self.run("stowage-opt", ROOT / "test" / "frames" / "dynamic.mlir",
                 "--merge-alloc=arena=argument public dynamic=exact report=html:sized.html,json:sized.json", "-o",
                 "sized.mlir")
        for name in ("after", "tree", "tiles", "before", "sized"):
            self.run("stowage", "map", f"{name}.json", f"--output={name}-map.html")
            check_same(name, shown(self.folder / f"{name}.html"), shown(self.folder / f"{name}-map.html"))
        words = shown(self.folder / "before-map.html")[1]
        check("the arena and other memory are shown", "Arena and other memory" in words, words)
        check("and what the buffers were before", "each whole, in its own memory" in words, words)
        self.optimize("allocs.mlir", "merge-alloc{report=json:whole.json}", "whole.mlir")
        self.run("stowage", "map", "after.json", "--compare=whole.json", "--output=both.html")
        beside = [rect for rect in shown(self.folder / "both.html")[2:]]
        alone = [rect for rect in shown(self.folder / "after.html")[2:]]
        check("two reports are compared", len(beside) > len(alone), len(beside))
        with browser.Page(self.folder / "both.html") as page:
            titles = page.run("[...document.querySelectorAll('#maps figcaption')].map(f => f.textContent)")
            check("and named by their files", [t.split(",")[0] for t in titles] == ["whole.json", "after.json"], titles)
            page.run("(f => { f.value = ':' + current().buffers[0].op_location.split(':').slice(-2).join(':');"
                     " f.dispatchEvent(new Event('input')); })(document.getElementById('filter'))")
            found = page.run("window.stowageMap.table.rows.length")
            place = page.run("[...document.querySelectorAll('#rows .path')].map(c => c.textContent)")
            check("the line on the map finds the buffer in the table", found >= 1 and
                  any(":" in text for text in place), (found, place))

    def check_tree(self):
        """Functions that call each other, planned as one module."""
        source = ROOT / "test" / "frames" / "calls.mlir"
        reports = "arena=global report=html:tree.html,json:tree.json"
        self.optimize(source, f"merge-alloc{{{reports}}}", "tree.mlir")
        check_page("frames", self.folder / "tree.html", self.folder / "tree.json")
        report = json.loads((self.folder / "tree.json").read_text())
        check("frames: an entry point and its callees", len(report["frames"]) == 4, report["frames"])

    def check_kernels(self):
        """A kernel's workgroup memory is an arena over steps; a bar tells its bytes and how many workgroups fit."""
        self.run("stowage-opt", ROOT / "bench" / "arena" / "kernels" / "gemm_triple.mlir",
                 "--merge-alloc=report=html:tiles.html,json:tiles.json", "-o", "tiles.mlir")
        check_page("tiles", self.folder / "tiles.html", self.folder / "tiles.json")
        self.run("stowage-opt", ROOT / "test" / "arena" / "workgroup-report.mlir",
                 "--merge-alloc=occupancy-memory-in-bytes=1KiB report=html:kernels.html,json:kernels.json", "-o", "kernels.mlir")
        report = json.loads((self.folder / "kernels.json").read_text())
        with browser.Page(self.folder / "kernels.html") as page:
            bars = page.run("[...document.querySelectorAll('#kernels button')].map(b => [...b.children].map(c => c.textContent))")
            check("kernels: a bar for each", [bar[1:3] for bar in bars] ==
                  [[f"{k['after']} B", k["function"]] for k in report["kernels"]], bars)
            check("kernels: with the workgroups that fit", bars[0][3] == "before 448 B; workgroups in 1.00 KiB: 3, "
                  "before 2; 4 with at most 256 B, 5 with at most 204 B, 6 with at most 170 B", bars[0])
            for width in page.run("[...document.querySelectorAll('#kernels button')].map(b => Number("
                                  "b.children[0].getBoundingClientRect().width / b.getBoundingClientRect().width))"):
                check("kernels: no bar is longer than its row", 0 < width <= 1, width)
            for i, kernel in enumerate(report["kernels"]):
                page.run(f"document.querySelectorAll('#kernels button')[{i}].click()")
                page.frame()
                arena = next(a for a in report["arenas"] if a["location"] == kernel["location"])
                seen = page.run("[current().location, document.querySelectorAll('#map [data-buffer]').length]")
                check(f"kernels: a click on {kernel['function']} shows its arena", seen ==
                      [kernel["location"], len(arena["buffers"])], seen)
                words = [page.run(f"document.getElementById('{panel}').textContent") for panel in ("map", "profile")]
                check("kernels: its time is steps", all("steps between barriers" in w and "program order" not in w
                                                        for w in words), words)
            host = next(i for i, a in enumerate(report["arenas"]) if not a.get("workgroup"))
            page.run(f"location.hash = '#arena={host}'")
            page.frame()
            words = page.run("document.getElementById('map').textContent + document.getElementById('figures').textContent")
            check("kernels: the host's is program order", "program order" in words and "at point" in words and
                  "step" not in words, words)
            check("kernels: no script error", not page.errors, page.errors)

    def check_tool(self):
        """A pass's plan, drawn by the command."""
        self.run("stowage", "map", "buffer-reuse.json", "--output=map.html")
        check_page("stowage map", self.folder / "map.html", self.folder / "buffer-reuse.json")
        self.run("stowage", "plan", "buffer-reuse.json", "--quiet", "--ignore-offsets",
                 "--map=plan.html", "--json=plan.json")
        check_page("stowage plan", self.folder / "plan.html", self.folder / "plan.json")

    def check_demo(self):
        """The demo, in a build folder of links, so that it leaves the real one's output alone."""
        build = self.folder / "build"
        build.mkdir()
        for part in ("bin", "lib"):
            (build / part).symlink_to(self.build / part)
        done = subprocess.run([ROOT / "scripts" / "demo.sh", "lenet"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={**os.environ, "STOWAGE_BUILD": str(build)})
        check("the demo runs", done.returncode == 0, done.stdout[-300:])
        if not done.returncode:
            check_page("the demo", build / "demo" / "map.html", build / "demo" / "plan.json")


def main(arguments):
    if not browser.find():
        print("no Chromium here; the maps are not tested")
        return 77
    with tempfile.TemporaryDirectory(prefix="stowage-roads-") as name:
        roads = Roads(pathlib.Path(arguments[0]).resolve(), pathlib.Path(name))
        roads.make_programs()
        roads.check_pass("deallocs.mlir", "buffer-reuse", "analysis")
        roads.check_pass("deallocs.mlir", "buffer-reuse")
        roads.check_pass("allocs.mlir", "merge-alloc")
        roads.check_pass("allocas.mlir", "pack-stack")
        roads.check_rows()
        roads.check_words()
        roads.check_streams()
        roads.check_tree()
        roads.check_kernels()
        roads.check_command()
        roads.check_tool()
        roads.check_demo()
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
