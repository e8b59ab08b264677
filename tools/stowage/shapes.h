//===- shapes.h - instances of several shapes, from a seed ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_SHAPES_H
#define STOWAGE_TOOL_SHAPES_H

#include "instance.h"
#include "random.h"

// One line per shape: name, function, a line of help.
#define TOOL_SHAPES(X)                                                                             \
  X("random", make_random,                                                                         \
    "sizes 64 B to 1 MiB, lives up to 10000 points, both log-uniform; starts uniform")             \
  X("chain", make_chain, "a network's inference: each step reads a few recent results")            \
  X("training", make_training, "a network's training: each result lives until its gradient")       \
  X("packing", make_packing, "rectangles that fill an arena without a hole: the bound is met")

#define TOOL_SHAPE_NAMES "random, chain, training or packing"

// On false, `name` is no shape or memory is out: `*out_known` tells which.
bool tool_make_shape(const char *name, size_t count, uint64_t seed, uint64_t alignment,
                     tool_instance *out_instance, bool *out_known);

#endif // STOWAGE_TOOL_SHAPES_H
