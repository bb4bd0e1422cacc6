// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects errors in protobuf text, one line `FILE:LINE:COL: error: ...` each.
#ifndef ZCC_PLANNING_TEXTERRORS_H
#define ZCC_PLANNING_TEXTERRORS_H

#include <algorithm>
#include <cctype>
#include <google/protobuf/io/tokenizer.h>
#include <string>

namespace zcc::planning {

class TextErrors : public google::protobuf::io::ErrorCollector {
public:
  explicit TextErrors(const std::string &file) : file(file) {}

  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string &message) override {
    // Protobuf names types with the package and ends some with a full stop.
    std::string clean = message;
    for (const char *noise :
         {"\"zcc.planning.proto.", "zcc.planning.proto.", "Message type "})
      for (size_t at; (at = clean.find(noise)) != std::string::npos;)
        clean.replace(at, std::string(noise).size(),
                      noise[0] == '"' ? "\"" : "");
    if (!clean.empty() && clean.back() == '.')
      clean.pop_back();
    if (clean.size() > 1 &&
        std::isupper(static_cast<unsigned char>(clean[0])) &&
        std::islower(static_cast<unsigned char>(clean[1])) &&
        clean.find("has no field") == std::string::npos)
      clean[0] =
          static_cast<char>(std::tolower(static_cast<unsigned char>(clean[0])));
    add(line, column, clean);
  }

  // Adds an error. Line and column count from 0; -1: unknown.
  void add(int line, int column, const std::string &message) {
    text += file + ":" + std::to_string(std::max(line, 0) + 1) + ":" +
            std::to_string(std::max(column, 0) + 1) + ": error: " + message +
            "\n";
  }

  std::string text;

private:
  const std::string &file;
};

} // namespace zcc::planning

#endif
