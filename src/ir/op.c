//===- op.c - what an op does to memory -----------------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/op.h"

#include "ir/support.h"
#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <assert.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

typedef struct row {
  const char *name;
  size_t length;
  stow_traits traits;
  stow_view_form form;
} row;

static const row ops[] = {
#define OP(kind, name, traits) {name, sizeof name - 1, traits, STOW_VIEW_NONE},
#define VIEW(kind, name, form, traits)                                                             \
  {name, sizeof name - 1, STOW_VIEWS | (traits), STOW_VIEW_##form},
#include "ir/ops.def"
};

static const row prefixes[] = {
#define PREFIX(name, traits) {name, sizeof name - 1, traits, STOW_VIEW_NONE},
#include "ir/ops.def"
};

enum { OPS = sizeof ops / sizeof *ops, PREFIXES = sizeof prefixes / sizeof *prefixes };

static int compare_name(MlirStringRef name, const row *with) {
  const size_t common = name.length < with->length ? name.length : with->length;
  const int order = memcmp(name.data, with->name, common);
  return stow_ir_then(order, STOW_COMPARE(name.length, with->length));
}

static bool begins(MlirStringRef name, const row *prefix) {
  return name.length >= prefix->length && memcmp(name.data, prefix->name, prefix->length) == 0;
}

// NULL for an op that has none.
static const row *row_of(MlirStringRef name) {
  size_t low = 0, high = OPS;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    assert(middle == 0 || strcmp(ops[middle - 1].name, ops[middle].name) < 0);
    const int order = compare_name(name, &ops[middle]);
    if (order == 0)
      return &ops[middle];
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

static stow_traits traits_by_name(MlirOperation op) {
  const MlirStringRef name = stow_ir_op_name(op); // never empty
  const row *own = row_of(name);
  stow_traits traits = own ? own->traits : 0;
  for (size_t i = 0; i < PREFIXES && prefixes[i].name[0] <= name.data[0]; ++i) {
    assert(i == 0 || strcmp(prefixes[i - 1].name, prefixes[i].name) < 0);
    if (prefixes[i].name[0] == name.data[0] && begins(name, &prefixes[i]))
      traits |= prefixes[i].traits;
  }
  return traits;
}

// An op of another dialect that starts work is what gpu.memcpy is.
static stow_traits traits_of_name(MlirOperation op) {
  const stow_traits traits = traits_by_name(op);
  return traits == 0 && stow_bridge_op_is_asynchronous(op) ? STOW_GIVES_TOKEN | STOW_OF_GPU
                                                           : traits;
}

// An allocation of another dialect is what its interfaces say, of this op and not of its name.
static stow_traits traits_of_allocation(MlirOperation op) {
  if (!stow_bridge_only_allocates(op))
    return 0;
  const bool plain = mlirOperationGetNumOperands(op) == 0 && stow_bridge_may_be_hoisted(op);
  return STOW_ALLOCATES_HEAP | STOW_FREED_BY_DEALLOC | (plain ? STOW_PLAIN_ALLOC : 0u);
}

stow_traits stow_ir_op_traits(MlirOperation op) {
  const stow_traits traits = traits_of_name(op);
  return traits == 0 && stow_bridge_op_is_allocation(op) ? traits_of_allocation(op) : traits;
}

stow_named_op stow_ir_look_up(stow_by_name *names, MlirOperation op) {
  const void *name = mlirOperationGetName(op).ptr;
  int32_t known = stow_map_get(&names->index, name);
  if (known < 0) {
    const stow_named_op named = {stow_bridge_op_shared_facts(op), traits_of_name(op)};
    stow_map_add(&names->index, name, known = (int32_t)STOW_PUSH(names->known, named));
  }
  stow_named_op named = names->known.at[known];
  if (named.traits == 0 && (named.facts & STOW_OP_ALLOCATION))
    named.traits = traits_of_allocation(op);
  return named;
}

void stow_by_name_free(stow_by_name *names) {
  stow_map_free(&names->index);
  free(names->known.at);
  *names = (stow_by_name){0};
}

const char *stow_ir_kind_name(stow_op_kind kind) { return ops[kind].name; }

bool stow_ir_is(MlirOperation op, stow_op_kind kind) {
  const MlirStringRef name = stow_ir_op_name(op);
  return name.length == ops[kind].length && memcmp(name.data, ops[kind].name, name.length) == 0;
}

bool stow_ir_is_result_of(MlirValue value, stow_op_kind kind) {
  return mlirValueIsAOpResult(value) && stow_ir_is(mlirOpResultGetOwner(value), kind);
}

stow_view_form stow_view_form_of(MlirOperation op) {
  const row *own = row_of(stow_ir_op_name(op));
  return own ? own->form : STOW_VIEW_NONE;
}

bool stow_ir_is_view(MlirValue value) {
  return mlirValueIsAOpResult(value) &&
         (stow_ir_op_traits(mlirOpResultGetOwner(value)) & STOW_VIEWS);
}

bool stow_ir_makes_view(MlirOpOperand use) {
  return mlirOpOperandGetOperandNumber(use) == 0 &&
         (stow_ir_op_traits(mlirOpOperandGetOwner(use)) & STOW_VIEWS);
}

// Up from the last use of a view to the use that makes it. A view of itself, which no block that
// runs has, is not entered again.
MlirOpOperand stow_ir_next_use_of_names(MlirOpOperand use, MlirValue value) {
  if (stow_ir_makes_view(use)) {
    const MlirValue view = mlirOperationGetResult(mlirOpOperandGetOwner(use), 0);
    const MlirOpOperand first = mlirValueGetFirstUse(view);
    if (!mlirOpOperandIsNull(first) && !mlirValueEqual(view, value))
      return first;
  }
  MlirOpOperand next = mlirOpOperandGetNextUse(use);
  while (mlirOpOperandIsNull(next) && !mlirValueEqual(mlirOpOperandGetValue(use), value)) {
    use = stow_bridge_use_by(mlirOpResultGetOwner(mlirOpOperandGetValue(use)), 0);
    next = mlirOpOperandGetNextUse(use);
  }
  return next;
}

bool stow_ir_view_keeps_indices(MlirOperation op) {
  const stow_view_form form = stow_view_form_of(op);
  return form == STOW_VIEW_SAME || form == STOW_VIEW_CAST || form == STOW_VIEW_MOVED;
}

bool stow_ir_view_is_whole(MlirOperation op) {
  const stow_view_form form = stow_view_form_of(op);
  return stow_ir_view_keeps_indices(op) || form == STOW_VIEW_JOINED || form == STOW_VIEW_SPLIT ||
         form == STOW_VIEW_PERMUTED;
}

static const char manual[] = "bufferization.manual_deallocation";

bool stow_ir_is_manual(MlirOperation op) { return stow_ir_has_attribute(op, manual); }
void stow_ir_set_manual(MlirOperation op) { stow_ir_set_unit(op, manual); }

bool stow_ir_is_allocation(MlirOperation op) {
  return stow_ir_op_traits(op) & (STOW_ALLOCATES_HEAP | STOW_ALLOCATES_STACK);
}

bool stow_ir_is_local_allocation(MlirValue value) {
  return mlirValueIsAOpResult(value) && stow_ir_is_allocation(mlirOpResultGetOwner(value));
}

bool stow_ir_is_plain_alloc(MlirOperation op) {
  return (stow_ir_op_traits(op) & STOW_PLAIN_ALLOC) && !stow_ir_is_manual(op);
}

bool stow_ir_is_plainly_made(MlirValue value) {
  return mlirValueIsAOpResult(value) && stow_ir_is_plain_alloc(mlirOpResultGetOwner(value));
}

MlirValue stow_ir_size_operand(MlirOperation alloc, int64_t dimension) {
  assert(stow_ir_op_traits(alloc) & STOW_TAKES_SIZES);
  const MlirType type = mlirValueGetType(mlirOperationGetResult(alloc, 0));
  intptr_t operand = 0;
  for (intptr_t d = 0; d < dimension; ++d)
    operand += mlirShapedTypeIsDynamicDim(type, d);
  return mlirOperationGetOperand(alloc, operand);
}

bool stow_ir_constant_of(MlirValue value, int64_t *out_number) {
  if (!stow_ir_is_result_of(value, STOW_ARITH_CONSTANT))
    return false;
  MlirAttribute number = stow_attribute_of(mlirOpResultGetOwner(value), "value");
  if (!mlirAttributeIsAInteger(number))
    return false;
  const MlirType type = mlirAttributeGetType(number);
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) > 64)
    return false;
  *out_number = mlirIntegerAttrGetValueInt(number);
  return true;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool stow_ir_is_buffer(MlirType type) {
  return mlirTypeIsAMemRef(type) || mlirTypeIsAUnrankedMemRef(type);
}

bool stow_ir_takes_buffer(MlirOperation op) {
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (stow_ir_is_buffer(mlirValueGetType(mlirOperationGetOperand(op, i))))
      return true;
  return false;
}

stow_block_list stow_ir_memory_blocks_in(MlirOperation root) {
  stow_block_list blocks = {0};
  bool plain = true;
  for (MlirOperation op = root; !mlirOperationIsNull(op); op = stow_ir_next_of(root, op, plain)) {
    plain = !(stow_op_facts(op) & STOW_OP_STRUCTURED);
    for (intptr_t i = 0; plain && i < mlirOperationGetNumRegions(op); ++i)
      STOW_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
        if (!mlirOperationIsNull(mlirBlockGetTerminator(block)))
          STOW_PUSH(blocks, block);
  }
  return blocks;
}

bool stow_ir_only_tells_shape(MlirOperation op, stow_traits traits) {
  return (traits & STOW_TELLS_SHAPE) && !stow_ir_gives_buffer(op);
}

bool stow_ir_gives_buffer(MlirOperation op) { return stow_ir_gives(op, stow_ir_is_buffer); }

bool stow_ir_is_strided(MlirType type) {
  if (!mlirTypeIsAMemRef(type))
    return false;
  int64_t *strides = stow_ir_allocate((size_t)mlirShapedTypeGetRank(type), sizeof *strides), offset;
  MlirLogicalResult known = mlirMemRefTypeGetStridesAndOffset(type, strides, &offset);
  free(strides);
  return mlirLogicalResultIsSuccess(known);
}

static bool is_handle(MlirType type) {
  return !stow_ir_is_buffer(type) && !stow_bridge_type_is_plain(type);
}

bool stow_ir_makes_handle(MlirOperation op) { return stow_ir_gives(op, is_handle); }

static bool is_number(MlirType type) { return !stow_ir_is_buffer(type); }

//===----------------------------------------------------------------------===//
// Work that goes on
//===----------------------------------------------------------------------===//

// A launch on a stream that the program has as an object, of which no op tells that it is done.
static bool is_on_stream(MlirOperation op) {
  enum { OBJECT_SEGMENT = 12 };
  return stow_ir_is(op, STOW_GPU_LAUNCH_FUNC) &&
         mlirDenseI32ArrayGetElement(stow_attribute_of(op, "operandSegmentSizes"), OBJECT_SEGMENT) >
             0;
}

// Or a directive whose region others may run, when they get to it.
static bool has_async_clause(MlirOperation op) {
  static const char *const clauses[] = {"asyncOnly", "asyncOperandsDeviceType", "nowait"};
  for (size_t i = 0; i < sizeof clauses / sizeof *clauses; ++i)
    if (stow_ir_has_attribute(op, clauses[i]))
      return true;
  return is_on_stream(op);
}

bool stow_ir_starts_work_with(MlirOperation op, stow_traits traits) {
  assert(traits == stow_ir_op_traits(op));
  return (traits & STOW_STARTS_WORK) || ((traits & STOW_HAS_ASYNC_CLAUSE) && has_async_clause(op));
}

bool stow_ir_starts_work(MlirOperation op) {
  return stow_ir_starts_work_with(op, stow_ir_op_traits(op));
}

//===----------------------------------------------------------------------===//
// Effects and fates
//===----------------------------------------------------------------------===//

void stow_effects_of(MlirOperation op, stow_effects *out_effects) {
  const size_t operands = (size_t)mlirOperationGetNumOperands(op);
  const size_t count = operands + (size_t)mlirOperationGetNumResults(op);
  stow_effects *e = out_effects;
  e->operands = count <= sizeof e->few ? e->few : stow_ir_allocate(count, 1);
  e->results = e->operands + operands;
  stow_bridge_op_effects(op, e->operands, e->results, &e->other);
  e->all = e->other;
  for (size_t i = 0; i < count; ++i)
    e->all |= e->operands[i];
}

void stow_effects_free(stow_effects *effects) {
  if (effects->operands != effects->few)
    free(effects->operands);
  effects->operands = effects->results = NULL;
}

bool stow_ir_may_rename(MlirOperation op, intptr_t operand, intptr_t result) {
  const stow_traits traits = stow_ir_op_traits(op);
  if (traits & STOW_PROMISES_DISTINCT)
    return operand == result;
  return !(traits & STOW_GIVES_CONTENTS);
}

bool stow_ir_overwrites(MlirOperation op, MlirValue value) {
  return stow_ir_overwrites_with(op, value, stow_ir_op_traits(op));
}

bool stow_ir_overwrites_with(MlirOperation op, MlirValue value, stow_traits traits) {
  intptr_t found = -1;
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i) {
    if (!mlirValueEqual(mlirOperationGetOperand(op, i), value))
      continue;
    if (found >= 0)
      return false; // it is read, too
    found = i;
  }
  const bool sets_target = traits & STOW_SETS_TARGET;
  return found >= 0 && (sets_target ? found == 1 : stow_bridge_is_overwritten_output(op, found));
}

