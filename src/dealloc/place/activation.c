//===- activation.c - where memory of an activation is made ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/place/activation.h"

static MlirBlock first_block(const stow_domain *domain, int32_t room) {
  return mlirRegionGetFirstBlock(domain->rooms.at[room].region);
}

static uint32_t facts_around(const stow_domain *domain, int32_t room) {
  return stow_op_facts(mlirBlockGetParentOperation(first_block(domain, room)));
}

int32_t stow_activation_of(const stow_domain *domain, int32_t ref) {
  int32_t room = domain->stretches.at[domain->refs.at[ref].stretch].room;
  while (room > 0 && !(facts_around(domain, room) & STOW_OP_PARALLEL))
    room = domain->rooms.at[room].parent;
  return room;
}

// Whether nothing could be freed where a run of the room ends: an op that is not registered may be
// what ends a block.
static bool has_hidden_end(const stow_domain *domain, int32_t room) {
  bool hidden = false;
  for (MlirBlock block = first_block(domain, room); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    hidden |= mlirOperationIsNull(mlirBlockGetTerminator(block));
  return hidden;
}

bool stow_activation_has_stack(const stow_domain *domain, int32_t room) {
  bool repeats = room == 0 ? !domain->is_function : facts_around(domain, room) & STOW_OP_LOOP;
  return !repeats || has_hidden_end(domain, room);
}

MlirOperation stow_activation_start(const stow_domain *domain, int32_t room) {
  return mlirBlockGetFirstOperation(first_block(domain, room));
}
