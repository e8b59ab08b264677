//===- takeover.c - arguments that a function owns ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a function frees its argument on one path and returns it on another, its callers
// must free the result alone. The function's own deallocs say so, and callers outside of
// the module know it. So the function takes the argument over, if on every path the owner
// that it moves to is freed by the program or becomes an owned result.
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/decision.h"

#include <stdlib.h>

typedef struct chain {
  const stow_decision *decision;
  bool *ended; // per ref: it is an owner that needs a dealloc of ours
  stow_walk owners;
} chain;

static void find_ended(chain *c) {
  const stow_releases *releases = &c->decision->releases;
  for (size_t i = 0; i < releases->items.count; ++i)
    c->ended[releases->items.at[i].owner] = true;
  for (size_t i = 0; i < releases->edge_moves.count; ++i)
    c->ended[releases->edge_moves.at[i].owner] = true;
}

// False: ownership goes on in another way than by a move.
static bool go_on_from(chain *c, int32_t ref) {
  const stow_domain *d = &c->decision->domain;
  STOW_EACH_OF(i, d->forwarded_of, ref) {
    const stow_forwarded *f = &d->forwarded.at[i];
    stow_transfer_kind kind = stow_dealloc_transfer_of(&c->decision->owners, f)->kind;
    if (kind == STOW_BORROW)
      continue;
    if (kind != STOW_MOVE)
      return false;
    stow_dealloc_add_phis(d, &c->owners, f);
  }
  return true;
}

static bool is_accounted_for(chain *c, int32_t owner) {
  const stow_owners *owners = &c->decision->owners;
  bool accounted =
      owners->of[owner].root == owner && !owners->of[owner].conditional && !c->ended[owner];
  for (int32_t i = owners->behind.first[owner]; accounted && i < owners->behind.first[owner + 1];
       ++i)
    accounted = go_on_from(c, owners->behind.items[i]);
  return accounted;
}

bool stow_dealloc_frees_argument(const stow_decision *decision, size_t argument) {
  const stow_domain *d = &decision->domain;
  MlirBlock entry = mlirRegionGetFirstBlock(d->region);
  chain c = {.decision = decision,
             .ended = stow_ir_allocate(d->refs.count, sizeof *c.ended),
             .owners = stow_walk_create(d->refs.count)};
  bool accounted = true;
  find_ended(&c);
  stow_walk_add(&c.owners,
                stow_map_get(&d->ref_index, mlirBlockGetArgument(entry, (intptr_t)argument).ptr));
  for (int32_t owner; accounted && stow_walk_next(&c.owners, &owner);)
    accounted = is_accounted_for(&c, owner);
  stow_walk_free(&c.owners);
  free(c.ended);
  return accounted;
}
