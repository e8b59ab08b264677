//===- limits.h - how far the planner goes --------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each bounds work or memory that would grow faster than the problem. Where one is reached, the
// plan is valid, and may be larger or without a proof. Steps are those of context.h.
//
//===----------------------------------------------------------------------===//

#ifndef STOWAGE_PLAN_LIMITS_H
#define STOWAGE_PLAN_LIMITS_H

// Steps.
enum {
  STOW_PLAN_EFFORT = 400000000,        // of a call that asks for no other
  STOW_PLAN_EFFORT_PER_BUFFER = 1000,  // more
  STOW_PLAN_ATTEMPT_GROWTH = 4,        // where effort is unlimited: the next attempt's
  STOW_SPACES_EFFORT_PART = 32,        // of what is left: for one assignment
  STOW_SOLVE_SEARCH_EFFORT = 1600000,  // of the first attempt of an exact search
  STOW_EXACT_EFFORT_PER_EDGE = 4,      // to make a graph
  STOW_EXACT_FIRST_LIMIT = 400000,     // of each search in round 0
  STOW_EXACT_LIMIT_GROWTH = 4,         // from round to round
  STOW_EXACT_WINDOWS_SHARE = 16,       // one search through windows does a portfolio's work
  STOW_SWEEP_SHARE = 32,               // of limits of a search: for the one along time
  STOW_EXACT_FIRST_DESCENT = 96000000, // of a part's questions above its target; grows as limits do
  STOW_CULPRITS_QUESTION_EFFORT = 5000000,      // of one question; all may take what the plan may
  STOW_CULPRITS_READING_EFFORT_PER_BUFFER = 64, // to read the problem anew for it
};

// Steps between two looks of the context: some hundredths of a second.
enum {
  STOW_FIT_POLL_INTERVAL = 8000000,
  STOW_SEARCH_POLL_INTERVAL = 1 << 21,
};

// What is looked at. Of more, less is known.
enum {
  STOW_SPACES_MOST_CELLS = 4000000, // sections times spaces; of more, no assignment is sought
  STOW_SHARE_MOST_PAIRS = 4000000,  // for one question
  STOW_BONDS_FEW = 10,              // of which all sets are tried
  STOW_EXACT_MOST_EDGES = 6000000,  // of a part; larger ones are left to the heuristics
  STOW_EXACT_FINEST_GAP = 32,       // a part of the first gap: where descents end
  STOW_EXACT_DESCENT = 6,           // a part of the gap: by so much capacities fall at once
  STOW_EXACT_NEAR = 24,             // the same, above an open question
  STOW_EXACT_MOST_ROUNDS = 20,
  STOW_GRAPH_MOST_COMPARISONS = 20000000, // of items in one section, to see which stack up
  STOW_GAPS_MOST_INTERVALS = 400000,      // of all pairs
  STOW_GAPS_MOST_STEPS = 40000000,        // of the sweep that finds them
  STOW_VALLEYS_MOST_ITEMS = 3000,
  STOW_SWEEP_LEAST_PART = 6,       // of the bytes may stay empty where a plan is sought along time
  STOW_SWEEP_MOST_HOLES = 10,      // looked at where one clique follows another
  STOW_SWEEP_HOLES_AT_ONCE = 3,    // that end there
  STOW_SWEEP_FEW_PIECES = 8,       // that end there: all sets of them are looked at
  STOW_SWEEP_MATCHES = 4,          // of one such set
  STOW_SWEEP_MATCHING = 200,       // steps to find them
  STOW_PQ_MOST_NEW = 2048,         // nodes that one change may make, and children of these
  STOW_SKYLINE_MOST_RAISES = 64,   // of one floor or level, at one time
  STOW_SEARCH_MOST_OLD_RANKS = 32, // per item; when they are used up, ranks stay
  STOW_FIT_MOST_GAPS = 1000,       // that best fit looks at, the lowest ones
  STOW_SCAN_MOST_MISSES = 16,      // zones that are too short once aligned
};

// When to give up.
enum {
  STOW_REPAIR_PATIENCE = 60,         // attempts before the order goes back to the best plan's
  STOW_SQUEAK_PATIENCE = 6,          // steps without gain
  STOW_PEAK_STEPS = 4,               // from each arrangement with each stride
  STOW_VALLEYS_FIRST_FAILURES = 100, // dead ends before the search begins anew, ...
  STOW_VALLEYS_FAILURE_GROWTH = 4,   // ... and the part of them by which they grow
  STOW_SWEEP_DEAD_ENDS = 1000,       // before a search along time begins anew
};

// From where on another way is faster.
enum {
  STOW_SOLVE_FEW_BLOCKS = 600,      // all that `auto` has is tried
  STOW_SOLVE_MANY_BLOCKS = 50000,   // only what is fast
  STOW_LAYERS_MANY_BLOCKS = 300000, // first fit is kept to fewer: all but ...
  STOW_LAYERS_SMALL_PART = 1000,    // ... this part of the area
  STOW_LAYERS_SMALL_PART_OF_MANY = 200,
  STOW_RACE_MANY_RUNNERS = 512, // the one in the way is not looked for in a row
  STOW_NAMED_MANY = 512,        // spans at one node
};

#endif // STOWAGE_PLAN_LIMITS_H
