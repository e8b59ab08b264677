//===- pack.c - weights in the order in which tiles read them -------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires the nests of a module and their tiles. Computes a new constant for each constant that
// only nests read, completely and all in the same order, so that no byte is kept twice.
//
// A *panel* is what the tiles of the same lanes read: for each step of the sum, in order, the
// elements of those lanes side by side. Panels follow each other, and the last one is narrower
// where lanes do not divide; nothing is padded.
//
//   w[k][n], lanes along n, 32 at once:   [n / 32][k][n % 32]
//   in pairs:                             [n / 32][k / 2][n % 32][k % 2]
//   in fours:                             [n / 32][k / 4][n % 32][k % 4]
//
// A stream's step reads a *slice*: equal parts along one dimension follow each other, each in
// panels.
//
//===----------------------------------------------------------------------===//

#include "vectors/pack.h"

#include "ir/view.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

// A subview of all of a constant but along one dimension.
typedef struct slice {
  int64_t count, size; // how many there are, and their extent
  int64_t stride;      // of one index of the dimension in the constant
  int64_t cells;       // of one index of the dimension
  int64_t begin;       // where it begins, if `moving` is null
  MlirValue moving;
} slice;

// Whether an index of a loop with constant bounds, times `by`, is a multiple of `size`.
static bool steps_by(MlirValue index, int64_t by, int64_t size) {
  int64_t begin, end, step, most;
  if (!mlirValueIsABlockArgument(index) || mlirBlockArgumentGetArgNumber(index) != 0)
    return false;
  MlirOperation loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(index));
  return stow_ir_is(loop, STOW_SCF_FOR) && by > 0 &&
         stow_ir_constant_of(mlirOperationGetOperand(loop, 0), &begin) && begin >= 0 &&
         stow_ir_constant_of(mlirOperationGetOperand(loop, 1), &end) &&
         stow_ir_constant_of(mlirOperationGetOperand(loop, 2), &step) && step > 0 &&
         !__builtin_mul_overflow(end, by, &most) && begin < end &&
         begin % size * (by % size) % size == 0 && step % size * (by % size) % size == 0;
}

static bool is_multiple(MlirValue value, int64_t size) {
  int64_t by;
  if (!stow_ir_is_result_of(value, STOW_ARITH_MULI))
    return steps_by(value, 1, size);
  MlirOperation product = mlirOpResultGetOwner(value);
  for (intptr_t i = 0; i < 2; ++i)
    if (stow_ir_constant_of(mlirOperationGetOperand(product, i), &by))
      return steps_by(mlirOperationGetOperand(product, 1 - i), by, size);
  return false;
}

static bool begins_at_multiple(MlirOperation op, const stow_view *view, slice *s) {
  if (!mlirShapedTypeIsDynamicStrideOrOffset(s->begin))
    return s->begin % s->size == 0;
  s->moving = mlirOperationGetOperand(op, view->first);
  return is_multiple(s->moving, s->size);
}

static bool read_slice(MlirOperation op, slice *out) {
  stow_view view;
  if (!stow_view_read(op, &view) || !view.cuts)
    return false;
  const MlirType source = mlirValueGetType(mlirOperationGetOperand(op, 0));
  int64_t cells = 1, extent = 0;
  *out = (slice){0};
  for (intptr_t d = mlirShapedTypeGetRank(source); d-- > 0;) {
    const int64_t all = mlirShapedTypeGetDimSize(source, d);
    const stow_taken part = view.taken[d];
    if (part.stride != 1)
      return false;
    if (part.size != all || part.offset != 0) {
      if (extent > 0 || part.size < 1 || all % part.size != 0)
        return false;
      extent = all;
      *out = (slice){all / part.size, part.size, .stride = cells, .begin = part.offset};
    }
    cells *= all;
  }
  if (extent == 0)
    return false;
  out->cells = cells / extent;
  return begins_at_multiple(op, &view, out);
}

