// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The index of a checkpoint: its step, its tensors by logical name, and the
// file that each slice of them lies in. It is JSON whose last member is the
// checksum of everything before it.

#ifndef ZCC_RUNTIME_CHECKPOINT_CHECKPOINTINDEX_H
#define ZCC_RUNTIME_CHECKPOINT_CHECKPOINTINDEX_H

#include "runtime/format/ElementType.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zcc::rt {

/// The kind of a tensor: "parameter" for the parameter itself, the name of a
/// slot of the optimizer, "moment1", or "ema" for the parameter's average.
using TensorKind = std::string;
constexpr const char *parameterKind = "parameter";

/// The progress of a run, without its tensors.
struct Standing {
  int64_t step = 0;    // steps done
  int64_t updates = 0; // steps that changed parameters
  /// A dynamic loss scale, and the steps since it last changed.
  std::optional<double> lossScale;
  int64_t goodSteps = 0;
  /// The seed of the order of --tokens.
  std::optional<uint64_t> seed;
};

struct CheckpointIndex {
  Standing standing;
  std::string optimizer, precision, mesh; // those of the run that wrote it

  struct File {
    std::string name, checksum;
    uint64_t bytes = 0;
  };
  std::vector<File> files;

  struct Slice {
    uint32_t file = 0;
    std::vector<int64_t> start, shape;
  };
  struct Tensor {
    std::string name;
    TensorKind kind = parameterKind;
    ElementType type = ElementType::Invalid;
    std::vector<int64_t> shape;
    std::vector<Slice> slices;
  };
  std::vector<Tensor> tensors;
};

/// The name of a slice in its file: "moment1:w[0, 64]".
std::string sliceName(const CheckpointIndex::Tensor &tensor,
                      const std::vector<int64_t> &start);

/// Returns the index as text, with its checksum, from which parseIndex() reads
/// an equal index.
std::string printIndex(const CheckpointIndex &index);

/// Throws bad input that begins with `name` and says at which member, unless
/// the index is whole and consistent: slices lie inside their tensors and cover
/// each element once, and files are in the list and have plain names.
CheckpointIndex parseIndex(const std::string &name, const std::string &bytes);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CHECKPOINT_CHECKPOINTINDEX_H
