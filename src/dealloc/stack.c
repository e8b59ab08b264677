//===- stack.c - promote-allocs-to-stack ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocation can be stack memory if its buffer stays with it: nothing takes its
// ownership over, it does not get away, and what frees it is understood. Then at most
// one buffer of it is alive in an activation (or in an iteration, where several run at
// once), as it must be dead before the op runs again; so one slot, made where the
// activation begins, does for all.
//
//===----------------------------------------------------------------------===//

#include "dealloc/ownership.h"
#include "ir/build.h"
#include "ir/size.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "stowage/passes.h"

#include <stdlib.h>
#include <string.h>

typedef struct promotion {
  MlirOperation alloc;
  MlirOperation before; // the slot's place
} promotion;

typedef struct promotions {
  promotion *items;
  MlirOperation *deallocs;
  size_t count, capacity, dealloc_count, dealloc_capacity;
} promotions;

static bool is_small(const stow_decision *decision, MlirType type,
                     const stow_promotion_options *options) {
  const stow_layout layout = stow_layout_at(decision->domain.op);
  uint64_t size, alignment;
  return mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(type)) &&
         stow_memref_size(&layout, type, &size, &alignment) == STOW_SIZE_OK &&
         size <= options->max_size && mlirShapedTypeGetRank(type) <= (int64_t)options->max_rank;
}

static bool can_promote(const stow_decision *decision, int32_t ref,
                        const stow_promotion_options *options) {
  const stow_domain *domain = &decision->domain;
  const stow_ref *r = &domain->refs[ref];
  return r->origin == STOW_MADE && decision->owners.root[ref] == ref && domain->is_function &&
         mlirValueIsAOpResult(r->value) &&
         stow_op_is(mlirOpResultGetOwner(r->value), "memref.alloc") &&
         is_small(decision, mlirValueGetType(r->value), options) && stow_stays_with(decision, ref);
}

static MlirBlock first_block(const stow_domain *domain, int32_t room) {
  return mlirRegionGetFirstBlock(domain->rooms[room].region);
}

static MlirOperation place_of_slot(const stow_domain *domain, int32_t ref) {
  int32_t room = domain->stretches[domain->refs[ref].stretch].room;
  while (room > 0 && !(stow_op_facts(mlirBlockGetParentOperation(first_block(domain, room))) &
                       STOW_OP_PARALLEL))
    room = domain->rooms[room].parent;
  return mlirBlockGetFirstOperation(first_block(domain, room));
}

static void collect(const stow_decision *decision, const stow_promotion_options *options,
                    promotions *found) {
  const stow_domain *domain = &decision->domain;
  bool *promoted = stow_allocate(domain->ref_count, sizeof *promoted);
  for (size_t r = 0; r < domain->ref_count; ++r) {
    if (!can_promote(decision, (int32_t)r, options))
      continue;
    promoted[r] = true;
    found->items = stow_grow(found->items, found->count, &found->capacity, sizeof *found->items);
    found->items[found->count++] =
        (promotion){mlirOpResultGetOwner(domain->refs[r].value), place_of_slot(domain, (int32_t)r)};
  }
  for (size_t f = 0; f < domain->free_count; ++f) {
    int32_t owner = stow_freed_owner(decision, &domain->frees[f]);
    if (owner < 0 || !promoted[owner])
      continue;
    found->deallocs = stow_grow(found->deallocs, found->dealloc_count, &found->dealloc_capacity,
                                sizeof *found->deallocs);
    found->deallocs[found->dealloc_count++] = domain->frees[f].op;
  }
  free(promoted);
}

static void promote(const promotion *p) {
  stow_builder builder = stow_builder_before(p->before, mlirOperationGetLocation(p->alloc));
  MlirValue old = mlirOperationGetResult(p->alloc, 0);
  const int32_t segments[] = {0, 0};
  const char *const names[] = {"operandSegmentSizes", "alignment"};
  stow_attribute attributes[2] = {{names[0], mlirDenseI32ArrayGet(builder.context, 2, segments)}};
  stow_op_parts parts = {.name = "memref.alloca",
                         .result = mlirValueGetType(old),
                         .attributes = attributes,
                         .attribute_count = 1};
  MlirStringRef name = mlirStringRefCreateFromCString(names[1]);
  MlirAttribute alignment = mlirOperationGetAttributeByName(p->alloc, name);
  if (!mlirAttributeIsNull(alignment))
    attributes[parts.attribute_count++] = (stow_attribute){names[1], alignment};
  MlirOperation slot = stow_build_op(&builder, &parts);
  mlirValueReplaceAllUsesOfWith(old, mlirOperationGetResult(slot, 0));
}

// The slots' places may be allocs that are promoted, so these go last.
static void rewrite(const promotions *found) {
  for (size_t i = 0; i < found->dealloc_count; ++i)
    mlirOperationDestroy(found->deallocs[i]);
  for (size_t i = 0; i < found->count; ++i)
    promote(&found->items[i]);
  for (size_t i = 0; i < found->count; ++i)
    mlirOperationDestroy(found->items[i].alloc);
}

void stow_promote_allocs_to_stack(MlirOperation module, const stow_promotion_options *options) {
  stow_promotion_options o = {0};
  size_t size = options->struct_size ? options->struct_size : sizeof o;
  memcpy(&o, options, size < sizeof o ? size : sizeof o);
  stow_load_dialects(mlirOperationGetContext(module));
  const stow_ownership_settings settings = {.unknown_ops_escape = o.unknown_ops_escape};
  stow_ownership ownership = stow_ownership_of(module, &settings);
  promotions found = {0};
  for (size_t i = 0; i < ownership.decision_count; ++i)
    collect(ownership.decisions[i], &o, &found);
  stow_ownership_free(&ownership);
  rewrite(&found);
  free(found.items), free(found.deallocs);
}
