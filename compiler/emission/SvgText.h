// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes elements of an SVG picture as text.
#ifndef ZCC_COMPILER_EMISSION_SVGTEXT_H
#define ZCC_COMPILER_EMISSION_SVGTEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace zcc::svg {

/// Escapes text for contents and attributes. Characters that XML forbids, and
/// text that is not UTF-8, are replaced.
std::string escaped(llvm::StringRef text);

/// Returns pixels, rounded to a tenth.
std::string number(double value);

struct Attribute {
  llvm::StringRef name;
  std::string value; // not escaped

  Attribute(llvm::StringRef name, std::string value)
      : name(name), value(std::move(value)) {}
  Attribute(llvm::StringRef name, const char *value)
      : name(name), value(value) {}
  Attribute(llvm::StringRef name, double pixels)
      : name(name), value(number(pixels)) {}
};

/// Returns <name a="...">contents</name>; `contents` are elements.
std::string element(llvm::StringRef name,
                    const std::vector<Attribute> &attributes,
                    llvm::StringRef contents = "");
/// Returns a title, which is shown at the mouse.
std::string title(llvm::StringRef text);
std::string text(double x, double y, llvm::StringRef words,
                 std::vector<Attribute> more = {});
std::string line(double x1, double y1, double x2, double y2,
                 llvm::StringRef kind);
std::string rect(double x, double y, double width, double height,
                 std::vector<Attribute> more, llvm::StringRef contents = "");

/// Returns about `count` round numbers that span [low, high].
std::vector<double> axisTicks(double low, double high, int count);

} // namespace zcc::svg

#endif
