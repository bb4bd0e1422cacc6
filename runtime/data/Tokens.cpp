// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches from a stream of tokens.

#include "runtime/data/Tokens.h"

#include "runtime/core/Error.h"
#include "runtime/data/Limits.h"

#include <algorithm>
#include <cstring>

namespace zcc::rt {

/// The finalizer of splitmix64 (Steele, Lea, Flood 2014).
static uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

uint64_t permute(uint64_t index, uint64_t size, uint64_t seed, uint64_t epoch) {
  if (size < 2)
    return index;
  int bits = 64 - __builtin_clzll(size - 1);
  int half = (bits + 1) / 2;
  uint64_t mask = (uint64_t(1) << half) - 1;
  uint64_t key = mix(mix(seed) ^ epoch);
  do {
    uint64_t left = index >> half, right = index & mask;
    for (uint64_t round = 0; round < 6; ++round) {
      uint64_t next = left ^ (mix(key + (round << 56) + right) & mask);
      left = right;
      right = next;
    }
    index = left << half | right;
  } while (index >= size);
  return index;
}

namespace {

class Tokens : public BatchSource {
public:
  Tokens(const std::vector<std::string> &paths, ElementType type, uint64_t seed,
         const std::vector<InputSpec> &inputs)
      : width(byteSize(type)), type(type), seed(seed), inputs(inputs) {
    std::vector<const InputSpec *> fed;
    std::vector<std::string> names;
    for (const InputSpec &input : inputs)
      if (!input.isKey) {
        fed.push_back(&input);
        names.push_back(input.name);
      }
    auto isNamed = [](const char *name) {
      return [name](const InputSpec *input) { return input->name == name; };
    };
    auto x = std::find_if(fed.begin(), fed.end(), isNamed("x"));
    const bool isPair =
        x != fed.end() && (fed.size() == 1 ||
                           (fed.size() == 2 &&
                            std::any_of(fed.begin(), fed.end(), isNamed("y"))));
    if (!isPair && fed.size() != 1)
      badInput("tokens feed the inputs x and y, or one input of integers "
               "[batch, seq + 1]; the executable reads ",
               names.empty() ? "neither" : listText(names),
               "; rename its inputs, or write the data as --batches");
    const InputSpec &first = isPair ? **x : *fed.front();
    extra = isPair ? 0 : 1;
    fedInputs = fed.size();
    for (const InputSpec *input : fed)
      if (!isInteger(input->type) || input->shape.size() != 2 ||
          input->shape != first.shape || input->shape[0] < 1 ||
          input->shape[1] < 1 + int64_t(extra))
        badInput("tokens feed integers ",
                 isPair ? "[batch, seq]" : "[batch, seq + 1]", ", input \"",
                 input->name, "\" is ", typeName(input->type), " ",
                 input->shape);
    batch = first.shape[0];
    length = first.shape[1] - extra;
    for (const std::string &path : paths) {
      files.push_back(std::make_unique<MappedFile>(path));
      files.back()->readAtRandom();
      size_t bytes = files.back()->size();
      if (bytes % width != 0)
        badInput(path, ": ", bytes, " bytes are not a whole number of ",
                 typeName(type), " tokens");
      ends.push_back((ends.empty() ? 0 : ends.back()) + bytes / width);
    }
    uint64_t tokens = ends.empty() ? 0 : ends.back();
    windows = tokens == 0 ? 0 : (tokens - 1) / length;
    if (windows == 0)
      badInput(paths.empty() ? "--tokens" : paths[0].c_str(), ": ", tokens,
               " tokens of type ", typeName(type),
               " are too few: one window takes ", length + 1);
    if (windows < batch)
      badInput(paths[0], paths.size() > 1 ? ", ..." : "", ": ", tokens,
               " tokens of type ", typeName(type), " make ", windows,
               windows == 1 ? " window" : " windows", " of ", length,
               ", too few for a batch of ", batch);
  }

  std::optional<int64_t> stepsInEpoch() const override {
    return int64_t(windows / batch);
  }

