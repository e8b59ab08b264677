//===- process.h - what a task does to channels, one step after the other -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a task's body, a *process* keeps the loops around accesses to channels and these accesses, as
// a list of instructions. All that they depend on must be numbers that follow from the loops'
// variables; then the process can run, up to an access that has to wait.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_CHECK_PROCESS_H
#define STOWAGE_CHECK_PROCESS_H

#include "ir/support.h"

typedef struct stow_check_channel {
  MlirOperation op;
  int64_t depth, count;     // elements at once, and in all
  int64_t stored, released; // so many from the first on
} stow_check_channel;

typedef STOW_ARRAY(stow_check_channel) stow_check_channels;

// A number: operators behind their operands.
typedef struct stow_check_term {
  enum {
    STOW_CHECK_NUMBER,
    STOW_CHECK_VARIABLE, // of the loop whose number `value` is
    STOW_CHECK_SUM,
    STOW_CHECK_PRODUCT,
    STOW_CHECK_REST,
    STOW_CHECK_QUOTIENT,    // rounded down
    STOW_CHECK_QUOTIENT_UP, //
    STOW_CHECK_LARGER,      // of two
    STOW_CHECK_SMALLER      //
  } kind;
  int64_t value;
} stow_check_term;

typedef struct stow_check_formula {
  size_t first, end; // of the process's terms
} stow_check_formula;

typedef struct stow_check_instruction {
  enum {
    STOW_CHECK_LOOP, // number `index`
    STOW_CHECK_NEXT, // of the loop that begins at instruction `other`
    STOW_CHECK_STORE,
    STOW_CHECK_LOAD,
    STOW_CHECK_RELEASE
  } kind;
  MlirOperation op;
  size_t index, other;          // a loop's number and its STOW_CHECK_NEXT; a channel's number
  stow_check_formula at, upper; // the element, or the first and the end of a loop's variable
  int64_t step;
} stow_check_instruction;

typedef struct stow_check_process {
  MlirOperation task;
  STOW_ARRAY(stow_check_term) terms;
  STOW_ARRAY(stow_check_instruction) code;
  STOW_ARRAY(int64_t) variables, uppers; // by number of the loop
  stow_map loops;                        // by variable: the loop's number
  size_t next;                           // instruction; the end: it is done
  int64_t element;                       // that it waits for, or has no room for
  size_t stage;                          // it runs when all of earlier stages are done
  STOW_ARRAY(size_t) after;              // ... and these processes
  bool done;
} stow_check_process;

// What came of a run.
typedef enum stow_check_run {
  STOW_CHECK_DONE,
  STOW_CHECK_BLOCKED,
  STOW_CHECK_WRONG,    // the instruction `next` does what it must not
  STOW_CHECK_EXHAUSTED // no steps are left
} stow_check_run;

// Adds what a task does. `channel_of`: by a block argument of the task, the number of its channel.
// Returns an op that cannot be followed, or null.
MlirOperation stow_check_process_read(stow_check_process *process, MlirOperation task,
                                      const stow_map *channel_of);

// Runs until it has to wait. `steps`: how many are left.
stow_check_run stow_check_process_run(stow_check_process *process, stow_check_channel *channels,
                                      uint64_t *steps);

void stow_check_process_free(stow_check_process *process);

#endif // STOWAGE_CHECK_PROCESS_H
