// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/phases/Choices.h"
#include "runtime/format/Text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace zcc {

std::string suggestChoice(const std::string &found,
                          const std::vector<std::string> &choices) {
  auto nameOf = [](llvm::StringRef choice) { return choice.split(':').first; };
  llvm::StringRef own = nameOf(found);
  std::vector<std::string> names;
  for (const std::string &choice : choices)
    if (llvm::StringRef name = nameOf(choice);
        !name.empty() && !llvm::isUpper(name.front()))
      names.push_back(name.str());
  std::string similar = rt::similarName(own, names);
  auto choice = llvm::find_if(choices, [&](const std::string &some) {
    return nameOf(some) == similar;
  });
  return similar.empty() ? "" : rt::didYouMean(*choice);
}

} // namespace zcc
