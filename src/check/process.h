//===- process.h - what a task does to channels, one step after the other -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *process* is the course of a task's accesses to channels. It runs up to an access that has to
// wait.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_PROCESS_H
#define STOWAGE_CHECK_PROCESS_H

#include "ir/course.h"

typedef struct stow_check_channel {
  MlirOperation op;
  int64_t depth, count;     // elements at once, and in all
  int64_t stored, released; // so many from the first on
} stow_check_channel;

typedef STOW_ARRAY(stow_check_channel) stow_check_channels;

// What is done to which channel.
typedef struct stow_check_channel_use {
  enum { STOW_CHECK_STORE, STOW_CHECK_LOAD, STOW_CHECK_RELEASE } kind;
  size_t channel;
} stow_check_channel_use;

typedef struct stow_check_process {
  MlirOperation task;
  stow_course course;
  STOW_ARRAY(stow_check_channel_use) accesses; // by number of the course's op
  int64_t element;                             // that it waits for, or has no room for
  size_t stage;                                // it runs when all of earlier stages are done
  STOW_ARRAY(size_t) after;                    // ... and these processes
  bool done;
} stow_check_process;

// What came of a run.
typedef enum stow_check_run {
  STOW_CHECK_DONE,
  STOW_CHECK_BLOCKED,
  STOW_CHECK_WRONG,    // the access at which it stands does what it must not
  STOW_CHECK_EXHAUSTED // no steps are left
} stow_check_run;

// Adds what a task does. `channel_of`: by a block argument of the task, the number of its channel.
// Returns an op that cannot be followed, or null.
MlirOperation stow_check_process_read(stow_check_process *process, MlirOperation task,
                                      const stow_map *channel_of);

// Runs until it has to wait. `steps`: how many are left.
stow_check_run stow_check_process_run(stow_check_process *process, stow_check_channel *channels,
                                      uint64_t *steps);

// The access at which it stands, and its op.
const stow_check_channel_use *stow_check_process_access(const stow_check_process *process,
                                                        MlirOperation *out_op);

void stow_check_process_free(stow_check_process *process);

#endif // STOWAGE_CHECK_PROCESS_H
