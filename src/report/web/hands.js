// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a hand can do: wheel, drag, click, brush, keys.

function place(event, host) {
  const box = host.getBoundingClientRect();
  return {
    x: event.clientX - box.left,
    y: event.clientY - box.top,
    ax: axes(state.view, host.clientWidth, host.clientHeight)
  };
}

const wheelUnits = [1, 18, 400];  // pixels per pixel, line and page

function onWheel(event, host) {
  const {x, y, ax} = place(event, host), unit = wheelUnits[event.deltaMode] || 1;
  const across = event.deltaX * unit, along = event.deltaY * unit;
  event.preventDefault();
  if (event.shiftKey) return zoomBytes(ax.address(y), 1.0015 ** (along || across));
  if (Math.abs(across) <= Math.abs(along)) return zoomPoints(ax.point(x), 1.0015 ** along);
  const width = state.view.end - state.view.begin;
  return movePoints(state.view.begin + across * width / (ax.right - ax.left), width);
}

// Follows one pointer from its main button's press to its end: `move` is called with each event on
// the way, `end` with the last one, or with null where the browser took the pointer away.
function listenToDrags(host, begin, move, end) {
  let pointer = null;
  const finish = (event, last) => {
    if (event.pointerId !== pointer) return;
    pointer = null;
    end(last);
  };
  host.addEventListener("pointerdown", event => {
    if (event.button !== 0 || pointer !== null) return;
    pointer = event.pointerId;
    host.setPointerCapture(pointer);
    begin(event);
  });
  host.addEventListener("pointermove", event => move(event, event.pointerId === pointer));
  host.addEventListener("pointerup", event => finish(event, event));
  host.addEventListener("pointercancel", event => finish(event, null));
}

function hitAt(event, host) {
  const {x, y, ax} = place(event, host);
  const inside = x >= ax.left && x <= ax.right && y >= ax.top && y <= ax.bottom;
  return inside ? bufferAt(current(), Math.floor(ax.point(x)), ax.address(y)) : null;
}

function listenToMap(host) {
  let drag = null;
  host.addEventListener("wheel", event => onWheel(event, host), {passive: false});
  listenToDrags(
      host,
      event => {
        drag = {x: event.clientX, y: event.clientY, view: {...state.view}, moved: false};
      },
      (event, dragging) => {
        if (!dragging) return setHover(hitAt(event, host), event);
        const {ax} = place(event, host), v = drag.view;
        const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
        if (Math.abs(dx) + Math.abs(dy) < 4 && !drag.moved) return undefined;
        drag.moved = true;
        setHover(null, event);
        movePoints(v.begin - dx * (v.end - v.begin) / (ax.right - ax.left), v.end - v.begin);
        return moveBytes(v.low + dy * (v.high - v.low) / (ax.bottom - ax.top), v.high - v.low);
      },
      event => {
        if (event && !drag.moved) pin(hitAt(event, host));
        drag = null;
      });
  host.addEventListener("pointerleave", event => setHover(null, event));
  host.addEventListener("dblclick", resetView);
}

function pointAt(event, host) {
  const {begin, end} = current(), {x, ax} = place(event, host);
  return Math.max(begin, Math.min(end - 1, Math.floor(ax.point(x))));
}

function listenToProfile(host) {
  let from = null;
  listenToDrags(
      host,
      event => {
        from = place(event, host).x;
      },
      (event, dragging) => {
        if (dragging) state.brush = [from, place(event, host).x];
        setProbe(dragging ? null : pointAt(event, host), event);
      },
      event => {
        const {x, ax} = event ? place(event, host) : {x: from};
        state.brush = null;
        if (Math.abs(x - from) > 4) {
          const [first, last] = [Math.min(from, x), Math.max(from, x)].map(ax.point);
          movePoints(first, Math.max(1, last - first));
        } else if (event) {
          state.cursor = pointAt(event, host);
        }
        updateSoon("view");
      });
  host.addEventListener("pointerleave", event => setProbe(null, event));
  host.addEventListener("dblclick", resetView);
}

const keys = {
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  ArrowUp: () => select(table.neighbour(state.pinned, -1)),
  ArrowDown: () => select(table.neighbour(state.pinned, 1)),
  Escape: () => {
    state.pinned = state.cursor = state.hover = state.probe = null;
    update("over");
    table.render();
  },
  c: switchPlan,
  0: resetView,
};

function listen() {
  listenToMap(byId("map"));
  listenToProfile(byId("profile"));
  byId("color").addEventListener("change", event => {
    state.color = event.target.value;
    update("view");
  });
  byId("arena").addEventListener("change", event => {
    Object.assign(
        state, {arena: +event.target.value, pinned: null, hover: null, cursor: null, view: null});
    update("all");
  });
  byId("filter").addEventListener("input", event => {
    state.filter = event.target.value;
    update("table");
  });
  byId("compare").addEventListener("click", switchPlan);
  byId("reset").addEventListener("click", resetView);
  addEventListener("resize", () => updateSoon("view"));
  addEventListener("hashchange", () => {
    readHash();
    update("all");
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => update("view"));
  addEventListener("keydown", event => {
    const typing = /^(INPUT|SELECT)$/.test(event.target.tagName);
    if (!keys[event.key] || event.ctrlKey || event.metaKey || (typing && event.key !== "Escape"))
      return;
    keys[event.key]();
    event.preventDefault();
  });
}
