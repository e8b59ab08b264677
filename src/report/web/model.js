// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the views show, derived once from the report's JSON. Points are program
// order, addresses are bytes; both are plain numbers, exact up to 2^53.

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

function buffersText(count) {
  return count === 1 ? "1 buffer" : `${count} buffers`;
}

function sizeText(bytes) {
  let unit = 0;
  while (bytes >= 1024 && unit < 6) {
    bytes /= 1024;
    unit++;
  }
  return (unit ? bytes.toFixed(2) : String(bytes)) + " " + units[unit];
}

function exactText(bytes) {
  return bytes.toLocaleString("en-US").replaceAll(",", "\u202f") + " B";
}

// What stands at a tick: exact, in the largest unit in which it has no more than three decimals.
function tickText(bytes) {
  let unit = units.length - 1;
  while (unit && (bytes < 1024 ** unit || bytes * 8 % 1024 ** unit)) unit--;
  return (bytes / 1024 ** unit).toLocaleString("en-US").replaceAll(",", "\u202f") + " " +
      units[unit];
}

function percentText(part, whole) {
  return (whole ? part / whole * 100 : 0).toFixed(2) + " %";
}

// The last index of sorted `list` whose key is at most `value`, or -1.
function lastAtMost(list, value, key) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(list[middle]) <= value)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;
}

// What a buffer is to whoever wrote the program: its layer, else the op that makes its values, and
// where that op is.
function labelOf({layer, op, op_location, name, location}) {
  const place = op && op_location || location || "";
  const [, file, line] = place.match(/([^\/]*):(\d+):\d+$/) || [];
  const where = file === undefined ? place : file + ":" + line;
  return layer || (op || name) + (where && " at " + where);
}

const sum = (list, value) => list.reduce((total, one) => total + value(one), 0);

// A piece of a life is [begin, end, low, high] with addresses in the arena.
function makeBuffer(data, index) {
  const offset = data.offset ?? 0;
  const lives = data.pieces?.length ? data.pieces : [[data.begin, data.end]];
  const pieces = lives.map(
      ([begin, end, low = 0, high = data.size]) => [begin, end, offset + low, offset + high]);
  return {
    ...data,
    index,
    pieces,
    op: data.op || "",
    op_location: data.op_location || "",
    layer: data.layer || "",
    label: labelOf(data),
    place: data.op && data.op_location || data.location || "",
    before: data.before || 0,
    inside: data.inside || "",
    key: data.id ?? data.name,
    top: offset + data.size,
    duration: data.end - data.begin,
    words: [data.name, data.op, data.op_location, data.layer, data.type, data.location].join(" ").toLowerCase()
  };
}

// A buffer in which others lie is shown as these.
function partsOf(buffer) {
  return buffer.parts.map((part, i) => ({
                            ...part,
                            id: `${buffer.id ?? buffer.name}/${i}`,
                            inside: buffer.name,
                            size: part.high - part.low,
                            offset: buffer.offset + part.low,
                            alignment: 1
                          }));
}

// A binary heap of [top, end], largest top first.
function pushTop(heap, entry) {
  let at = heap.length;
  heap.push(entry);
  for (let up; at && heap[up = (at - 1) >> 1][0] < entry[0]; at = up) heap[at] = heap[up];
  heap[at] = entry;
}

function popTop(heap) {
  const last = heap.pop();
  let at = 0;
  for (let child; (child = 2 * at + 1) < heap.length; at = child) {
    if (child + 1 < heap.length && heap[child + 1][0] > heap[child][0]) child++;
    if (heap[child][0] <= last[0]) break;
    heap[at] = heap[child];
  }
  if (heap.length) heap[at] = last;
}

// Samples {point, live, highest}: what holds from one point up to the next.
function makeProfile(buffers) {
  const events = [];
  for (const buffer of buffers)
    if (buffer.size)
      for (const [begin, end, low, high] of buffer.pieces)
        events.push([begin, 1, high - low, high, end], [end, 0, high - low, 0, end]);
  events.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const samples = [], heap = [];
  let live = 0;
  events.forEach(([point, begins, size, top, end], i) => {
    live += begins ? size : -size;
    if (begins) pushTop(heap, [top, end]);
    if (i + 1 < events.length && events[i + 1][0] === point) return;
    while (heap.length && heap[0][1] <= point) popTop(heap);
    samples.push({point, live, highest: heap.length ? heap[0][0] : 0});
  });
  return samples;
}

