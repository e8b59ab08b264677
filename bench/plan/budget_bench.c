//===- budget_bench.c - the cheapest way within a capacity, on graphs -----===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Training graphs of networks, and random graphs in layers, in shares of what they need. One line
// of CSV per graph and share: name, nodes, given, least, capacity, cost,
// bound, whole, outcome, seconds. With a name as its argument, of the graph on standard input: the
// number of its nodes, and for each the bytes that it makes, its cost, and the number of nodes that
// it reads, with these. With a number of nodes and seeds, of random graphs in layers.
//
// A training graph, by rule: each layer makes a value of its inputs. Backwards, in the reverse
// order, each makes the gradient of its weights, and of each input, from its own gradient, its
// input and its value. Where several layers have an input, their gradients are added up. A layer
// costs its multiplications and the elements that it touches, forwards and for each gradient.
//
//===----------------------------------------------------------------------===//

#include "stowage/budget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_NODES = 2000, MOST_ACCESSES = 40 * MOST_NODES, MOST_LAYERS = 400 };

typedef struct graph {
  stow_budget_node nodes[MOST_NODES];
  stow_budget_memory memories[MOST_NODES];
  stow_budget_access accesses[MOST_ACCESSES];
  size_t node_count, memory_count, access_count;
  uint64_t random;
} graph;

static size_t add_memory(graph *g, uint64_t bytes) {
  g->memories[g->memory_count] = (stow_budget_memory){.bytes = bytes, .renewable = true};
  return g->memory_count++;
}

static void add_node(graph *g, uint64_t cost) {
  g->nodes[g->node_count++] = (stow_budget_node){
      .accesses = &g->accesses[g->access_count], .cost = cost, .repeatable = true};
}

// Of the newest node; each memory once.
static void access(graph *g, size_t memory, bool writes, bool overwrites) {
  stow_budget_node *node = &g->nodes[g->node_count - 1];
  for (size_t a = 0; a < node->access_count; ++a)
    if (node->accesses[a].memory == memory)
      return;
  g->accesses[g->access_count++] =
      (stow_budget_access){.memory = memory, .writes = writes, .overwrites = overwrites};
  ++node->access_count;
}

static uint64_t below(graph *g, uint64_t limit) {
  g->random = g->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (g->random >> 33) % limit;
}

//===----------------------------------------------------------------------===//
// Networks
//===----------------------------------------------------------------------===//

typedef struct layer {
  uint64_t side, channels; // of its value
  uint64_t cost;
  size_t inputs[2], input_count;
} layer;

typedef struct network {
  layer layers[MOST_LAYERS];
  size_t count;
} network;

static uint64_t elements_of(const layer *l) { return l->side * l->side * l->channels; }

// A layer of the newest one, with so many multiplications per element of its value.
static size_t add_layer(network *n, uint64_t side, uint64_t channels, uint64_t products) {
  layer *l = &n->layers[n->count];
  *l = (layer){.side = side, .channels = channels};
  if (n->count > 0)
    l->inputs[l->input_count++] = n->count - 1;
  l->cost = elements_of(l) * (products + 2);
  return n->count++;
}

static size_t convolve(network *n, uint64_t kernel, uint64_t side, uint64_t channels) {
  const uint64_t depth = n->count > 0 ? n->layers[n->count - 1].channels : 3;
  return add_layer(n, side, channels, kernel * kernel * depth);
}

// Of the newest layer and an earlier one.
static size_t join(network *n, size_t other, bool adds) {
  const layer *last = &n->layers[n->count - 1];
  const uint64_t channels = last->channels + (adds ? 0 : n->layers[other].channels);
  const size_t made = add_layer(n, last->side, channels, 1);
  n->layers[made].inputs[n->layers[made].input_count++] = other;
  return made;
}

static void make_vgg(network *n, uint64_t deep) {
  const uint64_t counts[] = {2, 2, deep, deep, deep}, channels[] = {64, 128, 256, 512, 512};
  for (uint64_t stage = 0, side = 224; stage < 5; ++stage, side /= 2) {
    for (uint64_t i = 0; i < counts[stage]; ++i)
      convolve(n, 3, side, channels[stage]);
    add_layer(n, side / 2, channels[stage], 4);
  }
  add_layer(n, 1, 4096, 25088);
  add_layer(n, 1, 4096, 4096);
  add_layer(n, 1, 1000, 4096);
}

static void make_mobilenet(network *n) {
  static const uint64_t channels[] = {64,  128, 128, 256, 256,  512, 512,
                                      512, 512, 512, 512, 1024, 1024};
  convolve(n, 3, 112, 32);
  for (size_t i = 0, side = 112; i < 13; ++i) {
    const bool halves = i == 1 || i == 3 || i == 5 || i == 11;
    side = halves ? side / 2 : side;
    add_layer(n, side, n->layers[n->count - 1].channels, 9);
    convolve(n, 1, side, channels[i]);
  }
  add_layer(n, 1, 1024, 49);
  add_layer(n, 1, 1000, 1024);
}

