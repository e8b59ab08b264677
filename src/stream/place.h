//===- place.h - buffers that share bytes, in no more than so many --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_STREAM_PLACE_H
#define STOWAGE_STREAM_PLACE_H

#include "stowage/stream.h"

// As stow_stream_place_buffers, for a caller who has no use for more than `most` bytes: no places
// where so many are not enough, if that is known without a search.
bool stow_stream_place_within(const stow_stream_problem *problem,
                              const stow_stream_schedule *streams, size_t stream_count,
                              const bool *asked, uint64_t most, stow_stream_places *out_places);

#endif // STOWAGE_STREAM_PLACE_H
