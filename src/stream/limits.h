//===- limits.h - what a search may cost ----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each bounds work that would grow faster than the program. Where one is reached, the answer is
// right and costs more bytes.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_STREAM_LIMITS_H
#define STOWAGE_STREAM_LIMITS_H

// Cuts into streams.
enum {
  STOW_STREAM_MOST_CUTS = 96,        // in one stream
  STOW_STREAM_PATIENCE = 12,         // ranges from one place, each longer, that are too costly
  STOW_STREAM_EXACT = 400000,        // statements scheduled in ranges of any length
  STOW_STREAM_SHARES = 100000,       // behind that, divided among the places where ranges begin
  STOW_STREAM_CUT_EFFORT = 500000,   // statements scheduled before streams are made fewer
  STOW_STREAM_MOST_ROWS = 8,         // at a time, where the caller leaves it open
  STOW_STREAM_MOST_ROWS_OF_USE = 64, // the same where more are of use
  STOW_STREAM_FEW_BYTES = 4096,      // that all rows of a step may have, for more to be of use,
  STOW_STREAM_FEW_OF_PEAK = 16,      // and of the peak no more than one part of so many
};

// What a cache is taken to hold: buffers of more bytes, and what a step touches again if that is
// more, come from memory.
enum { STOW_STREAM_CACHE_BYTES = 1 << 20 };

// Bytes loaded again for one row at a time: where they are more than a cache next to the registers
// holds, a few rows share them, in so small a part of the peak of the program as it is.
enum {
  STOW_STREAM_FIRST_CACHE_BYTES = 1 << 15,
  STOW_STREAM_ROWS_OF_REGISTERS = 4,
  STOW_STREAM_PART_FOR_REGISTERS = 4,
};

// Traffic that one byte of memory is worth.
enum {
  STOW_STREAM_PRICE = 640,          // where places of buffers differ
  STOW_STREAM_PRICE_AT_PEAK = 4096, // where more rows at a time raise the peak,
  STOW_STREAM_RAISED_BY = 8,        // by no more than one part of so many
};

// Places of buffers.
enum {
  STOW_STREAM_MOST_PIECES = 1000000,    // of lives; of more, none is placed
  STOW_STREAM_PLACE_EFFORT = 40000000,  // of the planner, either way up,
  STOW_STREAM_COMPARE_EFFORT = 2000000, // and where choices are compared by their places
  STOW_STREAM_PLACE_EFFORT_PER_PAIR = 20000,
  STOW_STREAM_FEW_PLACED = 32,     // buffers: all that the planner has is tried
  STOW_STREAM_MOST_ONE_ROW = 2048, // statements also scheduled with one row at a time
};

// Delays.
enum {
  STOW_STREAM_READ_EFFORT = 8000000, // moments in which rows are looked at, of all ranges together,
                                     // but once of those that are alike
  STOW_STREAM_MOST_MOVES = 8,        // of all delays
  STOW_STREAM_HALVINGS = 8,          // of the range of the number that slack.c looks for
};

// Rates of rows.
enum {
  STOW_STREAM_MOST_FRACTION = 1 << 12, // above or below the line
  STOW_STREAM_MOST_PERIOD = 1 << 12,   // steps until all repeats
};

#endif // STOWAGE_STREAM_LIMITS_H
