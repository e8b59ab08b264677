//===- within.h - streams for a caller who has smaller arenas already ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_ROWS_WITHIN_H
#define STOWAGE_ROWS_WITHIN_H

#include "stowage/passes.h"

// As stow_stream_rows, for a caller who has no use for arenas of more than `most` bytes in all:
// rows that would need more are not placed.
bool stow_rows_stream_within(MlirOperation module, const stow_stream_rows_options *options,
                             uint64_t most);

#endif // STOWAGE_ROWS_WITHIN_H
