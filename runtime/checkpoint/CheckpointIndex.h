// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The index of a checkpoint: which step it is of, which tensors it has, by
// logical name, and in which file each slice of them lies. JSON whose last
// member is the checksum of everything before it.

#ifndef ZCC_RUNTIME_CHECKPOINT_CHECKPOINTINDEX_H
#define ZCC_RUNTIME_CHECKPOINT_CHECKPOINTINDEX_H

#include "runtime/format/ElementType.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zcc::rt {

/// What a tensor is of its parameter: itself, "parameter", or the slot of the
/// optimizer of this name, "moment1".
using TensorKind = std::string;
constexpr const char *parameterKind = "parameter";

/// Where a run stands, beside its tensors.
struct Standing {
  int64_t step = 0;    // steps done
  int64_t updates = 0; // those that changed parameters
  /// A dynamic loss scale, and the steps since it last changed.
  std::optional<double> lossScale;
  int64_t goodSteps = 0;
  /// Of --tokens: its order.
  std::optional<uint64_t> seed;
};

struct CheckpointIndex {
  Standing standing;
  std::string optimizer, precision, mesh; // of the run that wrote it

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

/// What a slice is called in its file: "moment1:w[0, 64]".
std::string sliceName(const CheckpointIndex::Tensor &tensor,
                      const std::vector<int64_t> &start);

std::string writeIndex(const CheckpointIndex &index);

/// Throws bad input that begins with `name` and says at which member, unless
/// the index is whole and consistent: slices inside of their tensors that cover
/// each element once, files that exist in the list and have plain names.
CheckpointIndex parseIndex(const std::string &name, const std::string &bytes);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CHECKPOINT_CHECKPOINTINDEX_H