// The slice of a packed constant.
static MlirValue slice_of(MlirValue packed, const slice *s, MlirOperation before) {
  const stow_builder at = stow_builder_before(before, mlirOperationGetLocation(before));
  const MlirType index = mlirIndexTypeGet(at.context);
  stow_row_start start = stow_ir_build_row_start(&at, packed);
  start.offset = mlirValueIsNull(s->moving)
                     ? stow_ir_build_number(&at, index, s->begin * s->cells)
                     : stow_ir_build_binary(&at, STOW_ARITH_MULI, s->moving,
                                            stow_ir_build_number(&at, index, s->cells));
  return stow_ir_build_row(&at, &start, s->size * s->cells);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

// Loops in the order in which a panel has them: those outside of it, slices first, the lanes, and
// those of its sums, with the strides that the constant had.
typedef struct layout {
  intptr_t count, lanes;
  int64_t extents[STOW_NEST_LOOPS + 1], strides[STOW_NEST_LOOPS + 1];
  int64_t width;    // of a panel
  int64_t together; // steps of the innermost sum of each lane that are side by side
  int64_t more;     // than the body multiplies an element with, where four are together
} layout;

static void add_loops(const stow_nest *nest, intptr_t operand, bool parallel, intptr_t without,
                      layout *out) {
  for (intptr_t l = 0; l < nest->loop_count; ++l) {
    const int64_t stride = nest->operands[operand].strides[l];
    if (nest->parallel[l] != parallel || l == without || stride == 0 || nest->extents[l] == 1)
      continue;
    out->extents[out->count] = nest->extents[l];
    out->strides[out->count++] = stride;
  }
}

// The product of the extents of loops from `begin` to `end`.
static int64_t cells_of(const layout *l, intptr_t begin, intptr_t end) {
  int64_t cells = 1;
  for (intptr_t i = begin; i < end; ++i)
    cells *= l->extents[i];
  return cells;
}

// Whether each of so many cells is read, and by one point only: strides are products of the smaller
// extents.
static bool reads_each_cell(const layout *l, int64_t cells) {
  int64_t stride = 1;
  for (intptr_t done = 0; done < l->count; ++done) {
    intptr_t next = 0;
    while (next < l->count && l->strides[next] != stride)
      ++next;
    if (next == l->count)
      return false;
    stride *= l->extents[next];
  }
  return stride == cells;
}

static bool layout_of(const stow_tiled *tiled, stow_vectors_machine machine, intptr_t operand,
                      const slice *part, int64_t cells, layout *out, stow_dot *out_dot) {
  const stow_nest *nest = &tiled->nest;
  const stow_nest_operand *o = &nest->operands[operand];
  const intptr_t lanes = tiled->tile.lanes;
  memset(out, 0, sizeof *out);
  if (lanes < 0 || o->written || o->strides[lanes] == 0 || o->first != 0)
    return false;
  if (part->count > 1) {
    out->extents[0] = part->count;
    out->strides[out->count++] = part->size * part->stride;
  }
  add_loops(nest, operand, true, lanes, out);
  out->lanes = out->count;
  out->extents[out->count] = nest->extents[lanes];
  out->strides[out->count++] = o->strides[lanes];
  add_loops(nest, operand, false, lanes, out);
  out->width = tiled->tile.width * tiled->tile.vectors;
  out->together = stow_vectors_tile_together(nest, &tiled->tile, machine, operand, out_dot);
  if (out->together == 4 && out_dot->more != 0 && out->lanes > 0) { // several weights, each with
    machine.dot = STOW_DOT_NONE;                                    // an excess of its own
    out->together = stow_vectors_tile_together(nest, &tiled->tile, machine, operand, out_dot);
  }
  out->more = out->together == 4 ? out_dot->more : 0;
  return reads_each_cell(out, cells);
}

// Whether a constant has this order already.
static bool is_plain(const layout *l) {
  int64_t stride = 1;
  for (intptr_t i = l->count; i-- > 0; stride *= l->extents[i])
    if (l->strides[i] != stride)
      return false;
  return l->lanes + 1 == l->count;
}

static void set_strides(stow_tiled *tiled, intptr_t operand, MlirValue value) {
  stow_nest *nest = &tiled->nest;
  stow_nest_operand *o = &nest->operands[operand];
  int64_t stride = 1;
  for (int parallel = 0; parallel <= 1; ++parallel) {
    if (parallel) {
      o->strides[tiled->tile.lanes] = stride;
      stride *= nest->extents[tiled->tile.lanes];
    }
    for (intptr_t l = nest->loop_count; l-- > 0;) {
      if (nest->parallel[l] != parallel || l == tiled->tile.lanes || o->strides[l] == 0)
        continue;
      o->strides[l] = stride;
      stride *= nest->extents[l];
    }
  }
  o->span = stride;
  o->packed = true;
  o->value = value;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

// Where the point number `number` of loops from `begin` to `end` lies.
static int64_t place_of(const layout *l, intptr_t begin, intptr_t end, int64_t number) {
  int64_t place = 0;
  for (intptr_t i = end; i-- > begin; number /= l->extents[i])
    place += number % l->extents[i] * l->strides[i];
  return place;
}

static bool is_together(const layout *l, int64_t step) {
  const int64_t inner = l->extents[l->count - 1];
  return step % inner < inner - inner % l->together;
}

// Steps whose elements are side by side for each lane: those that are left over are alone.
static int64_t together_at(const layout *l, int64_t step) {
  return is_together(l, step) ? l->together : 1;
}

static void copy_panel(const layout *l, const char *from, int64_t lanes, size_t size, char **to) {
  const int64_t steps = cells_of(l, l->lanes + 1, l->count), stride = l->strides[l->lanes];
  for (int64_t step = 0, together; step < steps; step += together) {
    together = together_at(l, step);
    for (int64_t i = 0; i < lanes; ++i)
      for (int64_t t = 0; t < together; ++t, *to += size)
        memcpy(*to,
               from + (size_t)(place_of(l, l->lanes + 1, l->count, step + t) + i * stride) * size,
               size);
  }
}

static void copy_panels(const layout *l, const char *from, size_t size, char *to) {
  const int64_t across = l->extents[l->lanes], outside = cells_of(l, 0, l->lanes);
  for (int64_t i = 0; i < outside; ++i)
    for (int64_t first = 0; first < across; first += l->width) {
      const int64_t left = across - first,
                    place = place_of(l, 0, l->lanes, i) + first * l->strides[l->lanes];
      copy_panel(l, from + (size_t)place * size, left < l->width ? left : l->width, size, &to);
    }
}

// The elements in the order of a layout, as a row.
static MlirAttribute packed_elements(const layout *l, MlirAttribute elements, size_t size) {
  const int64_t cells = cells_of(l, 0, l->count);
  const MlirType type = mlirRankedTensorTypeGet(
      1, &cells, mlirShapedTypeGetElementType(mlirAttributeGetType(elements)),
      mlirAttributeGetNull());
  if (stow_bridge_is_splat(elements))
    return mlirDenseElementsAttrReshapeGet(elements, type);
  char *packed = stow_ir_allocate((size_t)cells, size);
  copy_panels(l, stow_bridge_elements_data(elements), size, packed);
  MlirAttribute made = mlirDenseElementsAttrRawBufferGet(type, (size_t)cells * size, packed);
  free(packed);
  return made;
}

//===----------------------------------------------------------------------===//
// Who reads a constant
//===----------------------------------------------------------------------===//

typedef struct reader {
  size_t nest;
  intptr_t operand;
  slice part; // that it reads; none: all
  stow_dot dot;
} reader;

typedef struct weight {
  MlirOperation global;
  MlirAttribute elements;
  STOW_ARRAY(MlirOperation) views; // and ops that get it, each behind what it is made of
  STOW_ARRAY(reader) readers;
  bool read_otherwise;
  layout layout;
} weight;

typedef struct packing {
  stow_tiled *tiled;
  const stow_map *index;
  stow_vectors_machine machine;
  stow_map known; // a global: its weight
  STOW_ARRAY(weight) weights;
} packing;

// Its number, or -1: it may change, or others may read it.
static int32_t weight_of(packing *p, MlirOperation global) {
  if (mlirOperationIsNull(global) || !stow_ir_is(global, STOW_MEMREF_GLOBAL))
    return -1;
  const int32_t known = stow_map_get(&p->known, global.ptr);
  if (known >= 0)
    return known;
  const MlirAttribute elements = stow_bridge_constant_elements(global);
  if (mlirAttributeIsNull(elements) || !stow_bridge_is_private(global))
    return -1;
  const int32_t w =
      (int32_t)STOW_PUSH(p->weights, (weight){.global = global, .elements = elements});
  stow_map_add(&p->known, global.ptr, w);
  return w;
}

static void note_mention(void *user, MlirOperation mentions, MlirOperation symbol) {
  packing *p = user;
  const int32_t w = weight_of(p, symbol);
  if (w < 0)
    return;
  if (stow_ir_is(mentions, STOW_MEMREF_GET_GLOBAL))
    STOW_PUSH(p->weights.at[w].views, mentions);
  else
    p->weights.at[w].read_otherwise = true;
}

static int64_t cells_of_type(MlirType type) {
  int64_t cells = 1;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    cells *= mlirShapedTypeGetDimSize(type, d);
  return cells;
}

// Whether the op is but another shape of all of a constant.
static bool reshapes(MlirOperation op, const weight *w) {
  if (!(stow_ir_op_traits(op) & STOW_VIEWS) || mlirOperationGetNumResults(op) != 1)
    return false;
  const MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0)),
                 all = mlirAttributeGetType(w->elements);
  return mlirTypeIsAMemRef(type) && mlirShapedTypeHasStaticShape(type) && stow_ir_can_alloc(type) &&
         mlirTypeEqual(mlirShapedTypeGetElementType(type), mlirShapedTypeGetElementType(all)) &&
         cells_of_type(type) == cells_of_type(all);
}

