// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a hand can do: wheel, drag, click, brush, keys.

function place(event, host) {
  const box = host.getBoundingClientRect();
  return {
    x: event.clientX - box.left,
    y: event.clientY - box.top,
    ax: axesOf(host)
  };
}

// Of a panel as it is on the screen.
function axesOf(host) {
  const view = host.id === "profile" ? overviewOf(current()) : state.view;
  return axes(view, host.clientWidth, host.clientHeight);
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

// Follows the pointers on a panel. One that drags, from its main button's press to its end: `move`
// is called with each event on the way, `end` with the last one, or with null where the browser
// took the pointer away or a second finger came. Two fingers pinch until both are gone.
function listenToPointers(host, {begin, move, end}) {
  const fingers = new Map();  // the events of those that are down, by pointer
  let drags = false, grip = null;
  const finish = last => {
    if (drags) end(last);
    drags = false;
  };
  host.addEventListener("pointerdown", event => {
    if (event.button !== 0 || fingers.size === (host.id === "map" ? 2 : 1)) return;
    fingers.set(event.pointerId, event);
    host.setPointerCapture(event.pointerId);
    if (fingers.size === 2) {
      finish(null);
      grip = gripOf(host, fingers);
    } else {
      drags = true;
      begin(event);
    }
  });
  host.addEventListener("pointermove", event => {
    const down = fingers.has(event.pointerId);
    if (down) fingers.set(event.pointerId, event);
    if (fingers.size === 2)
      pinch(host, grip, fingers);
    else if (drags || !down)
      move(event, drags && down);
  });
  const lift = (event, last) => {
    if (!fingers.delete(event.pointerId)) return;
    finish(last);
  };
  host.addEventListener("pointerup", event => lift(event, event));
  host.addEventListener("pointercancel", event => lift(event, null));
  // What a single finger scrolls, two do not.
  const keep = event => event.touches.length > 1 && event.preventDefault();
  host.addEventListener("touchmove", keep, {passive: false});
}

// Where two fingers are: the middle between them, and how far apart they are along each axis.
function spreadOf(host, fingers) {
  const [a, b] = [...fingers.values()].map(event => place(event, host));
  return {
    x: (a.x + b.x) / 2,
    y: (a.y + b.y) / 2,
    across: Math.abs(a.x - b.x),
    along: Math.abs(a.y - b.y)
  };
}

// What two fingers hold when they come down.
function gripOf(host, fingers) {
  const spread = spreadOf(host, fingers), view = {...state.view};
  const ax = axes(view, host.clientWidth, host.clientHeight);
  return {...spread, view, point: ax.point(spread.x), address: ax.address(spread.y)};
}

// How much wider a range has to be for what is between the fingers to stay there. Fingers that are
// close to each other along an axis say nothing about it.
function stretch(before, now) {
  return before < 40 ? 1 : before / Math.max(now, 10);
}

function pinch(host, grip, fingers) {
  const {x, y, across, along} = spreadOf(host, fingers), v = grip.view, arena = current();
  const ax = axes(v, host.clientWidth, host.clientHeight);
  const width = (v.end - v.begin) * stretch(grip.across, across);
  const points = Math.max(1, Math.min(arena.end - arena.begin, width));
  movePoints(grip.point - (x - ax.left) / (ax.right - ax.left) * points, points);
  const height = (v.high - v.low) * stretch(grip.along, along);
  const bytes = Math.max(1, Math.min(wholeView(arena).high, height));
  moveBytes(grip.address - (ax.bottom - y) / (ax.bottom - ax.top) * bytes, bytes);
}

// While all bytes are in sight a finger that goes up or down scrolls the page.
function allowScrolling(host) {
  const whole = wholeView(current()), v = state.view;
  host.style.touchAction = v.high - v.low < whole.high ? "none" : "pan-y";
}

function hitAt(event, host) {
  const {x, y, ax} = place(event, host);
  const inside = x >= ax.left && x <= ax.right && y >= ax.top && y <= ax.bottom;
  return inside ? bufferAt(current(), Math.floor(ax.point(x)), ax.address(y)) : null;
}

function listenToMap(host) {
  let drag = null;
  host.addEventListener("wheel", event => onWheel(event, host), {passive: false});
  listenToPointers(host, {
    begin: event => {
      drag = {x: event.clientX, y: event.clientY, view: {...state.view}, moved: false};
    },
    move: (event, dragging) => {
      if (!dragging) return setHover(hitAt(event, host), event);
      const {ax} = place(event, host), v = drag.view;
      const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
      if (Math.abs(dx) + Math.abs(dy) < 4 && !drag.moved) return undefined;
      drag.moved = true;
      setHover(null, event);
      movePoints(v.begin - dx * (v.end - v.begin) / (ax.right - ax.left), v.end - v.begin);
      return moveBytes(v.low + dy * (v.high - v.low) / (ax.bottom - ax.top), v.high - v.low);
    },
    end: event => {
      if (event && !drag.moved) pin(hitAt(event, host));
      drag = null;
    }
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
  listenToPointers(host, {
    begin: event => {
      from = place(event, host).x;
    },
    move: (event, dragging) => {
      if (dragging) state.brush = [from, place(event, host).x];
      setProbe(dragging ? null : pointAt(event, host), event);
    },
    end: event => {
      const {x, ax} = event ? place(event, host) : {x: from};
      state.brush = null;
      if (Math.abs(x - from) > 4) {
        const [first, last] = [Math.min(from, x), Math.max(from, x)].map(ax.point);
        movePoints(first, Math.max(1, last - first));
      } else if (event) {
        choose("cursor", pointAt(event, host));
      }
      updateSoon("view");
    }
  });
  host.addEventListener("pointerleave", event => setProbe(null, event));
  host.addEventListener("dblclick", resetView);
}

// To and from the middle of what is in sight.
function zoom(factor) {
  const v = state.view;
  zoomPoints((v.begin + v.end) / 2, factor);
  zoomBytes((v.low + v.high) / 2, factor);
}

const keys = {
  "+": () => zoom(1 / 2),
  "-": () => zoom(2),
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  ArrowUp: () => select(table.neighbour(state.pinned, -1)),
  ArrowDown: () => select(table.neighbour(state.pinned, 1)),
  Escape: () => {
    choose("cursor", null);
    choose("pinned", null);
    update("over");
    table.render();
  },
  c: switchPlan,
  0: resetView,
};

// With the keyboard on a picture, its card: of what is chosen, else of the table's first buffer or
// of the peak.
function listenToFocus(host, show) {
  host.addEventListener("focus", () => {
    if (host.matches(":focus-visible") && !state.chosen) show();
  });
  host.addEventListener("blur", () => showAt(null));
}

function showMoment(point) {
  const [clientX, clientY] = placeOfPoint(point);
  setProbe(point, {clientX, clientY});
}

function listen() {
  listenToFocus(byId("map"), () => showAt(table.rows[0]));
  listenToFocus(byId("profile"), () => showMoment(current().peak));
  listenToMap(byId("map"));
  listenToProfile(byId("profile"));
  listenToPeak(byId("peak"));
  listenToGroups(byId("groups"));
  listenToFrames(byId("frames"));
  listenToKernels(byId("kernels"));
  listenToSizes(byId("sizes"));
  listenToFiles();
  byId("color").addEventListener("change", event => {
    state.color = event.target.value;
    update("view");
  });
  byId("arena").addEventListener("change", event => showArena(+event.target.value));
  byId("filter").addEventListener("input", event => {
    state.filter = event.target.value;
    update("table");
  });
  byId("compare").addEventListener("click", switchPlan);
  byId("beside").addEventListener("click", () => {
    state.beside = !state.beside;
    update("all");
  });
  byId("limit").addEventListener("input", event => {
    const limit = readLimit(event.target.value);
    event.target.toggleAttribute("aria-invalid", limit === null);
    state.limit = limit || 0;
    update("view");
  });
  byId("reset").addEventListener("click", resetView);
  byId("fit").addEventListener("click", fitArena);
  byId("in").addEventListener("click", () => zoom(1 / 2));
  byId("out").addEventListener("click", () => zoom(2));
  byId("png").addEventListener("click", savePicture);
  addEventListener("resize", () => updateSoon("view"));
  addEventListener("hashchange", followHash);
  for (const [kind, paper] of [["beforeprint", true], ["afterprint", false]])
    addEventListener(kind, () => {
      document.documentElement.classList.toggle("paper", paper);
      update("view");
    });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => update("view"));
  addEventListener("keydown", event => {
    const typing = /^(INPUT|SELECT)$/.test(event.target.tagName);
    if (!current() || !keys[event.key] || event.ctrlKey || event.metaKey ||
        (typing && event.key !== "Escape"))
      return;
    keys[event.key]();
    event.preventDefault();
  });
}
