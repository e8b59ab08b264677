//===- fitting.h - functions that are made to fit -------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_FIT_FITTING_H
#define STOWAGE_FIT_FITTING_H

#include "fit/report.h"
#include "reduce/attempts.h"

// Why a function does not fit. The text is owned; null: nothing was refused.
typedef struct stow_fit_refusal {
  MlirLocation at;
  char *text;
} stow_fit_refusal;

// The buffers of `prices.here` must fit.
typedef struct stow_fitting {
  MlirOperation module;
  uint64_t effort;
  bool reduce;                 // reduce-peak runs first
  bool transfers;              // constants are copied by such
  bool results_apart;          // planned so
  const stow_machine *machine; // of one memory without a name, where a capacity is given
  const bool *closed;          // per memory, whether no buffer goes there; null: all are open
  stow_fit_prices prices;
  stow_fit_report *told;     // null: none is asked for
  stow_fit_refusal *refused; // by the first try that was
} stow_fitting;

// What was done in a function, for one memory.
typedef struct stow_fit_account {
  uint64_t before, reduced; // bytes of its arenas: to begin with, and after reduce-peak
  size_t again, stores, places;
  uint64_t moved;  // bytes, to the second memory and from it
  uint64_t placed; // bytes of buffers that lie in the next one
  size_t unstaged; // constants that are read where they lie, for want of room
  uint64_t left;   // bytes of these
  uint64_t cost, bound, whole;
} stow_fit_account;

// Constants that are copied in the end, or come in tiles.
typedef struct stow_fit_copied {
  size_t count, tiled;
  uint64_t bytes, tiled_bytes;
  uint64_t saved, cost, hidden; // by the model
  uint64_t without;             // what the function costs where all are read where they lie
  bool transferred;
} stow_fit_copied;

// What a function is rewritten for, and what came of it: it was refused where `failed` is set, else
// `why` says why not; NULL: it was.
typedef struct stow_fit_try {
  MlirOperation function;
  uint64_t limit; // on the bytes alive
  stow_fit_account did;
  stow_report_fitted *drawn;
  stow_op_list staged; // allocs of copies of constants
  stow_fit_copied copied;
  const char *why;
  bool failed;
  bool apart;  // ops in place get buffers of their own
  bool proven; // no choice fits
} stow_fit_try;

//===----------------------------------------------------------------------===//
// function.c
//===----------------------------------------------------------------------===//

// With the buffers as they are; where nothing fits so, with more of them. False where it is
// refused.
bool stow_fit_function(const stow_fitting *f, stow_attempts *all, stow_attempt *a,
                       stow_fit_account *did);

// Draws its frontier for the report. As the function stands, which it still does afterwards.
void stow_fit_draw_function(const stow_fitting *f, stow_attempt *a, uint64_t before);

// Each life gets a buffer, and then `what` is called.
void stow_fit_split_and(const stow_fitting *f, stow_fit_try *a,
                        void (*what)(const stow_fitting *, const stow_function_memory *,
                                     stow_fit_try *));

void stow_fit_read_block(const stow_fitting *f, const stow_function_memory *memory,
                         const stow_fit_try *a, stow_fit_block *out);

// The only block of the function, or null.
MlirBlock stow_fit_body_of(MlirOperation function);

// Whether the alloc is of the memory that must fit.
bool stow_fit_is_in(const stow_fitting *f, MlirOperation alloc);

// Whether the buffer goes elsewhere where it is placed, rather than being read as the constant that
// it is a copy of.
bool stow_fit_is_moved(const stow_fit_block *b, size_t memory);

void stow_fit_tell(MlirOperation function, const char *name, const char *text);
void stow_fit_tell_fits(const stow_fitting *f, const stow_attempt *a, const stow_fit_account *did);

// What was refused is forgotten: after an error, false, or without one, true.
bool stow_fit_tell_refused(const stow_fitting *f);
bool stow_fit_forget_refused(const stow_fitting *f);

//===----------------------------------------------------------------------===//
// memories.c
//===----------------------------------------------------------------------===//

// The step from memory `at` to the one behind it. In a faster memory that is done, nothing may live
// longer, so ops run again in the first one only.
stow_fitting stow_fit_at_memory(const stow_fitting *f, size_t at);

// `before`: bytes of the function as it was given. False after an error.
bool stow_fit_place_function(const stow_fitting *f, stow_attempts *all, size_t function,
                             uint64_t before);

#endif // STOWAGE_FIT_FITTING_H