static bool read_by_nest(packing *p, weight *w, MlirOpOperand use) {
  const int32_t nest = stow_map_get(p->index, mlirOpOperandGetOwner(use).ptr);
  if (nest < 0)
    return false;
  reader found = {.nest = (size_t)nest, .operand = (intptr_t)mlirOpOperandGetOperandNumber(use)};
  read_slice(
      mlirOpResultGetOwner(mlirOperationGetOperand(mlirOpOperandGetOwner(use), found.operand)),
      &found.part);
  const int64_t cells = cells_of_type(mlirAttributeGetType(w->elements));
  layout wanted;
  if (!layout_of(&p->tiled[nest], p->machine, found.operand, &found.part, cells, &wanted,
                 &found.dot))
    return false;
  if (w->readers.count == 0)
    w->layout = wanted;
  STOW_PUSH(w->readers, found);
  return memcmp(&w->layout, &wanted, sizeof wanted) == 0;
}

// What it finds on the way is added behind.
static void find_readers(packing *p, weight *w) {
  slice part;
  for (size_t i = 0; i < w->views.count && !w->read_otherwise; ++i)
    STOW_EACH_USE(use, mlirOperationGetResult(w->views.at[i], 0)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      if (reshapes(user, w) || (read_slice(user, &part) && !read_slice(w->views.at[i], &part)))
        STOW_PUSH(w->views, user);
      else if (!read_by_nest(p, w, use))
        w->read_otherwise = true;
    }
}

