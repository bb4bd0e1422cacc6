// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remembers where NaN comes from: the kernels of a step that made one although
// their operands had none.

#ifndef ZCC_RUNTIME_CORE_NANORIGINS_H
#define ZCC_RUNTIME_CORE_NANORIGINS_H

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace zcc::rt {

/// Returns true if an array has a NaN. `type` is a format::Type; elements of
/// types without NaN have none.
bool hasNan(int type, const void *data, size_t bytes);

/// Collects the origins of NaN in one training step. The ranks of a process
/// share it, and any of their threads may call it.
class NanOrigins {
public:
  /// Forgets the origins of an earlier step.
  void clear();
  /// Takes a step of a task that made a NaN. Earlier ones come first.
  void addStep(const std::string &step, int rank);
  /// Takes an operand that had a NaN when `step` read it, though no step that
  /// was added before has made one.
  void addOperand(const std::string &operand, const std::string &step);
  /// Returns "NaN begins in ...", with the first steps of different names;
  /// empty if nothing was added.
  std::string describe() const;

private:
  struct Origin {
    std::string step;
    int rank;
  };
  static constexpr size_t most = 3;

  mutable std::mutex mutex;
  std::vector<Origin> steps; // at most `most`, of different names
  std::string operand, reader;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_NANORIGINS_H
