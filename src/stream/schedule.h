//===- schedule.h - the schedule of one range, and its bytes --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// rates.c says at which rate each statement runs in steps, delays.c in which step it begins,
// groups.c which run together in a step, windows.c which rows each buffer keeps. cut.c chooses the
// ranges by the bytes that schedule.c counts; what crosses a cut is whole. alive.c says which bytes
// are needed in each moment of the block, place.c has the planner put all into one memory, and
// overlap.c takes the best of several such choices. verify.c replays a
// schedule row by row and shares nothing with the rest.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_STREAM_SCHEDULE_H
#define STOWAGE_STREAM_SCHEDULE_H

#include "stowage/stream.h"
#include "stream/scheduler.h"

// stow_stream_schedule_range, of a problem that is prepared for many.
bool stow_stream_schedule_on(stow_stream_scheduler *scheduler, size_t first, size_t end,
                             const stow_stream_options *options,
                             stow_stream_schedule *out_schedule);

// What is moved in all steps together.
uint64_t stow_stream_moved_bytes(const stow_stream_problem *problem,
                                 const stow_stream_schedule *schedule);

// Makes windows larger, or rings of them, or whole buffers, until no more than a share of the bytes
// that the statements touch is moved; below 0: any. One ring per window, as stow_stream_ring_of has
// them.
void stow_stream_give_slack(const stow_stream_problem *problem, double max_moved,
                            const stow_stream_ring *rings, stow_stream_schedule *schedule);

//===----------------------------------------------------------------------===//
// place.c: buffers that share bytes, in no more than so many
//===----------------------------------------------------------------------===//

// As stow_stream_place_buffers, for a caller who has no use for more than `most` bytes: no places
// where so many are not enough, if that is known without a search. `effort`: steps of the planner.
bool stow_stream_place_within(const stow_stream_problem *problem,
                              const stow_stream_schedule *streams, size_t stream_count,
                              const bool *asked, uint64_t most, uint64_t effort,
                              stow_stream_places *out_places);

#endif // STOWAGE_STREAM_SCHEDULE_H
