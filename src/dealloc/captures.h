//===- captures.h - buffers used inside closed regions -------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A closed op has regions whose control flow it does not tell to those outside.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_DEALLOC_CAPTURES_H
#define STOWAGE_DEALLOC_CAPTURES_H

#include "dealloc/domain.h"

// Whether the op frees only what a bit says is owned.
bool stow_is_by_bit(MlirOperation op);

// Whether what the op's regions do may go on when the op is done.
bool stow_runs_later(MlirOperation op, uint32_t facts);
bool stow_is_awaited_nearby(MlirOperation op);

// Whether an op without regions may still use what it is given when its block is done.
bool stow_goes_on(MlirOperation op);

// Whether the results of an op that does not allocate them may be memory that none of its operands
// is. An address may travel as another type than a memref. `touches`: it has effects.
bool stow_brings_memory(MlirOperation op, uint32_t facts, bool touches);

// The op's effects that it ties to no buffer: to nothing (`other`), or to a pointer. `operands`:
// per operand.
uint8_t stow_effects_elsewhere(MlirOperation op, const uint8_t *operands, uint8_t other);

// Whether the op may write memory that it is not given as a buffer. `other`: those effects.
bool stow_writes_anywhere(const stow_domain_context *context, MlirOperation op, uint32_t facts,
                          uint8_t other);

// Uses, at `place`, of what the op's regions mention and do not define; `later`: they may run when
// the op is done. Tells whether something is allocated inside.
bool stow_read_captures(stow_domain *domain, const stow_domain_context *context, MlirOperation op,
                        stow_place place, bool later);

#endif
