// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect sdy: sharding annotations in the text that JAX prints.
#ifndef ZCC_DIALECTS_STABLEHLO_SDY_H
#define ZCC_DIALECTS_STABLEHLO_SDY_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/StableHLO/SDYDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/StableHLO/SDYAttributes.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/SDYOps.h.inc"

#endif
