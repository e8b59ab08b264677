// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reports out of their JSON, whoever wrote it: the page's own and those of files that are opened or
// dropped, also the short form of the command's input. It may be anything, so all of it is looked at.

function expect(holds, what) {
  if (!holds) throw new Error(what);
}

function checkPiece(piece, where) {
  expect(
      Array.isArray(piece) && (piece.length === 2 || piece.length === 4) &&
          piece.every(Number.isFinite),
      `${where} has a piece that is neither [begin, end] nor [begin, end, low, high]`);
}

// A value of the file where it is of the kind of the other one; else that one.
function agreed(value, fallback) {
  if (typeof fallback === "boolean") return value === true;
  if (typeof fallback === "number") return Number.isFinite(value) ? value : fallback;
  return value === null || value === undefined ? fallback : String(value);
}

function agreedMembers(data, fallbacks) {
  return Object.fromEntries(
      Object.entries(fallbacks).map(([key, fallback]) => [key, agreed(data[key], fallback)]));
}

function checkBuffer(data, at) {
  const where = "buffer " + (at + 1), pieces = data?.pieces ?? [];
  expect(data && typeof data === "object", where + " is no object");
  expect(Array.isArray(pieces), where + " has pieces that are no list");
  expect(Array.isArray(data.parts ?? []), where + " has parts that are no list");
  for (const piece of pieces) checkPiece(piece, where);
  const begin = data.begin ?? pieces[0]?.[0], end = data.end ?? pieces.at(-1)?.[1];
  expect([data.size, begin, end].every(Number.isFinite), where + " has no size, begin or end");
  const id = data.id === undefined ? {} : {id: String(data.id)};
  const name = id.id ?? String(at);
  const texts = agreedMembers(data, {name, op: "", op_location: "", layer: "", type: "", location: ""});
  const offset = Number.isFinite(data.offset) ? data.offset : null;
  return {
    ...id,
    ...texts,
    pieces,
    parts: (data.parts ?? []).map(checkPart),
    begin,
    end,
    offset,
    size: data.size,
    before: agreed(data.before, 0),
    alignment: agreed(data.alignment, 1),
    live_at_peak: false
  };
}

function checkPart(data, at) {
  const numbers = ["low", "high", "before", "begin", "end"];
  expect(numbers.every(key => Number.isFinite(data?.[key])), `part ${at + 1} has no ${numbers.join(", ")}`);
  const texts = agreedMembers(data, {name: String(at), op: "", op_location: "", layer: "", type: "", location: ""});
  return {...texts, ...Object.fromEntries(numbers.map(key => [key, data[key]]))};
}

function checkOutside(data) {
  expect(Number.isFinite(data?.bytes), "there is memory beside the arena without bytes");
  return agreedMembers(data, {kind: "", function: "", bytes: 0});
}

function checkFrame(data) {
  return agreedMembers(data ?? {}, {
    function: "", kind: "", memory_space: "", bytes: 0, formula: "", alignment: 1, depth: 0, calls: 0, above: false});
}

function checkHeap(data) {
  return agreedMembers(data ?? {}, {function: "", before: 0, after: 0, exact: false});
}

function checkOccupancy(data) {
  const next = Array.isArray(data.next) ? data.next.filter(Number.isFinite) : [];
  return {...agreedMembers(data, {memory: 0, before: 0, after: 0}), next};
}

function checkKernel(data) {
  const occupancy = data?.occupancy ? checkOccupancy(data.occupancy) : null;
  return {...agreedMembers(data ?? {}, {function: "", location: "", before: 0, after: 0}), occupancy};
}

// The profile of an arena of which the page has the largest buffers only.
function checkSamples(samples) {
  const known = Array.isArray(samples) && samples.every(s => Array.isArray(s) && s.every(Number.isFinite));
  return known ? samples.map(([point, live, highest]) => ({point, live, highest})) : null;
}

function checkLeftAlone(data) {
  const texts = agreedMembers(data ?? {}, {name: "", reason: "", detail: "", location: ""});
  return {...texts, size: Number.isFinite(data?.size) ? data.size : null};
}

