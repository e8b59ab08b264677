// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two ways to draw the same things: SVG for maps of a size one may want to print
// or take apart, canvas above that. A layer is cleared and drawn anew as a whole.

function cssColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

const solid = [];
const haloWidth = 3;

class CanvasLayer {
  constructor(host) {
    this.element = host.appendChild(document.createElement("canvas"));
    this.context = this.element.getContext("2d");
  }
  begin(width, height) {
    const ratio = window.devicePixelRatio || 1;
    this.element.width = Math.round(width * ratio);
    this.element.height = Math.round(height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.font = "11px ui-sans-serif, system-ui, sans-serif";
    this.dash = null;
  }
  end() {}
  // Tens of thousands of rectangles come here in a row, mostly in the same style.
  style(how) {
    const c = this.context, alpha = how.alpha ?? 1, width = how.width ?? 1,
          dash = how.dash ?? solid;
    if (c.globalAlpha !== alpha) c.globalAlpha = alpha;
    if (c.lineWidth !== width) c.lineWidth = width;
    if (this.dash !== dash) c.setLineDash(this.dash = dash);
    if (how.fill) c.fillStyle = how.fill;
    if (how.stroke) c.strokeStyle = how.stroke;
  }
  rect(x, y, w, h, how) {
    this.style(how);
    if (how.fill) this.context.fillRect(x, y, w, h);
    if (how.stroke) this.context.strokeRect(x, y, w, h);
  }
  line(points, how) {
    const c = this.context;
    this.style(how);
    c.beginPath();
    points.forEach(([x, y], i) => i ? c.lineTo(x, y) : c.moveTo(x, y));
    if (how.fill) c.fill();
    if (how.stroke) c.stroke();
  }
  hatch(box, how) {
    this.style(how);
    this.context.stroke(new Path2D(hatchPath(box)));
  }
  text(x, y, words, how) {
    const c = this.context;
    this.style(how);
    c.textAlign = how.align || "left";
    c.save();
    c.translate(x, y);
    if (how.upwards) c.rotate(-Math.PI / 2);
    if (how.halo) {
      c.strokeStyle = how.halo;
      c.lineWidth = haloWidth;
      c.strokeText(words, 0, 0);
    }
    c.fillText(words, 0, 0);
    c.restore();
  }
}

// Diagonals within a box, in line with those of its neighbours.
function hatchPath([x, y, w, h]) {
  const step = 7, lines = [];
  for (let c = Math.ceil((x + y) / step) * step; c < x + y + w + h; c += step) {
    const left = Math.max(x, c - y - h), right = Math.min(x + w, c - y);
    lines.push(`M${left.toFixed(2)} ${(c - left).toFixed(2)}L${right.toFixed(2)} ${(c - right).toFixed(2)}`);
  }
  return lines.join("");
}

function escapeMarkup(text) {
  return String(text).replace(/[&<>"'\r]/g, c => "&#" + c.charCodeAt(0) + ";");
}

class SvgLayer {
  constructor(host) {
    this.element = host.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
  }
  begin(width, height) {
    this.element.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.parts = [];
  }
  end() {
    this.element.innerHTML = this.parts.join("");
  }
  style(how) {
    return ` fill="${how.fill || "none"}" stroke="${how.stroke || "none"}" stroke-width="${how.width ?? 1}"` +
        ` opacity="${how.alpha ?? 1}" stroke-dasharray="${(how.dash || []).join(" ")}"`;
  }
  marks(how) {
    const data = ["buffer", "layer", "holder", "overlap"].filter(key => how[key] !== undefined);
    return data.map(key => ` data-${key}="${escapeMarkup(how[key])}"`).join("");
  }
  hatch(box, how) {
    this.parts.push(`<path${this.marks(how)} d="${hatchPath(box)}"${this.style(how)}/>`);
  }
  rect(x, y, w, h, how) {
    this.parts.push(
        `<rect${this.marks(how)} x="${x.toFixed(2)}" y="${y.toFixed(2)}" width="${w.toFixed(2)}"` +
        ` height="${h.toFixed(2)}"${this.style(how)}/>`);
  }
  line(points, how) {
    const path = points.map(([x, y]) => x.toFixed(2) + " " + y.toFixed(2)).join("L");
    this.parts.push(`<path d="M${path}"${this.style(how)}/>`);
  }
  text(x, y, words, how) {
    const anchor = {center: "middle", right: "end"}[how.align] || "start";
    const place = `translate(${x.toFixed(1)} ${y.toFixed(1)})${how.upwards ? "rotate(-90)" : ""}`;
    this.parts.push(
        `<text transform="${place}" font-size="11" text-anchor="${anchor}" paint-order="stroke"` +
        `${this.style(how.halo ? {...how, stroke: how.halo, width: haloWidth} : how)}>${escapeMarkup(words)}</text>`);
  }
}

// A panel: a layer that changes with the view, and one above it that follows the pointer.
function makePanel(host, many) {
  host.replaceChildren();
  const Layer = many ? CanvasLayer : SvgLayer;
  return {host, base: new Layer(host), over: new Layer(host), kind: many ? "canvas" : "svg"};
}

function drawLayer(panel, layer, draw) {
  const {clientWidth: width, clientHeight: height} = panel.host;
  layer.begin(width, height);
  draw(layer, width, height);
  layer.end();
}
