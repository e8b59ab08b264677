#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The HTML map in a headless Chromium: its numbers, and everything a hand can do to it.

    map_page.py STOWAGE REPORT_PRINT

REPORT_PRINT is test/report/report_print.c.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import browser

failures = []


def check(name, holds, seen=""):
    if not holds:
        failures.append(name)
    print("ok  " if holds else "FAIL", name, "" if holds else repr(seen)[:300])


def stowage_run(stowage, folder, *arguments):
    """Runs the command inside `folder`, so that the names on the page are short."""
    subprocess.run([stowage, *arguments], check=True, stdout=subprocess.DEVNULL, cwd=folder)


STATE = "window.stowageMap"


def box(page, key):
    """The middle of a buffer's first piece on the screen."""
    return page.run(f"""(() => {{
      const host = document.getElementById("map"), at = host.getBoundingClientRect();
      const ax = axes({STATE}.state.view, host.clientWidth, host.clientHeight);
      const [begin, end, low, high] = {STATE}.current().byKey.get({json.dumps(key)}).pieces[0];
      return [at.left + (ax.x(begin) + ax.x(end)) / 2, at.top + (ax.y(low) + ax.y(high)) / 2];
    }})()""")


def middle(page, element):
    return page.run(f"""(() => {{ const found = document.querySelector({json.dumps(element)});
      found.scrollIntoView({{block: "nearest"}});
      const r = found.getBoundingClientRect();
      return [r.left + r.width / 2, r.top + r.height / 2]; }})()""")


def span(page):
    view = page.run(f"{STATE}.state.view")
    return view["end"] - view["begin"]


def rows(page):
    return page.run("[...document.querySelectorAll('#rows .row')].map(r => "
                    "[...r.children].map(c => c.textContent))")


def location_hash(page):
    return page.run(f"({STATE}.writeHash(), location.hash)")


def check_numbers(page, report):
    arena = report["arenas"][0]
    figures = page.run("Object.fromEntries([...document.querySelectorAll('[data-figure]')]"
                       ".map(e => [e.dataset.figure, Number(e.dataset.value)]))")
    for key in ("arena_size", "lower_bound", "load", "planned_bytes", "planned"):
        check(f"figure {key} is the JSON's", figures.get(key) == arena[key], (figures, arena[key]))
    live = page.run(f"Math.max(...{STATE}.current().samples.map(s => s.live))")
    check("the profile's peak is the load", live == arena["load"], (live, arena["load"]))
    first = page.run(f"{STATE}.current().samples.find(s => s.live === {arena['load']}).point")
    check("and first reached at the peak", first == arena["peak"], (first, arena["peak"]))
    top = page.run(f"sampleAt({STATE}.current(), {arena['peak']}).highest")
    check("its highest offset there too", top == arena["highest_at_peak"], top)
    highest = page.run(f"Math.max(...{STATE}.current().samples.map(s => s.highest))")
    check("nothing lies above the arena", highest == arena["arena_size"], highest)


def texts(page, element):
    return page.run(f"[...document.querySelectorAll({json.dumps(element)})].map(e => e.textContent)")


def check_axes(page, report):
    """Titles, round ticks, and a colour for lost space where space is lost."""
    arena = report["arenas"][0]
    for panel, title in (("map", "address in the arena"), ("profile", "bytes")):
        words = texts(page, f"#{panel} text")
        check(f"the axes of the {panel} have titles",
              title in words and "program order, in points" in words, words)
        ticks = [w for w in words if re.fullmatch(r"[\d.]+ ([KMGT]i)?B", w)]
        check(f"the ticks of the {panel} are round",
              len(ticks) > 2 and not [t for t in ticks if len(t.split()[0]) > 5], ticks)
    legend = texts(page, "#profile-legend span")
    loses = arena["arena_size"] > arena["lower_bound"]
    check("space above the lower bound is called lost, no other", loses == any("lost" in w for w in legend)
          and not any("lost" in w for w in texts(page, "#legend span")), legend)
    colored = page.run("document.querySelectorAll(`#profile path[fill='${cssColor(\"waste\")}']`).length")
    high = page.run(f"(() => {{ const p = document.querySelector(`#profile path[fill='${{cssColor('waste')}}']`);"
                    " return p ? p.getBBox().height : 0; })()")
    check("and is what the picture paints", colored == 1 and (high > 0) == loses, (colored, high))


def card_text(page):
    return page.run("document.getElementById('card').hidden ? '' : document.getElementById('card').innerText")


def check_hover_and_pin(page, report):
    buffer = max(report["arenas"][0]["buffers"], key=lambda b: b["size"] * (b["end"] - b["begin"]))
    x, y = box(page, buffer["id"])
    page.mouse("mouseMoved", x, y)
    page.frame()
    card = card_text(page)
    check("hovering shows the card", buffer["name"] in card and str(buffer["offset"]) in card, card)
    page.click(x, y)
    page.frame()
    pinned = page.run(f"{STATE}.state.pinned?.key")
    check("a click pins", pinned == buffer["id"], pinned)
    check("the hash keeps it", f"buffer={buffer['id']}" in location_hash(page), location_hash(page))
    picked = page.run("document.querySelector('#rows .picked')?.children[0].textContent")
    check("the table shows it", picked == buffer["name"], picked)
    page.mouse("mouseMoved", *middle(page, "#title"))
    page.frame()
    check("the card of what is pinned stays", buffer["name"] in card_text(page), card_text(page))
    page.key("Escape")
    page.frame()
    check("Escape clears", page.run(f"{STATE}.state.pinned") is None and not card_text(page))
    for button in ("right", "middle"):
        page.click(x, y, button)
        check(f"the {button} button does not pin", page.run(f"{STATE}.state.pinned") is None)
    page.click(x, y)
    hole = page.run(f"""(() => {{ const a = {STATE}.current(), host = document.getElementById("map");
      const at = host.getBoundingClientRect();
      const ax = axes({STATE}.state.view, host.clientWidth, host.clientHeight);
      for (let p = a.begin; p < a.end; p++)
        for (let i = 1; i < 40; i++)
          if (!bufferAt(a, p, a.arena_size * i / 40))
            return [at.left + (ax.x(p) + ax.x(p + 1)) / 2, at.top + ax.y(a.arena_size * i / 40)];
    }})()""")
    page.click(*hole)
    check("a click into a hole unpins", page.run(f"{STATE}.state.pinned") is None)


def check_probe(page, report):
    arena = report["arenas"][0]
    x = page.run(f"""(() => {{ const host = document.getElementById("profile");
      const ax = axes({STATE}.state.view, host.clientWidth, host.clientHeight);
      return host.getBoundingClientRect().left + ax.x({arena["peak"]} + 0.5); }})()""")
    page.mouse("mouseMoved", x, middle(page, "#profile")[1])
    page.frame()
    alive = sum(b["live_at_peak"] for b in arena["buffers"])
    check("the profile tells what is under the pointer",
          f"point {arena['peak']}\n" in card_text(page) and f"in {alive} buffer" in card_text(page),
          card_text(page))
    page.mouse("mouseMoved", *middle(page, "#title"))
    page.frame()
    check("and stops", not card_text(page), card_text(page))


