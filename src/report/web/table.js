// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The table of buffers. Only the rows in sight exist, so a hundred thousand cost
// no more than forty.

const rowHeight = 22;

// One line per column: key, heading, whether it is a number, or a path, whose end says most, text of a
// buffer, when it is shown.
const columns = [
  ["name", "name", "", b => b.name, () => true],
  ["size", "size", "number", b => sizeText(b.size), () => true],
  ["before", "before", "number", b => b.before ? sizeText(b.before) : "", a => a.buffers.some(b => b.before)],
  ["layer", "layer", "path", b => b.layer, a => a.buffers.some(b => b.layer)],
  ["op", "op", "path", b => b.op, a => a.buffers.some(b => b.op)],
  ["place", "location", "path", b => b.place, a => a.buffers.some(b => b.place)],
  ["type", "type", "type", b => b.type, a => a.buffers.some(b => b.type)],
  [
    "alignment", "alignment", "number", b => String(b.alignment),
    a => new Set(a.buffers.map(b => b.alignment)).size > 1
  ],
  ["offset", "offset", "number", b => String(b.offset ?? ""), () => true],
  [
    "other", "other plan", "number", (b, other) => String(twinOf(b, other)?.offset ?? ""),
    (a, other) => !!other
  ],
  ["begin", "begin", "number", b => String(b.begin), () => true],
  ["end", "end", "number", b => String(b.end), () => true],
  ["duration", "life", "number", b => String(b.duration), () => true],
];

// The least width of a column in pixels, and its share of what is left, by its kind.
const columnWidths = {number: [100, 0.5], path: [110, 1.3], type: [200, 1.5], "": [96, 1]};

function sortBuffers(buffers, key, down, other) {
  const value = key === "other" ? b => twinOf(b, other)?.offset ?? -1 : b => b[key];
  return buffers.slice().sort((a, b) => {
    const x = value(a), y = value(b);
    return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1) || a.index - b.index;
  });
}

class BufferTable {
  constructor(host, events) {
    this.host = host;
    this.events = events;
    host.addEventListener("scroll", () => this.render());
    host.addEventListener("click", event => this.click(event));
    host.addEventListener("mousemove", event => {
      const row = event.target.closest("#rows .row");
      events.hover(row ? this.rows[+row.dataset.at] : null, event);
    });
    host.addEventListener("mouseleave", event => events.hover(null, event));
  }
  show(scene, sort, down) {
    Object.assign(this, {scene, sort, down});
    const {arena, filter, other} = scene;
    this.shown = columns.filter(([, , , , when]) => when(arena, other));
    this.rows =
        sortBuffers(filter ? arena.buffers.filter(filter) : arena.buffers, sort, down, other);
    const widths = this.shown.map(([, , kind]) => columnWidths[kind]);
    this.grid = `min-width:${sum(widths, ([least]) => least)}px;grid-template-columns:${
        widths.map(([least, share]) => `minmax(${least}px,${share}fr)`).join(" ")}`;
    const head =
        this.shown
            .map(
                ([key, title, kind]) => `<span role="columnheader" data-key="${key}" class="${kind}">${title}` +
                    `${key === sort ? (down ? " \u25bc" : " \u25b2") : ""}</span>`)
            .join("");
    this.host.innerHTML = `<div class="row head" role="row" style="${this.grid}">${head}</div>` +
        `<div id="rows" style="height:${this.rows.length * rowHeight}px"></div>`;
    this.render();
  }
  render() {
    const first = Math.max(0, Math.floor(this.host.scrollTop / rowHeight) - 5);
    const last =
        Math.min(this.rows.length, first + Math.ceil(this.host.clientHeight / rowHeight) + 10);
    const out = [];
    for (let at = first; at < last; at++) out.push(this.rowMarkup(at));
    this.host.querySelector("#rows").innerHTML = out.join("");
  }
  rowMarkup(at) {
    const buffer = this.rows[at], picked = buffer === this.scene.pinned;
    const cells =
        this.shown
            .map(
                ([, , kind, text]) => `<span role="cell" class="${kind}">` +
                    `<bdi dir="ltr">${escapeMarkup(text(buffer, this.scene.other))}</bdi></span>`)
            .join("");
    return `<div class="row${picked ? " picked" : ""}" role="row" data-at="${at}" ` +
        `style="top:${at * rowHeight}px;${this.grid}">${cells}</div>`;
  }
  click(event) {
    const head = event.target.closest("[data-key]"), row = event.target.closest("#rows .row");
    if (head)
      this.events.sort(head.dataset.key);
    else if (row)
      this.events.pin(this.rows[+row.dataset.at]);
  }
  reveal(buffer) {
    const at = this.rows.indexOf(buffer);
    if (at < 0) return;
    const top = at * rowHeight, inside = this.host.clientHeight - 2 * rowHeight;
    if (top < this.host.scrollTop)
      this.host.scrollTop = top;
    else if (top > this.host.scrollTop + inside)
      this.host.scrollTop = top - inside;
    this.render();
  }
  // The row after (or before) the given buffer's, or the first.
  neighbour(buffer, step) {
    const at = this.rows.indexOf(buffer);
    return this.rows[at < 0 ? 0 : Math.max(0, Math.min(this.rows.length - 1, at + step))] || null;
  }
}