// Buffers to free come first, then a bit for each, then buffers to retain.
static intptr_t count_freed_by_bits(MlirOperation op) {
  const intptr_t n = mlirOperationGetNumOperands(op);
  intptr_t first = 0, end;
  while (first < n && stow_ir_is_buffer(mlirValueGetType(mlirOperationGetOperand(op, first))))
    ++first;
  for (end = first; end < n; ++end)
    if (stow_ir_is_buffer(mlirValueGetType(mlirOperationGetOperand(op, end))))
      break;
  return end - first;
}

bool stow_frees_by_bit(MlirOperation op, intptr_t operand) {
  return operand < count_freed_by_bits(op) && (stow_ir_op_traits(op) & STOW_FREES_BY_BIT);
}

MlirValue stow_ir_bit_of(MlirOperation op, intptr_t operand) {
  assert(stow_frees_by_bit(op, operand));
  return mlirOperationGetOperand(op, count_freed_by_bits(op) + operand);
}

bool stow_ir_is_freed_by_dealloc(MlirOperation op) {
  return (stow_ir_op_traits(op) & STOW_FREED_BY_DEALLOC) || stow_bridge_builds_memref_dealloc(op);
}

bool stow_ir_has_own_dealloc(MlirOperation op) {
  const stow_traits traits = stow_ir_op_traits(op);
  return (traits & STOW_ALLOCATES_DEVICE) ||
         (!(traits & STOW_FREED_BY_DEALLOC) && stow_bridge_builds_own_dealloc(op));
}

