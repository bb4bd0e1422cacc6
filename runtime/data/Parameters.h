// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters between files and the arenas of the ranks: each rank loads its
// parts of each tensor; saving reads all arenas and needs no collective.

#ifndef ZCC_RUNTIME_DATA_PARAMETERS_H
#define ZCC_RUNTIME_DATA_PARAMETERS_H

#include "runtime/core/Arena.h"
#include "runtime/data/SafeTensors.h"
#include "runtime/data/SafeTensorsWriter.h"
#include "runtime/format/Mesh.h"

#include <functional>
#include <memory>

namespace zcc::rt {

namespace format {
class Executable;
class Stage;
class State;
} // namespace format

/// Throws one error that lists every missing, surplus and misshapen tensor.
void checkParameters(const format::Executable &executable,
                     const SafeTensors &file);

/// Fills one rank's parameters and master weights; moments become zero.
void loadParameters(const format::Executable &executable, const Mesh &mesh,
                    int rank, const SafeTensors &file, Arena &arena);

/// Zeroes one rank's moments.
void clearMoments(const format::Executable &executable, const Mesh &mesh,
                  int rank, Arena &arena);

/// Writes all parameters, unsharded, from master weights where there are some.
void saveParameters(const format::Executable &executable, const Mesh &mesh,
                    const std::function<Arena &(int rank)> &arenaOf,
                    const std::string &path);

/// Collects what ObserveSteps show in a file of f32 tensors.
class GradientFile {
public:
  GradientFile(const format::Executable &executable, const Mesh &mesh,
               const std::string &path);

  /// Takes one rank's part; called by all ranks at once. `divisor` is the loss
  /// scale that the values carry.
  void take(int rank, const format::State &place, const void *data,
            float divisor);
  void commit() { writer->commit(); }

private:
  const Mesh mesh;
  std::unique_ptr<SafeTensorsWriter> writer;
  std::vector<std::vector<int64_t>> shapes; // by parameter
  std::vector<int> entryOf;                 // by parameter; -1 without gradient
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_PARAMETERS_H
