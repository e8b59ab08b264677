//===- words.h - upper words of numbers of 64 bits ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requantization multiplies two numbers of 32 bits and shifts the product right by more than 32
// bits. So only the upper word of the product is used, and the ops after it fit into 32 bits. x86
// multiplies the even words of a vector to products of 64 bits. So all is done twice, for even and
// for odd words, and no vector is split or joined.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_VECTORS_WORDS_H
#define STOWAGE_VECTORS_WORDS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

// Rewrites such a body to shift by 32 and to compute in 32 bits after that, with the same values.
void stow_vectors_use_words(MlirBlock body);

// Whether it is the upper word of a number that is computed of words: trunci(shrsi(number, 32)).
bool stow_vectors_is_upper_word(MlirOperation op);

// Whether it is an op of 64 bits, constants aside, that does nothing but compute such a number.
bool stow_vectors_is_in_upper_word(MlirOperation op);

// Whether a value has one use.
bool stow_vectors_is_used_once(MlirValue value);

#endif // STOWAGE_VECTORS_WORDS_H
