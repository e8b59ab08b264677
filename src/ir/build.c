//===- build.c - making the few ops that rewrites need --------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function per op that some rewrite makes, on the C API. It knows the attributes and segments of
// each; callers know neither.
//
//===----------------------------------------------------------------------===//

#include "ir/build.h"

#include "bridge/bridge.h"
#include "ir/completion.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/Linalg.h"

#include <assert.h>
#include <stdlib.h>

stow_builder stow_builder_before(MlirOperation op, MlirLocation location) {
  return (stow_builder){mlirLocationGetContext(location), op, location};
}

void stow_ir_forward_operand(MlirOperation op) {
  if (mlirOperationGetNumResults(op) > 0)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), mlirOperationGetOperand(op, 0));
}

static MlirOperation insert(const stow_builder *builder, MlirOperationState *state) {
  MlirOperation op = mlirOperationCreate(state);
  stow_ir_insert_before(builder->before, op);
  return op;
}

static MlirOperationState state_of(const stow_builder *builder, stow_op_kind kind) {
  return mlirOperationStateGet(stow_ir_string(stow_ir_kind_name(kind)), builder->location);
}

static void add_attribute(const stow_builder *builder, MlirOperationState *state, const char *name,
                          MlirAttribute attribute) {
  MlirNamedAttribute named =
      mlirNamedAttributeGet(mlirIdentifierGet(builder->context, stow_ir_string(name)), attribute);
  mlirOperationStateAddAttributes(state, 1, &named);
}

MlirOperation stow_ir_build_op(const stow_builder *builder, const stow_op_parts *parts) {
  MlirOperationState state = state_of(builder, parts->kind);
  mlirOperationStateAddOperands(&state, (intptr_t)parts->operand_count, parts->operands);
  if (!mlirTypeIsNull(parts->result))
    mlirOperationStateAddResults(&state, 1, &parts->result);
  for (size_t i = 0; i < parts->attribute_count; ++i)
    add_attribute(builder, &state, parts->attributes[i].name, parts->attributes[i].value);
  return insert(builder, &state);
}

static MlirAttribute with_last(MlirAttribute segments, int64_t more) {
  const intptr_t last = mlirDenseArrayGetNumElements(segments) - 1;
  int32_t *sizes = stow_ir_allocate((size_t)last + 1, sizeof *sizes);
  for (intptr_t i = 0; i <= last; ++i)
    sizes[i] = mlirDenseI32ArrayGetElement(segments, i);
  sizes[last] += (int32_t)more;
  const MlirAttribute changed =
      mlirDenseI32ArrayGet(mlirAttributeGetContext(segments), last + 1, sizes);
  free(sizes);
  return changed;
}

static void add_attributes_of(MlirOperation op, int64_t more, MlirOperationState *state) {
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
    if (stow_ir_string_equal(mlirIdentifierStr(attribute.name), "operandSegmentSizes"))
      attribute.attribute = with_last(attribute.attribute, more);
    mlirOperationStateAddAttributes(state, 1, &attribute);
  }
}

MlirOperation stow_ir_build_again(MlirOperation op, const MlirValue *operands, size_t operand_count,
                                  const MlirType *results, size_t result_count) {
  const stow_builder builder = stow_builder_before(op, mlirOperationGetLocation(op));
  MlirOperationState state = mlirOperationStateGet(stow_ir_op_name(op), builder.location);
  mlirOperationStateAddOperands(&state, (intptr_t)operand_count, operands);
  mlirOperationStateAddResults(&state, (intptr_t)result_count, results);
  add_attributes_of(op, (int64_t)operand_count - mlirOperationGetNumOperands(op), &state);
  for (intptr_t region = 0; region < mlirOperationGetNumRegions(op); ++region) {
    MlirRegion body = mlirRegionCreate();
    mlirRegionTakeBody(body, mlirOperationGetRegion(op, region));
    mlirOperationStateAddOwnedRegions(&state, 1, &body);
  }
  return insert(&builder, &state);
}

