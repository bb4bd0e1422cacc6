// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/Target.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace zcc {

SmallVector<Type> Target::getElementTypes(MLIRContext *context) const {
  Builder b(context);
  SmallVector<Type> types = {b.getF64Type(), b.getF32Type(), b.getF16Type(),
                             b.getBF16Type(), b.getI1Type()};
  for (unsigned width : {8, 16, 32, 64}) {
    types.push_back(b.getIntegerType(width));
    types.push_back(b.getIntegerType(width, /*isSigned=*/false));
  }
  return types;
}

SmallVector<Type> Target::getStorageTypes(MLIRContext *context) const {
  return {Float8E4M3FNType::get(context)};
}

} // namespace zcc
