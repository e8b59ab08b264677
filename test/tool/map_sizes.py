#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The map of a plan with sizes known at run time only: what it draws for other sizes is what the pass plans for these.

    map_sizes.py BUILD

BUILD is the build's folder.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import browser
from map_roads import RECTANGLES, are_where_planned, pieces_of

STATE = "window.stowageMap"
failures = []

# Sizes that are stated, and a branch.
PROGRAM = """
func.func @still(%v: f32) {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%v : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<32xf32>
  linalg.fill ins(%v : f32) outs(%b : memref<32xf32>)
  return
}
func.func @f(%x: memref<?x?xi8> {stowage.dims = [{name = "n", min = 1, max = 4096, hint = 128},
                                                 {name = "m<b>", max = 2000}]}, %v: i8, %taken: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xi8>
  %m = memref.dim %x, %c1 : memref<?x?xi8>
  %a = memref.alloc(%n) : memref<?x512xi8>
  linalg.fill ins(%v : i8) outs(%a : memref<?x512xi8>)
  %b = memref.alloc(%m) : memref<?x300xi8>
  linalg.fill ins(%v : i8) outs(%b : memref<?x300xi8>)
  linalg.fill ins(%v : i8) outs(%a : memref<?x512xi8>)
  %c = memref.alloc(%n, %m) : memref<?x?xi8>
  linalg.fill ins(%v : i8) outs(%c : memref<?x?xi8>)
  linalg.fill ins(%v : i8) outs(%b : memref<?x300xi8>)
  %d = memref.alloc() : memref<4000xi8>
  linalg.fill ins(%v : i8) outs(%d : memref<4000xi8>)
  linalg.fill ins(%v : i8) outs(%c : memref<?x?xi8>)
  scf.if %taken {
    %g = memref.alloc(%m) : memref<?x40xi8>
    linalg.fill ins(%v : i8) outs(%g : memref<?x40xi8>)
    linalg.fill ins(%v : i8) outs(%d : memref<4000xi8>)
    linalg.fill ins(%v : i8) outs(%g : memref<?x40xi8>)
  } else {
    %h = memref.alloc(%n) : memref<?x90xi8>
    linalg.fill ins(%v : i8) outs(%h : memref<?x90xi8>)
    linalg.fill ins(%v : i8) outs(%d : memref<4000xi8>)
    linalg.fill ins(%v : i8) outs(%h : memref<?x90xi8>)
  }
  %k = memref.alloc(%n) : memref<?x100xi8>
  linalg.fill ins(%v : i8) outs(%k : memref<?x100xi8>)
  linalg.fill ins(%v : i8) outs(%d : memref<4000xi8>)
  linalg.fill ins(%v : i8) outs(%k : memref<?x100xi8>)
  return
}
"""

# Buffers as a size, how many bytes of it, the points of their first and their last use: for some sizes one order
# of addresses is better, for some another.
TANGLE = [("k", 100, 8, 13), ("n", 500, 9, 12), ("m", 100, 3, 6), ("m", 300, 6, 11),
          ("k", 500, 1, 7), ("m", 700, 4, 9), ("m", 300, 1, 8), ("n", 700, 8, 12),
          ("k", 300, 1, 6), ("k", 300, 5, 12), ("k", 700, 0, 4)]


def tangled():
    """A function @g with these buffers."""
    lines = []
    for point in range(max(last for *_, last in TANGLE) + 1):
        for i, (size, bytes_of_it, first, last) in enumerate(TANGLE):
            if first == point:
                lines.append(f"  %b{i} = memref.alloc(%{size}) : memref<?x{bytes_of_it}xi8>")
            if point in (first, last):
                lines.append(f'  "test.use"(%b{i}) : (memref<?x{bytes_of_it}xi8>) -> ()')
    arguments = ", ".join(f'%{s}: index {{stowage.dims = [{{name = "{s}"}}]}}' for s in "nmk")
    return "\n".join([f"func.func @g({arguments}) {{", *lines, "  return", "}", ""])


# With the first of these the page is made; the others are asked of it.
AT = [{"n": 128}, {"n": 1}, {"n": 4096, "m<b>": 1}, {"n": 77, "m<b>": 1999}, {"n": 3, "m<b>": 0},
      {"n": 500, "m<b>": 31, "arg2": 0}, {"n": 500, "m<b>": 31, "arg2": 1}]
AT_TANGLED = [{"n": 64, "m": 64, "k": 64}, {"n": 4000, "m": 1, "k": 1}, {"n": 1, "m": 4000, "k": 1},
              {"n": 1, "m": 1, "k": 4000}, {"n": 31, "m": 1000, "k": 999}, {"n": 0, "m": 5, "k": -3}]


