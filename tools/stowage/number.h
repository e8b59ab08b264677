//===- number.h - integers out of text ------------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_TOOL_NUMBER_H
#define STOWAGE_TOOL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The number of bytes of a decimal integer, optionally signed, at the start of `text`; 0 where
// there is none. One that does not fit gives its length too, and *out_fits false.
size_t tool_scan_signed(const char *text, size_t size, int64_t *out_value, bool *out_fits);
size_t tool_scan_unsigned(const char *text, size_t size, uint64_t *out_value, bool *out_fits);

// The whole of `text` as a count: "1000000", "1e6".
bool tool_parse_count(const char *text, uint64_t *out_count);

// The whole of `text` as a duration: "5", "2.5", "500ms", "1m30s", "1h". Plain numbers: seconds.
// "inf" is 0, which as a limit is none.
bool tool_parse_microseconds(const char *text, uint64_t *out_microseconds);

#endif // STOWAGE_TOOL_NUMBER_H
