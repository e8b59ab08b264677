// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Who holds the peak: the fewest buffers that make up most of it, with their shares.

const peakShare = 0.9, peakMost = 8;

function bytesAt(buffer, point) {
  return buffer.pieces.reduce(
      (sum, [begin, end, low, high]) => sum + (begin <= point && point < end ? high - low : 0), 0);
}

// Those alive at the peak, the largest first, as {buffer, bytes, share}, and how many of them are
// enough for most of it.
function peakHolders(arena) {
  const all = arena.buffers.map(buffer => ({buffer, bytes: bytesAt(buffer, arena.peak)}))
                  .filter(holder => holder.bytes)
                  .sort((a, b) => b.bytes - a.bytes || a.buffer.index - b.buffer.index);
  const whole = all.reduce((sum, holder) => sum + holder.bytes, 0);
  let count = 0, held = 0;
  while (count < Math.min(all.length, peakMost) && held < whole * peakShare)
    held += all[count++].bytes;
  for (const holder of all) holder.share = holder.bytes / whole;
  return {all, count, whole, share: held / whole};
}

function shareText(share) {
  return share < 0.01 ? "under 1 %" : Math.round(share * 100) + " %";
}

function peakTitle({count, share}, windowed) {
  if (windowed) return `${count === 1 ? "This buffer is" : `These ${count} buffers are`} ${shareText(share)} of what is alive at the peak`;
  return count === 1 ? `This buffer holds ${shareText(share)} of the peak` :
                       `These ${count} buffers hold ${shareText(share)} of the peak`;
}

function holderMarkup({buffer, bytes, share}, at) {
  const {label} = buffer;
  const more = [buffer.name, buffer.type].filter(text => text && text !== label).join(", ");
  return barMarkup(share, [shareText(share), sizeText(bytes), label, more], at);
}

function showPeak(arena) {
  const host = byId("peak"), holders = peakHolders(arena),
        shown = holders.all.slice(0, holders.count);
  host.hidden = !shown.length;
  host.holders = shown;
  if (!shown.length) return;
  host.querySelector("h2").textContent = peakTitle(holders, isWindowed(arena));
  const turns = holders.whole > arena.load ? `, whose rows take turns in ${sizeText(arena.load)}` : "";
  const whole = arena.windows ?? arena.load;  // a page may lack small buffers
  host.querySelector("p").textContent =
      `${sizeText(whole)} at ${pointWord(arena)} ${arena.peak}, of ${buffersText(holders.all.length)}${turns}`;
  host.querySelector("div").innerHTML = shown.map(holderMarkup).join("");
}

function listenToPeak(host) {
  const holderAt = event => host.holders[event.target.closest("[data-at]")?.dataset.at]?.buffer;
  host.addEventListener("mousemove", event => setHover(holderAt(event) || null, event));
  host.addEventListener("mouseleave", event => setHover(null, event));
  host.addEventListener("focusin", event => showAt(holderAt(event)));
  host.addEventListener("focusout", () => showAt(null));
  host.addEventListener("click", event => holderAt(event) && pin(holderAt(event)));
}
