//===- size.c - how many bytes a memref takes -----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ir/size.h"

#include "bridge/bridge.h"
#include "mlir-c/BuiltinTypes.h"

static const uint64_t LARGEST = UINT64_C(1) << 62;

typedef struct extent {
  uint64_t size, alignment; // bytes
} extent;

static uint64_t power_of_two_from(uint64_t value) {
  uint64_t power = 1;
  while (power < value)
    power *= 2;
  return power;
}

// Integers and floats up to 64 bits are as aligned as they are large; wider ones have 16.
static extent number(uint64_t bits) {
  uint64_t bytes = bits <= 8 ? 1 : (bits + 7) / 8;
  uint64_t alignment = bytes > 8 ? 16 : power_of_two_from(bytes);
  return (extent){stow_ir_rounded_up(bytes, alignment), alignment};
}

// An LLVM vector packs its elements' bits, and is as large and as aligned as the power of two that
// holds them.
static bool vector_row(uint64_t element_bits, uint64_t length, extent *out) {
  uint64_t bits;
  if (__builtin_mul_overflow(element_bits, length, &bits) || bits / 8 > LARGEST)
    return false;
  out->alignment = power_of_two_from(bits / 8 + (bits % 8 != 0));
  out->size = out->alignment;
  return true;
}

// The width of a number, or 0 for any other type.
static uint64_t bits_of(const stow_layout *layout, MlirType type) {
  if (mlirTypeIsAIndex(type))
    return layout->index_bits;
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeGetWidth(type);
  return mlirTypeIsAFloat(type) ? mlirFloatTypeGetWidth(type) : 0;
}

// Multiplies the size by the first `dimensions` of a shape, a dynamic one as 1; with a 0 among them
// nothing is too large.
static bool multiply(extent *total, MlirType shape, intptr_t dimensions) {
  for (intptr_t i = 0; i < dimensions; ++i)
    if (mlirShapedTypeGetDimSize(shape, i) == 0) {
      total->size = 0;
      return true;
    }
  for (intptr_t i = 0; i < dimensions; ++i)
    if (!mlirShapedTypeIsDynamicDim(shape, i) &&
        (__builtin_mul_overflow(total->size, (uint64_t)mlirShapedTypeGetDimSize(shape, i),
                                &total->size) ||
         total->size > LARGEST))
      return false;
  return true;
}

// {allocated, aligned, offset, sizes[rank], strides[rank]}, or {rank, descriptor} when unranked.
static extent memref_descriptor(const stow_layout *layout, MlirType type) {
  uint64_t word = layout->index_bits > 64 ? layout->index_bits / 8 : 8;
  uint64_t words =
      mlirTypeIsAUnrankedMemRef(type) ? 2 : 3 + 2 * (uint64_t)mlirShapedTypeGetRank(type);
  return (extent){words * word, word};
}

// The innermost dimension is an LLVM vector, the outer ones are arrays of it.
static stow_size_status vector_extent(const stow_layout *layout, MlirType type, extent *out) {
  uint64_t bits = bits_of(layout, mlirShapedTypeGetElementType(type));
  if (mlirVectorTypeIsScalable(type) || bits == 0)
    return STOW_SIZE_ELEMENT;
  intptr_t rank = mlirShapedTypeGetRank(type);
  if (!vector_row(bits, rank ? (uint64_t)mlirShapedTypeGetDimSize(type, rank - 1) : 1, out))
    return STOW_SIZE_OVERFLOW;
  return multiply(out, type, rank ? rank - 1 : 0) ? STOW_SIZE_OK : STOW_SIZE_OVERFLOW;
}

// A number where a specification may ask for more alignment than it has of itself.
static extent specified(const stow_layout *layout, MlirType type, extent natural) {
  uint64_t size, alignment;
  if (!layout->specified || !stow_bridge_layout_of(layout->scope, type, &size, &alignment) ||
      alignment <= natural.alignment)
    return natural;
  return (extent){stow_ir_rounded_up(natural.size, alignment), alignment};
}

static stow_size_status scalar_extent(const stow_layout *layout, MlirType type, extent *out) {
  uint64_t bits = bits_of(layout, type);
  if (bits > 0)
    *out = specified(layout, type, number(bits));
  else if (mlirTypeIsAMemRef(type) || mlirTypeIsAUnrankedMemRef(type))
    *out = memref_descriptor(layout, type);
  else if (!stow_bridge_layout_of(layout->scope, type, &out->size, &out->alignment))
    return STOW_SIZE_ELEMENT;
  return STOW_SIZE_OK;
}

static stow_size_status element_extent(const stow_layout *layout, MlirType type, extent *out) {
  if (mlirTypeIsAVector(type))
    return vector_extent(layout, type, out);
  if (!mlirTypeIsAComplex(type))
    return scalar_extent(layout, type, out);
  stow_size_status status = scalar_extent(layout, mlirComplexTypeGetElementType(type), out);
  out->size *= 2;
  return status;
}

stow_layout stow_layout_at(MlirOperation scope) {
  return (stow_layout){scope, stow_bridge_index_bits(scope),
                       stow_bridge_layout_is_specified(scope)};
}

stow_size_status stow_ir_element_size(const stow_layout *layout, MlirType type, uint64_t *out_bytes,
                                      uint64_t *out_alignment) {
  extent element;
  const MlirType of = mlirShapedTypeGetElementType(type);
  const stow_size_status status = element_extent(layout, of, &element);
  if (status == STOW_SIZE_OK) {
    *out_bytes = element.size;
    *out_alignment = element.alignment;
  }
  return status;
}

uint64_t stow_ir_natural_alignment(const stow_layout *layout, MlirType type) {
  uint64_t bytes, alignment;
  return stow_ir_element_size(layout, type, &bytes, &alignment) == STOW_SIZE_OK ? alignment : 1;
}

stow_size_status stow_ir_memref_unit(const stow_layout *layout, MlirType type, uint64_t *out_bytes,
                                     uint64_t *out_alignment) {
  if (!stow_bridge_memref_has_identity_layout(type))
    return STOW_SIZE_LAYOUT;
  extent total;
  stow_size_status status = element_extent(layout, mlirShapedTypeGetElementType(type), &total);
  if (status != STOW_SIZE_OK)
    return status;
  if (!multiply(&total, type, mlirShapedTypeGetRank(type)))
    return STOW_SIZE_OVERFLOW;
  *out_bytes = total.size;
  *out_alignment = total.alignment;
  return STOW_SIZE_OK;
}

stow_size_status stow_ir_memref_size(const stow_layout *layout, MlirType type,
                                     stow_extent *out_size, uint64_t *out_alignment) {
  *out_size = (stow_extent){.formula = STOW_NO_FORMULA};
  if (!mlirTypeIsAMemRef(type) || !mlirShapedTypeHasStaticShape(type))
    return STOW_SIZE_DYNAMIC;
  const stow_size_status status =
      stow_ir_memref_unit(layout, type, &out_size->bytes, out_alignment);
  out_size->known = status == STOW_SIZE_OK;
  return status;
}

uint64_t stow_ir_made_bytes(MlirValue made) {
  const stow_layout layout = stow_layout_at(mlirOpResultGetOwner(made));
  stow_extent size;
  uint64_t alignment;
  stow_ir_memref_size(&layout, mlirValueGetType(made), &size, &alignment);
  return size.known ? size.bytes : 0;
}
