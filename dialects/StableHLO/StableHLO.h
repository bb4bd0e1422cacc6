// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialects stablehlo and chlo, which JAX prints. They are input only.
#ifndef ZCC_DIALECTS_STABLEHLO_STABLEHLO_H
#define ZCC_DIALECTS_STABLEHLO_STABLEHLO_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/StableHLO/CHLODialect.h.inc"
#include "dialects/StableHLO/StableHLODialect.h.inc"
#include "dialects/StableHLO/StableHLOEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/StableHLO/StableHLOAttributes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/StableHLO/CHLOAttributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/StableHLO/StableHLOTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/StableHLOOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/CHLOOps.h.inc"

#endif