def set_filter(page, text):
    page.run(f"(() => {{ const f = document.getElementById('filter'); f.value = {json.dumps(text)};"
             " f.dispatchEvent(new Event('input')); })()")


def check_table(page, report):
    buffers = report["arenas"][0]["buffers"]
    sizes = sorted((b["size"] for b in buffers), reverse=True)
    shown = page.run(f"{STATE}.table.rows.map(b => b.size)")
    check("sorted by size, largest first", shown == sizes)
    page.click(*middle(page, "[data-key=begin]"))
    page.frame()
    begins = page.run(f"{STATE}.table.rows.map(b => b.begin)")
    check("a click on a heading sorts", begins == sorted(begins, reverse=True), begins[:9])
    page.click(*middle(page, "[data-key=begin]"))
    page.frame()
    begins = page.run(f"{STATE}.table.rows.map(b => b.begin)")
    check("another turns it round", begins == sorted(begins), begins[:9])
    for text, holds in (
            ("peak size>100000", lambda b: b["live_at_peak"] and b["size"] > 100000),
            ("size<=256KiB size>=1k", lambda b: 1024 <= b["size"] <= 256 * 1024),
            ("life>9 begin<50", lambda b: b["end"] - b["begin"] > 9 and b["begin"] < 50),
            ("at=20", lambda b: b["begin"] <= 20 < b["end"]),
            ("offset=0", lambda b: b["offset"] == 0), ("no-such-name", lambda b: False)):
        set_filter(page, text)
        wanted, found = sum(map(holds, buffers)), page.run(f"{STATE}.table.rows.length")
        check(f"the filter {text}", found == wanted, (found, wanted))
    check("only rows in sight exist", len(rows(page)) < 60)
    set_filter(page, "")


def check_filter_notes(page):
    for text, note in (("size>1", ""), ("at=3 peak", ""), ("size>9g", ""), ("11", ""),
                       ("no-such-name", "nothing has \u201cno-such-name\u201d"),
                       ("colour=red", "\u201ccolour=red\u201d is no condition"),
                       ("size>big", "\u201csize>big\u201d is no condition"),
                       ("at>3", "\u201cat>3\u201d is no condition")):
        set_filter(page, text)
        said = page.run("document.getElementById('filter-note').textContent")
        check(f"what is said of the filter {text}", said.startswith(note) and bool(said) == bool(note), said)
    set_filter(page, "")


def check_peak(page, report, labels):
    """The panel of those that hold the peak, against the report; `labels` are the first rows' words."""
    arena = report["arenas"][0]
    sizes = sorted((b["size"] for b in arena["buffers"] if b["live_at_peak"]), reverse=True)
    count = next(n for n in range(1, len(sizes) + 1) if n == 8 or sum(sizes[:n]) >= 0.9 * sum(sizes))
    share = round(100 * sum(sizes[:count]) / sum(sizes))
    title = page.run("document.querySelector('#peak h2').textContent")
    wanted = (f"These {count} buffers hold {share} % of the peak" if count > 1 else
              f"This buffer holds {share} % of the peak")
    check("the peak's panel says who holds how much", title == wanted, (title, wanted))
    words = page.run("[...document.querySelectorAll('#peak button')]"
                     ".map(row => [...row.children].map(c => c.textContent))")
    check("a row for each of them", len(words) == count, words)
    check("in the program's own words", [row[3] for row in words][:len(labels)] == labels, words)
    page.click(*middle(page, "#peak button"))
    page.frame()
    pinned = page.run(f"{STATE}.state.pinned.size")
    check("a click on a row pins the largest", pinned == sizes[0], pinned)
    page.mouse("mouseMoved", *middle(page, "#title"))
    page.key("Escape")


def check_keyboard(page):
    """The card follows the keys, and what has the focus."""
    page.run("document.activeElement.blur()")
    page.mouse("mouseMoved", *middle(page, "#map"))
    page.key("ArrowDown")
    page.frame()
    name = page.run(f"{STATE}.state.pinned.name")
    check("down shows the card of a buffer", card_text(page).startswith(name + "\n"), card_text(page))
    page.key("ArrowRight")
    page.frame()
    point = page.run(f"{STATE}.state.cursor")
    check("right shows what is alive", card_text(page).startswith(f"point {point}\n"), card_text(page))
    page.key("Escape")
    page.frame()
    check("Escape takes the card away", not card_text(page), card_text(page))
    for panel, first in (("map", page.run(f"{STATE}.table.rows[0].name")), ("profile", "point ")):
        page.run("document.getElementById('reset').focus()")
        for _ in range(5):
            if page.run("document.activeElement.id") != panel:
                page.key("Tab")
        page.frame()
        check(f"the {panel} with the focus shows a card", card_text(page).startswith(first), card_text(page))
    page.run("document.activeElement.blur()")
    page.frame()
    check("without, none", not card_text(page), card_text(page))


def check_touch(page_file):
    """A telephone: fingers drag, pinch and tap, and nothing is wider than the screen."""
    with browser.Page(page_file, width=390, height=780, touch=True) as page:
        page.frame()
        check("the page is as wide as the screen",
              page.run("document.documentElement.scrollWidth") <= 390)
        whole, (x, y) = span(page), middle(page, "#map")
        page.swipe([[x - 30, y], [x + 30, y]], [[x - 120, y], [x + 120, y]])
        page.frame()
        near = span(page)
        check("fingers that part zoom in", whole / 5 < near < whole / 3, (whole, near))
        begin = page.run(f"{STATE}.state.view.begin")
        page.swipe([[x, y]], [[x - 100, y]])
        page.frame()
        check("one finger moves", page.run(f"{STATE}.state.view.begin") > begin and
              abs(span(page) - near) < 1e-6 * whole)
        page.swipe([[x, y - 30], [x, y + 30]], [[x, y - 90], [x, y + 90]])
        page.frame()
        view, height = page.run(f"{STATE}.state.view"), page.run(f"{STATE}.current().height")
        check("fingers above each other zoom bytes", view["high"] - view["low"] < height / 2, view)
        check("pinching pins nothing", page.run(f"{STATE}.state.pinned") is None)
        page.swipe([[x - 120, y - 120], [x + 120, y + 120]], [[x - 10, y - 10], [x + 10, y + 10]])
        page.frame()
        check("fingers that meet zoom out", span(page) == whole, span(page))
        page.run("resetView()")
        buffer = page.run(f"{STATE}.table.rows[0].key")
        page.touch("touchStart", box(page, buffer))
        page.touch("touchEnd")
        page.frame()
        check("a tap pins", page.run(f"{STATE}.state.pinned?.key") == buffer and buffer in card_text(page),
              (page.run(f"{STATE}.state.pinned?.key"), buffer, card_text(page)))
        page.run("scrollTo(0, 0)")
        y = middle(page, "#map")[1]
        page.swipe([[x, y]], [[x, y - 200]])
        page.frame()
        check("with all bytes in sight a finger scrolls the page", page.run("scrollY") > 50)
        check("no script error on a telephone", not page.errors, page.errors)


