// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The page: one state, drawn after every change, kept in the URL's hash.

const SVG_MOST = 2000;  // buffers; above, the panels are canvases

const byId = id => document.getElementById(id);
const readData = id => JSON.parse(byId(id).textContent);
const reports = [readData("plan-data"), readData("other-data")].filter(Boolean);
const plans = reports.map(report => report.arenas.map(makeArena));

const state = {
  arena: 0,
  plan: 0,
  color: "size",
  sort: "size",
  down: true,
  filter: "",
  pinned: null,
  hover: null,
  cursor: null,
  view: null,
  brush: null
};
const panels = {};
const table = new BufferTable(byId("table"), {
  hover: (buffer, event) => setHover(buffer, event),
  pin: buffer => pin(buffer),
  sort: key => {
    state.down = state.sort === key ? !state.down : key !== "name";
    state.sort = key;
    update("table");
  },
});

const current = () => plans[state.plan][state.arena];
const opposite = () => plans.length > 1 ? plans[1 - state.plan][state.arena] : null;

function wholeView(arena) {
  return {begin: arena.begin, end: arena.end, low: 0, high: arena.height * 1.02};
}

function scene() {
  const arena = current(), other = opposite(), all = plans[state.plan];
  const row = colorings.find(([key, , when]) => key === state.color && when(arena, all, other)) ||
      colorings[0];
  return {
    ...state,
    arena,
    other,
    filter: makeFilter(state.filter),
    coloring: row[3](arena, all, other)
  };
}

//===----------------------------------------------------------------------===//
// Text around the pictures
//===----------------------------------------------------------------------===//

function figureMarkup(label, value, bytes, key, note) {
  return `<div><span>${label}</span><b data-figure="${key}" data-value="${bytes}">${value}</b>` +
      `<i>${note || "\u00a0"}</i></div>`;
}

function showFigures(arena, other) {
  const bytes = (label, key, value, note) => figureMarkup(
      label, sizeText(value), value, key, note || (value >= 1024 ? exactText(value) : ""));
  const compared = other ? `other plan ${sizeText(other.arena_size)}` : "";
  const waste = arena.highest_at_peak - arena.load, gap = arena.arena_size - arena.lower_bound;
  const share = (label, key, part, whole) =>
      figureMarkup(label, percentText(part, whole), part, key, exactText(part));
  const alone = arena.left_alone ? arena.left_alone + " left alone" : "";
  const outcome = escapeMarkup(arena.outcome),
        by = escapeMarkup(arena.placed ? arena.strategy : "");
  const ofPlan = arena.placed ?
      [
        bytes("arena", "arena_size", arena.arena_size, compared),
        share("gap", "gap", gap, arena.lower_bound),
        share("fragmentation at the peak", "waste", waste, arena.highest_at_peak),
      ] :
      [];
  byId("figures").innerHTML = [
    figureMarkup("outcome", outcome, arena.arena_size, "outcome", by),
    ...ofPlan,
    bytes("lower bound", "lower_bound", arena.lower_bound),
    bytes("alive at the peak", "load", arena.load, "at point " + arena.peak),
    bytes("without reuse", "planned_bytes", arena.planned_bytes),
    figureMarkup("buffers", arena.planned, arena.planned, "planned", alone),
    arena.capacity ? bytes("capacity", "capacity", arena.capacity) : "",
  ].join("");
}

function showLegend(coloring) {
  const always =
      [["var(--live)", "alive"], ["var(--waste)", "fragmentation"], ["var(--peak)", "peak"]];
  byId("legend").innerHTML =
      [...coloring.legend, ...always]
          .map(
              ([color, text]) =>
                  `<span><em style="background:${color}"></em>${escapeMarkup(text)}</span>`)
          .join("");
}

function showLeftAlone(arena) {
  const list = arena.left_alone_buffers, host = byId("left-alone");
  host.hidden = !list.length;
  host.querySelector("summary").textContent =
      `${list.length} left alone, ${sizeText(arena.left_alone_bytes)}`;
  host.querySelector("div").innerHTML = "<table><tr><th>name<th>size<th>reason<th>location</tr>" +
      list.slice(0, 1000)
          .map(
              b => "<tr>" +
                  [
                    b.name, b.size === null ? "dynamic" : sizeText(b.size), b.detail || b.reason,
                    b.location
                  ].map(t => "<td>" + escapeMarkup(t))
                      .join("") +
                  "</tr>")
          .join("") +
      "</table>";
}