  Batch read(int64_t step) override {
    // The windows are far apart: the disk gets all requests at once, and reads
    // only those.
    forWindows(step, MappedFile::prefetch);
    Batch out;
    const size_t rowBytes = (length + extra) * width;
    auto memory =
        std::make_shared<std::vector<char>>(fedInputs * batch * rowBytes);
    char *to = memory->data();
    for (const InputSpec &input : inputs) {
      if (input.isKey) {
        out.inputs.push_back({input.type, input.shape, nullptr, 0});
        continue;
      }
      out.inputs.push_back({type, input.shape, to, batch * rowBytes});
      const bool isNext = !extra && input.name == "y";
      for (uint64_t row = 0; row < batch; ++row) {
        uint64_t first = windowAt(step, row) * length + isNext;
        copy(first, to);
        check(input, first, to);
        to += rowBytes;
      }
    }
    forWindows(step, MappedFile::release);
    out.owner = memory;
    return out;
  }

private:
  uint64_t windowAt(int64_t step, uint64_t row) const {
    uint64_t index = uint64_t(step) * batch + row;
    return permute(index % windows, windows, seed, index / windows);
  }

  /// Calls f(data, bytes) for the files' parts of `count` tokens.
  template <typename F>
  void forParts(uint64_t first, uint64_t count, F f) const {
    size_t file =
        std::upper_bound(ends.begin(), ends.end(), first) - ends.begin();
    for (; count != 0; ++file) {
      uint64_t begin = first - (file ? ends[file - 1] : 0);
      uint64_t here = std::min(count, ends[file] - first);
      f(files[file]->data() + begin * width, here * width);
      first += here;
      count -= here;
    }
  }

  /// The same for a step's windows, each with the token after it, which is the
  /// last one of y.
  template <typename F> void forWindows(int64_t step, F f) const {
    for (uint64_t row = 0; row < batch; ++row)
      forParts(windowAt(step, row) * length, length + 1, f);
  }

  void copy(uint64_t first, char *to) const {
    forParts(first, length + extra, [&](const char *from, size_t bytes) {
      std::memcpy(to, from, bytes);
      to += bytes;
    });
  }

  void check(const InputSpec &input, uint64_t first, const char *row) const {
    auto found = findOutside(input, {type, {}, row, (length + extra) * width});
    if (!found)
      return;
    uint64_t at = first + found->index;
    size_t file = std::upper_bound(ends.begin(), ends.end(), at) - ends.begin();
    badInput("token ", found->value, " at position ",
             at - (file ? ends[file - 1] : 0), " of ", files[file]->path(), " ",
             found->problem);
  }

  size_t width;
  ElementType type;
  uint64_t seed;
  std::vector<InputSpec> inputs;
  uint64_t batch = 0, length = 0, windows = 0;
  uint64_t fedInputs = 0;
  uint64_t extra = 0; // tokens of a row beyond its window
  std::vector<std::unique_ptr<MappedFile>> files;
  std::vector<uint64_t> ends; // running sums of the files' tokens
};

} // namespace

std::unique_ptr<BatchSource> openTokens(const std::vector<std::string> &paths,
                                        ElementType type, uint64_t seed,
                                        const std::vector<InputSpec> &inputs) {
  return std::make_unique<Tokens>(paths, type, seed, inputs);
}

/// Returns true if nearly all upper halves of tokens of that width are zero in
/// the file, and the lower ones are not.
static bool hasEmptyHalves(const MappedFile &file, size_t width) {
  constexpr size_t least = 64, most = 1 << 16; // tokens that are looked at
  constexpr double nearly = 0.99, half = 0.5;
  const size_t tokens = std::min(file.size() / width, most);
  if (tokens < least)
    return false;
  size_t zeros[2] = {};
  for (size_t i = 0; i < tokens * width; ++i)
    zeros[i % width / (width / 2)] += file.data()[i] == 0;
  const double bytes = double(tokens * width) / 2;
  return double(zeros[1]) >= nearly * bytes && double(zeros[0]) < half * bytes;
}

std::string doubtTokenType(const std::vector<std::string> &paths,
                           ElementType type,
                           const std::vector<InputSpec> &inputs) {
  if (paths.empty())
    return "";
  MappedFile file(paths.front());
  for (ElementType wider : {ElementType::U32, ElementType::U16})
    if (byteSize(wider) > byteSize(type) &&
        hasEmptyHalves(file, byteSize(wider)))
      return text(paths.front(), ": read as ", typeName(type),
                  ", but it has zeros where tokens of ", typeName(wider),
                  " have their upper half; is it of --token-type ",
                  typeName(wider), "?");
  // A vocabulary of bytes and some words of control is at most twice as large.
  if (type == ElementType::U8)
    for (const InputSpec &input : inputs)
      if (input.limit > 2 * 256)
        return text(paths.front(), ": tokens of u8 are below 256, input \"",
                    input.name, "\" takes those below ", input.limit,
                    "; is it of --token-type u16?");
  return "";
}

} // namespace zcc::rt
