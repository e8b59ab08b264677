//===- activation.c - where memory of an activation is made ---------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dealloc/place/activation.h"

static MlirBlock first_block(const stow_domain *domain, int32_t region) {
  return mlirRegionGetFirstBlock(domain->control->regions.at[region].region);
}

static MlirOperation op_around(const stow_domain *domain, int32_t region) {
  return mlirBlockGetParentOperation(first_block(domain, region));
}

static uint32_t facts_around(const stow_domain *domain, int32_t region) {
  return stow_op_facts(op_around(domain, region));
}

int32_t stow_dealloc_activation_of(const stow_domain *domain, int32_t ref) {
  int32_t region = domain->segments.at[domain->refs.at[ref].segment].region;
  while (region > 0 && !(facts_around(domain, region) & STOW_OP_PARALLEL))
    region = domain->control->regions.at[region].parent;
  return region;
}

// Whether an end of the region is not known: an op that is not registered may end a block.
static bool has_hidden_end(const stow_domain *domain, int32_t region) {
  bool hidden = false;
  for (MlirBlock block = first_block(domain, region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    hidden |= mlirOperationIsNull(mlirBlockGetTerminator(block));
  return hidden;
}

bool stow_dealloc_activation_has_stack(const stow_domain *domain, int32_t region) {
  bool repeats = region == 0 ? !domain->is_function : facts_around(domain, region) & STOW_OP_LOOP;
  return (!repeats || has_hidden_end(domain, region)) &&
         stow_bridge_op_has_stack(op_around(domain, region));
}

MlirOperation stow_dealloc_activation_start(const stow_domain *domain, int32_t region) {
  return mlirBlockGetFirstOperation(first_block(domain, region));
}
