//===- standalone.c - a fuzz target without a fuzzer ----------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     fuzz_csv CORPUS [RUNS [SEED]]
//
// Runs the target on every file of the folder, and then on RUNS mutations of them:
// bytes changed, removed, repeated, exchanged with pieces of the others. Blind, where
// libFuzzer sees what its inputs reach, but it needs nothing but a C compiler, so it
// runs in every check, with the sanitizers on.
//
//===----------------------------------------------------------------------===//

#include "random.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MOST_FILES = 512, MOST_BYTES = 1 << 14 };

typedef struct sample {
  uint8_t bytes[MOST_BYTES];
  size_t size;
} sample;

typedef struct sample_corpus {
  sample *samples;
  size_t count;
} sample_corpus;

static void read_sample(const char *folder, const char *name, sample_corpus *all) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *const file = fopen(path, "rb");
  if (!file || all->count == MOST_FILES)
    return;
  sample *const next = &all->samples[all->count++];
  next->size = fread(next->bytes, 1, MOST_BYTES, file);
  fclose(file);
}

static int compare_names(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

// In the order of their names: a seed means the same inputs everywhere.
static void read_corpus(const char *folder, sample_corpus *all) {
  char *names[MOST_FILES];
  size_t count = 0;
  DIR *const directory = opendir(folder);
  for (struct dirent *entry; directory && count < MOST_FILES && (entry = readdir(directory));)
    if (entry->d_name[0] != '.' && (names[count] = strdup(entry->d_name)))
      count++;
  if (directory)
    closedir(directory);
  qsort(names, count, sizeof *names, compare_names);
  for (size_t i = 0; i < count; i++) {
    read_sample(folder, names[i], all);
    free(names[i]);
  }
}

static size_t below(tool_random *random, size_t limit) {
  return limit ? (size_t)(tool_random_next(random) % limit) : 0;
}

static void change_byte(tool_random *random, sample *input) {
  static const char likely[] = ",\n\"-@: 0123456789{}[]\\eu.\r\t";
  if (!input->size)
    return;
  const bool blind = tool_random_next(random) % 4 == 0;
  input->bytes[below(random, input->size)] =
      blind ? (uint8_t)tool_random_next(random) : (uint8_t)likely[below(random, sizeof likely - 1)];
}

static void remove_some(tool_random *random, sample *input) {
  const size_t at = below(random, input->size), count = below(random, input->size - at);
  memmove(input->bytes + at, input->bytes + at + count, input->size - at - count);
  input->size -= count;
}

// A piece of any sample goes in anywhere.
static void insert_some(tool_random *random, const sample_corpus *all, sample *input) {
  const sample *const from = &all->samples[below(random, all->count)];
  const size_t begin = below(random, from->size), most = from->size - begin;
  size_t count = below(random, most < 64 ? most : 64);
  const size_t at = below(random, input->size + 1);
  if (input->size + count > MOST_BYTES)
    count = MOST_BYTES - input->size;
  memmove(input->bytes + at + count, input->bytes + at, input->size - at);
  memcpy(input->bytes + at, from->bytes + begin, count);
  input->size += count;
}

static void mutate(tool_random *random, const sample_corpus *all, sample *input) {
  for (size_t steps = 1 + below(random, 6); steps; steps--)
    switch (tool_random_next(random) % 4) {
    case 0:
      remove_some(random, input);
      break;
    case 1:
      insert_some(random, all, input);
      break;
    default:
      change_byte(random, input);
    }
}

// From a heap block of exactly its size, so that a sanitizer sees one byte too far.
static void run(const sample *input) {
  uint8_t *const exact = malloc(input->size + !input->size);
  if (!exact)
    abort();
  memcpy(exact, input->bytes, input->size);
  LLVMFuzzerTestOneInput(exact, input->size);
  free(exact);
}

int main(int argc, char **argv) {
  sample_corpus all = {malloc(MOST_FILES * sizeof(sample)), 0};
  sample *const input = malloc(sizeof *input);
  if (argc < 2 || !all.samples || !input)
    return 2;
  const unsigned long runs = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
  tool_random random = {argc > 3 ? strtoul(argv[3], NULL, 10) : 1};
  read_corpus(argv[1], &all);
  for (size_t i = 0; i < all.count; i++)
    run(&all.samples[i]);
  for (unsigned long i = 0; i < runs && all.count; i++) {
    *input = all.samples[below(&random, all.count)];
    mutate(&random, &all, input);
    run(input);
  }
  printf("%zu files, %lu mutations\n", all.count, runs);
  free(all.samples);
  free(input);
  return all.count ? 0 : 1;
}