const peakOf = (samples, point) => samples.reduce((most, s) => s.live > most.live ? s : most, {live: 0, point});

// The bytes that at least one of [begin, end, low, high] has. These are in order of `low`.
function coveredBytes(pieces) {
  let covered = 0, top = -Infinity;
  for (const [, , low, high] of pieces) {
    covered += Math.max(0, high - Math.max(low, top));
    top = Math.max(top, high);
  }
  return covered;
}

// The samples of windows that lie over each other: `live` has each address once, `windows` each window.
function makeOccupancy(buffers) {
  const pieces = buffers.filter(b => b.size).flatMap(b => b.pieces).sort((a, b) => a[0] - b[0]);
  let alive = [], next = 0;
  return makeProfile(buffers).map(sample => {
    alive = alive.filter(([, end]) => end > sample.point);
    while (next < pieces.length && pieces[next][0] <= sample.point) alive.push(pieces[next++]);
    alive.sort((a, b) => a[2] - b[2]);
    return {...sample, live: coveredBytes(alive), windows: sample.live};
  });
}

const overlapsMost = 5000;  // a picture has no room for more

const extent = ({piece: [begin, end, low, high]}) => (end - begin) * (high - low);

// Where two windows have the same bytes at the same points, as {under, over, piece}; the smaller is over the other.
// Of very many the largest.
function makeOverlaps(drawn) {
  const overlaps = [];
  let alive = [];
  for (const next of drawn.map((buffer, rank) => ({buffer, rank})).sort((a, b) => a.buffer.begin - b.buffer.begin)) {
    alive = alive.filter(({buffer}) => buffer.end > next.buffer.begin);
    for (const other of alive) {
      const [under, over] = [other, next].sort((a, b) => a.rank - b.rank).map(({buffer}) => buffer);
      const low = Math.max(under.offset, over.offset), high = Math.min(under.top, over.top);
      const piece = [next.buffer.begin, Math.min(under.end, over.end), low, high];
      if (low < high) overlaps.push({under, over, piece});
    }
    alive.push(next);
  }
  return overlaps.length > overlapsMost ? overlaps.sort((a, b) => extent(b) - extent(a)).slice(0, overlapsMost) : overlaps;
}

// An allocation is as large from its first point to its last: what counts is what the windows in it occupy.
function countWindows(arena) {
  const {live, point, windows} = peakOf(arena.samples, arena.peak);
  Object.assign(arena, {load: live, peak: point, windows});
  arena.overlaps = makeOverlaps(arena.drawn.filter(b => b.inside));
}

function makeArena(data) {
  const planned = data.buffers.map(makeBuffer);
  const holders = planned.filter(b => b.parts?.length);
  const shown = data.buffers.flatMap(b => b.parts?.length ? partsOf(b) : [b]);
  const buffers = holders.length ? shown.map(makeBuffer) : planned;
  const counted = holders.length > 0 && !data.thinned;
  const samples = counted ? makeOccupancy(buffers) : data.profile || makeProfile(planned);
  const arena = {...data, buffers, holders, samples, overlaps: []};
  // Of those that lie over each other the smallest is on top.
  arena.drawn = holders.length ? buffers.slice().sort((a, b) => b.size - a.size) : buffers;
  if (counted) countWindows(arena);
  if (holders.length) buffers.forEach(b => b.live_at_peak = isAlive(b, arena.peak));
  // What a reader counts: windows, not the allocation that holds them.
  arena.count = data.planned - planned.length + buffers.length;
  arena.windowed = buffers.some(b => b.before);
  arena.apart = data.planned_bytes + sum(buffers, b => b.before || b.size) - sum(planned, b => b.size);
  arena.peaks = samples.filter((s, i) => s.live === arena.load && samples[i - 1]?.live !== s.live).length;
  arena.placed = data.outcome === "feasible" || data.outcome === "optimal";
  arena.begin = planned.concat(buffers).reduce((least, b) => Math.min(least, b.begin), Infinity);
  arena.end = planned.concat(buffers).reduce((most, b) => Math.max(most, b.end), -Infinity);
  if (!(arena.begin < arena.end)) [arena.begin, arena.end] = [0, 1];
  arena.height = Math.max(arena.arena_size, arena.lower_bound, 1);
  if (arena.capacity > arena.height && arena.capacity <= 2 * arena.height)
    arena.height = arena.capacity;
  arena.left_alone_buffers = data.buffers_left_alone || [];
  arena.byKey = new Map(buffers.map(b => [b.key, b]));
  arena.byPlace = new Map();  // null: several
  for (const b of buffers) arena.byPlace.set(b.location, arena.byPlace.has(b.location) ? null : b);
  return arena;
}

