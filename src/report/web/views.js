// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The two pictures. `view` is {begin, end, low, high}: the points and addresses in
// sight. All panels keep the same margins. The profile shows all points whatever is in sight, and
// what that is.

const roomy = {
  left: 96,
  right: 26,
  top: 10,
  bottom: 38
};
// On a telephone: no title beside the addresses.
const narrow = {
  left: 68,
  right: 8,
  top: 8,
  bottom: 36
};

const layersMost = 30;

const overviewOf = arena => ({begin: arena.begin, end: arena.end, low: 0, high: arena.height});

function axes(view, width, height) {
  const margin = width < 600 ? narrow : roomy;
  const w = Math.max(1, width - margin.left - margin.right);
  const h = Math.max(1, height - margin.top - margin.bottom);
  const perPoint = w / (view.end - view.begin), perByte = h / (view.high - view.low);
  return {
    left: margin.left,
    right: margin.left + w,
    edge: width,
    top: margin.top,
    bottom: margin.top + h,
    x: point => margin.left + (point - view.begin) * perPoint,
    y: address => margin.top + h - (address - view.low) * perByte,
    point: x => view.begin + (x - margin.left) / perPoint,
    address: y => view.low + (margin.top + h - y) / perByte,
  };
}

function tickStep(span, most) {
  let step = 1;
  for (let i = 0; span / step > most; i++) step = i % 3 === 1 ? step / 2 * 5 : step * 2;
  return step;
}

function byteStep(span, most) {
  let step = 1;
  while (span / step > most) step *= 2;
  return step;
}

// Counted, not added up: where numbers are so large that adding a step changes nothing, it ends.
function ticks(from, to, step) {
  const first = Math.ceil(from / step), last = Math.min(Math.floor(to / step), first + 20);
  const out = [];
  for (let i = 0; first + i <= last && i <= 20; i++) out.push((first + i) * step);
  return out;
}

function drawTitles(layer, ax, vertical, horizontal) {
  const how = {fill: cssColor("soft"), align: "center"};
  if (horizontal) layer.text((ax.left + ax.right) / 2, ax.bottom + 31, horizontal, how);
  if (ax.left >= roomy.left)
    layer.text(14, (ax.top + ax.bottom) / 2, vertical, {...how, upwards: true});
}

// As [point, word].
function pointTicks(ax, {begin, end}) {
  return ticks(begin, end, tickStep(end - begin, (ax.right - ax.left) / 60)).map(t => [t, String(t)]);
}

// Of two programs on one axis: how much of each has run.
const shareTicks = (ax, {begin, end}) => ticks(0, 100, ax.right - ax.left < 500 ? 25 : 10).map(
    share => [begin + share / 100 * (end - begin), share + " %"]);

function drawAxes(layer, ax, view, points, steps, vertical, horizontal) {
  const soft = cssColor("soft"), rule = cssColor("rule");
  for (const [t, word] of points) {
    layer.line([[ax.x(t), ax.bottom], [ax.x(t), ax.bottom + 4]], {stroke: rule});
    layer.text(Math.min(ax.x(t), ax.edge - 3.5 * word.length), ax.bottom + 16, word, {fill: soft, align: "center"});
  }
  const bytes = byteStep(view.high - view.low, steps);
  for (const a of ticks(view.low, view.high, bytes)) {
    layer.line([[ax.left - 4, ax.y(a)], [ax.left, ax.y(a)]], {stroke: rule});
    layer.text(ax.left - 7, ax.y(a) + 4, tickText(a), {fill: soft, align: "right"});
  }
  drawTitles(layer, ax, vertical, horizontal);
  layer.line([[ax.left, ax.top], [ax.left, ax.bottom], [ax.right, ax.bottom]], {stroke: rule});
}

// What of [from, to) is in sight, in pixels between the two ends; null where nothing is.
function clip(from, to, first, last) {
  const low = Math.max(Math.min(from, to), Math.min(first, last));
  const high = Math.min(Math.max(from, to), Math.max(first, last));
  return high > low ? [low, high - low] : null;
}

