//===- part.h - the buffers of one space as an instance -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_PART_H
#define STOWAGE_TOOL_PART_H

#include "instance.h"

// Copies the buffers that `spaces` puts into `space`, with the pieces and those relations of which
// both buffers are among them. The offsets become those of the plan. On false, out of memory and
// nothing to release.
bool tool_part_make(const tool_instance *instance, const uint64_t *offsets, const uint32_t *spaces,
                    uint32_t space, tool_instance *out_part);

// Copies the buffers that have offsets in the instance, with the spaces.
bool tool_part_of_placed(const tool_instance *instance, tool_instance *out_part);

#endif // STOWAGE_TOOL_PART_H
