//===- accesses.cpp - loads and stores of LLVM ----------------------------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bridge/accesses.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Conversion/LLVMCommon/LoweringOptions.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

void stow_alias_scopes(MlirContext context, intptr_t count, MlirAttribute *out_scopes) {
  const auto domain = LLVM::AliasScopeDomainAttr::get(unwrap(context));
  for (intptr_t i = 0; i < count; ++i)
    out_scopes[i] = wrap(LLVM::AliasScopeAttr::get(domain));
}

void stow_declare_scope(MlirOperation function, MlirAttribute scope) {
  Operation *op = unwrap(function);
  OpBuilder builder = OpBuilder::atBlockBegin(&op->getRegion(0).front());
  LLVM::NoAliasScopeDeclOp::create(builder, op->getLoc(),
                                   cast<LLVM::AliasScopeAttr>(unwrap(scope)));
}

namespace {

// What a load and a store have in common.
struct Place {
  MemRefType type;
  Value memref;
  ValueRange indices;
};

// From MLIR's types to LLVM's, with casts where upstream's lowering is still to come.
struct Lowering {
  OpBuilder builder;
  Location location;
  LLVMTypeConverter converter;

  Lowering(Operation *op, const LowerToLLVMOptions &options)
      : builder(op), location(op->getLoc()), converter(op->getContext(), options) {}

  Value cast(Value value, Type type) {
    return value.getType() == type
               ? value
               : UnrealizedConversionCastOp::create(builder, location, type, value).getResult(0);
  }

  Value pointerTo(const Place &place) {
    SmallVector<Value> indices;
    for (Value index : place.indices)
      indices.push_back(cast(index, converter.getIndexType()));
    const Value descriptor = cast(place.memref, converter.convertType(place.type));
    return LLVM::getStridedElementPtr(builder, location, converter, place.type, descriptor, indices,
                                      LLVM::GEPNoWrapFlags::inbounds | LLVM::GEPNoWrapFlags::nuw);
  }
};

} // namespace

template <typename OpT> static void tell(OpT op, MlirAttribute scopes, MlirAttribute others) {
  op.setAliasScopesAttr(cast<ArrayAttr>(unwrap(scopes)));
  op.setNoaliasScopesAttr(cast<ArrayAttr>(unwrap(others)));
}

bool stow_access_by_llvm(MlirOperation access, unsigned index_bits, MlirAttribute scopes,
                         MlirAttribute others) {
  Operation *op = unwrap(access);
  LowerToLLVMOptions options(op->getContext(), DataLayout::closest(op));
  if (index_bits)
    options.overrideIndexBitwidth(index_bits);
  Lowering lower(op, options);
  auto load = dyn_cast<memref::LoadOp>(op);
  auto store = dyn_cast<memref::StoreOp>(op);
  const Place place = load ? Place{load.getMemRefType(), load.getMemref(), load.getIndices()}
                           : Place{store.getMemRefType(), store.getMemref(), store.getIndices()};
  const Type element = lower.converter.convertType(place.type.getElementType());
  if (!element || !lower.converter.convertType(place.type))
    return false;
  const Value pointer = lower.pointerTo(place);
  if (load) {
    auto made = LLVM::LoadOp::create(lower.builder, op->getLoc(), element, pointer,
                                     load.getAlignment().value_or(0), /*isVolatile=*/false,
                                     load.getNontemporal());
    tell(made, scopes, others);
    load.replaceAllUsesWith(lower.cast(made, place.type.getElementType()));
  } else {
    tell(LLVM::StoreOp::create(
             lower.builder, op->getLoc(), lower.cast(store.getValueToStore(), element), pointer,
             store.getAlignment().value_or(0), /*isVolatile=*/false, store.getNontemporal()),
         scopes, others);
  }
  op->erase();
  return true;
}