MlirOperation stow_ir_build_plain(const stow_builder *builder, stow_op_kind kind,
                                  const MlirValue *operands, size_t count, MlirType result) {
  const stow_op_parts parts = {
      .kind = kind, .operands = operands, .operand_count = count, .result = result};
  return stow_ir_build_op(builder, &parts);
}

MlirValue stow_ir_build_value(const stow_builder *builder, stow_op_kind kind,
                              const MlirValue *operands, size_t count, MlirType result) {
  return mlirOperationGetResult(stow_ir_build_plain(builder, kind, operands, count, result), 0);
}

MlirValue stow_ir_build_with(const stow_builder *builder, stow_op_kind kind,
                             const MlirValue *operands, size_t count, MlirType result,
                             stow_attribute attribute) {
  const stow_op_parts parts = {kind, operands, count, result, &attribute, 1};
  return mlirOperationGetResult(stow_ir_build_op(builder, &parts), 0);
}

MlirValue stow_ir_build_number(const stow_builder *builder, MlirType type, int64_t number) {
  const stow_attribute value = {"value", mlirIntegerAttrGet(type, number)};
  return stow_ir_build_with(builder, STOW_ARITH_CONSTANT, NULL, 0, type, value);
}

MlirValue stow_ir_build_binary(const stow_builder *builder, stow_op_kind kind, MlirValue left,
                               MlirValue right) {
  const MlirValue operands[] = {left, right};
  return stow_ir_build_value(builder, kind, operands, 2, mlirValueGetType(left));
}

MlirType stow_ir_bytes_type(const stow_builder *builder, uint64_t size, MlirAttribute space) {
  int64_t shape = (int64_t)size;
  return mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(builder->context, 8), 1, &shape, space);
}

static MlirOperationState alloc_state(const stow_builder *builder, stow_op_kind kind, MlirType type,
                                      const MlirValue *sizes, int32_t size_count) {
  MlirOperationState state = state_of(builder, kind);
  const int32_t segments[] = {size_count, 0};
  mlirOperationStateAddOperands(&state, size_count, sizes);
  add_attribute(builder, &state, "operandSegmentSizes",
                mlirDenseI32ArrayGet(builder->context, 2, segments));
  mlirOperationStateAddResults(&state, 1, &type);
  return state;
}

static MlirAttribute bytes_attribute(MlirContext context, uint64_t bytes) {
  return mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), (int64_t)bytes);
}

void stow_ir_set_alignment(MlirOperation alloc, uint64_t alignment) {
  mlirOperationSetAttributeByName(alloc, stow_ir_string("alignment"),
                                  bytes_attribute(mlirOperationGetContext(alloc), alignment));
}

void stow_ir_erase_deallocs(MlirValue buffer) {
  STOW_EACH_USE_THAT_MAY_GO(use, buffer)
    if (stow_ir_is_dealloc(mlirOpOperandGetOwner(use)))
      mlirOperationDestroy(mlirOpOperandGetOwner(use));
}

static MlirValue build_static(const stow_builder *builder, stow_op_kind kind, MlirType type,
                              uint64_t alignment) {
  MlirOperationState state = alloc_state(builder, kind, type, NULL, 0);
  if (alignment > 0)
    add_attribute(builder, &state, "alignment", bytes_attribute(builder->context, alignment));
  return mlirOperationGetResult(insert(builder, &state), 0);
}

MlirValue stow_ir_build_alloc(const stow_builder *builder, MlirType type, uint64_t alignment) {
  return build_static(builder, STOW_MEMREF_ALLOC, type, alignment);
}

MlirType stow_ir_any_bytes_type(MlirContext context, MlirAttribute space) {
  const int64_t shape = mlirShapedTypeGetDynamicSize();
  return mlirMemRefTypeContiguousGet(mlirIntegerTypeGet(context, 8), 1, &shape, space);
}

