// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who writes what of a checkpoint. Every slice of every parameter and slot is
// written once; where several ranks hold it, they take turns.

#ifndef ZCC_RUNTIME_CHECKPOINT_SAVEPLAN_H
#define ZCC_RUNTIME_CHECKPOINT_SAVEPLAN_H

#include "runtime/checkpoint/CheckpointIndex.h"
#include "runtime/format/Mesh.h"

namespace zcc::rt {

namespace format {
class Executable;
class State;
} // namespace format

/// What a rank writes of a state: the elements that exist, without padding.
struct SavedSlice {
  const format::State *state = nullptr;
  uint32_t tensor = 0;                // index into SavePlan::index.tensors
  std::vector<int64_t> start, extent; // in the tensor
  size_t bytes = 0;
};

/// The same on all ranks.
struct SavePlan {
  SavePlan(const format::Executable &executable, const Mesh &mesh);

  std::vector<std::vector<SavedSlice>> byRank;
  /// All but the standing, the bytes and the checksums. One file for each rank
  /// that writes.
  CheckpointIndex index;
  std::vector<int> fileOfRank; // -1: writes nothing
};

/// The tensor that a state is a part of. Master weights are the parameter.
TensorKind tensorKindOf(const format::Executable &executable,
                        const format::State &state);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CHECKPOINT_SAVEPLAN_H