function cardMarkup(buffer, other) {
  const twin = other && other.byKey.get(buffer.key);
  const rows = [
    ["op", buffer.op], ["type", buffer.type], ["location", buffer.location],
    ["size", sizeText(buffer.size) + (buffer.size >= 1024 ? ", " + exactText(buffer.size) : "")],
    [
      "offset",
      `${buffer.offset} to ${buffer.top}` +
          (buffer.alignment > 1 ? `, aligned to ${buffer.alignment}` : "")
    ],
    ["other plan", twin ? String(twin.offset) : ""],
    [
      "alive",
      buffer.pieces.map(([b, e]) => `[${b}, ${e})`).slice(0, 6).join(" ") +
          (buffer.pieces.length > 6 ? " \u2026" : "") +
          (buffer.live_at_peak ? ", also at the peak" : "")
    ]
  ];
  return `<h2>${escapeMarkup(buffer.name)}</h2><dl>` +
      rows.filter(([, text]) => text)
          .map(([name, text]) => `<dt>${name}</dt><dd>${escapeMarkup(text)}</dd>`)
          .join("") +
      "</dl>";
}

function showCard(event) {
  const card = byId("card"), buffer = state.hover;
  card.hidden = !buffer;
  if (!buffer) return;
  card.innerHTML = cardMarkup(buffer, opposite());
  const x = Math.min(event.clientX + 16, innerWidth - card.offsetWidth - 8);
  const below = event.clientY + 18, fits = below + card.offsetHeight < innerHeight;
  card.style.left = Math.max(4, x) + "px";
  card.style.top = Math.max(4, fits ? below : event.clientY - card.offsetHeight - 12) + "px";
}

function showCount(now) {
  const at = state.cursor === null ? "" : (() => {
    const sample = sampleAt(now.arena, state.cursor);
    return `; point ${state.cursor}: ${sizeText(sample.live)} alive, highest ${
        sizeText(sample.highest)}`;
  })();
  byId("count").textContent = `${table.rows.length} of ${now.arena.buffers.length} buffers${at}`;
}

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

function drawOverlays(now) {
  drawLayer(panels.map, panels.map.over, (l, w, h) => drawOver(l, w, h, now, false));
  drawLayer(panels.profile, panels.profile.over, (l, w, h) => drawOver(l, w, h, now, true));
}

// `what` is how much has changed: "over" < "view" < "table" < "all".
function update(what) {
  if (what === "all") rebuild();
  const now = scene();
  if (what === "all" || what === "table") table.show(now, state.sort, state.down);
  if (what !== "over") {
    drawLayer(panels.map, panels.map.base, (l, w, h) => drawMap(l, w, h, now));
    drawLayer(panels.profile, panels.profile.base, (l, w, h) => drawProfile(l, w, h, now));
    showLegend(now.coloring);
  }
  table.scene = now;
  drawOverlays(now);
  showCount(now);
  writeHash();
}

let pending = null;
function updateSoon(what) {
  if (pending === null)
    requestAnimationFrame(() => {
      const due = pending;
      pending = null;
      update(due);
    });
  const order = ["over", "view", "table", "all"];
  if (pending === null || order.indexOf(what) > order.indexOf(pending)) pending = what;
}

function fillSelect(select, rows, value) {
  select.innerHTML =
      rows.map(([key,
                 text]) => `<option value="${escapeMarkup(key)}">${escapeMarkup(text)}</option>`)
          .join("");
  select.value = value;
}

