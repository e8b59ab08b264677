//===- tile.c - which points of a nest share registers --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires: a nest. Computes a tile, for registers of a machine.
//
//===----------------------------------------------------------------------===//

#include "vectors/tile.h"

#include "mlir-c/BuiltinTypes.h"

#include <string.h>

// Weights of more bytes than a cache near the core holds are read once, where the operands that are
// then read again have fewer bytes in all.
enum { NEAR_BYTES = 512 << 10 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t parts(int64_t extent, int64_t size) { return (extent + size - 1) / size; }

static bool runs(const stow_nest *nest, intptr_t l) { return nest->extents[l] > 1; }

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

static bool results_are_contiguous(const stow_nest *nest, intptr_t l) {
  for (intptr_t i = 0; i < nest->operand_count; ++i)
    if (nest->operands[i].written && nest->operands[i].strides[l] != 1)
      return false;
  return true;
}

static intptr_t lanes_of(const stow_nest *nest) {
  for (intptr_t l = nest->loop_count; l-- > 0;)
    if (runs(nest, l) && nest->parallel[l] && results_are_contiguous(nest, l))
      return l;
  return -1;
}

static intptr_t innermost_sum(const stow_nest *nest) {
  for (intptr_t l = nest->loop_count; l-- > 0;)
    if (runs(nest, l) && !nest->parallel[l])
      return l;
  return -1;
}

bool stow_vectors_tile_transposes(const stow_nest *nest, const stow_tile *tile, intptr_t operand) {
  const stow_nest_operand *o = &nest->operands[operand];
  return o->memref && !o->written && !o->packed && tile->inner >= 0 && tile->lanes >= 0 &&
         o->strides[tile->lanes] != 0 && o->strides[tile->lanes] != 1 &&
         o->strides[tile->inner] == 1;
}

bool stow_vectors_tile_transposes_any(const stow_nest *nest, const stow_tile *tile) {
  for (intptr_t i = 0; i < nest->operand_count; ++i)
    if (stow_vectors_tile_transposes(nest, tile, i))
      return true;
  return false;
}

static bool has_index(const stow_nest *nest) {
  STOW_EACH_OP(op, nest->body)
    if (stow_ir_is(op, STOW_LINALG_INDEX))
      return true;
  return false;
}

static bool is_narrow(MlirType element) {
  return mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) <= 16;
}

static bool is_contiguous_along(const stow_nest_operand *o, const stow_tile *tile) {
  return is_narrow(o->element) && o->strides[tile->lanes] == 0 && o->strides[tile->inner] == 1;
}

// Whether `weight` alone changes along the lanes, and the others are contiguous along the sum.
static bool takes_several(const stow_nest *nest, const stow_tile *tile, intptr_t weight) {
  if (tile->inner < 0 || tile->lanes < 0 || nest->operands[weight].strides[tile->inner] == 0 ||
      !is_narrow(nest->operands[weight].element) || has_index(nest) ||
      mlirValueIsNull(stow_vectors_nest_term(nest)))
    return false;
  for (intptr_t i = 0; i < nest->operand_count; ++i)
    if (i != weight && nest->operands[i].memref && !nest->operands[i].written &&
        !is_contiguous_along(&nest->operands[i], tile))
      return false;
  return true;
}

// Vectors of all widths that a tile has have the instruction.
static bool has_dots(const stow_nest *nest, const stow_tile *tile, stow_dot_kind kind) {
  int64_t narrowest = tile->width;
  while (nest->extents[tile->lanes] % narrowest != 0)
    narrowest /= 2;
  return stow_vectors_dot_has(kind, tile->width) && stow_vectors_dot_has(kind, narrowest) &&
         nest->extents[tile->inner] >= 4;
}

int64_t stow_vectors_tile_together(const stow_nest *nest, const stow_tile *tile,
                                   stow_vectors_machine machine, intptr_t weight,
                                   stow_dot *out_dot) {
  if (!takes_several(nest, tile, weight))
    return 1;
  if (stow_vectors_dot_read(nest, machine.dot, weight, out_dot) &&
      has_dots(nest, tile, machine.dot))
    return 4;
  return machine.pairs ? 2 : 1;
}