# Drops files of [name, text] on the page.
DROP = """(files => {
  const data = new DataTransfer();
  for (const [name, text] of files) data.items.add(new File([text], name));
  dispatchEvent(new DragEvent("drop", {dataTransfer: data, cancelable: true}));
  return new Promise(done => setTimeout(done, 100));
})"""

SPOILED = ["", "id,lower,upper,size", "null", "[]", "17", '{"arenas": 3}', '{"arenas": [null]}', "{}",
           '{"buffers": [1]}', '{"buffers": [{"size": "4", "begin": 0, "end": 1}]}',
           '{"buffers": [{"size": 4, "begin": 0, "end": 1, "pieces": [[1]]}]}',
           '{"buffers": [], "buffers_left_alone": {}}']


def drop(page, *files):
    page.run(f"{DROP}({json.dumps(files)})")
    page.frame()
    return page.run("document.getElementById('note').textContent")


def check_opening(page_file, folder, first, second):
    """Another plan in the same page: by the button, by a drop, two to compare, and what is none."""
    title = lambda: page.run("document.getElementById('title').textContent")
    with browser.Page(page_file) as page:
        page.run("location.hash = '#color=life&points=10..20'")
        page.choose_file("#file", folder / "b.json")
        page.run("new Promise(done => setTimeout(done, 100))")
        page.frame()
        check_numbers(page, second)
        check("what the URL said was of the plan before", span(page) > 10 and
              page.run(f"{STATE}.state.color") == "size")
        drop(page, ["a.json", json.dumps(first)], ["b.json", json.dumps(second)])
        check("two files are compared", not page.run("document.getElementById('compare-choice').hidden"))
        page.key("c")
        page.frame()
        check_numbers(page, second)
        short = [{k: b[k] for k in ("id", "size", "begin", "end", "offset")}
                 for b in first["arenas"][0]["buffers"]]
        said = drop(page, ["short.json", json.dumps({"buffers": short})])
        check("a short plan is complete", not said, said)
        arena = {**first["arenas"][0], "lower_bound": first["arenas"][0]["load"]}
        check_numbers(page, {"arenas": [arena]})
        drop(page, ["a.json", json.dumps(first)], ["b.json", json.dumps({**second, "title": first["title"]})])
        titles = texts(page, "#maps figcaption")
        check("plans of one title are told apart by their files", [t.split(",")[0] for t in titles] ==
              ["b.json", "a.json"], titles)
        drop(page, ["none.json", json.dumps({"buffers": [{"size": 4, "begin": 0, "end": 3}]})])
        text = page.run("document.querySelector('#map').textContent")
        check("what has no offsets is no plan", "the file has no offsets" in text, text)
        shown = title()
        for text in SPOILED:
            said = drop(page, ["spoiled.json", text])
            check(f"{text or 'nothing'} is told apart", said.startswith("spoiled.json: ") and title() == shown,
                  (said, title()))
        evil = "<img src=x onerror='window.broken=1'>"
        buffer = {"size": 4, "begin": 0, "end": 3, "offset": 0, "alignment": evil, "live_at_peak": evil,
                  **{key: evil for key in ("id", "name", "op", "layer", "type", "location")}}
        drop(page, ["evil.json", json.dumps({"title": evil, "arenas": [{
            "buffers": [buffer], "buffers_left_alone": [{**buffer, "size": evil, "detail": evil}],
            **{key: evil for key in first["arenas"][0] if not key.startswith("buffers")}}]})])
        page.key("ArrowDown")
        page.frame()
        check("nothing in a file becomes an element", evil in title() and page.run("window.broken") is None and
              page.run("document.querySelectorAll('img').length") == 0, title())
        said = drop(page, ["empty.json", '{"title": "of nothing", "arenas": []}'])
        check("a report of nothing says so", not said and title() == "of nothing: nothing is planned", title())
        page.run("location.hash = '#filter=x'; dispatchEvent(new Event('resize'));"
                 "dispatchEvent(new Event('beforeprint')); dispatchEvent(new Event('afterprint'));"
                 "new Promise(done => setTimeout(done, 500))")
        for key in ("c", "0", "ArrowDown", "Escape"):
            page.key(key)
        page.frame()
        check("and stays quiet", not page.errors, page.errors)
        drop(page, ["a.json", json.dumps(first)], ["empty.json", '{"title": "of nothing", "arenas": []}'])
        page.key("c")
        page.frame()
        check("a plan beside nothing has no other", page.run(f"{STATE}.state.plan") == 0 and
              page.run("document.getElementById('compare-choice').hidden"))
        check("no script error from files", not page.errors, page.errors)


# One allocation with two windows, and what it was before; layers, an equal peak, memory beside the arena.
def plans_of_rows():
    def buffer(name, size, begin, end, **more):
        return {"name": name, "type": "memref<64x16xf32>", "location": f"net.mlir:{name[1:]}:3", "size": size,
                "begin": begin, "end": end, "offset": 0, "alignment": 64, "op": "linalg.matmul", "layer": "", **more}
    def report(title, size, *buffers):
        return {"title": title, "arenas": [{"function": "net", "arena_size": size, "load": size, "lower_bound": size,
                                            "outcome": "optimal", "buffers": list(buffers)}],
                "heaps": [{"function": "net", "before": size, "after": size, "exact": True}],
                "outside": [{"kind": "constants", "function": "", "bytes": 9000},
                            {"kind": "arguments", "function": "other", "bytes": 77}]}
    before = report("before", 8192, buffer("%1", 4096, 0, 9, layer="model/encoder/first"),
                    buffer("%2", 4096, 3, 20, offset=4096, layer="model/encoder/second"),
                    buffer("%3", 4096, 12, 17, layer="model/encoder/first"))
    part = lambda name, low, high, begin, end: {
        "name": "%v", "type": "memref<1x16xf32>", "location": f"net.mlir:{name}:3", "low": low, "high": high,
        "before": 4096, "begin": begin, "end": end, "op": "linalg.matmul", "layer": f"model/encoder/{name}"}
    after = report("after", 192, buffer("%9", 192, 5, 30, op="scf.for",
                                        parts=[part("1", 0, 128, 5, 20), part("2", 64, 192, 9, 30)]))
    return before, after


