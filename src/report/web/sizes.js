// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Plans of sizes that are known at run time only: the report's formulas, computed for other sizes
// than the report's. `at` is what was asked for, a value by name; null is a bit that is either.
// Numbers are doubles, and what these do not count exactly is refused.

function exact(value) {
  if (!Number.isSafeInteger(value)) throw new RangeError("the bytes are too many to be counted");
  return value;
}

function quotientOf(value, divisor) {
  const rest = value % divisor;
  return (value - rest) / divisor - (rest < 0 ? 1 : 0);
}

const folds = new Map([
  ["sum", (a, b) => exact(a + b)],
  ["product", (a, b) => exact(a * b)],
  ["largest", (a, b) => Math.max(a, b)],
  ["smallest", (a, b) => Math.min(a, b)],
]);

// Each step is computed from earlier ones. A bit that is either counts as 1, and so does its inverse.
function computeSteps(steps, values) {
  const out = [], either = [];
  for (const [kind, ...of] of steps) {
    const first = out[of[0]];
    const open = kind === "size" ? values[of[0]] === null : kind === "inverted" && either[of[0]];
    either.push(open);
    out.push(exact(
        open                  ? 1 :
        kind === "number"     ? of[0] :
        kind === "size"       ? values[of[0]] :
        kind === "inverted"   ? 1 - first :
        kind === "quotient"   ? quotientOf(first, of[1]) :
                                of.map(i => out[i]).reduce(folds.get(kind))));
  }
  return out;
}

// The arena's bytes, and size and offset of each buffer. The first plan with the fewest bytes counts.
function computePlan({steps, buffers, plans}, values) {
  const bytes = computeSteps(steps, values);
  const plan = plans.reduce((a, b) => bytes[b.arena_size] < bytes[a.arena_size] ? b : a);
  const places = buffers.map((step, i) => ({size: bytes[step], offset: bytes[plan.offsets[i]]}));
  if (!places.every(({size, offset}) => size >= 0 && offset >= 0))
    throw new RangeError("a buffer would have fewer than 0 bytes");
  return {arena_size: exact(bytes[plan.arena_size]), places};
}

function rangeText({min, max}) {
  if (min === null && max === null) return "";
  if (max === null) return `at least ${min}`;
  return min === null ? `at most ${max}` : `${min} to ${max}`;
}

// Why a size cannot have a value; with no reason, null.
function valueFault(size, value) {
  const {name, min, max} = size;
  if (value === null && min === 0 && max === 1) return null;
  if (!Number.isSafeInteger(value)) return `${name} has to be a whole number`;
  const within = (min === null || min <= value) && (max === null || value <= max);
  return within ? null : `${name}=${value} is outside of what is stated, ${rangeText(size)}`;
}

// An arena of the report with a plan for other sizes. What only the planner
// knows of it is not shown: the lower bound is the bytes alive at the peak.
function arenaAt(data, {arena_size, places}) {
  const moved = data.buffers.map((buffer, i) => ({...buffer, ...places[i]}));
  const lives = moved.map(makeBuffer), samples = makeProfile(lives);
  const peak = peakOf(samples, data.peak);
  const buffers = moved.map((b, i) => ({...b, live_at_peak: isAlive(lives[i], peak.point)}));
  return {
    ...data,
    profile: null,
    buffers,
    arena_size,
    load: peak.live,
    lower_bound: peak.live,
    peak: peak.point,
    highest_at_peak:
        buffers.reduce((most, b) => b.live_at_peak ? Math.max(most, b.offset + b.size) : most, 0),
    planned_bytes: moved.reduce((sum, b) => sum + b.size, 0),
    outcome: arena_size === peak.live ? "optimal" : "feasible",
    capacity: null,
  };
}

// An arena of the report at the sizes asked for, with `values` of its sizes. Where it cannot be
// drawn for these it is as the report has it, and `fault` says why.
function atSizes(data, at) {
  if (!data.formulas) return data;
  const {sizes} = data.formulas, own = sizes.map(size => size.value);
  const values = sizes.map(({name, value}) => at.has(name) ? at.get(name) : value);
  const changed = sizes.filter((size, i) => values[i] !== own[i]);
  if (!changed.length) return {...data, values: own};
  try {
    const fault = changed.map(size => valueFault(size, at.get(size.name))).find(Boolean);
    if (fault) throw new RangeError(fault);
    return {...arenaAt(data, computePlan(data.formulas, values)), values};
  } catch (error) {
    return {...data, values: own, fault: error.message};
  }
}

//===----------------------------------------------------------------------===//
// Controls
//===----------------------------------------------------------------------===//

function sizeMarkup({name, min, max}) {
  const limit = (key, value) => value === null ? "" : ` ${key}="${value}"`;
  const either = min === 0 && max === 1 ? ' placeholder="either"' : "";
  return `<label>${escapeMarkup(name)} <input type="number" step="1" data-name="${
      escapeMarkup(name)}"${limit("min", min)}${limit("max", max)}${
      either} aria-describedby="sizes-note"> <i>${rangeText({min, max})}</i></label>`;
}

function valuesText({formulas, values}) {
  return formulas.sizes.map(({name}, i) => [name, values[i]])
      .filter(([name, value]) => name !== null && value !== null)
      .map(([name, value]) => `${name}=${value}`)
      .join(", ");
}

function sayOfSizes(arena, fault) {
  byId("sizes-note").textContent =
      fault ? `${fault}: not drawn. The map is for ${valuesText(arena)}` : "";
}

// A field per name; the one that is being written into keeps what it has.
function showSizes(arena) {
  const host = byId("sizes"), fields = host.querySelector("div");
  const named = (arena.formulas?.sizes || []).filter(size => size.name !== null);
  const markup = named.map(sizeMarkup).join("");
  host.hidden = !named.length;
  if (host.markup !== markup) fields.innerHTML = host.markup = markup;
  for (const input of fields.querySelectorAll("input")) {
    const at = arena.formulas.sizes.findIndex(size => size.name === input.dataset.name);
    input.removeAttribute("aria-invalid");
    if (input !== document.activeElement) input.value = arena.values[at] ?? "";
  }
  if (named.length) sayOfSizes(arena, arena.fault);
}

// What cannot be drawn changes nothing but the note.
function listenToSizes(host) {
  host.addEventListener("input", ({target}) => {
    const empty = target.value === "" && !target.validity.badInput;
    const at = new Map(state.at).set(target.dataset.name, empty ? null : target.valueAsNumber);
    const {fault} = atSizes(reports[state.plan].arenas[state.arena], at);
    if (!fault) return showAtSizes(at);
    target.setAttribute("aria-invalid", "true");
    return sayOfSizes(current(), fault);
  });
}