static int64_t power_below(int64_t number) {
  int64_t power = 1;
  while (power * 2 <= number)
    power *= 2;
  return power;
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

// Whether an operand that changes along the lanes stays as it is along a loop.
static bool reuses(const stow_nest *nest, const stow_tile *tile, intptr_t l) {
  for (intptr_t i = 0; i < nest->operand_count; ++i) {
    const stow_nest_operand *o = &nest->operands[i];
    if (o->memref && !o->written && o->strides[l] == 0 &&
        (tile->lanes < 0 || o->strides[tile->lanes] != 0))
      return true;
  }
  return false;
}

// Vectors per tile, and points, of a loop: what costs least, counting what is read and computed in
// one step of a sum.
static int64_t cost_of(const stow_nest *nest, const stow_tile *tile, intptr_t l, int64_t vectors,
                       int64_t size) {
  const int64_t across = tile->lanes < 0 ? 1 : parts(nest->extents[tile->lanes], tile->width);
  const int64_t tiles = parts(across, vectors) * parts(nest->extents[l], size);
  return tiles * (2 * size * vectors + size + vectors);
}

// Some registers stay free for what is broadcast: compilers load several at once, and would rather
// move sums to memory and back than wait.
static int64_t most_points(stow_vectors_machine machine, int64_t vectors) {
  const int64_t free = machine.registers < 16 ? 1 : machine.registers / 8;
  const int64_t room = (int64_t)machine.registers - free - vectors;
  return room < vectors ? 1 : least(room / vectors, STOW_TILE_POINTS);
}

// The loop along which a tile has points, or -1: the innermost one along which something is reused.
static intptr_t points_loop(const stow_nest *nest, const stow_tile *tile) {
  intptr_t any = -1;
  for (intptr_t l = nest->loop_count; l-- > 0;) {
    if (!runs(nest, l) || !nest->parallel[l] || l == tile->lanes)
      continue;
    if (reuses(nest, tile, l))
      return l;
    any = any < 0 ? l : any;
  }
  return tile->sums ? any : -1;
}

// Even tiles: 14 points where 12 fit are 7 and 7.
static int64_t even(int64_t extent, int64_t most) { return parts(extent, parts(extent, most)); }

static void choose_points(const stow_nest *nest, stow_vectors_machine machine, intptr_t l,
                          stow_tile *tile) {
  const int64_t across = tile->lanes < 0 ? 1 : parts(nest->extents[tile->lanes], tile->width);
  int64_t best = INT64_MAX;
  for (int64_t vectors = 1; vectors <= least(across, 4); ++vectors) {
    const int64_t size = even(nest->extents[l], most_points(machine, vectors));
    const int64_t cost = cost_of(nest, tile, l, vectors, size);
    if (cost < best) {
      best = cost;
      tile->vectors = vectors;
      tile->sizes[l] = size;
    }
  }
}

// Registers that a short loop leaves are points along the next one outwards that reuses the same.
static void add_points(const stow_nest *nest, stow_vectors_machine machine, intptr_t l,
                       stow_tile *tile) {
  if (tile->sizes[l] < nest->extents[l])
    return;
  for (intptr_t m = l; m-- > 0;) {
    if (!runs(nest, m) || !nest->parallel[m] || m == tile->lanes || !reuses(nest, tile, m))
      continue;
    const int64_t room = most_points(machine, tile->vectors) / tile->sizes[l];
    if (room > 1)
      tile->sizes[m] = even(nest->extents[m], room);
    return;
  }
}

//===----------------------------------------------------------------------===//
// The order of tiles
//===----------------------------------------------------------------------===//

static int64_t bytes_used(const stow_nest *nest, const stow_tile *tile, bool along_lanes) {
  int64_t bytes = 0;
  for (intptr_t i = 0; i < nest->operand_count; ++i) {
    const stow_nest_operand *o = &nest->operands[i];
    if (o->memref && !o->written && (o->strides[tile->lanes] != 0) == along_lanes)
      bytes += o->span * nest->bits / 8;
  }
  return bytes;
}

// How often tiles along the lanes would start again.
static int64_t times_outside(const stow_nest *nest, const stow_tile *tile) {
  int64_t times = 1;
  for (intptr_t l = 0; l < nest->loop_count; ++l)
    if (nest->parallel[l] && l != tile->lanes)
      times *= parts(nest->extents[l], tile->sizes[l]);
  return times;
}

static bool go_outside(const stow_nest *nest, const stow_tile *tile) {
  if (tile->lanes < 0 || !tile->sums)
    return false;
  const int64_t weights = bytes_used(nest, tile, true), others = bytes_used(nest, tile, false);
  const int64_t again = parts(nest->extents[tile->lanes], tile->width * tile->vectors);
  return weights > NEAR_BYTES && others * again < weights * times_outside(nest, tile);
}

// x86's vectors of 256 bits and more multiply such words, SSE2's only those without sign.
bool stow_vectors_machine_has_words(stow_vectors_machine machine) {
  return machine.pairs && machine.vector_bits >= 256;
}

void stow_vectors_tile_choose(const stow_nest *nest, stow_vectors_machine machine, stow_tile *out) {
  memset(out, 0, sizeof *out);
  for (intptr_t l = 0; l < nest->loop_count; ++l)
    out->sizes[l] = 1;
  out->lanes = lanes_of(nest);
  out->inner = innermost_sum(nest);
  out->sums = out->inner >= 0;
  out->words = stow_vectors_machine_has_words(machine);
  out->vectors = out->width = out->together = 1;
  if (out->lanes >= 0 && machine.vector_bits > STOW_NUMBER_BITS)
    out->width = least(power_below(machine.vector_bits / nest->bits),
                       power_below(nest->extents[out->lanes]));
  const intptr_t l = points_loop(nest, out);
  if (l >= 0) {
    choose_points(nest, machine, l, out);
    add_points(nest, machine, l, out);
  } else if (out->lanes >= 0) {
    out->vectors = least(4, parts(nest->extents[out->lanes], out->width));
  }
  out->points = 1;
  for (intptr_t k = 0; k < nest->loop_count; ++k)
    out->points *= out->sizes[k];
  out->lanes_outside = go_outside(nest, out);
}