def check_overlap(page):
    """Two windows with 64 bytes in common: what the map, the profile and the cards say of that."""
    page.run("fitArena()")
    free = page.run("cssColor('free')")
    seen = page.run("""(() => {
      const found = [...document.querySelectorAll("#map [data-overlap]")], box = element => {
        const {left, top, right, bottom} = element.getBoundingClientRect(); return [left, top, right, bottom]; };
      const [under, over] = [...document.querySelectorAll("#map [data-buffer]")].map(box);
      const [wide, high] = [Math.max(under[0], over[0]), Math.max(under[1], over[1])];
      return {count: found.length, box: box(found[0]), right: Math.min(under[2], over[2]),
              bottom: Math.min(under[3], over[3]), wide, high, d: found[0].getAttribute("d")}; })()""")
    x, y, right, bottom = seen["box"]
    check("the bytes that windows share are hatched, and no others", seen["count"] == 1 and seen["d"].count("M") > 20 and
          all(abs(a - b) < 7 for a, b in ((x, seen["wide"]), (y, seen["high"]), (right, seen["right"]),
                                          (bottom, seen["bottom"]))), seen)
    legend = texts(page, "#legend span")
    check("the legend says why they may", any("rows of the one are dead before the other writes there" in w
                                              for w in legend), legend)
    holder = page.run("document.querySelector('#map [data-holder]').getAttribute('fill')")
    ground = page.run("document.querySelector('#map rect').getAttribute('fill')")
    check("free bytes of an allocation are those of any", holder == "none" and ground == free, (holder, ground))
    samples = page.run(f"{STATE}.current().samples.map(s => [s.point, s.live, s.windows, s.highest])")
    check("the profile has each address in use once", samples ==
          [[5, 128, 128, 128], [9, 192, 256, 192], [20, 128, 128, 192], [30, 0, 0, 0]], samples)
    height = page.run("""(() => { const path = document.querySelector("#profile path[fill]:not([fill=none])");
        const ys = path.getAttribute("d").slice(1).split("L").map(p => Number(p.split(" ")[1]));
        return new Set(ys).size; })()""")
    check("and draws that", height == 3, height)
    words = texts(page, "#profile-legend span")
    check("which its legend says", "in use by windows that are alive, each address once" in words, words)
    page.mouse("mouseMoved", *box(page, "%9/1"))
    page.frame()
    check("the card says with which it takes turns", "takes turns with" in card_text(page) and
          "model/encoder/1: same bytes" in card_text(page), card_text(page))
    page.run("showMoment(10)")
    check("and of a point both figures", "256 B in 2 buffers" in card_text(page) and
          "addresses in use\n192 B" in card_text(page), card_text(page))
    page.run("showAt(null)")
    page.run("resetView()")
    page.mouse("mouseMoved", *middle(page, "#title"))
    page.frame()


def check_many_windows(page_file):
    """Thousands of windows over each other: on a canvas, of whose overlaps the largest are hatched."""
    part = lambda i: {"name": f"%{i}", "low": i * 37 % 1000 * 64, "high": i * 37 % 1000 * 64 + 6400, "before": 9000,
                      "begin": i, "end": i + 20, "op": "linalg.copy", "location": f"net.mlir:{i}:1"}
    holder = {"name": "%a", "size": 80000, "begin": 0, "end": 5020, "offset": 0, "parts": [part(i) for i in range(5000)]}
    with browser.Page(page_file, width=1400) as page:
        drop(page, ["many.json", json.dumps({"arenas": [{"arena_size": 80000, "buffers": [holder]}]})])
        page.frame()
        kind, count, least = page.run("[panels.map.kind, current().overlaps.length, Math.min(...current().overlaps.map(extent))]")
        check("of many overlaps the largest are drawn", kind == "canvas" and count == 5000 and least > 64, (kind, count, least))
        legend = texts(page, "#legend span")
        check("which is said", any(w.startswith("the 5000 largest") for w in legend), legend)
        sums = page.run("""current().samples.filter((s, i) => i % 500 === 0).map(({point, live}) => {
            const bytes = new Set(), step = 64;
            for (const b of current().buffers)
              if (isAlive(b, point)) for (let at = b.offset; at < b.top; at += step) bytes.add(at / step);
            return [live, bytes.size * step]; })""")
        check("each address in use is counted once", len(sums) > 9 and all(a == b for a, b in sums), sums)
        print(f"     5000 windows: a redraw {page.run('(t => (update(`view`), performance.now() - t))(performance.now())'):.0f} ms")
        check("no script error from many windows", not page.errors, page.errors)