// Everything that depends on which arena and which plan are shown.
function rebuild() {
  const arena = current(), many = arena.buffers.length > SVG_MOST;
  for (const name of ["map", "profile"]) panels[name] = makePanel(byId(name), many);
  state.view ||= wholeView(arena);
  byId("title").textContent = `${reports[state.plan].title}: ${arenaName(arena)}`;
  byId("compare").textContent = `plan ${"AB"[state.plan]}, show ${"BA"[state.plan]} (c)`;
  const usable = colorings.filter(([, , when]) => when(arena, plans[state.plan], opposite()));
  fillSelect(byId("color"), usable, state.color);
  fillSelect(
      byId("arena"),
      plans[state.plan].map((a, i) => [i, `${arenaName(a)}, ${sizeText(a.arena_size)}`]),
      state.arena);
  showFigures(arena, opposite());
  showLeftAlone(arena);
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

function setHover(buffer, event) {
  const changed = buffer !== state.hover;
  state.hover = buffer;
  showCard(event);
  if (changed) updateSoon("over");
}

function pin(buffer) {
  select(state.pinned === buffer ? null : buffer);
}

function select(buffer) {
  state.pinned = buffer;
  update("over");
  table.render();
  if (state.pinned) table.reveal(state.pinned);
}

function zoomPoints(center, factor) {
  const arena = current(), v = state.view;
  const width = Math.min(arena.end - arena.begin, Math.max(1, (v.end - v.begin) * factor));
  const share = (center - v.begin) / (v.end - v.begin);
  movePoints(center - share * width, width);
}

function movePoints(begin, width) {
  const arena = current();
  begin = Math.max(arena.begin, Math.min(begin, arena.end - width));
  Object.assign(state.view, {begin, end: begin + width});
  updateSoon("view");
}

function zoomBytes(center, factor) {
  const v = state.view, full = wholeView(current()).high;
  const height = Math.min(full, Math.max(1, (v.high - v.low) * factor));
  moveBytes(center - (center - v.low) / (v.high - v.low) * height, height);
}

function moveBytes(low, height) {
  low = Math.max(0, Math.min(low, wholeView(current()).high - height));
  Object.assign(state.view, {low, high: low + height});
  updateSoon("view");
}

function resetView() {
  state.view = wholeView(current());
  update("view");
}

function switchPlan() {
  if (plans.length < 2) return;
  const key = state.pinned?.key;
  state.plan = 1 - state.plan;
  state.pinned = key === undefined ? null : current().byKey.get(key) || null;
  state.hover = state.view = null;
  update("all");
}

// Moves the cursor to the next point at which anything begins or ends.
function step(direction) {
  const {samples} = current();
  if (!samples.length) return;
  const from = state.cursor ?? current().peak - (direction > 0 ? 1 : 0);
  const at = lastAtMost(samples, from, s => s.point);
  const next = direction > 0 ? at + 1 : samples[at]?.point === from ? at - 1 : at;
  state.cursor = samples[Math.max(0, Math.min(samples.length - 1, next))].point;
  const v = state.view, width = v.end - v.begin;
  if (state.cursor < v.begin || state.cursor > v.end) movePoints(state.cursor - width / 2, width);
  update("over");
}

//===----------------------------------------------------------------------===//
// The hash
//===----------------------------------------------------------------------===//

function writeHash() {
  const whole = wholeView(current()), v = state.view, hash = new URLSearchParams();
  if (state.arena) hash.set("arena", state.arena);
  if (state.plan) hash.set("plan", "B");
  if (state.color !== "size") hash.set("color", state.color);
  if (state.sort !== "size" || !state.down) hash.set("sort", (state.down ? "-" : "") + state.sort);
  if (state.filter) hash.set("filter", state.filter);
  if (state.pinned) hash.set("buffer", state.pinned.key);
  if (state.cursor !== null) hash.set("point", state.cursor);
  if (v.begin !== whole.begin || v.end !== whole.end) hash.set("points", v.begin + ".." + v.end);
  if (v.low !== whole.low || v.high !== whole.high) hash.set("bytes", v.low + ".." + v.high);
  const text = hash.toString();
  if (text !== location.hash.slice(1)) history.replaceState(null, "", "#" + text);
}

function readRange(text) {
  const range = (text || "").split("..").map(Number);
  return range.length === 2 && range[0] < range[1] ? range : null;
}

function readHash() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const arena = +(hash.get("arena") || 0);
  state.plan = hash.get("plan") === "B" && plans.length > 1 ? 1 : 0;
  state.arena = plans[state.plan][arena] ? arena : 0;
  state.color = hash.get("color") || "size";
  const sort = hash.get("sort") || "-size", key = sort.replace(/^-/, "");
  state.sort = columns.some(([name]) => name === key) ? key : "size";
  state.down = sort.startsWith("-");
  state.filter = byId("filter").value = hash.get("filter") || "";
  state.pinned = current().byKey.get(hash.get("buffer")) || null;
  state.cursor = hash.has("point") ? +hash.get("point") : null;
  state.view = wholeView(current());
  const points = readRange(hash.get("points")), bytes = readRange(hash.get("bytes"));
  if (points) [state.view.begin, state.view.end] = points;
  if (bytes) [state.view.low, state.view.high] = bytes;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

function place(event, host) {
  const box = host.getBoundingClientRect();
  return {
    x: event.clientX - box.left,
    y: event.clientY - box.top,
    ax: axes(state.view, host.clientWidth, host.clientHeight)
  };
}

function listenToMap(host) {
  let drag = null;
  host.addEventListener("wheel", event => {
    const {x, y, ax} = place(event, host), factor = 1.0015 ** (event.deltaY || event.deltaX);
    if (event.shiftKey)
      zoomBytes(ax.address(y), factor);
    else
      zoomPoints(ax.point(x), factor);
    event.preventDefault();
  }, {passive: false});
  host.addEventListener("pointerdown", event => {
    drag = {x: event.clientX, y: event.clientY, view: {...state.view}, moved: false};
    host.setPointerCapture(event.pointerId);
  });
  host.addEventListener("pointermove", event => {
    const {x, y, ax} = place(event, host);
    if (!drag) return setHover(bufferAt(current(), Math.floor(ax.point(x)), ax.address(y)), event);
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y, v = drag.view;
    if (Math.abs(dx) + Math.abs(dy) < 4 && !drag.moved) return undefined;
    drag.moved = true;
    movePoints(v.begin - dx * (v.end - v.begin) / (ax.right - ax.left), v.end - v.begin);
    return moveBytes(v.low + dy * (v.high - v.low) / (ax.bottom - ax.top), v.high - v.low);
  });
  host.addEventListener("pointerup", event => {
    const {x, y, ax} = place(event, host);
    const hit =
        drag && !drag.moved ? bufferAt(current(), Math.floor(ax.point(x)), ax.address(y)) : null;
    drag = null;
    if (hit) pin(hit);
  });
  host.addEventListener("pointerleave", event => setHover(null, event));
  host.addEventListener("dblclick", resetView);
}

function listenToProfile(host) {
  let from = null;
  host.addEventListener("pointerdown", event => {
    from = place(event, host).x;
    host.setPointerCapture(event.pointerId);
  });
  host.addEventListener("pointermove", event => {
    if (from === null) return;
    state.brush = [from, place(event, host).x];
    updateSoon("over");
  });
  host.addEventListener("pointerup", event => {
    const {x, ax} = place(event, host);
    if (from === null) return;
    const [first, last] = [Math.min(from, x), Math.max(from, x)].map(ax.point);
    if (Math.abs(x - from) > 4)
      movePoints(first, Math.max(1, last - first));
    else
      state.cursor = Math.max(current().begin, Math.min(current().end, Math.floor(first)));
    from = state.brush = null;
    updateSoon("view");
  });
  host.addEventListener("dblclick", resetView);
}

const keys = {
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  ArrowUp: () => select(table.neighbour(state.pinned, -1)),
  ArrowDown: () => select(table.neighbour(state.pinned, 1)),
  Escape: () => {
    state.pinned = state.cursor = state.hover = null;
    byId("card").hidden = true;
    update("over");
    table.render();
  },
  c: switchPlan,
  0: resetView,
};

function listen() {
  listenToMap(byId("map"));
  listenToProfile(byId("profile"));
  byId("color").addEventListener("change", event => {
    state.color = event.target.value;
    update("view");
  });
  byId("arena").addEventListener("change", event => {
    Object.assign(
        state, {arena: +event.target.value, pinned: null, hover: null, cursor: null, view: null});
    update("all");
  });
  byId("filter").addEventListener("input", event => {
    state.filter = event.target.value;
    update("table");
  });
  byId("compare").addEventListener("click", switchPlan);
  byId("reset").addEventListener("click", resetView);
  addEventListener("resize", () => updateSoon("view"));
  addEventListener("hashchange", () => {
    readHash();
    update("all");
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => update("view"));
  addEventListener("keydown", event => {
    const typing = /^(INPUT|SELECT)$/.test(event.target.tagName);
    if (!keys[event.key] || event.ctrlKey || event.metaKey || (typing && event.key !== "Escape"))
      return;
    keys[event.key]();
    event.preventDefault();
  });
}

byId("compare-choice").hidden = plans.length < 2;
byId("arena-choice").hidden = plans[0].length < 2;
if (plans[0].length) {
  readHash();
  update("all");
  listen();
}
window.stowageMap = {
  state,
  plans,
  panels,
  table,
  current
};
