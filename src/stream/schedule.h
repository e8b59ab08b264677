//===- schedule.h - the schedule of one range, and its bytes --------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_STREAM_SCHEDULE_H
#define STOWAGE_STREAM_SCHEDULE_H

#include "stream/scheduler.h"

// stow_stream_schedule_range, of a problem that is prepared for many.
bool stow_stream_schedule_on(stow_stream_scheduler *scheduler, size_t first, size_t end,
                             int64_t rows, stow_stream_schedule *out_schedule);

#endif // STOWAGE_STREAM_SCHEDULE_H
