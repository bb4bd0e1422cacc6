// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints errors, warnings and notes as `file:line:column: error: ...` with the
// source line. The place is in the user's code if possible (Place.h), followed
// by the calls that led there. A diagnostic without a line (about an option, or
// an argument without a place) is printed without one.
#ifndef ZCC_COMPILER_DRIVER_DIAGNOSTICS_H
#define ZCC_COMPILER_DRIVER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include <string>

namespace zcc {

class Diagnostics : public mlir::SourceMgrDiagnosticHandler {
public:
  /// Writes to `os`. `firstPlace`, if given, gets FILE:LINE of the first error
  /// that is at a line, unless it has one.
  Diagnostics(llvm::SourceMgr &sources, mlir::MLIRContext *context,
              llvm::raw_ostream &os, std::string *firstPlace);

private:
  void print(mlir::Diagnostic &diagnostic);
  void notePlace(mlir::Location loc);
  void printStack(mlir::Location loc);

  mlir::FileLineColLoc last; // the place whose line was shown last
  std::string *firstPlace;   // may be null
};

} // namespace zcc

#endif
