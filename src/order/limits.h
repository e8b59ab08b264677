//===- limits.h - what a search may cost ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each bounds work or memory that would grow faster than the graph. Where one is reached, the order
// is valid and may be without a proof.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ORDER_LIMITS_H
#define STOWAGE_ORDER_LIMITS_H

// Nodes and units.
enum {
  STOW_ORDER_MOST_RELATED = 8192, // nodes; of more, nothing is known but their neighbours
  STOW_ORDER_MOST_READY = 256,    // nodes that greedy compares, the first ones
  STOW_ORDER_MOST_PAIRED = 1000,  // units; of more, only those that follow each other are compared
  STOW_ORDER_MOST_UNITS = 2048,   // of a search
  STOW_ORDER_MOST_BEAM = 64,      // states that a beam keeps
  STOW_ORDER_LEAST_WINDOW = 12,   // units around the peak that are searched again
  STOW_ORDER_MOST_WINDOW = 96,
  STOW_ORDER_MOST_MODULE = 1 << 22,       // steps to chain one
  STOW_ORDER_MOST_CHAINED = 2048,         // nodes of a graph whose modules are looked for
  STOW_ORDER_MOST_STATE_BYTES = 96 << 20, // of all states of the exact search
};

#endif // STOWAGE_ORDER_LIMITS_H
