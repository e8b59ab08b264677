// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is shown, kept in the URL's hash, so that a link leads to it.

let hashTimer = null, hashWritten = -Infinity;

function writeHash() {
  if (!current()) return;
  const whole = wholeView(current()), v = state.view, hash = new URLSearchParams();
  if (state.arena) hash.set("arena", state.arena);
  if (state.plan) hash.set("plan", "B");
  if (state.color !== "size") hash.set("color", state.color);
  if (state.sort !== "size" || !state.down) hash.set("sort", (state.down ? "-" : "") + state.sort);
  if (state.limit) hash.set("limit", state.limit);
  if (!state.beside) hash.set("beside", 0);
  if (state.filter) hash.set("filter", state.filter);
  if (state.pinned) hash.set("buffer", state.pinned.key);
  if (state.cursor !== null) hash.set("point", state.cursor);
  if (v.begin !== whole.begin || v.end !== whole.end) hash.set("points", v.begin + ".." + v.end);
  if (v.low !== whole.low || v.high !== whole.high) hash.set("bytes", v.low + ".." + v.high);
  for (const [name, value] of state.at) hash.append("at", `${name}=${value ?? ""}`);
  clearTimeout(hashTimer);
  hashTimer = null;
  hashWritten = performance.now();
  const text = hash.toString();
  if (text !== location.hash.slice(1)) history.replaceState(null, "", "#" + text);
}

// Browsers allow about a hundred changes in half a minute; a wheel makes more.
function writeHashSoon() {
  const wait = 400 - (performance.now() - hashWritten);
  if (wait <= 0)
    writeHash();
  else if (hashTimer === null)
    hashTimer = setTimeout(writeHash, wait);
}

function readRange(text) {
  const range = (text || "").split("..").map(Number);
  return range.length === 2 && range[0] < range[1] ? range : null;
}

// A range within the whole: what someone wrote into the address may be anything.
function within([begin, end], least, most) {
  const width = Math.min(end - begin, most - least);
  const first = Math.max(least, Math.min(begin, most - width));
  return [first, first + width];
}

// "n=128" as a name and a value; what comes after no "=" is none.
function readSize(text) {
  const at = text.lastIndexOf("="), digits = text.slice(at + 1);
  return at < 0 ? [] : [[text.slice(0, at), digits === "" ? null : Number(digits)]];
}

function readHash() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const at = new Map(hash.getAll("at").flatMap(readSize));
  if (at.size || state.at.size) makePlans(at);
  const arena = +(hash.get("arena") || 0);
  state.plan = hash.get("plan") === "B" && plans[1]?.length ? 1 : 0;
  state.arena = plans[state.plan][arena] ? arena : 0;
  state.color = colorings.some(([key]) => key === hash.get("color")) ? hash.get("color") : "size";
  const sort = hash.get("sort") || "-size", key = sort.replace(/^-/, "");
  state.sort = columns.some(([name]) => name === key) ? key : "size";
  state.down = sort.startsWith("-");
  state.filter = byId("filter").value = hash.get("filter") || "";
  state.limit = readLimit(hash.get("limit") || "") || 0;
  if (document.activeElement !== byId("limit")) byId("limit").value = hash.get("limit") || "";
  state.beside = hash.get("beside") !== "0";
  state.pinned = current().byKey.get(hash.get("buffer")) || null;
  const point = Number(hash.get("point") ?? NaN), whole = wholeView(current());
  state.cursor = Number.isFinite(point) ? point : null;
  state.view = {...whole};
  const points = readRange(hash.get("points")), bytes = readRange(hash.get("bytes"));
  if (points) [state.view.begin, state.view.end] = within(points, whole.begin, whole.end);
  if (bytes) [state.view.low, state.view.high] = within(bytes, whole.low, whole.high);
}

function followHash() {
  if (!current()) return;
  readHash();
  update("all");
}