//===----------------------------------------------------------------------===//
// New constants
//===----------------------------------------------------------------------===//

enum { ALIGNMENT = 64 }; // of cache lines, and of the widest vectors

// What the products that are four at once add to each lane, less what the body does.
static MlirAttribute excess_of(const layout *l, MlirAttribute weights, MlirType type) {
  const char *elements = stow_bridge_elements_data(weights);
  const bool splat = stow_bridge_is_splat(weights);
  const int64_t steps = cells_of(l, l->lanes + 1, l->count), lanes = l->extents[l->lanes];
  uint32_t *excess = stow_ir_allocate((size_t)lanes, sizeof *excess);
  for (int64_t step = 0; step < steps; ++step)
    for (int64_t i = 0; i < lanes && is_together(l, step); ++i) {
      const int64_t place = place_of(l, l->lanes + 1, l->count, step) + i * l->strides[l->lanes];
      excess[i] += (uint32_t)((signed char)elements[splat ? 0 : place] * l->more);
    }
  MlirAttribute made = mlirDenseElementsAttrRawBufferGet(type, (size_t)lanes * 4, excess);
  free(excess);
  return made;
}

// Null where nothing is added.
static MlirOperation add_excess(const weight *w, MlirSymbolTable symbols) {
  if (w->layout.more == 0)
    return (MlirOperation){NULL};
  const int64_t lanes = w->layout.extents[w->layout.lanes];
  const MlirType i32 = mlirIntegerTypeGet(mlirOperationGetContext(w->global), 32);
  const MlirAttribute none = mlirAttributeGetNull();
  return stow_bridge_add_constant(
      symbols, w->global, "excess", mlirMemRefTypeContiguousGet(i32, 1, &lanes, none),
      excess_of(&w->layout, w->elements, mlirRankedTensorTypeGet(1, &lanes, i32, none)), ALIGNMENT);
}

