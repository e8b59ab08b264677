//===- foreign.cpp - views of a dialect that Stowage does not know --------===//
//
// Part of the Stowage project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "foreign.h"

#include "mlir/CAPI/IR.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace {

class PartOp : public Op<PartOp, OpTrait::VariadicOperands, OpTrait::OneResult,
                         OffsetSizeAndStrideOpInterface::Trait> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "foreign.part"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  static unsigned getOffsetSizeAndStrideStartOperandIndex() { return 2; }
  std::array<unsigned, 3> getArrayAttrMaxRanks() {
    unsigned rank = getStaticOffsets().size();
    return {rank, rank, rank};
  }
  OperandRange getOffsets() { return getOperation()->getOperands().take_front(0); }
  OperandRange getSizes() { return getOperation()->getOperands().drop_front(2); }
  OperandRange getStrides() { return getOffsets(); }
  ArrayRef<int64_t> numbers(StringRef name) {
    return getOperation()->getAttrOfType<DenseI64ArrayAttr>(name).asArrayRef();
  }
  ArrayRef<int64_t> getStaticOffsets() { return numbers("static_offsets"); }
  ArrayRef<int64_t> getStaticSizes() { return numbers("static_sizes"); }
  ArrayRef<int64_t> getStaticStrides() { return numbers("static_strides"); }
};

class OtherOp : public Op<OtherOp, OpTrait::VariadicOperands, OpTrait::VariadicResults> {
public:
  using Op::Op;
  static StringRef getOperationName() { return "foreign.other"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
};

class ForeignDialect : public Dialect {
public:
  explicit ForeignDialect(MLIRContext *in)
      : Dialect(getDialectNamespace(), in, TypeID::get<ForeignDialect>()) {
    addOperations<PartOp, OtherOp>();
  }
  static constexpr StringLiteral getDialectNamespace() { return StringLiteral("foreign"); }
};

} // namespace

void test_load_foreign(MlirContext context) { unwrap(context)->loadDialect<ForeignDialect>(); }