def check(name, holds, seen=""):
    if not holds:
        failures.append(name)
    print("ok  " if holds else "FAIL", name, "" if holds else repr(seen)[:300])


def plan(build, folder, at, reports, more=""):
    sizes = ",".join(f"{name}={value}" for name, value in at.items())
    subprocess.run([build / "bin" / "stowage-opt", "program.mlir",
                    "--allow-unregistered-dialect", "-o", "/dev/null",
                    f"--merge-alloc=dynamic=exact unknown-ops=use report={reports} at={sizes} {more}"],
                   check=True, cwd=folder)


def planned(build, folder, at, arena=1):
    """An arena as the pass plans it for these sizes."""
    plan(build, folder, at, "json:wanted.json")
    return json.loads((folder / "wanted.json").read_text())["arenas"][arena]


def field(name):
    return f"[...document.querySelectorAll('#sizes input')].find(i => i.dataset.name === {json.dumps(name)})"


def write(page, name, value):
    page.run(f"(i => {{ i.focus(); i.value = {json.dumps(str(value))};"
             f" i.dispatchEvent(new Event('input', {{bubbles: true}})); }})({field(name)})")
    page.frame()


def note(page):
    return page.run("document.getElementById('sizes-note').textContent")


def check_drawn(page, name, arena):
    """Offsets and sizes are the plan's, and so are the rectangles."""
    places = [[b["name"], b["offset"], b["size"], b["live_at_peak"]] for b in arena["buffers"]]
    drawn = page.run(f"{STATE}.current().buffers.map(b => [b.name, b.offset, b.size, b.live_at_peak])")
    check(f"{name}: offsets and sizes", drawn == places, (drawn, places))
    for figure in ("arena_size", "load", "peak", "planned_bytes", "highest_at_peak"):
        value = page.run(f"{STATE}.current().{figure}")
        check(f"{name}: {figure}", value == arena[figure], (value, arena[figure]))
    sized = [b for b in arena["buffers"] if b["size"]]
    pieces = [p for b in sized for p in pieces_of(b)]
    rectangles = page.run(RECTANGLES)
    check(f"{name}: rectangles", len(rectangles) == len(pieces) and are_where_planned(rectangles, pieces),
          rectangles)
    check(f"{name}: nothing to say", note(page) == "", note(page))


def check_refused(page, name, value, words):
    """A value that cannot be drawn is named, and the map stays."""
    before = page.run(RECTANGLES)
    write(page, name, value)
    check(f"{name}={value} is named", words in note(page), note(page))
    check(f"{name}={value} is marked", page.run(f"{field(name)}.getAttribute('aria-invalid')") == "true")
    check(f"{name}={value} is not drawn", page.run(RECTANGLES) == before)


def check_keyboard(page, build, folder):
    """Tab leads to the fields, the arrow keys change them, and no key of the map's is taken for it."""
    page.run(f"{field('n')}.focus()")
    page.key("ArrowUp")
    page.frame()
    value = page.run(f"Number({field('n')}.value)")
    check("an arrow key adds one", value == 501, value)
    check_drawn(page, "by the keyboard", planned(build, folder, {"n": 501, "m<b>": 31, "arg2": 1}))
    labels = page.run("[...document.querySelectorAll('#sizes input')].map(i => [i.labels.length, i.tabIndex])")
    check("each field has a label and can be reached", labels == [[1, 0]] * 3, labels)


def check_hash(page, build, folder):
    link = page.run(f"({STATE}.writeHash(), location.hash)")
    page.run("location.hash = '#arena=1'")
    page.frame()
    check_drawn(page, "without a hash", planned(build, folder, AT[0]))
    page.run(f"location.hash = {json.dumps(link)}")
    page.frame()
    check_drawn(page, "by a link", planned(build, folder, {"n": 501, "m<b>": 31, "arg2": 1}))
    page.run("location.hash = '#arena=1&at=n=9999&at=x&at=n&at=q=1&at='")
    page.frame()
    check("a link may ask for anything", "n=9999 is outside of what is stated, 1 to 4096" in note(page), note(page))


