// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors, warnings and notes as `file:line:column: error: ...` with the line,
// in the user's code where there is some (Place.h), then the calls that led
// there; what is at no line (an option, an argument without a place) is printed
// without an invented one.
#ifndef ZCC_COMPILER_DRIVER_DIAGNOSTICS_H
#define ZCC_COMPILER_DRIVER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

namespace zcc {

class Diagnostics : public mlir::SourceMgrDiagnosticHandler {
public:
  Diagnostics(llvm::SourceMgr &sources, mlir::MLIRContext *context);

private:
  void print(mlir::Diagnostic &diagnostic);
  void printStack(mlir::Location loc);

  mlir::FileLineColLoc last; // whose line was shown
};

} // namespace zcc

#endif
