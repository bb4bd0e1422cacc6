// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sources of the inputs of training steps: files and streams.

#ifndef ZCC_RUNTIME_DATA_BATCHSOURCE_H
#define ZCC_RUNTIME_DATA_BATCHSOURCE_H

#include "runtime/data/SafeTensors.h"

#include <functional>
#include <optional>

namespace zcc::rt {

/// An input as the executable wants it: the whole batch of one step.
struct InputSpec {
  std::string name;
  ElementType type;
  std::vector<int64_t> shape;
  /// If `limit` is above 0, the values of integers are in [low, limit).
  int64_t low = 0, limit = 0;
  /// A key of random numbers. A source may lack it; the trainer then makes it.
  bool isKey = false;
};

/// One step's inputs, in the order of the specs, still in the types of the
/// file. A key that the source lacks has no data (null).
struct Batch {
  std::vector<TensorView> inputs;
  std::shared_ptr<void> owner; // keeps the data in memory
  bool mapped = false;         // the pages can be released after use

  /// Releases the pages after use; they can be read again.
  void release() const {
    if (!mapped)
      return;
    for (const TensorView &view : inputs)
      MappedFile::release(view.data, view.bytes);
  }
};

class BatchSource {
public:
  virtual ~BatchSource() = default;
  /// The batch of a step, counted from 0. Called for ascending steps, by one
  /// thread.
  virtual Batch read(int64_t step) = 0;
  /// Ends a read that waits, from another thread.
  virtual void interrupt() {}
  /// The number of steps until the data repeats, if it does.
  virtual std::optional<int64_t> steps() const { return std::nullopt; }
  /// The number of whole batches in one pass over the data, if it ends.
  virtual std::optional<int64_t> stepsInEpoch() const { return steps(); }
};

/// Opens a file or a folder of files with a leading dimension of steps. `note`
/// gets messages for the user.
std::unique_ptr<BatchSource>
openBatchFiles(const std::string &path, const std::vector<InputSpec> &inputs,
               const std::function<void(const std::string &)> &note);

/// Reads one safetensors file for each step from a file descriptor. The file's
/// length precedes it.
std::unique_ptr<BatchSource>
openBatchStream(int fd, const std::vector<InputSpec> &inputs,
                const std::function<void(const std::string &)> &note);

/// Finds the inputs among the tensors. All that are missing or do not fit are
/// listed in one error. With `steps` the shapes have a leading dimension, equal
/// for all, that is stored there. A key may be missing: its view has no data.
std::vector<TensorView> matchInputs(const std::string &name,
                                    const TensorMap &tensors,
                                    const std::vector<InputSpec> &inputs,
                                    int64_t *steps,
                                    std::vector<std::string> &surplus);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_BATCHSOURCE_H
