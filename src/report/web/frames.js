// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The frames of entry points as a tree: which callee holds how much of them.

// The arena of the frame's function, as an index of arenas, or -1.
const arenaOfFrame = frame => plans[state.plan].findIndex(
    a => a.function === frame.function && !a.scope && a.memory_space === frame.memory_space);

// By frame, the bytes of the entry point that it is part of.
function entryBytes(frames) {
  let entry = 0;
  return frames.map(frame => frame.depth ? entry : entry = frame.bytes);
}

function frameMarkup(frame, at, whole) {
  const calls = frame.calls > 1 ? `, ${frame.calls} calls` : "";
  const space = frame.memory_space && `, memory space ${frame.memory_space}`;
  const words = frame.kind + space + calls + (frame.above ? ", listed above" : "");
  return `<button type="button" data-at="${at}" style="--depth:${frame.depth}">` +
      `<i style="--share:${whole ? frame.bytes / whole : 0}"></i>` +
      `<b>${sizeText(frame.bytes)}</b><span>${escapeMarkup(frame.function)}</span>` +
      `<span>${escapeMarkup(words)}, aligned to ${frame.alignment}</span></button>`;
}

// Their formulas are words only: at other sizes than the report's nothing is said of them.
function framesAtSizes(frames) {
  return state.at.size && frames.some(frame => frame.formula) ? [] : frames;
}

function showFrames(frames) {
  const host = byId("frames"), wholes = entryBytes(frames);
  host.hidden = !frames.length;
  host.frames = frames;
  host.querySelector("div").innerHTML =
      frames.map((frame, at) => frameMarkup(frame, at, wholes[at])).join("");
}

function listenToFrames(host) {
  host.addEventListener("click", event => {
    const frame = host.frames[event.target.closest("[data-at]")?.dataset.at];
    if (frame && arenaOfFrame(frame) >= 0) showArena(arenaOfFrame(frame));
  });
}