function pieceBox(ax, [begin, end, low, high]) {
  const across = clip(ax.x(begin), ax.x(end), ax.left, ax.right);
  const down = clip(ax.y(high), ax.y(low), ax.top, ax.bottom);
  return across && down ? [across[0], down[0], across[1], down[1]] : null;
}

const letterWidth = 6.3;

// Layers are told apart by their ends, ops by their lines; the dialect says little.
function shortName({layer, op, op_location, name, location = ""}, letters) {
  const [line] = !layer && op && (op_location || location).match(/:\d+(?=:\d+$)/) || [""];
  const whole = layer || op.replace(/^\w+\./, "") || name, room = letters - line.length;
  if (whole.length <= room) return whole + line;
  if (line) return room > 2 ? whole.slice(0, room - 1) + "\u2026" + line : room < 0 ? "" : line;
  return letters < 4 ? "" : "\u2026" + whole.slice(1 - letters);
}

// The places of a line of text along the longer side of a box: its middle first, its ends last.
function namePlaces([x, y, w, h], length) {
  const shares = [1 / 2, 1 / 5, 4 / 5, 0, 1], upwards = h > w, height = 12;
  const room = Math.min(length + 6, Math.max(w, h));
  const [across, down] = upwards ? [height, room] : [room, height];
  return shares.flatMap(s => shares.map(t => upwards ? [s, t] : [t, s]))
      .map(([s, t]) => [x + (w - across) * s, y + (h - down) * t, across, down]);
}

// From all that has room to the line of an op alone.
const nameLengths = ({layer, op}, most) => [most, Math.min(most, 9), ...(op && !layer ? [Math.min(most, 5)] : [])];

// Names of boxes in a row do not read as one.
const lettersIn = side => Math.floor((side - Math.min(14, side / 5)) / letterWidth);

const hasLine = ([, , w, h]) => Math.min(w, h) >= 13;

// In a box in which a line of text has room at a free place, interrupting the lines there. Returns that place.
function drawName(layer, buffer, box, color, isFree = () => true) {
  const [, , w, h] = box, upwards = h > w, letters = lettersIn(Math.max(w, h));
  const names = nameLengths(buffer, letters).map(most => shortName(buffer, most));
  const freePlace = name => name && namePlaces(box, name.length * letterWidth).find(isFree);
  const name = names.find(freePlace), place = freePlace(name);
  if (!place) return null;
  const how = {fill: isDark(color) ? "#fff" : "#111", align: "center", upwards, halo: color};
  const [x, y, across, down] = place;
  layer.text(x + across / 2 + (upwards ? 4 : 0), y + down / 2 + (upwards ? 0 : 4), name, how);
  return place;
}

const namesMost = 500;  // of windows, the largest first: a picture has no room for more

// Windows may lie over each other: a name stays clear of what is drawn later and of other names. Returns
// the boxes without a name.
function drawNames(layer, boxes, overlap) {
  const taken = [];
  return boxes.filter(({buffer, box, color, shown}, i) => {
    if (!hasLine(box) || (overlap && i >= namesMost)) return shown;
    const later = overlap ? boxes.slice(i + 1).map(other => other.box).filter(other => meet(other, box)) : [];
    const place = shown && drawName(layer, buffer, box, color, free => !later.concat(taken).some(o => meet(o, free)));
    if (place && overlap) taken.push(place);
    return shown && !place;
  });
}

// Adds its boxes that one can see to `boxes`.
function drawBuffer(layer, ax, buffer, color, shown, edge, boxes) {
  for (const piece of buffer.pieces) {
    const box = pieceBox(ax, piece);
    if (!box) continue;
    const [x, y, w, h] = box;
    const outlined = w > 3 && h > 3;
    layer.rect(x, y, Math.max(w, 0.4), Math.max(h, 0.4), {
      fill: color,
      alpha: shown ? 1 : 0.14,
      stroke: outlined ? edge : null,
      width: 0.7,
      buffer: buffer.index
    });
    if (w > 1 && h > 1) boxes.push({buffer, box, color, shown});
  }
}

