// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Many small buffers by what they have in common; the arena and other memory.

const groupMost = 12;

// Lines of long names end behind a dot, slash or underscore.
const breakable = markup => markup.replace(/[._/](?=\w)/g, "$&<wbr>");

function barMarkup(share, cells, data) {
  return `<button type="button"${data === undefined ? " disabled" : ` data-at="${data}"`}><i style="--share:${share}"></i>` +
      cells.map((text, i) => i ? `<span>${breakable(escapeMarkup(text))}</span>` : `<b>${escapeMarkup(text)}</b>`)
          .join("") +
      "</button>";
}

// One line per grouping: name in the list, the group of a buffer, a filter for it.
const powerAtMost = size => 2 ** Math.floor(Math.log2(Math.max(1, size)));
const groupings = [
  ["layer", b => b.layer, name => name],
  ["op", b => b.op, name => name],
  ["type", b => b.type, name => name],
  ["size", b => powerAtMost(b.size), least => `size>=${least} size<${2 * least}`],
];

function groupsOf(buffers, of) {
  const groups = new Map();
  for (const buffer of buffers) {
    const group = groups.get(of(buffer)) || {key: of(buffer), bytes: 0, count: 0};
    group.bytes += buffer.size;
    group.count++;
    groups.set(group.key, group);
  }
  return [...groups.values()].sort((a, b) => b.bytes - a.bytes || (a.key < b.key ? -1 : 1));
}

function showGroups(arena) {
  const host = byId("groups");
  const usable = groupings.filter(([, of]) => arena.buffers.some(b => of(b) !== ""));
  const [name, of, filter] = usable.find(([key]) => key === state.group) || usable[0] || [];
  host.hidden = !name;
  if (!name) return;
  fillSelect(byId("group"), usable.map(([key]) => [key, key]), name);
  const all = groupsOf(arena.buffers, of), shown = all.slice(0, groupMost);
  const whole = all.reduce((sum, group) => sum + group.bytes, 0) || 1;
  host.filters = shown.map(group => filter(group.key));
  const text = key => name === "size" ? "at least " + sizeText(key) : key || "(none)";
  host.querySelector("p").textContent = `of ${sizeText(sum(arena.buffers, b => b.size))}, the sizes of ${buffersText(arena.buffers.length)} added up`;
  host.querySelector("div").innerHTML =
      shown.map(({key, bytes, count}, at) => barMarkup(
                    bytes / whole, [sizeText(bytes), shareText(bytes / whole), text(key), buffersText(count)], at))
          .join("") +
      (all.length > shown.length ? `<p>and ${all.length - shown.length} more</p>` : "");
}

// A click filters.
function listenToGroups(host) {
  byId("group").addEventListener("change", event => {
    state.group = event.target.value;
    showGroups(current());
  });
  host.addEventListener("click", event => {
    const at = event.target.closest("[data-at]")?.dataset.at;
    if (at === undefined) return;
    state.filter = byId("filter").value = host.filters[at];
    update("table");
  });
}

// The arena, and what it does not hold.
function showOutside(arena, outside) {
  const host = byId("outside");
  const mine = outside.filter(({function: of}) => !of || of === arena.function);
  const rows = mine.map(({kind, bytes, function: of}) => [kind, bytes, of ? "of " + of : "of the module"]);
  if (arena.left_alone_bytes) rows.push(["left alone", arena.left_alone_bytes, buffersText(arena.left_alone)]);
  host.hidden = !rows.length;
  rows.unshift(["arena", arena.arena_size, buffersText(arena.count)]);
  const most = Math.max(1, ...rows.map(([, bytes]) => bytes));
  host.querySelector("div").innerHTML =
      rows.map(([word, bytes, note]) => barMarkup(bytes / most, [sizeText(bytes), word, note])).join("");
}
