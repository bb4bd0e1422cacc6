// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps that need no backend: copy, fill, observe.

#include "runtime/core/BasicSteps.h"

#include "runtime/format/executable.pb.h"

#include <cstring>

namespace zcc::rt {

namespace {

// Items of the pool are pages' worth of bytes, at some 10 GB/s.
constexpr int64_t itemBytes = 16 << 10;
constexpr uint64_t itemNanoseconds = 1500;

class CopyBytes : public Step {
public:
  CopyBytes(uint32_t source, uint32_t target, size_t bytes) : bytes(bytes) {
    reads = {source};
    writes = {target};
  }
  void execute(const Frame &frame) override {
    from = static_cast<const char *>(frame.operands[reads[0]]);
    to = static_cast<char *>(frame.operands[writes[0]]);
    if (from == to)
      return;
    if (from < to + bytes && to < from + bytes) { // shifted within itself
      std::memmove(to, from, bytes);
      return;
    }
    frame.pool.run(
        [](void *self, int64_t begin, int64_t end, int) {
          auto *step = static_cast<CopyBytes *>(self);
          size_t first = begin * itemBytes;
          size_t last = std::min<size_t>(end * itemBytes, step->bytes);
          std::memcpy(step->to + first, step->from + first, last - first);
        },
        this, (bytes + itemBytes - 1) / itemBytes, itemNanoseconds);
  }

private:
  size_t bytes;
  const char *from = nullptr;
  char *to = nullptr;
};

class FillBytes : public Step {
public:
  /// `width` bytes an element, a power of two of at most 8.
  FillBytes(uint32_t target, uint64_t element, uint32_t width, size_t bytes)
      : bytes(bytes) {
    writes = {target};
    for (size_t i = 0; i < sizeof(pattern); ++i)
      pattern[i] = uint8_t(element >> (8 * (i % width)));
    isUniform = true;
    for (uint8_t byte : pattern)
      isUniform &= byte == pattern[0];
  }
  void execute(const Frame &frame) override {
    to = static_cast<char *>(frame.operands[writes[0]]);
    frame.pool.run(
        [](void *self, int64_t begin, int64_t end, int) {
          auto *step = static_cast<FillBytes *>(self);
          size_t first = begin * itemBytes;
          size_t last = std::min<size_t>(end * itemBytes, step->bytes);
          step->fill(first, last);
        },
        this, (bytes + itemBytes - 1) / itemBytes, itemNanoseconds);
  }

private:
  /// `first` is a multiple of the pattern.
  void fill(size_t first, size_t last) {
    if (isUniform) {
      std::memset(to + first, pattern[0], last - first);
      return;
    }
    for (; first + sizeof(pattern) <= last; first += sizeof(pattern))
      std::memcpy(to + first, pattern, sizeof(pattern));
    std::memcpy(to + first, pattern, last - first);
  }

  uint8_t pattern[8];
  bool isUniform;
  size_t bytes;
  char *to = nullptr;
};

class Observe : public Step {
public:
  Observe(const format::ObserveStep &step, const Observer &observer)
      : step(step), observer(observer) {
    reads.assign(step.operands().begin(), step.operands().end());
  }
  void execute(const Frame &frame) override {
    if (!frame.observing || !observer)
      return;
    for (size_t i = 0; i < reads.size(); ++i)
      observer(step.states(static_cast<int>(i)), frame.operands[reads[i]],
               step.scaled());
  }

private:
  const format::ObserveStep &step;
  const Observer &observer;
};

} // namespace

std::unique_ptr<Step> createCopyStep(const format::CopyStep &step,
                                     const format::Task &task) {
  return std::make_unique<CopyBytes>(step.source(), step.target(),
                                     task.operands(step.source()).size());
}

std::unique_ptr<Step> createFillStep(const format::FillStep &step,
                                     const format::Task &task) {
  return std::make_unique<FillBytes>(step.target(), step.value(),
                                     step.width() ? step.width() : 1,
                                     task.operands(step.target()).size());
}

std::unique_ptr<Step> createObserveStep(const format::ObserveStep &step,
                                        const Observer &observer) {
  return std::make_unique<Observe>(step, observer);
}

} // namespace zcc::rt