MlirValue stow_ir_build_alloc_bytes(const stow_builder *builder, MlirValue bytes,
                                    MlirAttribute space, uint64_t alignment) {
  MlirOperationState state = alloc_state(
      builder, STOW_MEMREF_ALLOC, stow_ir_any_bytes_type(builder->context, space), &bytes, 1);
  add_attribute(builder, &state, "alignment", bytes_attribute(builder->context, alignment));
  return mlirOperationGetResult(insert(builder, &state), 0);
}

MlirValue stow_ir_build_alloca(const stow_builder *builder, MlirType type, uint64_t alignment) {
  return build_static(builder, STOW_MEMREF_ALLOCA, type, alignment);
}

MlirValue stow_ir_build_aligned(const stow_builder *builder, MlirValue memref, uint64_t alignment) {
  if (alignment <= 1)
    return memref;
  MlirType i32 = mlirIntegerTypeGet(builder->context, 32);
  const stow_attribute promise = {"alignment", mlirIntegerAttrGet(i32, (int64_t)alignment)};
  return stow_ir_build_with(builder, STOW_MEMREF_ASSUME_ALIGNMENT, &memref, 1,
                            mlirValueGetType(memref), promise);
}

MlirValue stow_ir_build_index(const stow_builder *builder, MlirValue value) {
  const MlirType type = mlirValueGetType(value);
  if (mlirTypeIsAIndex(type))
    return value;
  const bool bit = mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 1;
  return stow_ir_build_value(builder, bit ? STOW_ARITH_INDEX_CASTUI : STOW_ARITH_INDEX_CAST, &value,
                             1, mlirIndexTypeGet(builder->context));
}

MlirValue stow_ir_build_compare(const stow_builder *builder, enum stow_predicate predicate,
                                MlirValue left, MlirValue right) {
  const MlirValue operands[] = {left, right};
  const stow_attribute how = {
      "predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(builder->context, 64), predicate)};
  return stow_ir_build_with(builder, STOW_ARITH_CMPI, operands, 2,
                            mlirIntegerTypeGet(builder->context, 1), how);
}

void stow_ir_build_assert(const stow_builder *builder, MlirValue bit, const char *message) {
  const stow_attribute said = {"msg", mlirStringAttrGet(builder->context, stow_ir_string(message))};
  const stow_op_parts parts = {.kind = STOW_CF_ASSERT,
                               .operands = &bit,
                               .operand_count = 1,
                               .attributes = &said,
                               .attribute_count = 1};
  stow_ir_build_op(builder, &parts);
}

MlirValue stow_ir_build_select(const stow_builder *builder, MlirValue bit, MlirValue yes,
                               MlirValue no) {
  const MlirValue operands[] = {bit, yes, no};
  return stow_ir_build_value(builder, STOW_ARITH_SELECT, operands, 3, mlirValueGetType(yes));
}

MlirValue stow_ir_build_dim(const stow_builder *builder, MlirValue memref, int64_t dimension) {
  MlirType index = mlirIndexTypeGet(builder->context);
  const MlirValue operands[] = {memref, stow_ir_build_number(builder, index, dimension)};
  return stow_ir_build_value(builder, STOW_MEMREF_DIM, operands, 2, index);
}

bool stow_ir_can_alloc(MlirType type) {
  return mlirTypeIsAMemRef(type) && stow_bridge_memref_has_identity_layout(type);
}

MlirValue stow_ir_build_alloc_like(const stow_builder *builder, MlirType type, MlirValue like) {
  intptr_t rank = mlirShapedTypeGetRank(type);
  MlirValue *sizes = stow_ir_allocate((size_t)rank, sizeof *sizes);
  int32_t count = 0;
  for (intptr_t i = 0; i < rank; ++i)
    if (mlirShapedTypeIsDynamicDim(type, i))
      sizes[count++] = stow_ir_build_dim(builder, like, i);
  MlirOperationState state = alloc_state(builder, STOW_MEMREF_ALLOC, type, sizes, count);
  free(sizes);
  return mlirOperationGetResult(insert(builder, &state), 0);
}

MlirType stow_ir_identity_type(MlirType memref, MlirAttribute space) {
  const intptr_t rank = mlirShapedTypeGetRank(memref);
  int64_t *shape = stow_ir_allocate((size_t)rank, sizeof *shape);
  for (intptr_t i = 0; i < rank; ++i)
    shape[i] = mlirShapedTypeIsDynamicDim(memref, i) ? mlirShapedTypeGetDynamicSize()
                                                     : mlirShapedTypeGetDimSize(memref, i);
  MlirType type =
      mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(memref), rank, shape, space);
  free(shape);
  return type;
}