// Where two windows have the same bytes at the same time, whichever is on top: stripes, and the edge of the one under it.
function drawOverlap(layer, ax, {under, over, piece}, coloring) {
  const box = pieceBox(ax, piece);
  if (!box || box[2] < 3 || box[3] < 3) return;
  const stroke = isDark(coloring.of(over)) ? "#fff" : "#111";
  layer.hatch(box, {stroke, alpha: 0.4, width: 1, overlap: `${under.index} ${over.index}`});
  layer.rect(...box, {stroke, alpha: 0.55, width: 0.8, dash: [3, 2]});
}

const calloutsMost = 5, calloutHeight = 14;

const meet = ([x, y, w, h], [u, v, s, t]) => x < u + s && u < x + w && y < v + t && v < y + h;

// The places of a name beside a box: right or left of it, at its top, middle or bottom.
function calloutPlaces(ax, [x, y, w, h], width) {
  const heights = [y, y + (h - calloutHeight) / 2, y + h - calloutHeight];
  return [x + w + 8, x - 8 - width]
      .filter(left => left > ax.left && left + width < ax.right)
      .flatMap(left => heights.map(top => [left, top, width, calloutHeight]));
}

// The names of the largest boxes that have no room for them, where nothing is drawn beside these.
function drawCallouts(layer, ax, nameless, boxes, taken) {
  const tall = nameless.filter(({box}) => box[3] > 2 * calloutHeight);
  const largest = tall.sort((a, b) => b.box[2] * b.box[3] - a.box[2] * a.box[3]).slice(0, 2 * calloutsMost);
  const obstacles = boxes.map(({box}) => box).concat(taken), ink = cssColor("ink");
  let count = 0;
  for (const {buffer, box} of largest) {
    const words = `${shortName(buffer, 22)}, ${sizeText(buffer.size)}`;
    const free = calloutPlaces(ax, box, words.length * 6.1)
                     .find(place => !obstacles.some(other => meet(place, other)));
    if (!free || ++count > calloutsMost) continue;
    const [x, y, width] = free, right = x > box[0], middle = y + calloutHeight / 2;
    layer.line([[right ? box[0] + box[2] : box[0], middle], [right ? x - 2 : x + width + 2, middle]], {stroke: ink});
    layer.text(right ? x : x + width, y + 11, words, {fill: ink, align: right ? "left" : "right"});
    obstacles.push(free);
  }
}

function drawLevel(layer, ax, address, color, dash) {
  const y = ax.y(address);
  if (y >= ax.top - 1 && y <= ax.bottom + 1)
    layer.line([[ax.left, y], [ax.right, y]], {stroke: cssColor(color), width: 1.6, dash});
}

function drawPoint(layer, ax, point, color) {
  const x = ax.x(point);
  if (x >= ax.left && x <= ax.right)
    layer.line([[x, ax.top], [x, ax.bottom]], {stroke: cssColor(color), width: 1.4});
}

// The lines across the map as [address, word, colour, dash]. The legend names them.
function levelsOf(arena) {
  const levels = [
    [arena.placed, arena.arena_size, "arena", "arena", []],
    [arena.lower_bound !== arena.arena_size, arena.lower_bound, "lower bound", "bound", [7, 4]],
    [arena.capacity, arena.capacity, "capacity", "capacity", [3, 3]],
    [state.limit, state.limit, "limit", "mark", [3, 3]]
  ];
  return levels.filter(([shown]) => shown).map(([, ...level]) => level);
}

