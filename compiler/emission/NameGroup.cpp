// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emission/NameGroup.h"

#include "llvm/ADT/StringExtras.h"
#include <cassert>

namespace zcc {

// Calls `addText` and `addNumber` with the parts of a name, from left to right.
static void cut(llvm::StringRef name,
                llvm::function_ref<void(llvm::StringRef)> addText,
                llvm::function_ref<void(int64_t)> addNumber) {
  constexpr size_t mostDigits = 18; // of which each fits an int64_t
  char before = 0;
  while (!name.empty()) {
    llvm::StringRef text = name.take_until(llvm::isDigit);
    name = name.drop_front(text.size());
    if (!text.empty()) {
      addText(text);
      before = text.back();
    }
    llvm::StringRef digits = name.take_while(llvm::isDigit);
    name = name.drop_front(digits.size());
    int64_t number;
    if (digits.empty())
      continue;
    if (before == ':' || before == '#' || digits.size() > mostDigits ||
        (digits.size() > 1 && digits.front() == '0') ||
        digits.getAsInteger(10, number))
      addText(digits);
    else
      addNumber(number);
  }
}

std::string NameGroup::patternOf(llvm::StringRef name) {
  std::string out;
  cut(
      name, [&](llvm::StringRef text) { out += text; },
      [&](int64_t) { out += '*'; });
  return out;
}

void NameGroup::add(llvm::StringRef name) {
  std::vector<std::string> own(1);
  std::vector<int64_t> numbers;
  cut(
      name, [&](llvm::StringRef text) { own.back() += text; },
      [&](int64_t number) {
        numbers.push_back(number);
        own.emplace_back();
      });
  assert((names.empty() || own == pieces) && "the name has another pattern");
  pieces = std::move(own);
  names.insert(std::move(numbers));
}

// "{0-3,7}", or "*" if that would be too many ranges.
static std::string formatNumbers(const std::set<int64_t> &numbers) {
  constexpr size_t mostRanges = 3;
  std::string out;
  size_t ranges = 0;
  for (auto at = numbers.begin(); at != numbers.end(); ++ranges) {
    int64_t first = *at, last = first;
    for (++at; at != numbers.end() && *at == last + 1; ++at)
      last = *at;
    out += (out.empty() ? "" : ",") + std::to_string(first);
    if (last != first)
      out += "-" + std::to_string(last);
  }
  return ranges > mostRanges ? "*" : "{" + out + "}";
}

std::string NameGroup::text() const {
  if (pieces.empty())
    return "";
  std::vector<std::set<int64_t>> byPlace(pieces.size() - 1);
  for (const std::vector<int64_t> &numbers : names)
    for (size_t i = 0; i < numbers.size(); ++i)
      byPlace[i].insert(numbers[i]);
  size_t combinations = 1;
  for (const std::set<int64_t> &numbers : byPlace)
    combinations *= numbers.size();
  std::string out = pieces.front();
  for (size_t i = 0; i < byPlace.size(); ++i) {
    if (byPlace[i].size() == 1)
      out += std::to_string(*byPlace[i].begin());
    else
      out += combinations == names.size() ? formatNumbers(byPlace[i]) : "*";
    out += pieces[i + 1];
  }
  return out;
}

// Stand for the layer in a text, as names and as the user's code write it; no
// name has them.
static constexpr llvm::StringLiteral layerMark = "\x01", pathMark = "\x02";

// "blocks.12.mlp.wi" for params['blocks'][12]['mlp']['wi']; names of other
// forms as they are.
static std::string fromPath(llvm::StringRef name) {
  llvm::StringRef rest = name.drop_while([](char c) { return c != '['; });
  std::string out;
  while (rest.consume_front("[")) {
    llvm::StringRef part = rest.take_until([](char c) { return c == ']'; });
    rest = rest.drop_front(part.size());
    if (!rest.consume_front("]"))
      return name.str();
    out += (out.empty() ? "" : ".") + part.trim("'\"").str();
  }
  return rest.empty() && !out.empty() ? out : name.str();
}

// The text before the layer's number and the number; "" if there is none.
static llvm::StringRef layerOf(llvm::StringRef name) {
  size_t end = 0;
  for (size_t at = 0; at < name.size();) {
    llvm::StringRef part =
        name.substr(at).take_until([](char c) { return c == '.'; });
    at += part.size() + 1;
    if (!part.empty() && llvm::all_of(part, llvm::isDigit) && at <= name.size())
      end = at;
  }
  // A layer "0." could not be told from the beginning of a figure.
  return name.empty() || llvm::isDigit(name[0]) ? "" : name.take_front(end);
}

// "blocks.12." as it is in params['blocks'][12]['mlp']['wi'].
static std::string toPath(llvm::StringRef layer) {
  std::string out;
  llvm::SmallVector<llvm::StringRef> parts;
  layer.split(parts, '.', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    bool isNumber = llvm::isDigit(part[0]) || part[0] == '{' || part == "*";
    out += isNumber ? "[" : "['";
    out += part;
    out += isNumber ? "]" : "']";
  }
  return out;
}

// Replaces each occurrence of `from`; if it is a `word`, of those that do not
// go on to the left.
static std::string replaceAll(llvm::StringRef text, llvm::StringRef from,
                              llvm::StringRef to, bool word = false) {
  std::string out;
  size_t done = 0;
  for (size_t at = text.find(from); at != llvm::StringRef::npos;
       at = text.find(from, at + 1)) {
    if (word && at > 0 &&
        (llvm::isAlnum(text[at - 1]) || text[at - 1] == '_' ||
         text[at - 1] == '.'))
      continue;
    out += text.substr(done, at - done);
    out += to;
    done = at + from.size();
  }
  return out + text.substr(done).str();
}

// Returns the text with marks in place of the layer.
static std::string markLayer(llvm::StringRef layer, llvm::StringRef text) {
  if (layer.empty())
    return text.str();
  return replaceAll(replaceAll(text, layer, layerMark, /*word=*/true),
                    toPath(layer), pathMark);
}

size_t AlikeTexts::add(llvm::StringRef name, llvm::StringRef text) {
  std::string dotted = fromPath(name);
  llvm::StringRef layer = layerOf(dotted);
  std::string own = markLayer(layer, text);
  auto [at, isNew] = numbers.insert(
      {NameGroup::patternOf(layer) + layerMark.str() + own, entries.size()});
  if (isNew)
    entries.push_back({{}, std::move(own)});
  entries[at->second].layers.add(layer);
  return at->second;
}

void AlikeTexts::replace(size_t index, llvm::StringRef name,
                         llvm::StringRef text) {
  entries[index].text = markLayer(layerOf(fromPath(name)), text);
}

std::string AlikeTexts::text(size_t index) const {
  const Entry &entry = entries[index];
  std::string layers = entry.layers.text();
  std::string out = replaceAll(replaceAll(entry.text, layerMark, layers),
                               pathMark, toPath(layers));
  if (entry.layers.count() > 1)
    out += "  " + std::to_string(entry.layers.count()) +
           " such values; figures are of one\n";
  return out;
}

std::string AlikeTexts::text() const {
  std::string out;
  for (size_t i = 0; i < entries.size(); ++i)
    out += text(i);
  return out;
}

std::string shorten(llvm::StringRef text, size_t most) {
  constexpr llvm::StringLiteral between = "...";
  assert(most > between.size());
  if (text.size() <= most)
    return text.str();
  size_t kept = most - between.size(), front = kept / 2;
  return (text.take_front(front) + between + text.take_back(kept - front))
      .str();
}

} // namespace zcc
