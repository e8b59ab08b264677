//===- words.h - upper words of numbers of 64 bits ------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requantization multiplies a number of 32 bits by another one, and shifts the product right by
// more than 32: only the upper word of the product is used, and what follows fits into 32 bits.
// x86 multiplies the words at even places of a vector to numbers of 64 bits, so all is done in two
// halves, words at even places and those at odd ones, and no vector is ever split or joined.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_VECTORS_WORDS_H
#define STOWAGE_VECTORS_WORDS_H

#include "mlir-c/IR.h"

#include <stdbool.h>

// Makes such a body shift by 32, and computes in 32 bits behind that. Its values stay the same.
void stow_use_words(MlirBlock body);

// Whether it is the upper word of a number that is computed of words: trunci(shrsi(number, 32)).
bool stow_is_upper_word(MlirOperation op);

// Whether it is an op of 64 bits, constants aside, that does nothing but compute such a number.
bool stow_is_in_upper_word(MlirOperation op);

#endif // STOWAGE_VECTORS_WORDS_H
