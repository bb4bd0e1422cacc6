// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which rank writes which slices of a checkpoint. Every slice of every
// parameter and slot is written once; if several ranks hold it, they take
// turns.

#ifndef ZCC_RUNTIME_CHECKPOINT_SAVEPLAN_H
#define ZCC_RUNTIME_CHECKPOINT_SAVEPLAN_H

#include "runtime/checkpoint/CheckpointIndex.h"
#include "runtime/format/Mesh.h"

namespace zcc::rt {

namespace format {
class Executable;
class State;
} // namespace format

/// The part of a state that a rank writes, without padding.
struct SavedSlice {
  const format::State *state = nullptr;
  uint32_t tensor = 0;                // index into SavePlan::index.tensors
  std::vector<int64_t> start, extent; // in the tensor
  size_t bytes = 0;
};

/// The plan is the same on all ranks.
struct SavePlan {
  SavePlan(const format::Executable &executable, const Mesh &mesh);

  std::vector<std::vector<SavedSlice>> byRank;
  /// The index without the standing, the bytes and the checksums. It has one
  /// file for each rank that writes.
  CheckpointIndex index;
  std::vector<int> fileOfRank; // -1: writes nothing
};

/// The kind of the tensor that a state belongs to. Master weights count as the
/// parameter.
TensorKind tensorKindOf(const format::Executable &executable,
                        const format::State &state);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CHECKPOINT_SAVEPLAN_H