unsigned stow_ir_common_fates(MlirOperation op, uint32_t facts, stow_traits traits,
                              const stow_effects *effects) {
  const bool number =
      effects->all == 0 && stow_ir_gives(op, is_number) && !(traits & STOW_TELLS_SHAPE);
  const bool handle = stow_ir_makes_handle(op); // every token is one
  const bool token = handle && stow_ir_gives(op, stow_bridge_type_is_token);
  return (handle ? STOW_FATE_HANDLE : 0u) |
         (token || stow_ir_starts_work_with(op, traits) ? STOW_FATE_WORK : 0u) |
         (number ? STOW_FATE_NUMBER : 0u) | (traits & STOW_FREES_BY_BIT ? STOW_FATE_BY_BIT : 0u) |
         (traits & STOW_PROMISES_DISTINCT ? STOW_FATE_DISTINCT : 0u) |
         (facts & STOW_OP_EFFECTS_KNOWN ? 0u : STOW_FATE_UNKNOWN);
}

unsigned stow_fates_of(MlirOperation op, unsigned common, const stow_effects *effects,
                       intptr_t operand) {
  unsigned fates = common;
  if ((fates & STOW_FATE_BY_BIT) && !stow_frees_by_bit(op, operand))
    fates &= ~(unsigned)STOW_FATE_BY_BIT;
  const uint8_t own = effects->operands[operand];
  if (own & STOW_FREE)
    fates |= STOW_FATE_FREED;
  if (fates & STOW_FATE_UNKNOWN || own != 0)
    return fates;
  if (mlirOperationGetNumRegions(op) > 0)
    fates |= STOW_FATE_REGIONS;
  return effects->all & (STOW_WRITE | STOW_FREE) ? fates | STOW_FATE_STORED : fates;
}

