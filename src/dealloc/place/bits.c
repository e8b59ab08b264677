//===- bits.c - whether a conditional owner owns, at run time -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/place/bits.h"
#include "dealloc/place/activation.h"

#include <stdlib.h>

static bool is_conditional(const stow_bits *bits, int32_t ref) {
  const stow_owners *owners = bits->owners;
  return owners->of[ref].conditional && owners->of[ref].root == ref &&
         bits->domain->refs.at[ref].segment >= 0;
}

stow_bits stow_bits_find(const stow_decision *decision, const stow_sites *sites) {
  size_t refs = decision->domain.refs.count;
  stow_bits bits = {.domain = &decision->domain,
                    .owners = &decision->owners,
                    .conditions = stow_ir_allocate(refs, sizeof *bits.conditions),
                    .cell = stow_ir_allocate(refs, sizeof *bits.cell),
                    .memory = stow_ir_allocate(refs, sizeof *bits.memory)};
  bool any = false;
  for (size_t r = 0; r < refs; ++r) {
    bits.cell[r] = -1;
    if (!is_conditional(&bits, (int32_t)r))
      continue;
    if (!stow_condition_find(sites, bits.owners, (int32_t)r, &bits.conditions[r])) {
      bits.conditions[r] = (stow_condition){0};
      bits.cell[r] = (int32_t)r;
      any = true;
    }
  }
  if (any)
    stow_dealloc_share_bits(bits.owners, &decision->releases, bits.cell);
  return bits;
}

void stow_bits_free(stow_bits *bits) {
  free(bits->conditions);
  free(bits->cell);
  free(bits->memory);
  *bits = (stow_bits){0};
}

bool stow_dealloc_bit_is_set(const stow_bits *bits, const stow_forwarded *f, int32_t phi) {
  bool stays = stow_dealloc_transfer_of(bits->owners, f)->kind == STOW_MOVE_OWNED &&
               bits->cell[stow_dealloc_only_owner(bits->owners, f->ref)] == bits->cell[phi];
  return bits->cell[phi] >= 0 && !stays;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static stow_builder at_start_of(const stow_domain *domain, int32_t region) {
  MlirOperation first = stow_dealloc_activation_start(domain, region);
  return stow_builder_before(first, mlirOperationGetLocation(first));
}

static void make_constants(stow_bits *bits, bool on_edge) {
  bool any_set = on_edge, any_negated = false;
  for (int32_t r = 0; r < (int32_t)bits->domain->refs.count; ++r) {
    any_set |= bits->cell[r] >= 0;
    any_negated |= bits->conditions[r].negated;
  }
  if (!any_set && !any_negated)
    return;
  stow_builder builder = at_start_of(bits->domain, 0);
  if (any_set)
    bits->no = stow_dealloc_make_constant(&builder, false);
  bits->yes = stow_dealloc_make_constant(&builder, true);
}

void stow_bits_make(stow_bits *bits, bool on_edge) {
  const stow_domain *domain = bits->domain;
  make_constants(bits, on_edge);
  for (int32_t r = 0; r < (int32_t)domain->refs.count; ++r) {
    if (bits->cell[r] != r)
      continue;
    int32_t region = stow_dealloc_activation_of(domain, r);
    stow_builder builder = at_start_of(domain, region);
    bits->memory[r] =
        stow_dealloc_make_bit(&builder, stow_dealloc_activation_has_stack(domain, region));
  }
}

static void free_at_ends(MlirRegion region, MlirValue memory) {
  STOW_EACH_BLOCK(block, region) {
    MlirOperation end = mlirBlockGetTerminator(block);
    if (mlirBlockGetNumSuccessors(block) > 0)
      continue;
    stow_builder builder = stow_builder_before(end, mlirOperationGetLocation(end));
    stow_ir_build_dealloc(&builder, memory);
  }
}

void stow_bits_end(const stow_bits *bits) {
  const stow_domain *domain = bits->domain;
  for (int32_t r = 0; r < (int32_t)domain->refs.count; ++r) {
    int32_t region = bits->cell[r] == r ? stow_dealloc_activation_of(domain, r) : -1;
    if (region >= 0 && !stow_dealloc_activation_has_stack(domain, region))
      free_at_ends(domain->control->regions.at[region].region, bits->memory[r]);
  }
}

MlirValue stow_dealloc_bit_get(const stow_bits *bits, const stow_builder *builder, int32_t ref) {
  const stow_condition *condition = &bits->conditions[ref];
  if (mlirValueIsNull(condition->value))
    return stow_dealloc_make_get(builder, bits->memory[bits->cell[ref]]);
  if (condition->negated)
    return stow_ir_build_binary(builder, STOW_ARITH_XORI, condition->value, bits->yes);
  return condition->value;
}

void stow_dealloc_bit_set(const stow_bits *bits, const stow_builder *builder, int32_t ref,
                          MlirValue bit) {
  stow_dealloc_make_set(builder, bits->memory[bits->cell[ref]], bit);
}
