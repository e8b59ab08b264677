//===- fuzz_json.c - fuzz target of the json reader -----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "round_trip.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static bool read_json(tool_stream *stream, tool_instance *instance, tool_error *error) {
  return tool_read_json(stream, 0, instance, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_round_trip(bytes, size, read_json);
  return 0;
}