def check_rows(page_file):
    """Windows inside an allocation, beside what was before; the words and controls around them."""
    before, after = plans_of_rows()
    with browser.Page(page_file, width=1400) as page:
        drop(page, ["after.json", json.dumps(after)], ["before.json", json.dumps(before)])
        page.frame()
        drawn = page.run("[...document.querySelectorAll('#map [data-buffer]')].length")
        check("the windows are drawn, not the allocation", drawn == 2 and
              page.run("document.querySelectorAll('#map [data-holder]').length") == 1, drawn)
        cells = [row[:3] for row in rows(page)]
        check("with the size that each had", cells == [["%v", "128 B", "4.00 KiB"]] * 2, cells)
        titles = texts(page, "#maps figcaption")
        check("before and after stand side by side", titles == ["before, 8.00 KiB", "after, 192 B"], titles)
        sizes = page.run("['map', 'map-before'].map(id => { const r = document.getElementById(id)"
                         ".getBoundingClientRect(); return [r.top, r.width, r.height]; })")
        check("at one scale", sizes[0] == sizes[1] and page.run("current().height === opposite().height"), sizes)
        whole = page.run(f"{STATE}.state.view")
        check("each over its own points", (whole["begin"], whole["end"]) == (5, 30), whole)
        told = page.run("[pointsTitle(opposite(), current()), pointsTitle(current(), opposite()), pointsTitle(current())]")
        words = texts(page, "#profile text")
        check("the profile is over the share of each", "share of each program" in words and "50 %" in words and
              "program order, in points" not in words, words)
        page.click(*middle(page, "#fit"))
        page.frame()
        view = page.run(f"{STATE}.state.view")
        check("the smaller arena can fill its map", abs(view["high"] - 192 * 1.02) < 1e-9 and view["end"] == 30, view)
        page.click(*middle(page, "#reset"))
        page.frame()
        check("and says how many these are", told ==
              ["program order: 20 points", "program order: 25 points", "program order, in points"], told)
        figures = dict(page.run("[...document.querySelectorAll('#figures div')].map(d => [d.children[0].textContent, "
                                "[...d.children].slice(1).map(c => c.textContent).join(', ')])"))
        check("the figures are those of the windows", figures["buffers"] == "2, windows in one allocation" and
              figures["without reuse"] == "8.00 KiB, each whole, in its own memory" and
              figures["saved"] == "97.66 %, 7.81 KiB of 8.00 KiB", figures)
        check("a plan says of what it is", figures["plan"] == "optimal, of 1 buffer; windows placed before" and
              figures["lower bound"] == "192 B, with allocations whole" and "found by" not in figures, figures)
        check("bytes in use are told from those of the windows", figures["in use at the peak"] ==
              "192 B, at point 9, by 2 buffers of 256 B", figures)
        heap = texts(page, "#heaps button span:last-child")
        check("a heap is as before which pass", heap == ["as before after, after the pass that made rows take turns"], heap)
        grouped = texts(page, "#groups > p")
        check("groups are parts of a sum", grouped == ["of 256 B, the sizes of 2 buffers added up"], grouped)
        hints = page.run("['#keys', '.touch'].map(s => getComputedStyle(document.querySelector(s)).display)")
        check("a mouse and keys are told of where they are", hints == ["block", "none"], hints)
        check_overlap(page)
        peak = page.run("document.querySelector('#peak').textContent")
        check("the peak is that of the windows", peak.startswith("These 2 buffers are 100 % of what is alive at the peak256 B at point 9, of "
              "2 buffers, whose rows take turns in 192 B"), peak)
        check("and name the other plan", figures["arena"] == "192 B, 8.00 KiB before", figures)
        check("the button names what it shows", texts(page, "#compare") == ["show before (c)"], texts(page, "#compare"))
        page.click(*box(page, "%9/0"))
        page.frame()
        outlined = page.run("document.querySelectorAll('#map-before svg:last-child rect[stroke]:not([stroke=none])').length")
        check("a window shows what it was", outlined == 1 and "4.00 KiB" in card_text(page), (outlined, card_text(page)))
        page.key("Escape")
        page.click(*middle(page, "#beside"))
        page.frame()
        check("one map alone", page.run("document.getElementById('before').hidden") and "beside=0" in location_hash(page))
        page.key("c")
        page.frame()
        figures = page.run("document.getElementById('figures').textContent")
        check("equal peaks are counted", "2 equal peaks" in figures, figures)
        words = texts(page, "#map text")
        check("names are those of layers", {"model/encoder/first", "model/encoder/second"} <= set(words), words)
        tall = page.run("""(() => { let said;
          drawName({text: (x, y, words, how) => said = [words, how.upwards]},
                   {layer: "model/encoder/first", op: "", name: "%1"}, [0, 0, 20, 100], "#000000");
          return said; })()""")
        check("and rotated in tall boxes, cut from the front", tall == ["\u2026ncoder/first", True], tall)
        named = page.run("""(() => { const b = {op: "linalg.copy", op_location: "net.mlir:7:3", name: "%1", location: "net.mlir:2:8"};
          return [shortName(b, 20), labelOf(b)]; })()""")
        check("an op is named by its own line, not that of the alloc", named == ["copy:7", "linalg.copy at net.mlir:7"], named)
        cut = page.run("""[30, 12, 8, 5, 4, 3].map(letters => shortName(
            {op: "linalg.conv_2d_nhwc_hwcf", op_location: "net.mlir:172:3", name: "%1"}, letters))""")
        check("which stays where the op is cut", cut ==
              ["conv_2d_nhwc_hwcf:172", "conv_2d\u2026:172", "con\u2026:172", ":172", ":172", ""], cut)
        clear = page.run("""(() => { const said = [], layer = {text: (x, y, words) => said.push([words, x])};
          const box = (name, x, y, w, h) => ({buffer: {name, op: "", layer: ""}, box: [x, y, w, h], color: "#000000", shown: true});
          const boxes = [box("%under", 0, 0, 200, 100), box("%over", 80, 30, 40, 40), box("%hidden", 300, 0, 60, 20),
                         box("%hides", 300, 0, 60, 20)];
          return [drawNames(layer, boxes, true).map(b => b.buffer.name), said]; })()""")
        check("a name is clear of what lies over its box", [b for b in clear[0]] == ["%hidden"] and
              [w for w, _ in clear[1]] == ["%under", "%over", "%hides"] and not 60 < clear[1][0][1] < 140, clear)
        beside = page.run("""(() => { const said = [], box = (x, w) => ({buffer: {name: `%${x}`, op: "", layer: "", size: 64},
            box: [x, 10, w, 100]}), all = [box(100, 8), box(300, 8), box(309, 150), box(700, 8)];
          const layer = {line() {}, text: (x, y, words, how) => said.push([words, how.align])};
          drawCallouts(layer, {left: 50, right: 720}, all.filter(b => b.box[2] < 13), all, [[200, 0, 2, 300]]);
          return said; })()""")
        check("those without room for a name have it beside them, where that is free",
              beside == [["%100, 64 B", "left"], ["%300, 64 B", "right"], ["%700, 64 B", "right"]], beside)
        layers = page.run("[...document.querySelectorAll('#map [data-layer]')].map(r => r.dataset.layer)")
        check("a band of layers in the order in which they run",
              layers == [f"model/encoder/{n}" for n in ("first", "second", "first")], layers)
        held = page.run("""layerStarts({buffers: [...Array(90).keys()].map(i => ({
          layer: `net/block${i / 9 | 0}.conv${i % 9}`, begin: i}))})""")
        check("of many layers those that hold them", held == [[9 * i, f"net/block{i}"] for i in range(10)], held)
        beside = texts(page, "#outside button")
        check("memory beside the arena", beside == ["8.00 KiBarena3 buffers", "8.79 KiBconstantsof the module"], beside)
        for text, said in (("4k", "4.00 KiB too large"), ("9 KiB", "fits, 1.00 KiB to spare"), ("x", ""), ("", "")):
            page.run(f"(() => {{ const f = document.getElementById('limit'); f.value = {json.dumps(text)};"
                     " f.dispatchEvent(new Event('input')); })()")
            page.frame()
            note = page.run("document.getElementById('limit-note').textContent")
            check(f"a limit of {text or 'nothing'}", note == said, note)
        groups = texts(page, "#groups button")
        check("groups by layer", groups[0] == "8.00 KiB67 %model/encoder/first2 buffers", groups)
        page.click(*middle(page, "#groups button"))
        page.frame()
        check("a click on a group filters", len(rows(page)) == 2 and "encoder" in location_hash(page))
        set_filter(page, "")
        page.click(*middle(page, "#in"))
        page.frame()
        near, profile = page.run(f"{STATE}.state.view"), texts(page, "#profile text")
        check("+ zooms in, the overview stays whole", near["end"] - near["begin"] == 10 and
              near["high"] < whole["high"] and "0 %" in profile and "100 %" in profile, (near, profile))
        page.click(*middle(page, "#out"))
        page.frame()
        check("- zooms out", span(page) == 20, span(page))
        size = page.run("(() => { const c = drawPicture(); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                        " return [c.width, c.height, new Set(new Uint32Array(d.buffer)).size]; })()")
        check("the PNG has the pictures", size[0] > 1000 and size[1] > 500 and size[2] > 20, size)
        for dark in (False, True):
            page.call("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
            contrast, near = page.run("""(() => { const light = hex => [1, 3, 5].reduce((sum, at, i) =>
                sum + [0.3, 0.59, 0.11][i] * parseInt(hex.slice(at, at + 2), 16), 0);
              const free = light(cssColor("free")), scale = isDarkScheme() ? onDark : onLight;
              return [scale.map(color => Math.abs(light(color) - free)), Math.abs(light(scale[0]) - light(cssColor("hold")))]; })()""")
            check("the larger, the further from the paper" + (" in the dark" if dark else ""),
                  contrast == sorted(contrast), contrast)
            check("the smallest is told from free bytes, and from the allocation around it",
                  contrast[0] > 25 and near > 12, (contrast, near))
        said = [drop(page, ["spoiled.json", json.dumps({"buffers": [{"size": 4, "begin": 0, "end": 1, "parts": parts}]})])
                for parts in ({}, [1], [{"low": 1}])]
        check("spoiled parts are told", all(s.startswith("spoiled.json: ") for s in said), said)
        check("no script error from rows", not page.errors, page.errors)
    with browser.Page(page_file, width=390, height=780, touch=True) as page:
        drop(page, ["after.json", json.dumps(after)], ["before.json", json.dumps(before)])
        page.frame()
        right = page.run("document.querySelector('[data-key=size]').getBoundingClientRect().right")
        check("the size column is on a telephone's screen", right <= 390, right)
        hints = page.run("['#keys', '.touch'].map(s => getComputedStyle(document.querySelector(s)).display)")
        check("and fingers on a telephone", hints == ["none", "block"], hints)
        cut = page.run("[...document.querySelectorAll('.bars b')].filter(b => b.scrollWidth > b.clientWidth).length")
        check("no number is cut there", cut == 0, cut)
        check("and nothing is wider", page.run("document.documentElement.scrollWidth") <= 390)


def check_print(page_file):
    """On paper: light whatever the screen is, all of both pictures, nothing of the controls."""
    with browser.Page(page_file, dark=True) as page:
        page.call("Emulation.setEmulatedMedia", media="print", features=[
            {"name": "prefers-color-scheme", "value": "dark"}])
        page.run("dispatchEvent(new Event('beforeprint'))")
        page.frame()
        paper = page.run("getComputedStyle(document.body).backgroundColor")
        check("paper is white", paper == "rgb(255, 255, 255)", paper)
        inks = page.run("[...document.querySelectorAll('#map text')].map(t => t.getAttribute('fill'))")
        check("and ink dark", "#5c6670" in inks, inks[:9])
        hidden = page.run("['nav', '#list', '#files', '#keys'].filter(s => "
                          "getComputedStyle(document.querySelector(s)).display !== 'none')")
        check("controls are not printed", not hidden, hidden)
        page.run("dispatchEvent(new Event('afterprint'))")
        page.frame()
        inks = page.run("[...document.querySelectorAll('#map text')].map(t => t.getAttribute('fill'))")
        check("the screen is dark again", "#9aa5b1" in inks, inks[:9])
        check("no script error from printing", not page.errors, page.errors)


def check_moving(page):
    x, y = middle(page, "#map")
    whole = span(page)
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-600)
    page.frame()
    near = span(page)
    check("the wheel zooms in", near < whole / 2, (whole, near))
    begin = page.run(f"{STATE}.state.view.begin")
    page.drag(x, y, x - 200, y)
    page.frame()
    check("dragging moves", page.run(f"{STATE}.state.view.begin") > begin and
          abs(span(page) - near) < 1e-6 * whole)
    check("and pins nothing", page.run(f"{STATE}.state.pinned") is None)
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-600, modifiers=8)
    page.frame()
    view = page.run(f"{STATE}.state.view")
    height = page.run(f"{STATE}.current().height")
    check("with shift it zooms bytes", view["high"] - view["low"] < height / 2, view)
    check("the hash keeps the view", "points=" in location_hash(page) and "bytes=" in location_hash(page))
    page.key("0")
    page.frame()
    check("0 shows all again", span(page) == whole and "points=" not in location_hash(page))
    x, y = middle(page, "#profile")
    page.drag(x - 100, y, x + 100, y)
    page.frame()
    check("a brush on the profile zooms", 0 < span(page) < whole / 2, span(page))
    page.run("document.getElementById('reset').click()")
    page.frame()
    check("the button shows all", span(page) == whole)
    page.run("document.activeElement.blur()")
    page.key("ArrowRight")
    page.key("ArrowRight")
    page.frame()
    second = page.run(f"{STATE}.state.cursor")
    page.key("ArrowLeft")
    page.frame()
    first = page.run(f"{STATE}.state.cursor")
    check("arrows step through the points", first is not None and first < second, (first, second))
    check("a step tells what is alive", "alive" in page.run("document.getElementById('count').textContent"))
    page.key("ArrowDown")
    page.frame()
    check("down picks from the table", page.run(f"{STATE}.state.pinned?.key") ==
          page.run(f"{STATE}.table.rows[0].key"))
    page.key("Escape")


