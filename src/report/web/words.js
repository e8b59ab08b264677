// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The words around the pictures: figures, legend, the card, what was left alone.

function figureMarkup(label, value, bytes, key, note) {
  return `<div><span>${label}</span><b data-figure="${key}" data-value="${bytes}">${value}</b>` +
      `<i>${note || "\u00a0"}</i></div>`;
}

// Whether what is alive is counted by windows, of which several may have the same bytes.
const isWindowed = arena => arena.windows !== undefined;

// How good a plan is; windows were placed in their allocation by a pass before.
function planNote({outcome, planned, holders}) {
  if (holders.length) return `of ${buffersText(planned)}; windows placed before`;
  return {optimal: "none for these lives is smaller", feasible: "a smaller one may exist"}[outcome];
}

function peakNote(arena) {
  const by = isWindowed(arena) && `by ${buffersText(arena.buffers.filter(b => b.live_at_peak).length)} of ${sizeText(arena.windows)}`;
  return [`at ${pointWord(arena)} ${arena.peak}`, arena.peaks > 1 && arena.peaks + " equal peaks", by].filter(Boolean).join(", ");
}

// What is between the arena and the lower bound, and between that and the bytes alive.
function boundNote(arena) {
  const gap = arena.arena_size - arena.lower_bound, padding = isWindowed(arena) ? 0 : arena.lower_bound - arena.load;
  return [
    isWindowed(arena) && "with allocations whole",
    arena.placed && (!isWindowed(arena) || gap) && (gap ? `the arena has ${percentText(gap, arena.lower_bound)} more` : "the arena has no more"),
    padding > 0 && sizeText(padding) + " are padding"].filter(Boolean).join(", ");
}

function savedFigure({apart, arena_size}) {
  const saved = apart - arena_size;
  return figureMarkup("saved", percentText(saved, apart), saved, "saved", `${sizeText(saved)} of ${sizeText(apart)}`);
}

function showFigures(arena, other) {
  const bytes = (label, key, value, note) => figureMarkup(
      label, sizeText(value), value, key, note || (value >= 1024 ? exactText(value) : ""));
  const compared = other ? `${sizeText(other.arena_size)} ${escapeMarkup(planLabel(1 - state.plan))}` : "";
  const held = arena.holders.length;
  const counts = [
    held && `windows in ${held === 1 ? "one allocation" : held + " allocations"}`,
    arena.left_alone && arena.left_alone + " left alone"];
  const ofPlan = arena.placed ?
      [
        bytes("arena", "arena_size", arena.arena_size, compared),
        bytes("without reuse", "planned_bytes", arena.apart,
              (arena.windowed ? "each whole, " : "each buffer ") + "in its own memory"),
        savedFigure(arena),
      ] :
      [];
  byId("figures").innerHTML = [
    ...ofPlan,
    bytes("lower bound", "lower_bound", arena.lower_bound, boundNote(arena)),
    figureMarkup("plan", escapeMarkup(arena.outcome), arena.arena_size, "outcome", planNote(arena)),
    arena.placed && arena.strategy && !(held && arena.planned === 1) ?
        figureMarkup("found by", escapeMarkup(arena.strategy), arena.arena_size, "strategy", strategies[arena.strategy]) :
        "",
    bytes(isWindowed(arena) ? "in use at the peak" : "alive at the peak", "load", arena.load, peakNote(arena)),
    ...(arena.placed ? [] : [bytes("without reuse", "planned_bytes", arena.apart)]),
    figureMarkup("buffers", arena.count, arena.count, "planned", counts.filter(Boolean).join(", ")),
    arena.capacity ? bytes("capacity", "capacity", arena.capacity) : "",
  ].join("");
}

function legendMarkup(rows) {
  return rows
      .map(
          ([color, text, shape]) => `<span><em class="${shape || ""}" style="--color:${
              color}"></em>${escapeMarkup(text)}</span>`)
      .join("");
}

const sharedText = ({overlaps}) => (overlaps.length < overlapsMost ? "" : `the ${overlapsMost} largest that are `) +
    "shared: rows of the one are dead before the other writes there";

