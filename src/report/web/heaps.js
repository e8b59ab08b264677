// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the heap holds at most in each function, with the arenas, of what it held before.

function heapMarkup(heap, pass, windowed) {
  const same = `as before ${pass}` + (windowed ? ", after the pass that made rows take turns" : "");
  const words = (heap.before === heap.after ? same : `before ${sizeText(heap.before)}`) +
      (heap.exact ? "" : ", about");
  const share = heap.before ? Math.min(1, heap.after / heap.before) : 0;
  return barMarkup(share, [sizeText(heap.after), heap.function, words]);
}

// They are those of the report's sizes.
function showHeaps(heaps, pass, windowed) {
  const host = byId("heaps");
  host.hidden = !heaps.length || state.at.size > 0;
  host.querySelector("div").innerHTML = heaps.map(heap => heapMarkup(heap, pass, windowed)).join("");
}
