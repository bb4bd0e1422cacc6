// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads checkpoints. Every file is checked once, by one of the processes; then
// each rank reads the slices that it needs, whatever mesh wrote them.

#ifndef ZCC_RUNTIME_CHECKPOINT_CHECKPOINTREADER_H
#define ZCC_RUNTIME_CHECKPOINT_CHECKPOINTREADER_H

#include "runtime/checkpoint/CheckpointIndex.h"
#include "runtime/core/Device.h"
#include "runtime/data/Weights.h"
#include "runtime/format/Mesh.h"

#include <functional>
#include <map>

namespace zcc::rt {

namespace format {
class Executable;
} // namespace format

/// The processes that read together. Alone by default.
struct Readers {
  int index = 0, count = 1;
  /// Returns the strings that all processes gave, in order.
  std::function<std::vector<std::string>(const std::string &)> gather;
  /// Returns true for slices that this process will read; null: all. Files
  /// without such slices are opened only for checksums that are this process's
  /// share.
  std::function<bool(const CheckpointIndex::Tensor &,
                     const CheckpointIndex::Slice &)>
      needs;
};

/// Readers::needs for one rank of an executable.
std::function<bool(const CheckpointIndex::Tensor &,
                   const CheckpointIndex::Slice &)>
slicesOfRank(const format::Executable &executable, const Mesh &mesh, int rank);

/// A whole checkpoint, its files mapped.
struct Checkpoint {
  std::string path;
  CheckpointIndex index;
  std::map<TensorKind, WeightSet> tensors;

  /// The tensors of a kind; empty if there are none.
  const WeightSet &of(const TensorKind &kind) const;
  const WeightSet &parameters() const { return of(parameterKind); }
};

/// Opens the checkpoint in the folder `path` (the one that holds index.json).
/// Damage is bad input that begins with the file's name; all processes throw
/// the same error.
Checkpoint openCheckpoint(const std::string &path,
                          const Readers &readers = Readers());

/// Opens the newest whole checkpoint in a folder of checkpoints; nothing if
/// there is none. `refused` gets the reason for each newer one that is skipped.
/// `whole`, if given, gets the steps of this checkpoint and of earlier ones.
std::optional<Checkpoint>
openNewest(const std::string &folder, const Readers &readers,
           const std::function<void(const std::string &)> &refused,
           std::vector<int64_t> *whole = nullptr);

/// Opens a checkpoint for --params, given its folder or a folder of several.
Checkpoint
openForParameters(const std::string &path, const Readers &readers,
                  const std::function<void(const std::string &)> &refused);

/// Throws bad input that describes the difference, unless the checkpoint has
/// all parameters and slots of the executable, in their shapes, and no other
/// parameters. Averages may be missing.
void checkFits(const format::Executable &executable,
               const Checkpoint &checkpoint);

/// Returns a note that names the parameters whose averages the executable keeps
/// and the checkpoint lacks; empty if there are none.
std::string missingAverages(const format::Executable &executable,
                            const Checkpoint &checkpoint);

/// Fills one rank's parameters, master weights, slots and averages. Averages
/// that the checkpoint lacks begin as its parameters.
void loadCheckpoint(const format::Executable &executable, const Mesh &mesh,
                    int rank, const Checkpoint &checkpoint, Device &device);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CHECKPOINT_CHECKPOINTREADER_H
