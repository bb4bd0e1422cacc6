// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text for messages and JSON lines.

#include "runtime/format/Text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

namespace zcc::rt {

template <typename T> static std::string shortest(T value) {
  if (std::isnan(value))
    return "NaN";
  if (std::isinf(value))
    return value > 0 ? "Infinity" : "-Infinity";
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  std::string out(buffer, end);
  // JSON readers keep floats and integers apart.
  if (out.find_first_of(".e") == std::string::npos)
    out += ".0";
  return out;
}

std::string numberText(double value) { return shortest(value); }
std::string numberText(float value) { return shortest(value); }

std::string jsonNumber(double value) {
  std::string out = numberText(value);
  return std::isfinite(value) ? out : "\"" + out + "\"";
}
std::string jsonNumber(float value) {
  std::string out = numberText(value);
  return std::isfinite(value) ? out : "\"" + out + "\"";
}

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

/// The length of the UTF-8 character at `position`, or 0 if there is none.
static size_t utf8Length(std::string_view s, size_t position) {
  unsigned char first = s[position];
  size_t length = first < 0x80                     ? 1
                  : first >= 0xC2 && first <= 0xDF ? 2
                  : (first & 0xF0) == 0xE0         ? 3
                  : first >= 0xF0 && first <= 0xF4 ? 4
                                                   : 0;
  if (length == 0 || position + length > s.size())
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(s[position + i]) & 0xC0) != 0x80)
      return 0;
  if (length >= 3) { // overlong forms, surrogates, beyond U+10FFFF
    unsigned char second = s[position + 1];
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
      return 0;
  }
  return length;
}

std::string jsonText(std::string_view value) {
  static const char hex[] = "0123456789abcdef";
  std::string out = "\"";
  for (size_t i = 0; i < value.size();) {
    unsigned char c = value[i];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
      ++i;
    } else if (c < 0x20 || c == 0x7F) {
      out += "\\u00";
      out += hex[c >> 4];
      out += hex[c & 15];
      ++i;
    } else if (size_t length = utf8Length(value, i)) {
      out += value.substr(i, length);
      i += length;
    } else {
      out += "\\ufffd";
      ++i;
    }
  }
  return out + "\"";
}

std::string listText(const std::vector<std::string> &names, size_t most) {
  std::string out;
  for (size_t i = 0; i < names.size() && i < most; ++i)
    out += (i ? ", " : "") + names[i];
  if (names.size() > most)
    out += " ... and " + std::to_string(names.size() - most) + " more";
  return out;
}

static size_t editsBetween(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string nearestName(std::string_view word,
                        const std::vector<std::string> &names) {
  auto best = std::min_element(
      names.begin(), names.end(), [&](const auto &a, const auto &b) {
        return editsBetween(word, a) < editsBetween(word, b);
      });
  return best == names.end() ? "" : *best;
}

static std::string inLowerCase(std::string_view word) {
  std::string out(word);
  for (char &c : out)
    if (c >= 'A' && c <= 'Z')
      c = char(c - 'A' + 'a');
  return out;
}

std::string similarName(std::string_view word,
                        const std::vector<std::string> &names) {
  std::string nearest = nearestName(word, names);
  // A third of the letters, or two, may differ, but not all: with more changes
  // it is another word.
  size_t edits = editsBetween(inLowerCase(word), inLowerCase(nearest));
  if (edits > std::max<size_t>(2, (word.size() + 2) / 3) ||
      edits >= nearest.size())
    return "";
  return nearest;
}

std::string didYouMean(std::string_view name) {
  return name.empty() ? "" : text("; did you mean '", name, "'?");
}

} // namespace zcc::rt