// Where each layer begins, as [point, name]: where the first of a run of buffers that it makes does.
// Of more layers than a band has room for, those that hold them: "features.3" of "features.3.conv.1".
function layerStarts(arena) {
  const made = arena.buffers.filter(b => b.layer).sort((a, b) => a.begin - b.begin);
  const paths = made.map(b => b.layer.split(/(?=[./])/));
  let depth = Math.max(0, ...paths.map(path => path.length)), starts;
  do {
    const names = paths.map(path => path.slice(0, depth).join(""));
    starts = names.flatMap((name, i) => i && names[i - 1] === name ? [] : [[made[i].begin, name]]);
  } while (starts.length > layersMost && --depth > 0);
  return starts;
}

// Under the points: one band, whose pieces are named where a name has room.
function drawLayers(layer, ax, arena) {
  const starts = arena.layerStarts ||= layerStarts(arena);
  starts.forEach(([point, name], i) => {
    const end = starts[i + 1]?.[0] ?? arena.end;
    const across = clip(ax.x(point), ax.x(end), ax.left, ax.right);
    if (!across || across[1] < 0.5) return;
    const [x, w] = across;
    layer.rect(x, ax.bottom + 19, w, 14, {fill: cssColor(i % 2 ? "rule" : "free"), layer: name});
    const text = shortName({layer: name}, Math.floor((w - 4) / letterWidth));
    if (text) layer.text(x + w / 2, ax.bottom + 30, text, {fill: cssColor("ink"), align: "center"});
  });
  return starts.length > 0;
}

// What the lines across the map take.
function linesOf(ax, arena) {
  const levels = levelsOf(arena).map(([address]) => [ax.left, ax.y(address) - 1, ax.right - ax.left, 2]);
  return [...levels, [ax.x(arena.peak) - 1, ax.top, 2, ax.bottom - ax.top]];
}

// Beside the points of another program, those of an arena are its own.
function pointsTitle(arena, other) {
  const own = other && !haveSameSpan(arena, other);
  return own ? `program order: ${Math.round(arena.end - arena.begin)} ${pointWord(arena)}s` : orderTitle(arena);
}

function drawMap(layer, width, height, scene) {
  const {arena, view, coloring, filter} = scene, ax = axes(view, width, height);
  const free = clip(ax.y(0), ax.y(arena.arena_size), ax.top, ax.bottom);
  if (free && arena.placed)
    layer.rect(ax.left, free[0], ax.right - ax.left, free[1], {fill: cssColor("free")});
  const edge = cssColor("edge");
  if (!arena.placed)
    layer.text(
        (ax.left + ax.right) / 2, (ax.top + ax.bottom) / 2, "no plan: " + arena.outcome,
        {fill: cssColor("ink"), align: "center"});
  for (const holder of arena.placed ? arena.holders : [])
    for (const box of holder.pieces.map(piece => pieceBox(ax, piece)).filter(Boolean))
      layer.rect(...box, {stroke: cssColor("soft"), width: 1, holder: holder.name});
  const boxes = [];
  for (const buffer of arena.placed ? arena.drawn : [])
    if (buffer.size && buffer.end > view.begin && buffer.begin < view.end)
      drawBuffer(layer, ax, buffer, coloring.of(buffer), !filter || filter(buffer), edge, boxes);
  for (const overlap of arena.placed ? arena.overlaps : []) drawOverlap(layer, ax, overlap, coloring);
  for (const [address, , color, dash] of levelsOf(arena)) drawLevel(layer, ax, address, color, dash);
  drawPoint(layer, ax, arena.peak, "peak");
  const nameless = drawNames(layer, boxes, arena.holders.length > 0);
  drawCallouts(layer, ax, nameless, boxes, linesOf(ax, arena));
  const title = drawLayers(layer, ax, arena) ? "" : pointsTitle(arena, scene.other || scene.opposed);
  drawAxes(layer, ax, view, pointTicks(ax, view), 10, "address in the arena", title);
}