// Formulas that give the file's own plan at its own sizes; no others.
function agreedFormulas({formulas, arena_size}, buffers) {
  const number = value => Number.isFinite(value) ? value : null;
  try {
    const sizes = formulas.sizes.map(({name, value, min, max}) => ({
                                       name: name === null ? null : String(name),
                                       value: number(value),
                                       min: number(min),
                                       max: number(max)
                                     }));
    const plan = computePlan(formulas, sizes.map(size => size.value)), {places} = plan;
    const same = plan.arena_size === arena_size && places.length === buffers.length &&
        buffers.every((b, i) => b.size === places[i].size && b.offset === places[i].offset);
    return same ? {...formulas, sizes} : null;
  } catch {
    return null;
  }
}

// What follows from the buffers is computed from them; without all offsets there is no plan.
function checkArena(data, name) {
  const alone = data.buffers_left_alone ?? [];
  expect(Array.isArray(data.buffers) && Array.isArray(alone), "there is no list of buffers");
  const buffers = data.buffers.map(checkBuffer), lives = buffers.map(makeBuffer);
  const placed = buffers.every(b => b.offset !== null || !b.size);
  const thinned = checkSamples(data.samples), profile = thinned || makeProfile(lives);
  const peak = peakOf(profile, agreed(data.peak, 0));
  const top = buffers.reduce((most, b) => Math.max(most, (b.offset ?? 0) + b.size), 0);
  const figures = agreedMembers(data, {
    function: name,
    scope: "",
    location: "",
    workgroup: false,
    memory_space: "",
    within: "",
    outcome: placed && buffers.length ? "feasible" : "the file has no offsets",
    strategy: "",
    lower_bound: 0,
    arena_size: 0,
    planned: buffers.length,
    planned_bytes: buffers.reduce((sum, b) => sum + b.size, 0),
    left_alone: alone.length,
    left_alone_bytes: 0,
  });
  buffers.forEach((b, i) => b.live_at_peak = isAlive(lives[i], peak.point));
  const arena_size = placed ? Math.max(figures.arena_size, top) : 0;
  const lower_bound = Math.max(peak.live, placed ? Math.min(figures.lower_bound, arena_size) : figures.lower_bound);
  const capacity = Number.isFinite(data.capacity) ? data.capacity : null;
  const formulas = data.formulas ? agreedFormulas(data, buffers) : null;
  return {...figures, load: peak.live, peak: peak.point, highest_at_peak: peak.highest ?? 0, arena_size, lower_bound, capacity, thinned: !!thinned, profile,
          buffers, formulas, buffers_left_alone: alone.map(checkLeftAlone)};
}

function parseReport(text, name) {
  const data = JSON.parse(text);
  const arenas = data?.arenas ?? [data];
  expect(Array.isArray(arenas) && arenas.every(a => a && typeof a === "object"), "it is no report");
  const list = (key, check) => Array.isArray(data[key]) ? data[key].map(check) : [];
  return {
    title: agreed(data.title, name),
    file: name,
    arenas: arenas.map(arena => checkArena(arena, name)),
    outside: list("outside", checkOutside),
    heaps: list("heaps", checkHeap),
    kernels: list("kernels", checkKernel),
    frames: list("frames", checkFrame)
  };
}

function say(message) {
  byId("note").textContent = message;
  byId("note").hidden = !message;
}

// One file is shown, two are compared.
async function openFiles(files) {
  const opened = [];
  for (const file of [...files].slice(0, 2)) {
    try {
      opened.push(parseReport(await file.text(), file.name));
    } catch (error) {
      return say(
          `${file.name}: ${error.message}. The report=json:FILE of a pass that plans arenas, or ` +
          "what stowage plan --json or stowage convert has written, can be opened here.");
    }
  }
  say("");
  if (opened.length) showReports(opened);
  return undefined;
}

function listenToFiles() {
  const input = byId("file");
  byId("open").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    openFiles(input.files);
    input.value = "";
  });
  addEventListener("dragover", event => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", event => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  addEventListener("drop", event => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    document.body.classList.remove("dropping");
    openFiles(event.dataTransfer.files);
  });
}
