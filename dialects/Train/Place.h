// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where in the user's code something comes from: the one reading of locations, for errors, reports, names and the watchdog.
#ifndef ZCC_DIALECTS_TRAIN_PLACE_H
#define ZCC_DIALECTS_TRAIN_PLACE_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace zcc {

/// A line of a call stack. Of a library's are those of installed packages (by their path), and those that the pass
/// zcc-mark-library-frames found to be: its mark is `fused<"library">[...]`.
struct Frame {
  mlir::FileLineColLoc at;
  bool isLibrary;
};

/// The call stack of a location, innermost first; of fused ones the first that has a line of the user's, else any.
llvm::SmallVector<Frame> getFrames(mlir::Location loc);

/// The innermost line of the user's code; where there is none, the innermost line; null where there are no lines.
mlir::FileLineColLoc findPlace(mlir::Location loc);

/// "model.py:12" of that line, without folders, or "".
std::string printPlace(mlir::Location loc);

/// Whether a file belongs to an installed package or to Python itself.
bool isLibraryPath(llvm::StringRef path);

/// The location, marked as of a library.
mlir::Location markLibrary(mlir::Location loc);
bool isMarkedLibrary(mlir::FusedLoc loc);

/// Says what would help: a note at the error's place. Every refusal that a model can run into has one.
mlir::LogicalResult withHelp(mlir::InFlightDiagnostic &&error, const llvm::Twine &help);

} // namespace zcc

#endif
