// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds texts for messages: text("rank ", 3, " lacks ", name). Small on
// purpose: every file of the runtime can give helpful errors without the
// headers of a formatting library.

#ifndef ZCC_RUNTIME_FORMAT_TEXT_H
#define ZCC_RUNTIME_FORMAT_TEXT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace zcc::rt {

/// The shortest text that reads back as the same number, always with a point
/// or an exponent ("1.0"); "NaN", "Infinity" and "-Infinity" for the rest.
std::string numberText(double value);
std::string numberText(float value);

/// The same as a JSON value: what is not finite is a string.
std::string jsonNumber(double value);
std::string jsonNumber(float value);

/// "[2, 3]".
std::string shapeText(const std::vector<int64_t> &shape);

/// A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
std::string jsonText(std::string_view value);

/// "a, b, c", cut after `most` entries with "... and N more".
std::string listText(const std::vector<std::string> &names, size_t most = 20);

/// The name that takes the fewest edits to turn `word` into, the first among
/// equals; empty if there are no names.
std::string nearestName(std::string_view word,
                        const std::vector<std::string> &names);

/// The nearest name if it is so similar to `word` that it was probably meant;
/// empty if there is none.
std::string similarName(std::string_view word,
                        const std::vector<std::string> &names);

/// "; did you mean 'NAME'?", the end of an error about an unknown word; empty
/// if `name` is.
std::string didYouMean(std::string_view name);

namespace detail {
inline void append(std::string &out, std::string_view part) { out += part; }
inline void append(std::string &out, const char *part) { out += part; }
inline void append(std::string &out, char part) { out += part; }
inline void append(std::string &out, double part) { out += numberText(part); }
inline void append(std::string &out, float part) { out += numberText(part); }
inline void append(std::string &out, const std::vector<int64_t> &part) {
  out += shapeText(part);
}
template <typename T>
std::enable_if_t<std::is_integral_v<T>> append(std::string &out, T part) {
  out += std::to_string(part);
}
} // namespace detail

template <typename... Parts> std::string text(const Parts &...parts) {
  std::string out;
  (detail::append(out, parts), ...);
  return out;
}

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_TEXT_H
