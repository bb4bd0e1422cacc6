// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the names that JAX gives the leaves of arguments: a root, then any
// number of `['key']`, `[3]`, `[<flat index 3>]` or `.field`.
#include "passes/Import/ArgumentPath.h"
#include "llvm/ADT/StringExtras.h"

namespace zcc {

std::string ArgumentPath::getName() const {
  return keys.empty() ? root : llvm::join(keys, ".");
}

/// Reads one `[...]` at the front of `text`.
static bool consumeIndex(llvm::StringRef &text, std::string &key) {
  if (!text.consume_front("["))
    return false;
  if (text.starts_with("'") ||
      text.starts_with("\"")) { // a Python string literal
    char quote = text.front();
    text = text.drop_front();
    while (!text.empty() && text.front() != quote) {
      if (text.front() == '\\' && text.size() > 1)
        text = text.drop_front();
      key += text.front();
      text = text.drop_front();
    }
    return text.consume_front(llvm::StringRef(&quote, 1)) &&
           text.consume_front("]");
  }
  size_t end = text.find(']');
  if (end == llvm::StringRef::npos)
    return false;
  llvm::StringRef inside = text.take_front(end);
  text = text.drop_front(end + 1);
  if (inside.consume_front("<flat index "))
    inside.consume_back(">");
  key = inside.str();
  return !key.empty();
}

ArgumentPath parseArgumentPath(llvm::StringRef text) {
  ArgumentPath path;
  llvm::StringRef rest = text;
  llvm::StringRef root =
      rest.take_until([](char c) { return c == '[' || c == '.'; });
  path.root = root.str();
  rest = rest.drop_front(root.size());
  while (!rest.empty()) {
    std::string key;
    if (rest.consume_front(".")) {
      llvm::StringRef field =
          rest.take_until([](char c) { return c == '[' || c == '.'; });
      rest = rest.drop_front(field.size());
      key = field.str();
    } else if (!consumeIndex(rest, key)) {
      key.clear();
    }
    if (key.empty())
      return {text.str(), {}};
    path.keys.push_back(std::move(key));
  }
  return path;
}

} // namespace zcc
