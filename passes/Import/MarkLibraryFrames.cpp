// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks the frames of call stacks that are not the user's, if their path does
// not tell.
//
// JAX gives every op the stack of the Python calls that led to it, from the op
// out to the script. The outer end is the same for all ops: the code that
// lowered the loss, an exporter or a training script. The locations of @main's
// return have only that end. The file of the frame just inside of it, the loss
// function's, is the user's. If the paths of a text were cut down to names, no
// other file is known to be the user's.
#include "dialects/Train/Place.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace zcc {
#define GEN_PASS_DEF_MARKLIBRARYFRAMES
#include "passes/Import/Passes.h.inc"

namespace {
bool hasFolder(StringRef path) {
  return !llvm::sys::path::parent_path(path).empty();
}

struct MarkLibraryFrames : impl::MarkLibraryFramesBase<MarkLibraryFrames> {
  /// Returns the files of the functions that the frames of `end` call.
  DenseSet<StringAttr> findEntryFiles(func::FuncOp entry, ArrayRef<Frame> end) {
    DenseSet<StringAttr> files;
    DenseSet<Location> seen;
    auto same = [](const Frame &a, const Frame &b) { return a.at == b.at; };
    entry.walk([&](Operation *op) {
      if (!seen.insert(op->getLoc()).second)
        return;
      SmallVector<Frame> frames = getFrames(op->getLoc());
      ArrayRef<Frame> all = frames;
      if (all.size() > end.size() &&
          llvm::equal(all.take_back(end.size()), end, same))
        files.insert(all.drop_back(end.size()).back().at.getFilename());
    });
    return files;
  }

  void runOnOperation() override {
    func::FuncOp entry = findEntry(getOperation());
    if (!entry || entry.isDeclaration() || !entry.getBody().hasOneBlock())
      return;
    Operation *last = entry.getBody().front().getTerminator();
    SmallVector<Frame> end = getFrames(last->getLoc());
    if (end.empty())
      return;
    DenseSet<StringAttr> files = findEntryFiles(entry, end);
    if (files.empty())
      return;
    DenseSet<Location> lowering;
    for (const Frame &frame : end)
      lowering.insert(frame.at);
    AttrTypeReplacer replacer;
    using Result = std::optional<std::pair<Attribute, WalkResult>>;
    replacer.addReplacement([](FusedLoc loc) -> Result {
      if (!isMarkedLibrary(loc))
        return std::nullopt;
      return {{loc, WalkResult::skip()}};
    });
    replacer.addReplacement([&](FileLineColRange loc) -> Result {
      bool unknown =
          !hasFolder(loc.getFilename()) && !files.contains(loc.getFilename());
      if (!unknown && !lowering.contains(loc))
        return std::nullopt;
      return {{markLibrary(loc), WalkResult::skip()}};
    });
    getOperation()->walk([&](Operation *op) {
      replacer.replaceElementsIn(op, /*replaceAttrs=*/false,
                                 /*replaceLocs=*/true);
    });
  }
};
} // namespace
} // namespace zcc
