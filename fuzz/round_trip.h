//===- round_trip.h - what every reader's fuzz target asks ----------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_FUZZ_ROUND_TRIP_H
#define STOWAGE_FUZZ_ROUND_TRIP_H

#include "readers.h"

// Reads `size` bytes with `read`. What is refused has a message; what is accepted is written as
// JSON and read again, and as CSV where lists of names allow it, and must be the same instance.
// Aborts where it is not.
void fuzz_round_trip(const unsigned char *bytes, size_t size,
                     bool (*read)(tool_stream *, tool_instance *, tool_error *));

#endif // STOWAGE_FUZZ_ROUND_TRIP_H
