// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is on the screen as a PNG: the maps, the profile, and a line that says of what.

function drawPicture() {
  const shown = [panels.map, isBeside() && panels.before, panels.profile].filter(Boolean);
  const places = shown.map(({host}) => host.getBoundingClientRect());
  const left = Math.min(...places.map(p => p.left)), top = Math.min(...places.map(p => p.top)) - 26;
  const layer = new CanvasLayer(document.createElement("div")), now = scene();
  layer.begin(Math.max(...places.map(p => p.right)) - left, Math.max(...places.map(p => p.bottom)) - top);
  const {width, height} = layer.element;
  layer.rect(0, 0, width, height, {fill: cssColor("paper")});
  layer.text(8, 17, `${byId("title").textContent}, ${sizeText(now.arena.arena_size)}`, {fill: cssColor("ink")});
  for (const [i, panel] of shown.entries()) {
    const what = panel === panels.before ? sceneBeside(now) : now;
    const draw = panel === panels.profile ? drawProfile : drawMap;
    layer.context.save();
    layer.context.translate(places[i].left - left, places[i].top - top);
    draw(layer, places[i].width, places[i].height, what);
    layer.context.restore();
  }
  return layer.element;
}

function savePicture() {
  drawPicture().toBlob(blob => {
    const link = document.createElement("a");
    link.download = byId("title").textContent.replace(/[^\w.-]+/g, "-") + ".png";
    link.href = URL.createObjectURL(blob);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
}