// The outline of a level over time, which begins and ends at `base` bytes.
function stepPoints(arena, ax, view, base, value) {
  const first = Math.max(0, lastAtMost(arena.samples, view.begin, s => s.point));
  const bottom = ax.y(base), points = [[ax.left, bottom]];
  let level = bottom;
  for (let i = first; i < arena.samples.length && arena.samples[i].point < view.end; i++) {
    const x = Math.max(ax.left, ax.x(arena.samples[i].point)), y = ax.y(value(arena.samples[i]));
    points.push([x, level], [x, y]);
    level = y;
  }
  points.push([ax.right, level], [ax.right, bottom]);
  return points;
}

function drawProfile(layer, width, height, scene) {
  const {arena} = scene, view = overviewOf(arena), ax = axes(view, width, height);
  const bound = arena.lower_bound;
  const live = stepPoints(arena, ax, view, 0, s => s.live);
  layer.line(live, {fill: cssColor("live"), alpha: 0.6});
  if (arena.placed) {
    const lost = stepPoints(arena, ax, view, bound, s => Math.max(s.highest, bound));
    const highest = stepPoints(arena, ax, view, 0, s => s.highest);
    layer.line(lost, {fill: cssColor("waste"), alpha: 0.8});
    layer.line(highest.slice(1, -1), {stroke: cssColor("soft"), width: 1});
  }
  if (scene.other) {
    const theirs = overviewOf(scene.other);
    const others = stepPoints(scene.other, axes({...view, begin: theirs.begin, end: theirs.end}, width, height), theirs, 0, s => s.live);
    layer.line(others, {stroke: cssColor("mark"), width: 1.2, dash: [2, 2]});
  }
  drawLevel(layer, ax, arena.lower_bound, "bound", [7, 4]);
  drawPoint(layer, ax, arena.peak, "peak");
  const shares = scene.other && !haveSameSpan(arena, scene.other);
  drawAxes(layer, ax, view, (shares ? shareTicks : pointTicks)(ax, view), 4, "bytes",
           shares ? "share of each program" : orderTitle(arena));
}

// What is out of sight is dimmed.
function drawInSight(layer, ax, arena, view) {
  for (const [from, to] of [[arena.begin, view.begin], [view.end, arena.end]]) {
    const across = clip(ax.x(from), ax.x(to), ax.left, ax.right);
    if (across)
      layer.rect(across[0], ax.top, across[1], ax.bottom - ax.top, {fill: cssColor("paper"), alpha: 0.7});
  }
}

// The layer that follows the pointer: hovered, pinned, the cursor, and in a comparison the place
// that the pinned buffer has in the other plan.
function drawOver(layer, width, height, scene, tall) {
  const {arena, view, hover, pinned, cursor, probe, other, brush} = scene;
  const ax = axes(tall ? overviewOf(arena) : view, width, height);
  if (tall) drawInSight(layer, ax, arena, view);
  const mark = cssColor("mark");
  const outline = (buffer, how) => buffer.pieces.forEach(piece => {
    const box = pieceBox(ax, piece);
    if (box) layer.rect(...box, how);
  });
  const span = buffer => {
    const across = clip(ax.x(buffer.begin), ax.x(buffer.end), ax.left, ax.right);
    if (across)
      layer.rect(across[0], ax.top, across[1], ax.bottom - ax.top, {fill: mark, alpha: 0.1});
  };
  for (const buffer of new Set([hover, pinned].filter(Boolean))) {
    if (tall)
      span(buffer);
    else
      outline(buffer, {stroke: mark, width: buffer === pinned ? 3 : 2});
  }
  const twin = pinned && twinOf(pinned, other);
  if (twin && !tall) outline(twin, {stroke: mark, width: 2, dash: [5, 4]});
  if (cursor !== null) drawPoint(layer, ax, cursor, "mark");
  if (probe !== null) drawPoint(layer, ax, probe, "soft");
  if (brush && tall) {
    const across = clip(brush[0], brush[1], ax.left, ax.right);
    if (across)
      layer.rect(across[0], ax.top, across[1], ax.bottom - ax.top, {fill: mark, alpha: 0.2});
  }
}
