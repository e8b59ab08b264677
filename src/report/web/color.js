// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every colouring says something, and its legend says what. Ordered scales rise
// evenly in lightness; categories are told apart with any common colour blindness.

const onLight = ["#c4d8ec", "#a9c7e2", "#f0ad5c", "#e67a38", "#c93f1d", "#8a0012"];
const onDark = ["#3d5063", "#54708c", "#8a6a4e", "#b8682a", "#f08a2c", "#ffdc66"];
const categories = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"];
const others = "#8a929b";

function isDark(color) {
  const [r, g, b] = [1, 3, 5].map(at => parseInt(color.slice(at, at + 2), 16));
  return 0.3 * r + 0.59 * g + 0.11 * b < 130;
}

const onPaper = () => document.documentElement.classList.contains("paper");
const isDarkScheme = () => matchMedia("(prefers-color-scheme: dark)").matches && !onPaper();

// The least values of up to onLight.length classes, such that each has about the same share of the
// picture; large and small areas count by their square roots, or the largest would be all there is.
function classBounds(buffers, value) {
  const sorted = buffers.filter(b => value(b) > 0).sort((a, b) => value(a) - value(b));
  const weights = sorted.map(b => Math.sqrt(b.size * b.duration) || 1);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const bounds = [];
  let passed = 0;
  sorted.forEach((b, i) => {
    const due = passed >= whole * bounds.length / onLight.length;
    if (due && value(b) !== bounds.at(-1)) bounds.push(value(b));
    passed += weights[i];
  });
  return bounds;
}

// By a number: what is more stands out from the paper more.
function byMagnitude(buffers, value, text) {
  const bounds = classBounds(buffers, value), scale = isDarkScheme() ? onDark : onLight;
  const last = scale.length - 1;
  const most = bounds.length - 1;
  const color = i => scale[most < 1 ? last >> 1 : Math.round(i * last / most)];
  const legend = bounds.map((least, i) => [color(i), (most < 1 ? "" : "\u2265 ") + text(least)]);
  return {of: b => color(Math.max(0, lastAtMost(bounds, value(b), v => v))), legend};
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
  return {of: b => test(b) ? "#d55e00" : "#7f9fb6", legend: [["#d55e00", yes], ["#7f9fb6", no]]};
}

// One scale for all that is drawn.
const inSight = (arena, other) => isBeside() ? arena.buffers.concat(other.buffers) : arena.buffers;

// One line per colouring: name in the URL, name in the list, when it makes sense, how. Both
// functions are given the arena, all arenas of its plan, and the same arena of the other plan.
const colorings = [
  ["size", "size", () => true, (a, all, other) => byMagnitude(inSight(a, other), b => b.size, sizeText)],
  [
    "life", "length of life", () => true,
    a => byMagnitude(a.buffers, b => b.duration, v => v + " points")
  ],
  [
    "peak", "alive at the peak", () => true,
    () => byChoice(b => b.live_at_peak, "alive at the peak", "not alive there")
  ],
  ["layer", "layer", a => a.buffers.some(b => b.layer), a => byName(a.buffers, b => b.layer)],
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
    "moved", "moved between the plans", (a, all, other) => !!other,
    (a, all, other) =>
        byChoice(b => twinOf(b, other)?.offset !== b.offset, "moved", "same offset")
  ],
];
