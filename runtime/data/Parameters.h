// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves parameters between files and the arenas of the ranks. Each rank loads
// its parts of each tensor; saving reads all arenas and needs no collective.

#ifndef ZCC_RUNTIME_DATA_PARAMETERS_H
#define ZCC_RUNTIME_DATA_PARAMETERS_H

#include "runtime/core/Copy.h"
#include "runtime/core/Device.h"
#include "runtime/data/SafeTensorsWriter.h"
#include "runtime/data/Weights.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/States.h"
#include "runtime/format/executable.pb.h"

#include <functional>
#include <memory>

namespace zcc::rt {

namespace format {
class Executable;
class Stage;
class State;
} // namespace format

/// Returns the extents that a field of the executable lists.
inline std::vector<int64_t>
shapeOf(const google::protobuf::RepeatedField<int64_t> &field) {
  return {field.begin(), field.end()};
}

/// The place of a rank's part of a state in the parameter.
struct StateBox {
  Shard shard;
  std::vector<int64_t> start; // in the file tensor
  std::vector<int64_t> zero;  // in the buffer
  StateBox(const Mesh &mesh, const format::State &state, int rank);
};

/// Lists every missing, surplus and misshapen tensor; empty if all fit. Unless
/// `all` are wanted, none is missing.
std::string parameterProblems(const format::Executable &executable,
                              const WeightSet &weights, bool all = true);
/// Throws one error that lists them.
void checkParameters(const format::Executable &executable,
                     const WeightSet &weights);

/// Fills one rank's part of a state from the tensor of its parameter's name.
void loadState(const format::Executable &executable, const Mesh &mesh,
               const format::State &state, int rank, const WeightSet &weights,
               Device &device);

/// Fills one rank's parameters and master weights; slots get their initial
/// values, and averages begin as the parameters.
void loadParameters(const format::Executable &executable, const Mesh &mesh,
                    int rank, const WeightSet &weights, Device &device);

/// Fills one rank's slots with their values before the first step.
void initializeSlots(const format::Executable &executable, const Mesh &mesh,
                     int rank, Device &device);

/// Fills one rank's part of an average with the parameter, as it is on the
/// device: with the master weight if there is one.
void startAverage(const format::Executable &executable, const Mesh &mesh,
                  const format::State &average, int rank, Device &device);
/// The same for all averages of the rank.
void startAverages(const format::Executable &executable, const Mesh &mesh,
                   int rank, Device &device);

/// One rank's part of a parameter or gradient.
struct Part {
  int rank;
  const format::State *state;
  size_t bytes;        // of its buffer
  bool scaled = false; // a gradient that is multiplied by the loss scale
};

/// The parts that gatherParameters() reads. Each comes from one of the ranks
/// that hold it, from master weights if there are any; or, if `values` are
/// averages, from those. The list is the same on all ranks.
std::vector<Part> savedParts(const format::Executable &executable,
                             const Mesh &mesh, ParameterValues values);

/// Writes those parameters, unsharded, that have a target (by the index of the
/// parameter; null: it is not wanted), in the types of Executable.parameters.
/// `dataOf` is called for each of savedParts(), in its order, and its result is
/// used until the next call.
void gatherParameters(const format::Executable &executable, const Mesh &mesh,
                      ParameterValues values,
                      const std::function<const void *(const Part &)> &dataOf,
                      const std::vector<char *> &targets,
                      const CopyProgress &targetDone = nullptr);

/// A safetensors file with room for all parameters, unsharded.
std::unique_ptr<SafeTensorsWriter>
makeParameterFile(const format::Executable &executable,
                  const std::string &path);

/// The parts that Gradients takes from one rank: values that ObserveSteps
/// show in a step, in their order, if the rank holds the first copy.
std::vector<Part> observedParts(const format::Executable &executable,
                                const Mesh &mesh, int rank);

/// The values that ObserveSteps show, as whole f32 tensors in a file or in
/// memory.
class Gradients {
public:
  /// For a file. Throws bad input if the executable has no gradients.
  Gradients(const format::Executable &executable, const Mesh &mesh,
            const std::string &path);
  /// For memory of the caller, by the name of the parameter; others are not
  /// wanted. Those of parameters that are not trained are zeros.
  Gradients(const format::Executable &executable, const Mesh &mesh,
            const std::map<std::string, float *> &targets);

  /// Takes one rank's part; all ranks may call at once. `divisor` is the loss
  /// scale of the values.
  void take(int rank, const format::State &place, const void *data,
            float divisor);
  /// Publishes the file, if it is one.
  void commit();

private:
  Gradients(const format::Executable &executable, const Mesh &mesh);

  const Mesh mesh;
  std::unique_ptr<SafeTensorsWriter> writer; // null: memory of the caller
  std::vector<std::vector<int64_t>> shapes;  // by parameter
  std::vector<int> parameters;               // by state tensor
  std::vector<bool> observed;                // by parameter
  std::vector<char *> targets; // by parameter; null without gradient
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_PARAMETERS_H
