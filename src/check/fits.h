//===- fits.h - sizes, and whether a view fits where it is put ------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_FITS_H
#define STOWAGE_CHECK_FITS_H

#include "check/program.h"

// The bytes from the start of a value of this type to its end; to FAR where that is not known.
stow_check_bytes stow_check_extent_of(const stow_check_program *program, MlirType type);

// Bytes from one element to the next, or 0 where that is not known.
int64_t stow_check_element_size(const stow_check_program *program, MlirType type);

// Whether all bytes between its first and its last are its own.
bool stow_check_is_contiguous(MlirType type);

// The offset in the type's layout, in elements; false where it is not known.
bool stow_check_type_offset(MlirType type, int64_t *out_offset);

// Reports a carve that leaves its arena, or whose elements are not aligned.
void stow_check_fits_carve(stow_check_program *program, MlirOperation op, int32_t carve);

// Reports a memref.assume_alignment that does not hold of `place`.
void stow_check_fits_promise(stow_check_program *program, MlirOperation op, stow_check_place place);

#endif // STOWAGE_CHECK_FITS_H
