//===- planner_bench.c - the planner on files and synthetic problems ------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   planner_bench [options] FILE.csv...
//   planner_bench [options] --synthetic N
//   planner_bench [options] --packings FIRST COUNT SIZE
//
//     --strategy NAME   instead of auto
//     --effort N        steps of work allowed
//     --threads N
//     --capacity N      fit this many bytes; "name" takes it from FILE.<N>.csv
//     --rules-off BITS  of STOW_RULE_*
//     --minimize        of packings, look for the smallest arena, not for the known capacity
//
// Reads columns id,lower,upper,size in that order, which is all the data sets in
// question have. One line per problem: name, buffers, outcome, arena, bound,
// their ratio, strategy, milliseconds, million steps, peak resident MB of the
// program so far. Every plan is verified.
//
//===----------------------------------------------------------------------===//

#include "packings.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

struct bench {
  stow_plan_options options;
  bool capacity_from_name, minimize;
};

struct list {
  stow_buffer *buffers;
  size_t count, capacity;
};

// Processor time in milliseconds: what other work on the machine takes is not counted.
static double now(void) { return (double)clock() * 1e3 / CLOCKS_PER_SEC; }

static long peak_megabytes(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss / 1024 : 0;
}

static void append(struct list *list, stow_buffer buffer) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity ? 2 * list->capacity : 1024;
    list->buffers = realloc(list->buffers, list->capacity * sizeof *list->buffers);
    if (!list->buffers)
      exit(2);
  }
  list->buffers[list->count++] = buffer;
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

static int read_csv(const char *path, struct list *list) {
  FILE *file = fopen(path, "r");
  if (!file)
    return 0;
  char line[256];
  while (fgets(line, sizeof line, file)) {
    stow_buffer buffer = {0};
    if (sscanf(line, "%*[^,],%" SCNd64 ",%" SCNd64 ",%" SCNu64, &buffer.begin, &buffer.end,
               &buffer.size) == 3)
      append(list, buffer);
  }
  fclose(file);
  return 1;
}

static uint64_t random_next(uint64_t *state) {
  uint64_t value = *state += UINT64_C(0x9e3779b97f4a7c15);
  value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
  return value ^ (value >> 31);
}

static double random_unit(uint64_t *state) { return (double)(random_next(state) >> 11) * 0x1p-53; }

static double log_uniform(uint64_t *state, double low, double high) {
  return low * exp(random_unit(state) * log(high / low));
}

// Sizes log-uniform from 64 B to 1 MiB in steps of 64, starts uniform over n/5 steps, lengths
// log-uniform up to 1e4.
static void synthesize(size_t count, uint64_t seed, struct list *list) {
  const double steps = (double)count / 5;
  for (size_t i = 0; i < count; ++i) {
    stow_buffer buffer = {.size = (uint64_t)(log_uniform(&seed, 64, 1 << 20) / 64) * 64};
    buffer.begin = (int64_t)(random_unit(&seed) * steps);
    buffer.end = buffer.begin + (int64_t)log_uniform(&seed, 1, 10000);
    append(list, buffer);
  }
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static uint64_t capacity_in_name(const char *name) {
  const char *dot = strchr(name, '.');
  return dot ? strtoull(dot + 1, NULL, 10) : 0;
}

static int run(const struct bench *bench, const char *name, const struct list *list) {
  stow_plan_options options = bench->options;
  if (bench->capacity_from_name)
    options.capacity = capacity_in_name(name);
  const stow_problem problem = STOW_PROBLEM(list->buffers, list->count);
  uint64_t *offsets = calloc(list->count + 1, sizeof *offsets);
  stow_plan_result result;
  stow_fault fault = {STOW_FAULT_NONE, 0, 0};
  const double begin = now();
  stow_status status = stow_plan(&problem, &options, offsets, &result);
  const double elapsed = now() - begin;
  if (status == STOW_OK && result.arena_size)
    status = stow_verify(&problem, offsets, result.arena_size, &fault);
  printf("%-28s %8zu %-10s %14" PRIu64 " %14" PRIu64 " %.5f %-20s %9.1f ms %9.1f M %5ld MB%s\n",
         name, list->count, status ? stow_status_name(status) : stow_outcome_name(result.outcome),
         result.arena_size, result.lower_bound,
         (double)result.arena_size / (double)result.lower_bound,
         stow_strategy_name(result.strategy), elapsed, (double)result.effort * 1e-6,
         peak_megabytes(), fault.kind ? "  NOT A PLAN" : "");
  fflush(stdout);
  free(offsets);
  return status == STOW_OK && fault.kind == STOW_FAULT_NONE;
}

static int run_file(const struct bench *bench, const char *path) {
  struct list list = {0};
  if (!read_csv(path, &list)) {
    fprintf(stderr, "%s: cannot be read\n", path);
    return 0;
  }
  const char *slash = strrchr(path, '/');
  const int good = run(bench, slash ? slash + 1 : path, &list);
  free(list.buffers);
  return good;
}

static int run_synthetic(const struct bench *bench, size_t count, uint64_t seed) {
  struct list list = {0};
  synthesize(count, seed, &list);
  const int good = run(bench, "synthetic", &list);
  free(list.buffers);
  return good;
}

// The packings of seeds FIRST, FIRST + 1, ... "NOT A PLAN" where one is called impossible.
static int run_packings(const struct bench *bench, uint64_t first, uint64_t count, size_t size) {
  int good = 1;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    packing made;
    char name[64];
    if (!packing_make(seed, size, &made))
      return 0;
    struct bench with_capacity = *bench;
    with_capacity.options.capacity = bench->minimize ? 0 : made.capacity;
    const struct list list = {made.buffers, made.count, made.count};
    snprintf(name, sizeof name, "%s-%" PRIu64 ".%" PRIu64, made.family, seed, made.capacity);
    good &= run(&with_capacity, name, &list);
    free(made.buffers);
  }
  return good;
}

int main(int argc, char **argv) {
  struct bench bench = {0};
  int good = 1;
  for (int i = 1; i < argc; ++i) {
    const char *next = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--strategy") == 0 && ++i) {
      good &= stow_strategy_parse(next, &bench.options.strategy);
    } else if (strcmp(argv[i], "--capacity") == 0 && ++i) {
      bench.capacity_from_name = strcmp(next, "name") == 0;
      bench.options.capacity = strtoull(next, NULL, 10);
    } else if (strcmp(argv[i], "--effort") == 0 && ++i) {
      bench.options.max_effort = strtoull(next, NULL, 10);
    } else if (strcmp(argv[i], "--threads") == 0 && ++i) {
      bench.options.threads = (unsigned)strtoul(next, NULL, 10);
    } else if (strcmp(argv[i], "--rules-off") == 0 && ++i) {
      bench.options.rules_off = (unsigned)strtoul(next, NULL, 0);
    } else if (strcmp(argv[i], "--minimize") == 0) {
      bench.minimize = true;
    } else if (strcmp(argv[i], "--packings") == 0 && i + 3 < argc) {
      good &= run_packings(&bench, strtoull(argv[i + 1], NULL, 10), strtoull(argv[i + 2], NULL, 10),
                           strtoull(argv[i + 3], NULL, 10));
      i += 3;
    } else if (strcmp(argv[i], "--synthetic") == 0 && ++i) {
      good &= run_synthetic(&bench, strtoull(next, NULL, 10), 1);
    } else {
      good &= run_file(&bench, argv[i]);
    }
  }
  return !good;
}
