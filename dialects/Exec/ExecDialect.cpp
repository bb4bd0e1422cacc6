// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exec dialect: registration, types.
#include "dialects/Exec/Exec.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zcc::exec;

#include "dialects/Exec/ExecDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Exec/ExecTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Exec/ExecOps.cpp.inc"

void ExecDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Exec/ExecTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Exec/ExecOps.cpp.inc"
      >();
}

int64_t zcc::exec::getBytes(RankedTensorType type) {
  return type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8);
}
int64_t BufferType::getBytes() const { return zcc::exec::getBytes(getTensor()); }
