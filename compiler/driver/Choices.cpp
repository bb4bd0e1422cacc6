// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Choices.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

namespace zcc {

// Letters to insert, remove, replace or swap with their neighbour until the
// texts are equal but for case (optimal string alignment).
static size_t countEdits(llvm::StringRef a, llvm::StringRef b) {
  std::vector<std::vector<size_t>> edits(a.size() + 1,
                                         std::vector<size_t>(b.size() + 1));
  auto same = [&](size_t i, size_t j) {
    return llvm::toLower(a[i - 1]) == llvm::toLower(b[j - 1]);
  };
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        edits[i][j] = i + j;
        continue;
      }
      edits[i][j] =
          std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1,
                    edits[i - 1][j - 1] + static_cast<size_t>(!same(i, j))});
      if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j))
        edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
    }
  return edits[a.size()][b.size()];
}

std::string suggestChoice(const std::string &found,
                          const std::vector<std::string> &choices) {
  llvm::StringRef own = llvm::StringRef(found).split(':').first;
  constexpr size_t longest = 64; // of any name
  if (own.size() > longest)
    return "";
  // A third of the letters may be others: more is another word.
  size_t least = (own.size() + 2) / 3 + 1;
  const std::string *nearest = nullptr;
  for (const std::string &choice : choices) {
    llvm::StringRef name = llvm::StringRef(choice).split(':').first;
    if (name.empty() || llvm::isUpper(name.front()))
      continue;
    size_t edits = countEdits(own, name);
    // Of a short word something must be left.
    if (edits < least && edits < name.size()) {
      least = edits;
      nearest = &choice;
    }
  }
  return nearest ? "; did you mean '" + *nearest + "'?" : "";
}

} // namespace zcc