function arenaName(arena) {
  return [arena.function, arena.scope, arena.memory_space && "memory space " + arena.memory_space,
          arena.within && "in the bytes of " + arena.within]
      .filter(Boolean)
      .join(", ");
}

// Time in a kernel is what is between its barriers.
const pointWord = ({workgroup}) => workgroup ? "step" : "point";
const orderTitle = ({workgroup}) => workgroup ? "steps between barriers" : "program order, in points";

function isAlive(buffer, point) {
  return buffer.pieces.some(([begin, end]) => begin <= point && point < end);
}

function sampleAt(arena, point) {
  return arena.samples[lastAtMost(arena.samples, point, s => s.point)] ||
      {point, live: 0, highest: 0};
}

// Whether a point of one plan is the same point of the program in the other: what both have is alive
// at the same points.
function haveSamePoints(arena, other) {
  const pairs = arena.buffers.map(b => [b, other.byKey.get(b.key)]).filter(([, twin]) => twin);
  return pairs.length > 0 && pairs.every(([b, twin]) => b.begin === twin.begin && b.end === twin.end);
}

const haveSameSpan = (arena, other) => arena.begin === other.begin && arena.end === other.end;

// A point of an arena's program, where it is in that of the other: at the same share of it.
function pointIn(other, arena, point) {
  if (haveSameSpan(arena, other)) return point;
  return other.begin + (point - arena.begin) * (other.end - other.begin) / (arena.end - arena.begin);
}

const viewIn = (other, arena, view) => (
    {...view, begin: pointIn(other, arena, view.begin), end: pointIn(other, arena, view.end)});

// The same buffer in another plan. What was cut into parts is found by its place in the source.
function twinOf(buffer, other) {
  return other && (other.byKey.get(buffer.key) || (buffer.location && other.byPlace.get(buffer.location))) || null;
}

// The buffer that owns an address at a point, of parts that take turns the one on top; or null.
function bufferAt(arena, point, address) {
  let found = null;
  for (const buffer of arena.placed ? arena.buffers : [])
    for (const [begin, end, low, high] of buffer.pieces)
      if (begin <= point && point < end && low <= address && address < high &&
          !(found?.size < buffer.size))
        found = buffer;
  return found;
}

const comparisons = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  "=": (a, b) => a === b,
  ">=": (a, b) => a >= b,
  ">": (a, b) => a > b,
};
const filterValues = {
  size: b => b.size,
  life: b => b.duration,
  offset: b => b.offset,
  begin: b => b.begin,
  end: b => b.end,
};

// "4096", "4k" or "4KiB".
function filterNumber(digits, unit) {
  return Number(digits) * 1024 ** " kmgt".indexOf(unit ? unit[0] : " ");
}

const condition =
    /^(at(?==)|size|life|offset|begin|end)([<>]=?|=)(-?\d+(?:\.\d+)?)([kmgt](?:i?b)?)?$/;
const isCondition = word => word === "peak" || condition.test(word);

function makeTest(word) {
  if (word === "peak") return b => b.live_at_peak;
  const [, name, sign, digits, unit] = word.match(condition) || [];
  if (!name) return b => b.words.includes(word);
  const wanted = filterNumber(digits, unit);
  return name === "at" ? b => isAlive(b, wanted) :
                         b => comparisons[sign](filterValues[name](b), wanted);
}

const filterWords = text => text.toLowerCase().split(/\s+/).filter(Boolean);

// A filter is words and conditions; all must hold.
function makeFilter(text) {
  const tests = filterWords(text).map(makeTest);
  return tests.length ? b => tests.every(test => test(b)) : null;
}

// What to say of a word that no buffer has: it may be meant as a condition.
function filterNote(word) {
  if (!/[<>=]/.test(word))
    return `nothing has \u201c${word}\u201d in its name, op, type or location`;
  return `\u201c${word}\u201d is no condition: peak, or one of at, ${
      Object.keys(filterValues).join(", ")} with <, <=, =, >= or > and a number, such as size>4k`;
}

function filterNotes(text, buffers) {
  return filterWords(text)
      .filter(word => !isCondition(word) && !buffers.some(b => b.words.includes(word)))
      .map(filterNote);
}