static void make_unet(network *n) {
  size_t kept[4];
  uint64_t side = 256, channels = 64;
  for (size_t i = 0; i < 4; ++i, side /= 2, channels *= 2) {
    convolve(n, 3, side, channels);
    kept[i] = convolve(n, 3, side, channels);
    add_layer(n, side / 2, channels, 4);
  }
  convolve(n, 3, side, channels);
  convolve(n, 3, side, channels);
  for (size_t i = 4; i-- > 0;) {
    side *= 2;
    channels /= 2;
    convolve(n, 2, side, channels);
    join(n, kept[i], false);
    convolve(n, 3, side, channels);
    convolve(n, 3, side, channels);
  }
  convolve(n, 1, side, 2);
}

static void make_resnet(network *n) {
  static const size_t counts[] = {3, 4, 6, 3};
  convolve(n, 7, 112, 64);
  size_t before = add_layer(n, 56, 64, 9);
  for (size_t stage = 0, side = 56, channels = 64; stage < 4; ++stage, side /= 2, channels *= 2)
    for (size_t i = 0; i < counts[stage]; ++i) {
      size_t beside = before;
      if (i == 0) {
        beside = convolve(n, 1, side, 4 * channels);
        n->layers[beside].inputs[0] = before;
      }
      const size_t first = convolve(n, 1, side, channels);
      n->layers[first].inputs[0] = before;
      convolve(n, 3, side, channels);
      convolve(n, 1, side, 4 * channels);
      before = join(n, beside, true);
    }
  add_layer(n, 1, 2048, 49);
  add_layer(n, 1, 1000, 2048);
}

//===----------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------===//

static void add_gradients(graph *g, const network *n, size_t at, const size_t *values,
                          size_t *gradients) {
  const layer *l = &n->layers[at];
  const size_t weights = add_memory(g, 0);
  add_node(g, l->cost);
  access(g, weights, true, true);
  access(g, gradients[at], false, false);
  for (size_t i = 0; i < l->input_count; ++i)
    access(g, values[l->inputs[i]], false, false);
  for (size_t i = 0; i < l->input_count; ++i) {
    const size_t input = l->inputs[i];
    const bool first = gradients[input] == SIZE_MAX;
    if (first)
      gradients[input] = add_memory(g, 4 * elements_of(&n->layers[input]));
    add_node(g, l->cost);
    access(g, gradients[input], true, first);
    access(g, gradients[at], false, false);
    access(g, values[input], false, false);
    access(g, values[at], false, false);
  }
}

static void train(graph *g, const network *n) {
  size_t values[MOST_LAYERS], gradients[MOST_LAYERS];
  for (size_t i = 0; i < n->count; ++i) {
    const layer *l = &n->layers[i];
    values[i] = add_memory(g, 4 * elements_of(l));
    gradients[i] = SIZE_MAX;
    add_node(g, l->cost);
    access(g, values[i], true, true);
    for (size_t k = 0; k < l->input_count; ++k)
      access(g, values[l->inputs[k]], false, false);
  }
  gradients[n->count - 1] = add_memory(g, 4 * elements_of(&n->layers[n->count - 1]));
  add_node(g, 1);
  access(g, gradients[n->count - 1], true, true);
  access(g, values[n->count - 1], false, false);
  for (size_t i = n->count; i-- > 0;)
    add_gradients(g, n, i, values, gradients);
}

//===----------------------------------------------------------------------===//
// Random graphs in layers
//===----------------------------------------------------------------------===//

