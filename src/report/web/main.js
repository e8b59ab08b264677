// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The page: one state, drawn after every change, kept in the URL's hash.

const SVG_MOST = 2000;  // buffers; above, the panels are canvases

const byId = id => document.getElementById(id);
let reports = [], plans = [];  // one, or two to compare, and their arenas

const state = {
  arena: 0,
  plan: 0,
  color: "size",
  sort: "size",
  down: true,
  filter: "",
  pinned: null,     // a buffer
  cursor: null,     // a point
  chosen: null,     // which of the two came last: "pinned" or "cursor"
  hover: null,      // the buffer under the pointer
  probe: null,      // the point under it, on the profile
  pointer: [0, 0],  // where it is
  view: null,
  brush: null,
  at: new Map(),  // the sizes asked for, by name
  limit: 0,       // bytes that the memory has, or 0
  beside: true,   // whether both plans are shown, where there are two
  group: ""
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

// Undefined where a report plans nothing; the other plan may lack an arena that this one has.
const current = () => plans[state.plan][state.arena];
const opposite = () => plans[1 - state.plan]?.[state.arena];

const isBeside = () => !!opposite() && state.beside;

function wholeView(arena) {
  return {begin: arena.begin, end: arena.end, low: 0, high: arena.height * 1.02};
}

// A colouring looks at all buffers, so that the last one made is kept.
let colored = {key: "", coloring: null};

function coloringOf(arena, other) {
  const all = plans[state.plan];
  const usable = ([key, , when]) => key === state.color && when(arena, all, other);
  const [name, , , make] = colorings.find(usable) || colorings[0];
  const key = [state.plan, state.arena, name, isDarkScheme(), isBeside()].join();
  if (colored.key !== key) colored = {key, coloring: make(arena, all, other)};
  return colored.coloring;
}

function scene() {
  const arena = current(), other = opposite();
  return {
    ...state,
    arena,
    other,
    filter: makeFilter(state.filter),
    coloring: coloringOf(arena, other)
  };
}

// The other plan's, beside it.
function sceneBeside(now) {
  const {arena, other, view} = now;
  return {...now, arena: other, other: null, opposed: arena, view: viewIn(other, arena, view)};
}

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

function drawOverlays(now) {
  if (isBeside()) {
    const {other, hover, pinned} = now;
    const before = {...sceneBeside(now), cursor: null, probe: null,
                    hover: hover && twinOf(hover, other), pinned: pinned && twinOf(pinned, other)};
    drawLayer(panels.before, panels.before.over, (l, w, h) => drawOver(l, w, h, before, false));
  }
  drawLayer(panels.map, panels.map.over, (l, w, h) => drawOver(l, w, h, now, false));
  drawLayer(panels.profile, panels.profile.over, (l, w, h) => drawOver(l, w, h, now, true));
}

// `what` is how much has changed: "over" < "view" < "table" < "all".
function update(what) {
  if (!current()) return;
  if (what === "all") rebuild();
  const now = scene();
  if (what === "all" || what === "table") table.show(now, state.sort, state.down);
  if (what === "all" || what === "table") showFilterNote(now);
  showLimit(now.arena);
  if (what !== "over") {
    allowScrolling(panels.map.host);
    drawLayer(panels.map, panels.map.base, (l, w, h) => drawMap(l, w, h, now));
    if (isBeside()) {
      const before = sceneBeside(now);
      drawLayer(panels.before, panels.before.base, (l, w, h) => drawMap(l, w, h, before));
    }
    drawLayer(panels.profile, panels.profile.base, (l, w, h) => drawProfile(l, w, h, now));
    showLegends(now.arena, now.coloring);
  }
  table.scene = now;
  drawOverlays(now);
  showCount(now);
  showCard();
  writeHashSoon();
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

// What tells a plan from the other: its report's title, else its file, else what was planned, else its place.
function planLabel(plan) {
  const labels = [
    at => reports[at].title, at => reports[at].file, at => `${reports[at].title}: ${arenaName(plans[at][state.arena])}`,
    at => ["first", "second"][at] + " plan"];
  return labels.find(label => label(0) !== label(1))(plan);
}

function planName(plan) {
  return `${planLabel(plan)}, ${sizeText(plans[plan][state.arena].arena_size)}`;
}

// Everything that depends on which arena and which plan are shown.
function rebuild() {
  const arena = current(), many = arena.buffers.length > SVG_MOST;
  if (arena.thinned)
    say(`${buffersText(arena.planned)}: the ${arena.buffers.length} largest, by bytes and life, are shown. ` +
        "The figures and the profile count all.");
  byId("before").hidden = !isBeside();
  for (const [name, id] of [["map", "map"], ["before", "map-before"], ["profile", "profile"]])
    panels[name] = makePanel(byId(id), many);
  byId("beside").setAttribute("aria-pressed", isBeside());
  byId("fit").hidden = arena.height < 1.2 * arena.arena_size;
  byId("now").textContent = isBeside() ? planName(state.plan) : "";
  byId("before").querySelector("figcaption").textContent = isBeside() ? planName(1 - state.plan) : "";
  state.view ||= wholeView(arena);
  byId("title").textContent = `${reports[state.plan].title}: ${arenaName(arena)}`;
  byId("compare").textContent = opposite() ? `show ${planLabel(1 - state.plan)} (c)` : "";
  const usable = colorings.filter(([, , when]) => when(arena, plans[state.plan], opposite()));
  fillSelect(byId("color"), usable, state.color);
  fillSelect(
      byId("arena"),
      plans[state.plan].map((a, i) => [i, `${arenaName(a)}, ${sizeText(a.arena_size)}`]),
      state.arena);
  byId("compare-choice").hidden = !opposite();
  byId("arena-choice").hidden = plans[state.plan].length < 2;
  showFigures(arena, opposite());
  showSizes(arena);
  showPeak(arena);
  showGroups(arena);
  showOutside(arena, reports[state.plan].outside);
  showHeaps(reports[state.plan].heaps, reports[state.plan].title, arena.windowed);
  showKernels(reports[state.plan].kernels);
  showFrames(framesAtSizes(reports[state.plan].frames));
  showLeftAlone(arena);
}

//===----------------------------------------------------------------------===//
// Changes
//===----------------------------------------------------------------------===//

function setUnderPointer(hover, probe, event) {
  const changed = hover !== state.hover || probe !== state.probe || state.brush;
  Object.assign(state, {hover, probe, pointer: [event.clientX, event.clientY]});
  showCard();
  if (changed) updateSoon("over");
}

// The card of what the keyboard is at, where the picture has it.
function showAt(buffer) {
  const [clientX, clientY] = (buffer && placeOf(buffer)) || [0, 0];
  setHover(buffer || null, {clientX, clientY});
}

const setHover = (buffer, event) => setUnderPointer(buffer, null, event);
const setProbe = (point, event) => setUnderPointer(null, point, event);

function pin(buffer) {
  select(state.pinned === buffer ? null : buffer);
}

// Makes a buffer or a point what the card tells about until the pointer is over something again.
function choose(kind, value) {
  Object.assign(
      state, {[kind]: value, chosen: value === null ? null : kind, hover: null, probe: null});
}

function select(buffer) {
  choose("pinned", buffer);
  if (buffer) bringIntoView(buffer);
  update("over");
  table.render();
  if (state.pinned) table.reveal(state.pinned);
}

// Moves what is seen to a buffer that is out of sight.
function bringIntoView({begin, end, offset, top}) {
  const v = state.view, width = v.end - v.begin, height = v.high - v.low;
  if (end <= v.begin || begin >= v.end) movePoints((begin + end - width) / 2, width);
  if (top <= v.low || offset >= v.high) moveBytes((offset + top - height) / 2, height);
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

// All points of the arena's own bytes, where the other plan's is higher.
function fitArena() {
  const arena = current();
  state.view = {...wholeView(arena), high: arena.arena_size * 1.02};
  update("view");
}

function resetView() {
  state.view = wholeView(current());
  update("view");
}

function switchPlan() {
  if (!opposite()) return;
  const from = current(), to = opposite();
  state.plan = 1 - state.plan;
  state.view = viewIn(to, from, state.view);
  if (state.cursor !== null) state.cursor = Math.round(pointIn(to, from, state.cursor));
  state.pinned = state.pinned && twinOf(state.pinned, current());
  state.hover = state.probe = null;
  update("all");
}

function showArena(arena) {
  Object.assign(state, {arena, pinned: null, hover: null, cursor: null, view: null});
  update("all");
}

// Moves the cursor to the next point at which anything begins or ends.
function step(direction) {
  const {samples} = current();
  if (!samples.length) return;
  const from = state.cursor ?? current().peak - (direction > 0 ? 1 : 0);
  const at = lastAtMost(samples, from, s => s.point);
  const next = direction > 0 ? at + 1 : samples[at]?.point === from ? at - 1 : at;
  choose("cursor", samples[Math.max(0, Math.min(samples.length - 1, next))].point);
  const v = state.view, width = v.end - v.begin;
  if (state.cursor < v.begin || state.cursor > v.end) movePoints(state.cursor - width / 2, width);
  update("over");
}

// In a comparison both maps have the same scale, and show all points of either where these are the
// same, so that flipping shows what moved. Of different programs each shows its own.
function shareScale([first, second]) {
  for (const [i, arena] of (second || []).entries()) {
    const twin = first[i];
    if (!twin) continue;
    arena.height = twin.height = Math.max(arena.height, twin.height);
    if (!haveSamePoints(arena, twin)) continue;
    arena.begin = twin.begin = Math.min(arena.begin, twin.begin);
    arena.end = twin.end = Math.max(arena.end, twin.end);
  }
}

function makePlans(at) {
  state.at = at;
  plans = reports.map(report => report.arenas.map(data => makeArena(atSizes(data, at))));
  shareScale(plans);
  colored = {key: "", coloring: null};
}

// What is chosen, and the points in sight, stay.
function showAtSizes(at) {
  const key = state.pinned?.key;
  makePlans(at);
  const {low, high} = wholeView(current());
  Object.assign(state.view, {low, high});
  state.pinned = current().byKey.get(key) || null;
  state.hover = state.probe = null;
  update("all");
}

function setReports(list) {
  reports = list;
  makePlans(new Map());
  Object.assign(state, {plan: 0, arena: 0, hover: null, probe: null, chosen: null, brush: null});
  byId("content").hidden = !current();
  if (current())
    followHash();
  else
    byId("title").textContent = reports[0].title + ": nothing is planned";
}

// What the URL says is of the plan before.
function showReports(list) {
  history.replaceState(null, "", "#");
  setReports(list);
}

// The reports that came with the page.
function readReports() {
  const data = ["plan-data", "other-data"].map(byId).filter(element => element.textContent !== "null");
  return data.map(element => parseReport(element.textContent, element.dataset.file || ""));
}

setReports(readReports());
document.title = reports[0].title;
listen();
window.stowageMap = {
  state,
  panels,
  table,
  current,
  writeHash
};