def check_tangled(page, build, folder):
    """Of several plans the page takes the one that the program would."""
    page.run("location.hash = '#arena=2'")
    page.frame()
    for at in AT_TANGLED:
        for name, value in at.items():
            write(page, name, value)
        check_drawn(page, f"tangled, {at}", planned(build, folder, at, 2))
    orders = {json.dumps(taken(page, at)) for at in AT_TANGLED}
    check("more than one plan is taken", len(orders) > 1, orders)
    rounded = page.run("[-65, -64, -1, 0, 63, 64].map(value => quotientOf(value, 64))")
    check("quotients are rounded down", rounded == [-2, -1, -1, 0, 0, 1], rounded)
    write(page, "m", 1)
    write(page, "k", 1)
    check_refused(page, "n", 2 ** 53 - 1, "the bytes are too many to be counted")


def taken(page, at):
    """Which plan has the fewest bytes."""
    values = json.dumps([at[name] for name in page.run(f"{STATE}.current().formulas.sizes.map(s => s.name)")])
    return page.run(f"""(f => {{ const bytes = computeSteps(f.steps, {values});
      const sizes = f.plans.map(p => bytes[p.arena_size]);
      return sizes.indexOf(Math.min(...sizes)); }})({STATE}.current().formulas)""")


def check_static(page):
    page.run("location.hash = '#arena=0'")
    page.frame()
    check("no field where no size is dynamic", page.run("document.getElementById('sizes').hidden"))
    page.run("location.hash = '#arena=1'")
    page.frame()
    names = page.run("[...document.querySelectorAll('#sizes input')].map(i => i.dataset.name)")
    check("a field per name", names == ["n", "m<b>", "arg2"], names)


def check_opened(page, path, shown):
    """JSON that is opened in the page has fields where its formulas give its own plan."""
    page.run("document.getElementById('title').textContent = 'opening'")
    page.choose_file("#file", path)
    while page.run("document.getElementById('title').textContent") == "opening":
        page.frame()
    page.run("showArena(1)")
    hidden = page.run("document.getElementById('sizes').hidden")
    check(f"{path.name}: fields are {'there' if shown else 'not there'}", hidden != shown, hidden)


def check_files(page, build, folder):
    check_opened(page, folder / "map.json", True)
    write(page, "n", 77)
    check_drawn(page, "opened", planned(build, folder, {"n": 77}))
    report = json.loads((folder / "map.json").read_text())
    for name, step in (("other", ["number", 3]), ("circular", ["sum", 0, 0]), ("unknown", ["constructor", 0])):
        report["arenas"][1]["formulas"]["steps"][0] = step
        (folder / f"{name}.json").write_text(json.dumps(report))
        check_opened(page, folder / f"{name}.json", False)


def check_frames(build, folder):
    """Frames, of which the page knows the bytes for the report's sizes only, are shown for these only."""
    plan(build, folder, AT[0], "html:frames.html", "arena=callback")
    with browser.Page(folder / "frames.html") as page:
        page.run("showArena(reports[0].arenas.findIndex(a => a.function === 'f'))")
        hidden = "document.getElementById('frames').hidden"
        check("frames are shown for the report's sizes", page.run(hidden) is False)
        write(page, "n", 129)
        check("and for no others", page.run(hidden) is True)
        check("no script error with frames", not page.errors, page.errors)


def check_sizes(build, folder):
    (folder / "program.mlir").write_text(PROGRAM + tangled())
    plan(build, folder, AT[0], "html:map.html,json:map.json")
    with browser.Page(folder / "map.html") as page:
        check_static(page)
        check_drawn(page, "as planned", planned(build, folder, AT[0]))
        for at in AT[1:]:
            for name in ("n", "m<b>", "arg2"):
                write(page, name, at.get(name, {"n": 128, "m<b>": 64, "arg2": ""}[name]))
            check_drawn(page, str(at), planned(build, folder, at))
        check_refused(page, "n", 0, "n=0 is outside of what is stated, 1 to 4096")
        check_refused(page, "n", 4097, "n=4097 is outside")
        check_refused(page, "m<b>", "", "m<b> has to be a whole number")
        check_refused(page, "m<b>", 1.5, "m<b> has to be a whole number")
        write(page, "n", 500)
        write(page, "m<b>", 31)
        check_keyboard(page, build, folder)
        check_hash(page, build, folder)
        check_tangled(page, build, folder)
        check_files(page, build, folder)
        check("no script error", not page.errors, page.errors)


def main(arguments):
    if not browser.find():
        print("no Chromium here; the map's sizes are not tested")
        return 77
    with tempfile.TemporaryDirectory(prefix="stowage-sizes-") as name:
        build, folder = pathlib.Path(arguments[0]).resolve(), pathlib.Path(name)
        check_sizes(build, folder)
        check_frames(build, folder)
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
