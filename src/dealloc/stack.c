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

#include "dealloc/place/activation.h"
#include "dealloc/place/place.h"
#include "ir/buffers.h"
#include "ir/build.h"
#include "ir/nothing_done.h"
#include "ir/size.h"
#include "mlir-c/BuiltinTypes.h"
#include "stowage/passes.h"

#include <stdlib.h>

typedef struct promotion {
  MlirOperation alloc;
  MlirOperation before; // the slot's place
} promotion;

typedef enum fate { PROMOTED, TOO_LARGE, LEAVES, NO_STACK, FATES } fate;

static const char *const why[FATES] = {
    [TOO_LARGE] = "too large, of too many dimensions, of unknown size or in another memory space",
    [LEAVES] = "returned, stored, owned by several in turn or freed by the program itself",
    [NO_STACK] = "where iterations may run at once, or no function with a stack is around",
};

typedef struct promotions {
  stow_memory_alignments alignments;
  STOW_ARRAY(promotion) items;
  stow_op_list deallocs;
  size_t count[FATES];
} promotions;

static bool is_small(const stow_decision *decision, MlirType type,
                     const stow_promotion_options *options) {
  const stow_layout layout = stow_layout_at(decision->domain.op);
  stow_extent size;
  uint64_t alignment;
  return mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(type)) &&
         stow_ir_memref_size(&layout, type, &size, &alignment) == STOW_SIZE_OK &&
         size.bytes <= options->max_size &&
         mlirShapedTypeGetRank(type) <= (int64_t)options->max_rank;
}

static bool has_stack(const stow_domain *domain, int32_t ref) {
  return stow_dealloc_activation_has_stack(domain, stow_dealloc_activation_of(domain, ref));
}

// What becomes of a memref.alloc.
static fate fate_of(const stow_decision *decision, int32_t ref,
                    const stow_promotion_options *options) {
  const stow_domain *domain = &decision->domain;
  if (!is_small(decision, mlirValueGetType(domain->refs.at[ref].value), options))
    return TOO_LARGE;
  if (domain->refs.at[ref].origin != STOW_MADE || decision->owners.of[ref].root != ref ||
      !stow_dealloc_stays_with(decision, ref))
    return LEAVES;
  return domain->is_function && has_stack(domain, ref) ? PROMOTED : NO_STACK;
}

static bool is_alloc(const stow_ref *r) {
  return !mlirValueIsNull(r->value) && mlirValueIsAOpResult(r->value) &&
         (stow_ir_op_traits(mlirOpResultGetOwner(r->value)) & STOW_PLAIN_ALLOC);
}

static void collect(const stow_decision *decision, const stow_promotion_options *options,
                    promotions *found) {
  const stow_domain *domain = &decision->domain;
  bool *promoted = stow_ir_allocate(domain->refs.count, sizeof *promoted);
  for (size_t r = 0; r < domain->refs.count; ++r) {
    if (!is_alloc(&domain->refs.at[r]))
      continue;
    const fate is = fate_of(decision, (int32_t)r, options);
    ++found->count[is];
    if (is != PROMOTED)
      continue;
    promoted[r] = true;
    STOW_PUSH(found->items,
              (promotion){mlirOpResultGetOwner(domain->refs.at[r].value),
                          stow_dealloc_activation_start(
                              domain, stow_dealloc_activation_of(domain, (int32_t)r))});
  }
  stow_dealloc_add(decision, promoted, &found->deallocs);
  free(promoted);
}

static void promote(const promotions *found, const promotion *p) {
  stow_builder builder = stow_builder_before(p->before, mlirOperationGetLocation(p->alloc));
  MlirValue old = mlirOperationGetResult(p->alloc, 0);
  MlirValue slot = stow_ir_build_alloca(&builder, mlirValueGetType(old),
                                        stow_ir_memory_alignment(&found->alignments, p->alloc));
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

// "0 of 3 memref.alloc put on the stack: 1 too large, ...; 2 returned, ..."
static void tell_idle(MlirOperation module, const char *pass, const promotions *found) {
  stow_text text = {0};
  size_t all = 0;
  for (fate f = 0; f < FATES; ++f)
    all += found->count[f];
  if (all == 0)
    stow_text_printf(&text, "no memref.alloc%s", stow_ir_or_tensors(module, ""));
  else
    stow_text_printf(&text, "0 of %zu memref.alloc put on the stack", all);
  const char *between = ": ";
  for (fate f = PROMOTED + 1; f < FATES; ++f)
    if (found->count[f] > 0) {
      stow_text_printf(&text, "%s%zu %s", between, found->count[f], why[f]);
      between = "; ";
    }
  stow_bridge_tell_idle_pass(module, pass, text.data);
  free(text.data);
}

void stow_promote_allocs_to_stack(MlirOperation module, const stow_promotion_options *options) {
  stow_promotion_options o;
  stow_ir_take_options(&o, options, sizeof o);
  stow_bridge_load_dialects(mlirOperationGetContext(module));
  const stow_ownership_settings settings = {.unknown_ops_escape =
                                                o.unknown_ops == STOW_UNKNOWN_OPS_ESCAPE,
                                            .pass = "promote-allocs-to-stack"};
  stow_ownership ownership = stow_ownership_of(module, &settings);
  promotions found = {.alignments = stow_memory_alignments_of(module)};
  for (size_t i = 0; i < ownership.decisions.count; ++i) {
    stow_dealloc_remark_kept(ownership.decisions.at[i], settings.pass);
    collect(ownership.decisions.at[i], &o, &found);
  }
  stow_ownership_free(&ownership);
  rewrite(&found);
  if (found.count[PROMOTED] == 0)
    tell_idle(module, settings.pass, &found);
  stow_memory_alignments_free(&found.alignments);
  free(found.items.at);
  free(found.deallocs.at);
}
