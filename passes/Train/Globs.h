// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of parameter names given as globs.
#ifndef ZCC_PASSES_TRAIN_GLOBS_H
#define ZCC_PASSES_TRAIN_GLOBS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/GlobPattern.h"
#include <deque>
#include <optional>
#include <string>

namespace zcc {

// Returns "there are 'a', 'b', ...", for errors about a glob that matches no
// name.
inline std::string listNames(llvm::ArrayRef<llvm::StringRef> names) {
  constexpr size_t most = 8;
  std::string text = names.empty() ? "there are none" : "there are ";
  for (auto [i, name] : llvm::enumerate(names.take_front(most)))
    text += (i ? ", '" : "'") + name.str() + "'";
  if (names.size() > most)
    text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

class Globs {
public:
  // Returns false, with the error reported by `emitError`, if a text is not a
  // glob.
  bool parse(llvm::ArrayRef<std::string> texts,
             llvm::function_ref<mlir::InFlightDiagnostic()> emitError) {
    for (const std::string &text : texts) {
      Pattern &pattern = patterns.emplace_back();
      pattern.text = text;
      llvm::Expected<llvm::GlobPattern> glob =
          llvm::GlobPattern::create(pattern.text);
      if (!glob) {
        emitError() << "expected a glob, found '" << text
                    << "': " << llvm::toString(glob.takeError());
        return false;
      }
      pattern.glob = std::move(*glob);
    }
    return true;
  }

  bool match(llvm::StringRef name) {
    bool found = false;
    for (Pattern &pattern : patterns)
      if (pattern.glob->match(name))
        found = pattern.matched = true;
    return found;
  }

  bool empty() const { return patterns.empty(); }

  // Returns the first glob that has matched no name so far, or null. Such a
  // glob is surely a mistake of the user's.
  const std::string *getUnmatched() const {
    for (const Pattern &pattern : patterns)
      if (!pattern.matched)
        return &pattern.text;
    return nullptr;
  }

private:
  struct Pattern {
    std::string text;
    std::optional<llvm::GlobPattern> glob;
    bool matched = false;
  };
  std::deque<Pattern> patterns; // never move: a glob refers to its text
};

} // namespace zcc

#endif