// Layers of about the root of `count` nodes, each of which reads some of the layer before, and now
// and then one from further away.
static void make_layered(graph *g, size_t count, uint64_t seed) {
  size_t width = 1, begin = 0, end = 0;
  g->random = seed;
  while (width * width < count)
    ++width;
  while (g->node_count < count) {
    const size_t first = g->node_count, size = 1 + below(g, 2 * width - 1);
    for (size_t i = 0; i < size && g->node_count < count; ++i) {
      const size_t own = add_memory(g, 1 + below(g, 100)), reads = 1 + below(g, 5);
      add_node(g, 1 + below(g, 100));
      access(g, own, true, true);
      for (size_t r = 0; r < reads && end > begin; ++r)
        access(g, below(g, 8) ? begin + below(g, end - begin) : below(g, end), false, false);
    }
    begin = first;
    end = g->node_count;
  }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

// Of the processor.
static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static bool find(const graph *g, uint64_t capacity, stow_budget_plan *out) {
  const stow_budget_problem problem = {g->nodes, g->node_count, g->memories, g->memory_count};
  const stow_budget_options options = {.capacity = capacity};
  return stow_budget_find(&problem, &options, out) &&
         (out->outcome != STOW_BUDGET_FITS ||
          stow_budget_verify(&problem, out->steps, out->step_count, out->peak, out->cost) ==
              STOW_BUDGET_HOLDS);
}

static uint64_t share(uint64_t bytes, uint64_t percent) {
  return bytes / 100 * percent + bytes % 100 * percent / 100;
}

// In a share of what the graph needs, of which some node needs `least` by itself.
static bool print_row(const char *name, const graph *g, uint64_t percent, bool above_least) {
  static const char *const outcomes[] = {"fits", "cannot", "unknown"};
  stow_budget_plan plan = {0}, given = {0};
  uint64_t whole = 0;
  for (size_t i = 0; i < g->node_count; ++i)
    whole += g->nodes[i].cost;
  bool done = find(g, UINT64_MAX / 4, &given);
  const uint64_t least = above_least ? given.least : 0;
  const uint64_t capacity = least + share(given.given - least, percent);
  const double begin = seconds();
  done = done && find(g, capacity, &plan);
  printf("%s,%zu,%llu,%llu,%llu,%llu,%llu,%llu,%s,%.1f\n", name, g->node_count,
         (unsigned long long)given.given, (unsigned long long)given.least,
         (unsigned long long)capacity, (unsigned long long)plan.cost,
         (unsigned long long)plan.bound, (unsigned long long)whole, outcomes[plan.outcome],
         seconds() - begin);
  fflush(stdout);
  stow_budget_plan_free(&given);
  stow_budget_plan_free(&plan);
  return done;
}

static const struct {
  const char *name;
  void (*make)(network *n);
  uint64_t deep; // of VGG
} networks[] = {{"VGG16", NULL, 3},
                {"VGG19", NULL, 4},
                {"MobileNet", make_mobilenet, 0},
                {"UNet", make_unet, 0},
                {"ResNet-50", make_resnet, 0}};

static bool read_graph(graph *g) {
  size_t count;
  if (scanf("%zu", &count) != 1 || count > MOST_NODES)
    return false;
  for (size_t i = 0; i < count; ++i) {
    unsigned long long bytes, cost;
    size_t reads, read;
    if (scanf("%llu %llu %zu", &bytes, &cost, &reads) != 3 ||
        reads >= MOST_ACCESSES - g->access_count)
      return false;
    const size_t own = add_memory(g, bytes);
    add_node(g, cost);
    access(g, own, true, true);
    for (; reads > 0; --reads) {
      if (scanf("%zu", &read) != 1 || read >= i)
        return false;
      access(g, read, false, false);
    }
  }
  return true;
}

// In 90 and in 80 % of what it needs.
static bool print_rows(const char *name, const graph *g) {
  return print_row(name, g, 90, false) && print_row(name, g, 80, false);
}

static bool print_layered(graph *g, size_t count, uint64_t seed, const char *mark) {
  char name[64];
  memset(g, 0, sizeof *g);
  make_layered(g, count, seed);
  snprintf(name, sizeof name, "layered %zu%s", count, mark);
  return print_rows(name, g);
}

// Of the number of nodes and the seeds that the arguments have.
static bool print_seeds(graph *g, int argc, char **argv) {
  const size_t count = strtoul(argv[1], NULL, 10);
  bool done = count <= MOST_NODES;
  for (int i = 2; i < argc && done; ++i) {
    char mark[40];
    snprintf(mark, sizeof mark, " seed %.20s", argv[i]);
    done = print_layered(g, count, strtoull(argv[i], NULL, 10), mark);
  }
  return done;
}

int main(int argc, char **argv) {
  static graph g;
  static network n;
  bool done = true;
  if (argc > 2)
    return print_seeds(&g, argc, argv) ? 0 : 1;
  if (argc > 1)
    return read_graph(&g) && print_rows(argv[1], &g) ? 0 : 1;
  for (size_t i = 0; i < sizeof networks / sizeof *networks && done; ++i) {
    memset(&g, 0, sizeof g);
    memset(&n, 0, sizeof n);
    if (networks[i].make)
      networks[i].make(&n);
    else
      make_vgg(&n, networks[i].deep);
    train(&g, &n);
    done = print_row(networks[i].name, &g, 50, true) && print_row(networks[i].name, &g, 25, true);
  }
  static const size_t counts[] = {100, 250, 500, 1000};
  for (size_t i = 0; i < sizeof counts / sizeof *counts && done; ++i)
    done = print_layered(&g, counts[i], 1 + i, "");
  return done ? 0 : 1;
}
