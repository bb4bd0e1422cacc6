// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Train/Place.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;

static constexpr StringLiteral libraryMark = "library";

bool zcc::isLibraryPath(StringRef path) {
  if (path.starts_with("<frozen "))
    return true;
  StringRef before;
  for (StringRef part : llvm::make_range(llvm::sys::path::begin(path),
                                         llvm::sys::path::end(path))) {
    if (part == "site-packages" || part == "dist-packages" ||
        (before.starts_with("lib") && part.starts_with("python3")))
      return true;
    before = part;
  }
  return false;
}

Location zcc::markLibrary(Location loc) {
  MLIRContext *context = loc.getContext();
  return FusedLoc::get({loc}, StringAttr::get(context, libraryMark), context);
}

bool zcc::isMarkedLibrary(FusedLoc loc) {
  auto mark = dyn_cast_or_null<StringAttr>(loc.getMetadata());
  return mark && mark.getValue() == libraryMark;
}

static bool isUsers(const zcc::Frame &frame) { return !frame.isLibrary; }

static SmallVector<zcc::Frame> getFramesOfAny(FusedLoc loc) {
  SmallVector<zcc::Frame> best;
  for (Location part : loc.getLocations()) {
    SmallVector<zcc::Frame> own = zcc::getFrames(part);
    if (best.empty() ||
        (llvm::none_of(best, isUsers) && llvm::any_of(own, isUsers)))
      best = std::move(own);
  }
  for (zcc::Frame &frame : best)
    frame.isLibrary |= zcc::isMarkedLibrary(loc);
  return best;
}

SmallVector<zcc::Frame> zcc::getFrames(Location loc) {
  SmallVector<Frame> frames;
  // A stack is as long as its chain of callers. This is a loop, so that deep
  // stacks do not nest.
  for (;;) {
    if (auto call = dyn_cast<CallSiteLoc>(loc)) {
      llvm::append_range(frames, getFrames(call.getCallee()));
      loc = call.getCaller();
    } else if (auto name = dyn_cast<NameLoc>(loc)) {
      loc = name.getChildLoc();
    } else {
      break;
    }
  }
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    frames.push_back({file, isLibraryPath(file.getFilename())});
  else if (auto fused = dyn_cast<FusedLoc>(loc))
    llvm::append_range(frames, getFramesOfAny(fused));
  return frames;
}

FileLineColLoc zcc::findPlace(Location loc) {
  SmallVector<Frame> frames = getFrames(loc);
  auto at = llvm::find_if(frames, isUsers);
  if (at != frames.end())
    return at->at;
  return frames.empty() ? FileLineColLoc() : frames.front().at;
}

std::string zcc::printPlace(Location loc) {
  FileLineColLoc at = findPlace(loc);
  return at ? (llvm::sys::path::filename(at.getFilename()) + ":" +
               Twine(at.getLine()))
                  .str()
            : "";
}

StringRef zcc::findModule(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc)) {
    StringRef text = name.getName();
    return text.consume_front(moduleMark) ? text
                                          : findModule(name.getChildLoc());
  }
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    StringRef callee = findModule(call.getCallee());
    return callee.empty() ? findModule(call.getCaller()) : callee;
  }
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (StringRef found = findModule(part); !found.empty())
        return found;
  return "";
}

LogicalResult zcc::withHelp(InFlightDiagnostic &&error, const Twine &help) {
  error.attachNote() << help;
  return failure();
}
