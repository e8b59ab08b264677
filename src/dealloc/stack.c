//===- stack.c - promote-allocs-to-stack ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocation can be stack memory if its ownership moves nowhere, it does not escape, and
// what frees it is understood. Then it is dead before the op runs again, so that one slot,
// made where the activation begins, does for all. Not in loops whose iterations may run at
// once (place/activation.h).
//
//===----------------------------------------------------------------------===//

#include "dealloc/own/ownership.h"
#include "dealloc/place/activation.h"
#include "ir/buffers.h"
#include "ir/build.h"
#include "ir/size.h"
#include "mlir-c/BuiltinTypes.h"
#include "stowage/passes.h"

#include <stdlib.h>

typedef struct promotion {
  MlirOperation alloc;
  MlirOperation before; // the slot's place
} promotion;

typedef struct promotions {
  stow_memory_alignments alignments;
  STOW_ARRAY(promotion) items;
  stow_op_list deallocs;
} promotions;

static bool is_small(const stow_decision *decision, MlirType type,
                     const stow_promotion_options *options) {
  const stow_layout layout = stow_layout_at(decision->domain.op);
  stow_extent size;
  uint64_t alignment;
  return mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(type)) &&
         stow_memref_size(&layout, type, &size, &alignment) == STOW_SIZE_OK &&
         size.bytes <= options->max_size &&
         mlirShapedTypeGetRank(type) <= (int64_t)options->max_rank;
}

static bool has_stack(const stow_domain *domain, int32_t ref) {
  return stow_activation_has_stack(domain, stow_activation_of(domain, ref));
}

static bool can_promote(const stow_decision *decision, int32_t ref,
                        const stow_promotion_options *options) {
  const stow_domain *domain = &decision->domain;
  const stow_ref *r = &domain->refs.at[ref];
  return domain->is_function && r->origin == STOW_MADE && decision->owners.of[ref].root == ref &&
         has_stack(domain, ref) && mlirValueIsAOpResult(r->value) &&
         stow_is(mlirOpResultGetOwner(r->value), STOW_MEMREF_ALLOC) &&
         is_small(decision, mlirValueGetType(r->value), options) && stow_stays_with(decision, ref);
}

static void collect(const stow_decision *decision, const stow_promotion_options *options,
                    promotions *found) {
  const stow_domain *domain = &decision->domain;
  bool *promoted = stow_allocate(domain->refs.count, sizeof *promoted);
  for (size_t r = 0; r < domain->refs.count; ++r) {
    if (!can_promote(decision, (int32_t)r, options))
      continue;
    promoted[r] = true;
    STOW_PUSH(found->items,
              (promotion){mlirOpResultGetOwner(domain->refs.at[r].value),
                          stow_activation_start(domain, stow_activation_of(domain, (int32_t)r))});
  }
  stow_add_deallocs(decision, promoted, &found->deallocs);
  free(promoted);
}

static void promote(const promotions *found, const promotion *p) {
  stow_builder builder = stow_builder_before(p->before, mlirOperationGetLocation(p->alloc));
  MlirValue old = mlirOperationGetResult(p->alloc, 0);
  MlirValue slot = stow_build_alloca(&builder, mlirValueGetType(old),
                                     stow_memory_alignment(&found->alignments, p->alloc));
  mlirValueReplaceAllUsesOfWith(old, slot);
}

// The slots' places may be ops that go, so these go last.
static void rewrite(const promotions *found) {
  for (size_t i = 0; i < found->items.count; ++i)
    promote(found, &found->items.at[i]);
  for (size_t i = 0; i < found->deallocs.count; ++i)
    mlirOperationDestroy(found->deallocs.at[i]);
  for (size_t i = 0; i < found->items.count; ++i)
    mlirOperationDestroy(found->items.at[i].alloc);
}

void stow_promote_allocs_to_stack(MlirOperation module, const stow_promotion_options *options) {
  stow_promotion_options o;
  stow_take_options(&o, options, sizeof o);
  stow_load_dialects(mlirOperationGetContext(module));
  const stow_ownership_settings settings = {.unknown_ops_escape =
                                                o.unknown_ops == STOW_UNKNOWN_OPS_ESCAPE};
  stow_ownership ownership = stow_ownership_of(module, &settings);
  promotions found = {.alignments = stow_memory_alignments_of(module)};
  for (size_t i = 0; i < ownership.decisions.count; ++i)
    collect(ownership.decisions.at[i], &o, &found);
  stow_ownership_free(&ownership);
  rewrite(&found);
  stow_memory_alignments_free(&found.alignments);
  free(found.items.at), free(found.deallocs.at);
}