static bool is_number(int64_t stride_or_offset) {
  return !mlirShapedTypeIsDynamicStrideOrOffset(stride_or_offset) && stride_or_offset >= 0;
}

// One past the last cell that a static memref reaches, from the beginning of its allocation.
static bool count_cells(MlirType memref, int64_t *out_cells) {
  const intptr_t rank = mlirShapedTypeGetRank(memref);
  int64_t *strides = stow_ir_allocate((size_t)rank, sizeof *strides), offset, span;
  bool known =
      mlirShapedTypeHasStaticShape(memref) &&
      mlirLogicalResultIsSuccess(mlirMemRefTypeGetStridesAndOffset(memref, strides, &offset)) &&
      is_number(offset) && !__builtin_add_overflow(offset, INT64_C(1), out_cells);
  for (intptr_t i = 0; i < rank && known; ++i) {
    const int64_t more = mlirShapedTypeGetDimSize(memref, i) - 1;
    known = is_number(strides[i]) &&
            !__builtin_mul_overflow(more > 0 ? more : 0, strides[i], &span) &&
            !__builtin_add_overflow(*out_cells, span, out_cells);
  }
  free(strides);
  return known;
}

MlirType stow_ir_type_with_room(MlirType type) {
  int64_t cells;
  if (!mlirTypeIsAMemRef(type) || stow_ir_can_alloc(type))
    return mlirTypeIsAMemRef(type) ? type : (MlirType){NULL};
  const MlirType whole = stow_ir_identity_type(type, stow_ir_memory_space(type));
  if (stow_bridge_can_cast(whole, type))
    return whole;
  return count_cells(type, &cells)
             ? mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(type), 1, &cells,
                                           stow_ir_memory_space(type))
             : (MlirType){NULL};
}

bool stow_ir_is_part_of_room(MlirType type) {
  const MlirType room = stow_ir_type_with_room(type);
  return !mlirTypeIsNull(room) && !mlirTypeEqual(room, type) && !stow_bridge_can_cast(room, type);
}

MlirValue stow_ir_build_clone(const stow_builder *builder, MlirValue source, MlirType type,
                              uint64_t alignment) {
  const MlirType room = stow_ir_type_with_room(type);
  MlirValue made = stow_ir_build_alloc_like(builder, room, source);
  if (alignment > 0)
    stow_ir_set_alignment(mlirOpResultGetOwner(made), alignment);
  if (stow_ir_is_part_of_room(type))
    made = stow_ir_build_part(builder, &made, 1, type);
  stow_ir_build_copy(builder, source, made);
  return mlirTypeEqual(mlirValueGetType(made), type)
             ? made
             : stow_ir_build_value(builder, STOW_MEMREF_CAST, &made, 1, type);
}

MlirValue stow_ir_build_size_of(const stow_builder *builder, MlirOperation alloc,
                                int64_t dimension) {
  return stow_ir_is(alloc, STOW_BUFFERIZATION_CLONE)
             ? stow_ir_build_dim(builder, mlirOperationGetOperand(alloc, 0), dimension)
             : stow_ir_size_operand(alloc, dimension);
}

MlirOperation stow_ir_build_dealloc(const stow_builder *builder, MlirValue memref) {
  return stow_ir_build_plain(builder, STOW_MEMREF_DEALLOC, &memref, 1, (MlirType){NULL});
}