// Tiles of the nest multiply several steps at once, and read what that adds too much.
static void take_together(packing *p, const weight *w, const reader *r, MlirOperation excess) {
  stow_tiled *tiled = &p->tiled[r->nest];
  tiled->tile.together = w->layout.together;
  tiled->tile.dot = r->dot;
  tiled->tile.dot_kind = p->machine.dot;
  if (mlirOperationIsNull(excess))
    return;
  tiled->nest.excess = tiled->nest.read_count++;
  stow_nest_operand *o = &tiled->nest.operands[tiled->nest.excess];
  *o = (stow_nest_operand){.value = stow_bridge_get_constant(excess, tiled->nest.op),
                           .memref = true,
                           .bytes = 4,
                           .span = tiled->nest.extents[tiled->tile.lanes]};
  o->element = mlirShapedTypeGetElementType(mlirValueGetType(o->value));
  o->strides[tiled->tile.lanes] = 1;
}

static void pack(packing *p, weight *w, MlirSymbolTable symbols, size_t size, stow_unused *unused) {
  const MlirType old = mlirValueGetType(mlirOperationGetResult(w->views.at[0], 0));
  const int64_t cells = cells_of_type(old);
  const MlirType type = mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(old), 1, &cells,
                                                    mlirMemRefTypeGetMemorySpace(old));
  MlirOperation global =
      stow_bridge_add_constant(symbols, w->global, "packed", type,
                               packed_elements(&w->layout, w->elements, size), ALIGNMENT);
  const MlirOperation excess = add_excess(w, symbols);
  STOW_EACH(reader, r, w->readers) {
    stow_tiled *tiled = &p->tiled[r->nest];
    const MlirValue all = stow_bridge_get_constant(global, tiled->nest.op);
    set_strides(tiled, r->operand,
                r->part.count > 1 ? slice_of(all, &r->part, tiled->nest.op) : all);
    if (w->layout.together > 1)
      take_together(p, w, r, excess);
  }
  STOW_PUSH(*unused, w->global);
  STOW_EACH_ITEM(MlirOperation, view, w->views)
    STOW_PUSH(*unused, view);
}

static void tell(MlirOperation module, size_t count, size_t bytes) {
  char *text = stow_ir_format("%zu constants of %zu bytes are in the order of tiles", count, bytes);
  if (count > 0)
    stow_remark_emit(&(stow_remark){.kind = STOW_REMARK_PASSED,
                                    .location = mlirOperationGetLocation(module),
                                    .category = "convert-linalg-to-vectors",
                                    .name = "weights-packed",
                                    .text = text});
  free(text);
}

static void pack_all(packing *p, MlirOperation module, stow_unused *unused) {
  MlirSymbolTable symbols = mlirSymbolTableCreate(module);
  size_t count = 0, bytes = 0;
  STOW_EACH(weight, w, p->weights) {
    find_readers(p, w);
    if (w->read_otherwise || w->readers.count == 0 || is_plain(&w->layout))
      continue;
    const stow_tiled *first = &p->tiled[w->readers.at[0].nest];
    const size_t size = first->nest.operands[w->readers.at[0].operand].bytes;
    pack(p, w, symbols, size, unused);
    count += 1;
    bytes += (size_t)cells_of(&w->layout, 0, w->layout.count) * size;
  }
  mlirSymbolTableDestroy(symbols);
  tell(module, count, bytes);
}

void stow_vectors_pack_weights(MlirOperation module, stow_tiled *tiled, const stow_map *index,
                               stow_vectors_machine machine, stow_unused *out) {
  packing p = {.tiled = tiled, .index = index, .machine = machine};
  stow_symbols *symbols = stow_symbols_create();
  if (stow_bridge_symbol_uses(module, symbols, note_mention, &p))
    pack_all(&p, module, out);
  stow_symbols_destroy(symbols);
  STOW_EACH(weight, w, p.weights) {
    free(w->views.at);
    free(w->readers.at);
  }
  free(p.weights.at);
  stow_map_free(&p.known);
}

void stow_vectors_unused_destroy(stow_unused *unused) {
  for (size_t i = unused->count; i-- > 0;)
    mlirOperationDestroy(unused->at[i]);
  free(unused->at);
}
