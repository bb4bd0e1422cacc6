// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the place in the user's code that an op comes from. Errors, reports, names and the watchdog all read locations
// here.
#ifndef ZCC_DIALECTS_TRAIN_PLACE_H
#define ZCC_DIALECTS_TRAIN_PLACE_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace zcc {

/// A line of a call stack. It is of a library if its path is in an installed package, or if the pass
/// zcc-mark-library-frames marked it by `fused<"library">[...]`.
struct Frame {
  mlir::FileLineColLoc at;
  bool isLibrary;
};

/// Returns the call stack of a location, innermost first. For fused locations it is the first stack with a line of the
/// user's, else any.
llvm::SmallVector<Frame> getFrames(mlir::Location loc);

/// Returns the innermost line of the user's code; without one the innermost line; null if there are no lines.
mlir::FileLineColLoc findPlace(mlir::Location loc);

/// Returns "model.py:12" for that line, without folders, or "".
std::string printPlace(mlir::Location loc);

/// A name location that begins so is of a module of a model, such as `module:layers.0.attention`: ops of the module's
/// forward pass are named by its path, which unlike their lines tells layers apart.
inline constexpr llvm::StringLiteral moduleMark = "module:";

/// Returns the path of the module that a location is in, or "".
llvm::StringRef findModule(mlir::Location loc);

/// Returns true if a file belongs to an installed package or to Python itself.
bool isLibraryPath(llvm::StringRef path);

/// Returns the location, marked as of a library.
mlir::Location markLibrary(mlir::Location loc);
bool isMarkedLibrary(mlir::FusedLoc loc);

/// Adds a note with a remedy at the error's place. Every error that a model can cause has one.
mlir::LogicalResult withHelp(mlir::InFlightDiagnostic &&error, const llvm::Twine &help);

} // namespace zcc

#endif