def check_colors(page):
    for color in page.run("[...document.getElementById('color').options].map(o => o.value)"):
        page.run(f"(() => {{ const c = document.getElementById('color'); c.value = '{color}';"
                 " c.dispatchEvent(new Event('change')); })()")
        page.frame()
        swatches = page.run("document.querySelectorAll('#legend em').length")
        check(f"colour by {color} has a legend of its own", swatches > 1, swatches)


# How far the colour of each rectangle is from that of free bytes, in order of the sizes of their buffers.
LOUDNESS = """(() => { const light = color => [1, 3, 5].reduce((sum, at, i) =>
    sum + [0.3, 0.59, 0.11][i] * parseInt(color.slice(at, at + 2), 16), 0);
  const free = light(cssColor("free"));
  return [...document.querySelectorAll("#map [data-buffer]")]
    .map(r => [current().buffers[r.dataset.buffer].size, Math.abs(light(r.getAttribute("fill")) - free)])
    .sort((a, b) => a[0] - b[0]).map(pair => pair[1]); })()"""


def check_loudness(page_file):
    """Of what is drawn the largest is the loudest, on light paper and on dark, and nothing is as quiet as free bytes."""
    for dark in (False, True):
        with browser.Page(page_file, dark=dark) as page:
            page.frame()
            loud = page.run(LOUDNESS)
            theme = "in the dark" if dark else "in the light"
            check(f"no drawn buffer is quieter than a smaller one {theme}", loud == sorted(loud), loud[:9])
            check(f"there are several steps, the least of them seen {theme}",
                  len(set(loud)) > 3 and loud[0] > 25, sorted(set(loud)))


def check_compare(page, first, second):
    sizes = [r["arenas"][0]["arena_size"] for r in (first, second)]
    shown = lambda: page.run("Number(document.querySelector('[data-figure=arena_size]').dataset.value)")
    check("plan A comes first", shown() == sizes[0], shown())
    page.run("document.activeElement.blur()")
    x, y = middle(page, "#map")
    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-400)
    page.frame()
    view = page.run(f"{STATE}.state.view")
    page.key("c")
    page.frame()
    check_axes(page, second)
    check("c shows plan B", shown() == sizes[1] and "plan=B" in location_hash(page), shown())
    check("at the same place and scale", page.run(f"{STATE}.state.view") == view)
    page.key("0")
    other = page.run("document.querySelector('[data-key=other]')?.textContent")
    check("the table has both offsets", other == "other plan", other)
    page.click(*middle(page, "#compare"))
    page.frame()
    check("the button goes back", shown() == sizes[0])