static MlirOperation build_device_op(const stow_builder *builder, stow_op_kind kind,
                                     MlirValue token, const MlirValue *operands, size_t count,
                                     MlirType result) {
  MlirOperationState state = state_of(builder, kind);
  const int32_t segments[] = {!mlirValueIsNull(token), 0, 0};
  if (kind == STOW_GPU_ALLOC)
    add_attribute(builder, &state, "operandSegmentSizes",
                  mlirDenseI32ArrayGet(builder->context, 3, segments));
  if (!mlirValueIsNull(token))
    mlirOperationStateAddOperands(&state, 1, &token);
  mlirOperationStateAddOperands(&state, (intptr_t)count, operands);
  if (!mlirTypeIsNull(result))
    mlirOperationStateAddResults(&state, 1, &result);
  const MlirType done = mlirValueIsNull(token) ? (MlirType){NULL} : mlirValueGetType(token);
  if (!mlirTypeIsNull(done))
    mlirOperationStateAddResults(&state, 1, &done);
  return insert(builder, &state);
}

// Where a program has tokens, ops without one may have no lowering.
MlirOperation stow_ir_build_device_op(const stow_builder *builder, stow_op_kind kind,
                                      MlirType token, const MlirValue *operands, size_t count,
                                      MlirType result) {
  MlirValue begin = {NULL};
  if (!mlirTypeIsNull(token))
    begin = stow_ir_build_value(builder, STOW_GPU_WAIT, NULL, 0, token);
  const MlirOperation op = build_device_op(builder, kind, begin, operands, count, result);
  const MlirValue end = stow_ir_token_of(op);
  if (!mlirValueIsNull(end))
    stow_ir_build_plain(builder, STOW_GPU_WAIT, &end, 1, (MlirType){NULL});
  return op;
}

static bool stands_for_others(MlirValue token) {
  return !mlirValueIsNull(token) && !mlirOpOperandIsNull(mlirValueGetFirstUse(token));
}

void stow_ir_forward_tokens(MlirOperation op) {
  const stow_builder builder = stow_builder_before(op, mlirOperationGetLocation(op));
  const MlirValue token = stow_ir_token_of(op);
  STOW_ARRAY(MlirValue) behind = {0};
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(op); i < n; ++i)
    if (stow_bridge_type_is_token(mlirValueGetType(mlirOperationGetOperand(op, i))))
      STOW_PUSH(behind, mlirOperationGetOperand(op, i));
  if (mlirValueIsNull(token) && behind.count > 0)
    stow_ir_build_plain(&builder, STOW_GPU_WAIT, behind.at, behind.count, (MlirType){NULL});
  else if (stands_for_others(token))
    mlirValueReplaceAllUsesOfWith(
        token, behind.count == 1 ? behind.at[0]
                                 : stow_ir_build_value(&builder, STOW_GPU_WAIT, behind.at,
                                                       behind.count, mlirValueGetType(token)));
  free(behind.at);
}

MlirValue stow_ir_build_view(const stow_builder *builder, MlirValue bytes, MlirValue offset,
                             const MlirValue *sizes, size_t size_count, MlirType type) {
  MlirValue *operands = stow_ir_allocate(2 + size_count, sizeof *operands);
  operands[0] = bytes;
  operands[1] = offset;
  for (size_t i = 0; i < size_count; ++i)
    operands[2 + i] = sizes[i];
  MlirValue view = stow_ir_build_value(builder, STOW_MEMREF_VIEW, operands, 2 + size_count, type);
  free(operands);
  return view;
}

