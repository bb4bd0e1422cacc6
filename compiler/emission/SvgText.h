// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of an SVG picture as text.
#ifndef ZCC_COMPILER_EMISSION_SVGTEXT_H
#define ZCC_COMPILER_EMISSION_SVGTEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace zcc::svg {

/// For contents and attributes: what XML reads otherwise or must not hold is
/// replaced, so is what is no UTF-8.
std::string escaped(llvm::StringRef text);

/// Pixels, to a tenth.
std::string number(double value);

struct Attribute {
  llvm::StringRef name;
  std::string value; // as it is meant

  Attribute(llvm::StringRef name, std::string value)
      : name(name), value(std::move(value)) {}
  Attribute(llvm::StringRef name, const char *value)
      : name(name), value(value) {}
  Attribute(llvm::StringRef name, double pixels)
      : name(name), value(number(pixels)) {}
};

/// <name a="...">contents</name>; `contents` are elements.
std::string element(llvm::StringRef name,
                    const std::vector<Attribute> &attributes,
                    llvm::StringRef contents = "");
/// What is shown where the mouse is.
std::string title(llvm::StringRef text);
std::string text(double x, double y, llvm::StringRef words,
                 std::vector<Attribute> more = {});
std::string line(double x1, double y1, double x2, double y2,
                 llvm::StringRef kind);
std::string rect(double x, double y, double width, double height,
                 std::vector<Attribute> more, llvm::StringRef contents = "");

/// About `count` round numbers that span [low, high].
std::vector<double> axisTicks(double low, double high, int count);

} // namespace zcc::svg

#endif