def check_small(stowage, folder):
    page_file = folder / "small.html"
    stowage_run(stowage, folder, "gen", "--shape=chain", "--buffers=150", "--seed=3",
                "--output=chain.csv")
    stowage_run(stowage, folder, "plan", "chain.csv", "--quiet", "--strategy=best-fit-start",
                "--output=b.csv", "--json=b.json")
    stowage_run(stowage, folder, "plan", "chain.csv", "--quiet", "--strategy=first-fit-size",
                "--map=small.html", "--json=a.json", "--compare=b.csv")
    first, second = (json.loads((folder / f).read_text()) for f in ("a.json", "b.json"))
    with browser.Page(page_file) as page:
        check("a small map is SVG", page.run(f"{STATE}.panels.map.kind") == "svg")
        check("with a rectangle per buffer",
              page.run("document.querySelectorAll('#map svg')[0].querySelectorAll('rect').length") >= 150)
        check_numbers(page, first)
        check_axes(page, first)
        check_hover_and_pin(page, first)
        check_probe(page, first)
        check_table(page, first)
        check_filter_notes(page)
        check_peak(page, first, [])
        check_keyboard(page)
        check_moving(page)
        check_colors(page)
        check_compare(page, first, second)
        fetched = page.run("performance.getEntriesByType('resource').length")
        check("nothing is fetched", fetched == 0, fetched)
        check("no script error", not page.errors, page.errors)
    check_loudness(page_file)
    check_touch(page_file)
    check_opening(page_file, folder, first, second)
    check_print(page_file)
    check_rows(page_file)
    check_many_windows(page_file)
    with browser.Page(f"{page_file}", dark=True) as page:
        key = first["arenas"][0]["buffers"][7]["id"]
        page.run(f"location.hash = '#buffer={key}&sort=name&color=life&plan=B&points=10..20&point=12'")
        page.frame()
        state = page.run(f"(s => [s.pinned.key, s.sort, s.color, s.plan, s.view.begin, s.view.end, s.cursor])"
                         f"({STATE}.state)")
        check("the hash restores everything", state == [key, "name", "life", 1, 10, 20, 12], state)
        check("no script error in the dark", not page.errors, page.errors)
        page.run("location.hash = '#buffer=none&sort=x&color=x&plan=C&points=9e99..-1&bytes=a..b&point=x&arena=-7'")
        page.frame()
        page.run("location.hash = '#points=-1e99..1e99&bytes=-5..1e99&arena=1.5&point='")
        page.frame()
        view = page.run(f"[{STATE}.state.view, wholeView({STATE}.current())]")
        check("a hash may be anything", view[0] == view[1] and not page.errors, (view, page.errors))


def check_passes(report_print, folder):
    """A report of the passes: two arenas, buffers left alone, and a name that tries to be markup."""
    page_file = folder / "passes.html"
    page_file.write_bytes(subprocess.run([report_print, "html"], check=True,
                                         stdout=subprocess.PIPE).stdout)
    with browser.Page(page_file) as page:
        arenas = page.run("[...document.getElementById('arena').options].map(o => o.textContent)")
        check("both arenas can be chosen", len(arenas) == 2 and "scf.parallel" in arenas[1], arenas)
        alone = page.run("document.querySelector('#left-alone summary').textContent")
        check("what was left alone is told", alone.startswith("3 left alone, 390.66 KiB"), alone)
        check("with its reasons", page.run("document.getElementById('left-alone').textContent"
                                           ".includes('its size is not known at compile time')"))
        page.mouse("mouseMoved", *box(page, "%alloc_1"))
        page.frame()
        card = page.run("document.getElementById('card').innerText")
        check("the card has type and location",
              "memref<1234567xi8>" in card and "model.mlir:13:8" in card, card)
        page.mouse("mouseMoved", *middle(page, "#title"))
        check_peak(page, json.loads(subprocess.check_output([report_print, "json"])), ["%alloc_1 at model.mlir:13"])
        colors = page.run("[...document.getElementById('color').options].map(o => o.value)")
        check("ops, types and spaces can be coloured", {"op", "type", "space"} <= set(colors), colors)
        names = [row[0] for row in rows(page)]
        hostile = "%<img src=x onerror=alert(1)></script>"
        check("a name is text, whatever it looks like", hostile in names and
              page.run("document.querySelectorAll('img').length") == 0, names)
        page.run("(() => { const a = document.getElementById('arena'); a.value = '1';"
                 " a.dispatchEvent(new Event('change')); })()")
        page.frame()
        text = page.run("document.querySelector('#map').textContent")
        check("an arena without a plan says so", "no plan: infeasible" in text, text)
        check("the hash keeps the arena", "arena=1" in location_hash(page), location_hash(page))
        check("no script error with two arenas", not page.errors, page.errors)


HOSTILE = ["</script><script>window.broken = 1</script>", "<!--<script>", "<img src=x onerror='window.broken=1'>",
           "\"'&amp;\\", "\u2028\u2029\u202e\u0085\ufeff", "a\tb\nc\rd", "\U0001f600\u0301\u4e2d\u6587",
           "__proto__", "constructor", " ", "%s%n${1}", "]]>", "x" * 10000]


def check_names(stowage, folder):
    """Names are data: none is read as anything else, none is lost."""
    buffers = [{"id": name, "op": name, "layer": name, "type": name, "location": name, "size": 64 + i, "begin": i,
                "end": i + 3} for i, name in enumerate(HOSTILE)]
    (folder / "names.json").write_text(json.dumps({"buffers": buffers}))
    stowage_run(stowage, folder, "plan", "names.json", "--quiet", "--map=names.html",
                "--json=names.plan.json")
    stowage_run(stowage, folder, "plan", "names.json", "--quiet", "--map=names.svg")
    with browser.Page(folder / "names.html") as page:
        names = page.run(f"{STATE}.current().buffers.map(b => [b.name, b.op, b.layer, b.type, b.location])")
        check("names arrive as they are", names == [[n] * 5 for n in HOSTILE], names)
        for name in HOSTILE:
            page.run(f"pin({STATE}.current().byKey.get({json.dumps(name)}))")
            page.frame()
            hash_text = location_hash(page)
            page.run("readHash()")
            key = page.run(f"{STATE}.state.pinned?.key")
            check("and go through the hash", key == name, (hash_text[:80], key))
            title = page.run("document.querySelector('#card h2').textContent")
            check("and onto the card", title == name, title)
            page.run(f"pin({STATE}.current().byKey.get({json.dumps(name)}))")
        for color in ("op", "type"):
            page.run(f"(state.color = '{color}', update('all'))")
        check("none became an element or ran", page.run("window.broken") is None and
              page.run("document.querySelectorAll('img').length") == 0 and not page.errors, page.errors)
    with browser.Page(folder / "names.svg") as page:
        check("the SVG is well formed", page.run("document.documentElement.tagName") == "svg" and
              page.run("document.querySelectorAll('parsererror, img, script').length") == 0)


