// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a workgroup of each GPU kernel has of memory, and how many of them a multiprocessor holds.

// The first arena of the kernel, as an index of arenas, or -1.
const arenaOfKernel = kernel => plans[state.plan].findIndex(
    a => a.workgroup && a.function === kernel.function && a.location === kernel.location);

function occupancyText({memory, before, after, next}) {
  const steps = next.map((bytes, i) => `${after + i + 1} with at most ${exactText(bytes)}`);
  return `workgroups in ${sizeText(memory)}: ${after}, before ${before}` + (steps.length ? "; " + steps.join(", ") : "");
}

function kernelMarkup({function: name, before, after, occupancy}, at) {
  const words = [`before ${sizeText(before)}`, occupancy && occupancyText(occupancy)];
  return barMarkup(before ? Math.min(1, after / before) : 0, [sizeText(after), name, words.filter(Boolean).join("; ")], at);
}

function showKernels(kernels) {
  const host = byId("kernels");
  host.hidden = !kernels.length;
  host.kernels = kernels;
  host.querySelector("div").innerHTML = kernels.map(kernelMarkup).join("");
}

function listenToKernels(host) {
  host.addEventListener("click", event => {
    const kernel = host.kernels[event.target.closest("[data-at]")?.dataset.at];
    if (kernel && arenaOfKernel(kernel) >= 0) showArena(arenaOfKernel(kernel));
  });
}