MlirValue stow_ir_build_part(const stow_builder *builder, const MlirValue *operands, size_t count,
                             MlirType type) {
  const intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t *sizes = stow_ir_allocate(2 * (size_t)rank, sizeof *sizes), *strides = sizes + rank,
          offset;
  mlirMemRefTypeGetStridesAndOffset(type, strides, &offset);
  int32_t segments[] = {1, mlirShapedTypeIsDynamicStrideOrOffset(offset), 0, 0};
  for (intptr_t d = 0; d < rank; ++d) {
    sizes[d] = mlirShapedTypeGetDimSize(type, d);
    segments[2] += mlirShapedTypeIsDynamicSize(sizes[d]);
    segments[3] += mlirShapedTypeIsDynamicStrideOrOffset(strides[d]);
  }
  assert((size_t)(segments[0] + segments[1] + segments[2] + segments[3]) == count);
  const stow_attribute attributes[] = {
      {"static_offsets", mlirDenseI64ArrayGet(builder->context, 1, &offset)},
      {"static_sizes", mlirDenseI64ArrayGet(builder->context, rank, sizes)},
      {"static_strides", mlirDenseI64ArrayGet(builder->context, rank, strides)},
      {"operandSegmentSizes", mlirDenseI32ArrayGet(builder->context, 4, segments)}};
  free(sizes);
  const stow_op_parts parts = {STOW_MEMREF_REINTERPRET_CAST, operands, count, type, attributes, 4};
  return mlirOperationGetResult(stow_ir_build_op(builder, &parts), 0);
}

stow_row_start stow_ir_build_row_start(const stow_builder *builder, MlirValue memref) {
  MlirOperationState state = state_of(builder, STOW_MEMREF_EXTRACT_METADATA);
  mlirOperationStateAddOperands(&state, 1, &memref);
  mlirOperationStateEnableResultTypeInference(&state);
  MlirOperation metadata = insert(builder, &state);
  return (stow_row_start){mlirOperationGetResult(metadata, 0), mlirOperationGetResult(metadata, 1)};
}

MlirValue stow_ir_build_row(const stow_builder *builder, const stow_row_start *origin,
                            int64_t span) {
  const MlirType base = mlirValueGetType(origin->base);
  const int64_t moving = mlirShapedTypeGetDynamicStrideOrOffset(), one = 1;
  const MlirValue operands[] = {origin->base, origin->offset};
  return stow_ir_build_part(
      builder, operands, 2,
      mlirMemRefTypeGet(mlirShapedTypeGetElementType(base), 1, &span,
                        mlirStridedLayoutAttrGet(builder->context, moving, 1, &one),
                        mlirMemRefTypeGetMemorySpace(base)));
}

MlirValue stow_ir_build_flat(const stow_builder *builder, MlirValue memref, int64_t span) {
  const stow_row_start origin = stow_ir_build_row_start(builder, memref);
  return stow_ir_build_row(builder, &origin, span);
}

MlirOperation stow_ir_build_copy(const stow_builder *builder, MlirValue source, MlirValue target) {
  const MlirValue operands[] = {source, target};
  return stow_ir_build_plain(builder, STOW_MEMREF_COPY, operands, 2, (MlirType){NULL});
}

void stow_ir_build_fill(const stow_builder *builder, MlirValue bytes, uint8_t value) {
  MlirOperationState state = state_of(builder, STOW_LINALG_FILL);
  const int32_t segments[] = {1, 1};
  const MlirValue operands[] = {
      stow_ir_build_number(builder, mlirIntegerTypeGet(builder->context, 8), (int8_t)value), bytes};
  MlirRegion region = mlirRegionCreate();
  add_attribute(builder, &state, "operandSegmentSizes",
                mlirDenseI32ArrayGet(builder->context, 2, segments));
  mlirOperationStateAddOperands(&state, 2, operands);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  mlirLinalgFillBuiltinNamedOpRegion(insert(builder, &state));
}

//===----------------------------------------------------------------------===//
// Ops with a body
//===----------------------------------------------------------------------===//