//===----------------------------------------------------------------------===//
// Run where they would not have run
//===----------------------------------------------------------------------===//

// Whether an op says of its operands what may not hold where it would not have run.
static bool makes_promise(MlirOperation op) {
  const MlirAttribute flags = stow_attribute_of(op, "overflowFlags");
  if (mlirAttributeIsNull(flags))
    return stow_ir_has_attribute(op, "nonNeg");
  const MlirAttribute none =
      mlirAttributeParseGet(mlirOperationGetContext(op), stow_ir_string("#arith.overflow<none>"));
  return !mlirAttributeEqual(flags, none) || stow_ir_has_attribute(op, "nonNeg");
}

// Whether all divisors of an affine op's map are constants.
static bool divides_by_constants(MlirOperation op) {
  const MlirAffineMap map = mlirAffineMapAttrGetValue(stow_attribute_of(op, "map"));
  bool constant = true;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map) && constant; ++i)
    constant = mlirAffineExprIsPureAffine(mlirAffineMapGetResult(map, i));
  return constant;
}

bool stow_ir_op_is_total(MlirOperation op) {
  if (stow_ir_is(op, STOW_MEMREF_DIM)) // of a shape, which is there as long as the value is
    return stow_bridge_op_is_pure(op);
  if (stow_ir_is(op, STOW_AFFINE_APPLY) || stow_ir_is(op, STOW_AFFINE_MIN) ||
      stow_ir_is(op, STOW_AFFINE_MAX))
    return divides_by_constants(op);
  return (stow_ir_op_traits(op) & STOW_TOTAL) && !makes_promise(op) &&
         stow_bridge_type_is_plain(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

bool stow_ir_op_may_end(MlirOperation op) {
  const uint32_t facts = stow_op_facts(op);
  return stow_ir_is(op, STOW_CF_ASSERT) || (facts & STOW_OP_CALL) ||
         !(facts & STOW_OP_EFFECTS_KNOWN);
}

bool stow_ir_op_may_not_end(MlirOperation op) {
  if (stow_ir_op_traits(op) & (STOW_NEVER_RETURNS | STOW_MAY_NOT_END))
    return true;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i) {
    MlirBlock first = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
    if (!mlirBlockIsNull(first) && !mlirBlockIsNull(mlirBlockGetNextInRegion(first)))
      return true;
  }
  return false;
}