// What the colours of the rectangles mean, and what the profile shows. Space is lost only above the
// lower bound: a hole below it costs nothing, because the peak needs the bytes.
function showLegends(arena, coloring) {
  const lost = arena.placed && arena.arena_size > arena.lower_bound;
  const free = arena.placed ? [["var(--free)", "free"]] : [];
  const held = arena.holders.length && arena.planned > 1 ? [["var(--soft)", "allocation with windows", "outline"]] : [];
  const turns = arena.overlaps.length && arena.placed ?
      [["var(--soft)", sharedText(arena), "hatched"]] : [];
  const lines = levelsOf(arena).map(([bytes, word, color, dash]) => [
    `var(--${color})`, `${word} ${sizeText(bytes)}`, dash.length ? "dashed" : "line"]);
  byId("legend").innerHTML = legendMarkup([...coloring.legend, ...turns, ...held, ...free, ...lines]);
  byId("profile-legend").innerHTML = legendMarkup([
    ["var(--live)", isWindowed(arena) ? "in use by windows that are alive, each address once" : "alive"],
    ...(arena.placed ? [["var(--soft)", "highest address in use", "line"]] : []),
    ...(lost ? [["var(--waste)", "lost: in use above the lower bound"]] : []),
    ...(opposite() ? [["var(--mark)", `alive ${planLabel(1 - state.plan)}`, "dashed"]] : []),
    ["var(--bound)", "lower bound", "dashed"],
    ["var(--peak)", "peak", "line"],
  ]);
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

// "256k" as bytes; null where it is none. Zero bytes are no limit.
function readLimit(text) {
  const [, digits, unit] = text.trim().toLowerCase().match(/^(\d+(?:\.\d+)?) ?([kmgt]?)(?:i?b)?$/) || [];
  return digits ? filterNumber(digits, unit) : text.trim() ? null : 0;
}

function showLimit(arena) {
  const note = byId("limit-note"), spare = state.limit - arena.arena_size;
  note.textContent = !state.limit || !arena.placed ? "" :
      spare < 0 ? `${sizeText(-spare)} too large` : `fits, ${sizeText(spare)} to spare`;
  note.classList.toggle("over", spare < 0);
}

function listMarkup(title, rows) {
  return `<h2>${escapeMarkup(title)}</h2><dl>` +
      rows.filter(([, text]) => text)
          .map(([name, text]) => `<dt>${name}</dt><dd>${escapeMarkup(text)}</dd>`)
          .join("") +
      "</dl>";
}

const turnsMost = 4;

function turnsText(buffer) {
  const meets = b => b.inside && b !== buffer && b.begin < buffer.end && buffer.begin < b.end && b.offset < buffer.top && buffer.offset < b.top;
  const others = buffer.inside ? current().drawn.filter(meets).map(b => shortName(b, 40)) : [];
  const more = others.length > turnsMost ? ` and ${others.length - turnsMost} more` : "";
  return others.length ? others.slice(0, turnsMost).join(", ") + more +
          ": same bytes, but rows of the one are dead before the other writes there" : "";
}

function cardMarkup(buffer, other) {
  const twin = twinOf(buffer, other);
  const rows = [
    ["value", buffer.name], ["layer", buffer.layer], ["op", buffer.op],
    ["op at", buffer.op_location], ["type", buffer.type], ["location", buffer.location],
    ["size", sizeText(buffer.size) + (buffer.size >= 1024 ? ", " + exactText(buffer.size) : "")],
    ["before", buffer.before ? sizeText(buffer.before) : ""], ["part of", buffer.inside],
    [
      "offset",
      `${buffer.offset} to ${buffer.top}` +
          (buffer.alignment > 1 ? `, aligned to ${buffer.alignment}` : "")
    ],
    ["takes turns with", turnsText(buffer)],
    ["other plan", twin ? String(twin.offset) : ""],
    [
      "alive",
      buffer.pieces.map(([b, e]) => `[${b}, ${e})`).slice(0, 6).join(" ") +
          (buffer.pieces.length > 6 ? " \u2026" : "") +
          (buffer.live_at_peak ? ", also at the peak" : "")
    ]
  ];
  return listMarkup(buffer.label, rows);
}

function momentMarkup(arena, point) {
  const {live, highest, windows} = sampleAt(arena, point);
  const count = arena.buffers.reduce((sum, b) => sum + isAlive(b, point), 0);
  return listMarkup(`${pointWord(arena)} ${point}`, [
    ["alive", `${sizeText(windows ?? live)} in ${buffersText(count)}`],
    ["addresses in use", windows === undefined ? "" : sizeText(live)], ["highest in use", sizeText(highest)],
    ["free below it", sizeText(Math.max(0, highest - live))]
  ]);
}

// Below and to the right of a place, or above or to the left where it would not fit.
function placeCard(card, x, y) {
  const right = Math.min(x + 16, innerWidth - card.offsetWidth - 8);
  const below = y + 18, fits = below + card.offsetHeight < innerHeight;
  card.style.left = Math.max(4, right) + "px";
  card.style.top = Math.max(4, fits ? below : y - card.offsetHeight - 12) + "px";
}

// Where a buffer's first piece in sight begins on the screen, or null.
function placeOf(buffer) {
  const host = byId("map"), box = host.getBoundingClientRect(), ax = axesOf(host);
  const piece = buffer.pieces.map(p => pieceBox(ax, p)).find(Boolean);
  if (!piece) return null;
  const [x, y, width, height] = piece;
  return [box.left + x + Math.min(width, 24), box.top + y + height];
}

// Where a point is on the profile.
function placeOfPoint(point) {
  const host = byId("profile"), box = host.getBoundingClientRect(), ax = axesOf(host);
  const x = Math.max(ax.left, Math.min(ax.right, ax.x(point)));
  return [box.left + x, box.top + ax.top];
}

// What the card tells about, and where it stands: what is under the pointer, else what was chosen
// last, else nothing.
function cardSubject() {
  const {hover, probe, pinned, cursor, chosen, pointer} = state;
  if (hover) return {buffer: hover, at: pointer};
  if (probe !== null) return {point: probe, at: pointer};
  if (chosen === "cursor") return {point: cursor, at: placeOfPoint(cursor)};
  return {buffer: pinned, at: pinned && placeOf(pinned)};
}

function showCard() {
  const card = byId("card"), {buffer, point, at} = cardSubject();
  card.hidden = !at;
  if (!at) return;
  card.classList.toggle("pinned", !state.hover && state.probe === null);
  card.innerHTML = buffer ? cardMarkup(buffer, opposite()) : momentMarkup(current(), point);
  placeCard(card, ...at);
}

function showCount(now) {
  const at = state.cursor === null ? "" : (() => {
    const sample = sampleAt(now.arena, state.cursor);
    return `; ${pointWord(now.arena)} ${state.cursor}: ${sizeText(sample.live)} ${isWindowed(now.arena) ? "in use" : "alive"}, highest ${
        sizeText(sample.highest)}`;
  })();
  byId("count").textContent = `${table.rows.length} of ${buffersText(now.arena.buffers.length)}${at}`;
}

// What nothing answers to.
function showFilterNote(now) {
  byId("filter-note").textContent = filterNotes(state.filter, now.arena.buffers).join("; ");
}