// Of `region_count` regions the first has a body.
static MlirOperation with_body(const stow_builder *builder, MlirOperationState *state,
                               MlirBlock body, intptr_t region_count) {
  MlirOperationState yield = state_of(builder, STOW_SCF_YIELD);
  MlirRegion regions[] = {mlirRegionCreate(), {NULL}};
  mlirBlockAppendOwnedOperation(body, mlirOperationCreate(&yield));
  mlirRegionAppendOwnedBlock(regions[0], body);
  if (region_count > 1)
    regions[1] = mlirRegionCreate();
  mlirOperationStateAddOwnedRegions(state, region_count, regions);
  insert(builder, state);
  return mlirBlockGetTerminator(body);
}

MlirOperation stow_ir_build_if(const stow_builder *builder, MlirValue bit) {
  MlirOperationState state = state_of(builder, STOW_SCF_IF);
  mlirOperationStateAddOperands(&state, 1, &bit);
  return with_body(builder, &state, mlirBlockCreate(0, NULL, NULL), 2);
}

MlirOperation stow_ir_build_carrying_for(const stow_builder *builder, MlirValue begin,
                                         MlirValue end, MlirValue step, const MlirValue *carried,
                                         size_t count, MlirValue *out_number,
                                         MlirValue *out_carried) {
  const MlirValue bounds[] = {begin, end, step};
  MlirType index = mlirIndexTypeGet(builder->context);
  MlirOperationState state = state_of(builder, STOW_SCF_FOR);
  MlirBlock body = mlirBlockCreate(1, &index, &builder->location);
  mlirOperationStateAddOperands(&state, 3, bounds);
  mlirOperationStateAddOperands(&state, (intptr_t)count, carried);
  for (size_t i = 0; i < count; ++i) {
    MlirType type = mlirValueGetType(carried[i]);
    mlirOperationStateAddResults(&state, 1, &type);
    out_carried[i] = mlirBlockAddArgument(body, type, builder->location);
  }
  *out_number = mlirBlockGetArgument(body, 0);
  return with_body(builder, &state, body, 1);
}

MlirOperation stow_ir_build_for(const stow_builder *builder, MlirValue begin, MlirValue end,
                                MlirValue step, MlirValue *out_number) {
  return stow_ir_build_carrying_for(builder, begin, end, step, NULL, 0, out_number, NULL);
}

static MlirBlock body_block(const stow_builder *builder, MlirType type) {
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  MlirOperationState end = state_of(builder, STOW_FUNC_RETURN);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
    mlirBlockAddArgument(block, mlirFunctionTypeGetInput(type, i), builder->location);
  mlirBlockAppendOwnedOperation(block, mlirOperationCreate(&end));
  return block;
}

MlirOperation stow_ir_build_function(const stow_builder *builder, const char *name, MlirType type,
                                     bool with_body) {
  MlirOperationState state = state_of(builder, STOW_FUNC_FUNC);
  MlirRegion body = mlirRegionCreate();
  if (with_body)
    mlirRegionAppendOwnedBlock(body, body_block(builder, type));
  add_attribute(builder, &state, "sym_name",
                mlirStringAttrGet(builder->context, stow_ir_string(name)));
  add_attribute(builder, &state, "function_type", mlirTypeAttrGet(type));
  if (!with_body) // as a declaration must be
    add_attribute(builder, &state, "sym_visibility",
                  mlirStringAttrGet(builder->context, stow_ir_string("private")));
  mlirOperationStateAddOwnedRegions(&state, 1, &body);
  return insert(builder, &state);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

MlirValue stow_constant(stow_constants *constants, uint64_t number) {
  const void *key = (const void *)(uintptr_t)(number + 1);
  int32_t known = stow_map_get(&constants->index, key);
  if (known >= 0)
    return constants->values.at[known];
  MlirType index = mlirIndexTypeGet(constants->builder.context);
  MlirValue value = stow_ir_build_number(&constants->builder, index, (int64_t)number);
  stow_map_add(&constants->index, key, (int32_t)STOW_PUSH(constants->values, value));
  return value;
}

void stow_constants_free(stow_constants *constants) {
  stow_map_free(&constants->index);
  free(constants->values.at);
}