def check_extremes(stowage, folder):
    """Points and bytes at the ends of 64 bits, no buffers at all, no plan: the page stands."""
    (folder / "far.csv").write_text(
        "id,lower,upper,size\na,-9223372036854775808,9223372036854775807,9\n"
        "b,9223372036854775800,9223372036854775806,9223372036854775807\nc,5,6,0\n")
    (folder / "none.csv").write_text("id,lower,upper,size\n")
    (folder / "one.csv").write_text("id,lower,upper,size\na,0,3,8\n")
    for name, buffers in (("far", "3 buffers"), ("none", "0 buffers"), ("one", "1 buffer")):
        stowage_run(stowage, folder, "plan", f"{name}.csv", "--quiet", f"--map={name}.html")
        with browser.Page(folder / f"{name}.html") as page:
            x, y = middle(page, "#map")
            page.mouse("mouseMoved", x, y)
            for modifiers in (0, 8):
                for _ in range(40):
                    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-2000, modifiers=modifiers)
            for key in ("ArrowRight", "ArrowDown", "c", "0"):
                page.key(key)
            page.frame()
            count = page.run("document.getElementById('count').textContent")
            check(f"{name}: the page stands", not page.errors and re.search(f"of {buffers}(?!s)", count),
                  (page.errors, count))


# Frames while the map is dragged, as the browser paints them: milliseconds, the longest last.
DRAG = """new Promise(done => {
  const times = [], host = document.getElementById("map"), box = host.getBoundingClientRect();
  const send = (kind, x, y) => host.dispatchEvent(new PointerEvent(kind, {pointerId: 1, button: 0,
    clientX: box.left + x, clientY: box.top + y, bubbles: true}));
  host.setPointerCapture = () => {};
  send("pointerdown", 600, 200);
  let i = 0, last = performance.now();
  const frame = () => {
    const now = performance.now();
    times.push(now - last);
    last = now;
    if (i++ < 30) { send("pointermove", 600 - 8 * i, 200 + 2 * i); requestAnimationFrame(frame); }
    else { send("pointerup", 300, 260); done(times.slice(1).sort((a, b) => a - b)); }
  };
  requestAnimationFrame(frame);
})"""


def check_large(stowage, folder):
    page_file = folder / "large.html"
    stowage_run(stowage, folder, "gen", "--buffers=20000", "--seed=5", "--output=large.csv")
    stowage_run(stowage, folder, "plan", "large.csv", "--quiet", "--strategy=first-fit-size",
                "--map=large.html", "--json=large.json")
    begin = time.monotonic()
    with browser.Page(page_file) as page:
        page.frame()
        print(f"     20000 buffers: open in {time.monotonic() - begin:.2f} s")
        page.run("window.drawn = 0; for (const [kind, real] of [['rect', CanvasLayer.prototype.rect]])"
                 " CanvasLayer.prototype[kind] = function (...how) { window.drawn++;"
                 " return real.apply(this, how); };")
        drawn = page.run("(zoomPoints(2000, 0.01), update('view'), window.drawn = 0, update('view'),"
                         " window.drawn)")
        seen = page.run(f"(v => {STATE}.current().buffers.filter(b => b.end > v.begin && b.begin < v.end)"
                        f".length)({STATE}.state.view)")
        check("what is out of sight is not drawn", 0 < drawn < seen + 20 < 10000, (drawn, seen))
        page.run("resetView()")
        check("a large map is a canvas", page.run(f"{STATE}.panels.map.kind") == "canvas")
        check_numbers(page, json.loads((folder / "large.json").read_text()))
        each = page.run("""(() => { const begin = performance.now();
          for (let i = 0; i < 20; i++) { zoomPoints(2000, i % 2 ? 1.25 : 0.8); update("view"); }
          return (performance.now() - begin) / 20; })()""")
        print(f"     one redraw while zooming: {each:.1f} ms")
        check("zooming does not hang", each < 2000, each)
        hover = page.run(f"""(() => {{ const a = {STATE}.current(), begin = performance.now();
          for (let i = 0; i < 200; i++) bufferAt(a, i * 20, i * a.arena_size / 200);
          return (performance.now() - begin) / 200; }})()""")
        print(f"     finding the buffer under the pointer: {hover:.2f} ms")
        check("hovering does not hang", hover < 500, hover)
        times = page.run(DRAG)
        print(f"     a frame while dragging: {times[len(times) // 2]:.1f} ms, the longest {times[-1]:.1f}")
        check("dragging does not hang", times[len(times) // 2] < 2000, times)
        check("no script error", not page.errors, page.errors)


def check_thinned(stowage, folder):
    """Of very many buffers the page has the largest; its figures and its profile are those of all."""
    count, long = 200001, 40000
    lines = [f"b{i},{i},{i + (9 if i % (count // long) == 0 else 1)},{8 + i % 7},{64 * (i % 10)}" for i in range(count)]
    (folder / "many.csv").write_text("id,lower,upper,size,offset\n" + "\n".join(lines) + "\n")
    stowage_run(stowage, folder, "map", "many.csv", "--output=many.html")
    check("a page of many buffers is small", (folder / "many.html").stat().st_size < 30e6)
    with browser.Page(folder / "many.html") as page:
        page.frame()
        shown = page.run(f"{STATE}.current().buffers.map(b => b.end - b.begin)")
        check("it has the largest", len(shown) == 25000 and min(shown) == 9, (len(shown), min(shown)))
        note = page.run("document.getElementById('note').textContent")
        check("and says so", note.startswith("200001 buffers: the 25000 largest"), note)
        planned = page.run("Number(document.querySelector('[data-figure=planned]').dataset.value)")
        check("its figures are of all", planned == count, planned)
        peak = page.run(f"[Math.max(...{STATE}.current().samples.map(s => s.live)), {STATE}.current().load]")
        check("its profile reaches the load", peak[0] == peak[1], peak)
        each = page.run("""Math.min(...[...Array(8).keys()].map(i => { const begin = performance.now();
          zoomPoints(2000, i % 2 ? 1.25 : 0.8);
          update("view");
          return performance.now() - begin; }))""")
        print(f"     the fastest redraw while zooming: {each:.1f} ms")
        check("and zooms at once", each < 300, each)
        check("no script error with many", not page.errors, page.errors)


def main(arguments):
    if not browser.find():
        print("no Chromium here; the map page is not tested")
        return 77
    stowage, report_print = (str(pathlib.Path(a).resolve()) for a in arguments)
    with tempfile.TemporaryDirectory(prefix="stowage-map-") as name:
        folder = pathlib.Path(name)
        check_small(stowage, folder)
        check_passes(report_print, folder)
        check_names(stowage, folder)
        check_extremes(stowage, folder)
        check_large(stowage, folder)
        check_thinned(stowage, folder)
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
