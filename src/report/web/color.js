// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every colouring says something, and its legend says what. Ordered scales rise
// evenly in lightness; categories are told apart with any common colour blindness.

const ordered = ["#fee838", "#c8b866", "#948e77", "#666970", "#35456c", "#00224e"];
const categories = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"];
const others = "#8a929b";

function isDark(color) {
  const [r, g, b] = [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16));
  return 0.3 * r + 0.59 * g + 0.11 * b < 130;
}

// By a number, on a logarithmic scale between the least and the most of all buffers.
function byMagnitude(buffers, value, text) {
  const logs = buffers.filter(b => value(b) > 0).map(b => Math.log2(value(b)));
  const least = logs.reduce((a, b) => Math.min(a, b), Infinity);
  const most = logs.reduce((a, b) => Math.max(a, b), -Infinity);
  const step = (most - least) / ordered.length || 1;
  const pick = v => ordered[Math.max(
      0, Math.min(ordered.length - 1, Math.floor((Math.log2(Math.max(v, 1)) - least) / step)))];
  const legend = !logs.length ?
      [] :
      most === least ?
      [[pick(2 ** least), text(2 ** least)]] :
      ordered.map(
          (color, i) => [color, "\u2265 " + text(Math.ceil(2 ** (least + i * step) - 1e-6))]);
  return {of: b => pick(value(b)), legend};
}

// By a name: the most bytes get the colours, the rest share one.
function byName(buffers, name) {
  const bytes = new Map();
  for (const b of buffers) bytes.set(name(b), (bytes.get(name(b)) || 0) + b.size);
  const ranked = [...bytes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const colors =
      new Map(ranked.slice(0, categories.length).map(([key], i) => [key, categories[i]]));
  const legend = [...colors].map(([key, color]) => [color, key || "(none)"]);
  if (ranked.length > colors.size) legend.push([others, ranked.length - colors.size + " others"]);
  return {of: b => colors.get(name(b)) || others, legend};
}

function byChoice(test, yes, no) {
  return {of: b => test(b) ? "#e69f00" : "#7f9fb6", legend: [["#e69f00", yes], ["#7f9fb6", no]]};
}

// One line per colouring: name in the URL, name in the list, when it makes sense, how. Both
// functions are given the arena, all arenas of its plan, and the same arena of the other plan.
const colorings = [
  ["size", "size", () => true, a => byMagnitude(a.buffers, b => b.size, sizeText)],
  [
    "life", "length of life", () => true,
    a => byMagnitude(a.buffers, b => b.duration, v => v + " points")
  ],
  [
    "peak", "alive at the peak", () => true,
    () => byChoice(b => b.live_at_peak, "alive at the peak", "not alive there")
  ],
  ["op", "op", a => a.buffers.some(b => b.op), a => byName(a.buffers, b => b.op)],
  ["type", "type", a => a.buffers.some(b => b.type), a => byName(a.buffers, b => b.type)],
  [
    "space", "memory space", (a, all) => new Set(all.map(x => x.memory_space)).size > 1,
    (a, all) => {
      const spaces = [...new Set(all.map(x => x.memory_space))].sort();
      const color = categories[spaces.indexOf(a.memory_space) % categories.length];
      return {of: () => color, legend: [[color, a.memory_space || "default space"]]};
    }
  ],
  [
    "moved", "moved between A and B", (a, all, other) => !!other,
    (a, all, other) =>
        byChoice(b => other?.byKey.get(b.key)?.offset !== b.offset, "moved", "same offset")
  ],
];
