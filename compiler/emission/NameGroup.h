// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of many layers has many values whose names differ only in the layer's
// number. Reports write them as one: "blocks.{0-83}.attn.wqkv".
#ifndef ZCC_COMPILER_EMISSION_NAMEGROUP_H
#define ZCC_COMPILER_EMISSION_NAMEGROUP_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace zcc {

class NameGroup {
public:
  /// Returns the name with each number replaced by `*`: "blocks.12.attn.wo" is
  /// "blocks.*.attn.wo". Names of one group have the same pattern. No number is
  /// a run of digits that starts with 0 and goes on, that has over 18 digits, or
  /// that comes after `:` or `#`: a place in the source, "m.py:12#3".
  static std::string patternOf(llvm::StringRef name);

  /// Adds a name, which must have the pattern of those before it. A name that
  /// is there already changes nothing.
  void add(llvm::StringRef name);

  /// Returns the number of different names.
  int64_t count() const { return static_cast<int64_t>(names.size()); }

  /// Returns the name of all: where they differ, "{0-3,7}" stands for exactly
  /// these numbers, and `*` where more than three ranges would be needed, or
  /// where several numbers differ and not every combination is there.
  std::string text() const;

private:
  // The text before each number, then the text after the last.
  std::vector<std::string> pieces;
  std::set<std::vector<int64_t>> names; // the numbers of each
};

/// Texts about values, of which those that differ only in the number of their
/// value's layer are told once.
class AlikeTexts {
public:
  /// Adds what is said of a value. Its layer is the beginning of its name up to
  /// the last part that is a number: "blocks.12." of "blocks.12.attn.wo" and of
  /// "params['blocks'][12]['attn']['wo']".
  /// Returns the index of the text.
  size_t add(llvm::StringRef name, llvm::StringRef text);

  /// Returns the number of different texts, and one of them.
  size_t size() const { return entries.size(); }
  std::string text(size_t index) const;
  /// Tells something else of all values of a text; `text` is of the value
  /// `name`, which is one of them.
  void replace(size_t index, llvm::StringRef name, llvm::StringRef text);

  /// Returns the texts in the order in which the first of each was added; in
  /// one that stands for several, "blocks.{0-3}." is the layer, and a last line
  /// says how many they are.
  std::string text() const;

private:
  struct Entry {
    NameGroup layers;
    std::string text; // with marks for the layer
  };
  std::vector<Entry> entries;
  std::map<std::string, size_t> numbers; // of entries, by pattern and text
};

/// Returns the text if it has at most `most` characters, else its beginning and
/// its end with "..." between them. `most` is at least 4.
std::string shorten(llvm::StringRef text, size_t most);

} // namespace zcc

#endif
