// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that a run's parameters begin with: those of files or checkpoints,
// or of the compiled-in initialization.

#ifndef ZCC_RUNTIME_TRAIN_START_H
#define ZCC_RUNTIME_TRAIN_START_H

#include "runtime/checkpoint/CheckpointReader.h"
#include "runtime/launch/RankHost.h"
#include "runtime/train/Settings.h"

namespace zcc::rt {

class Processes;

/// The processes of a run (null: there is one) as readers of checkpoints.
Readers readersOf(const format::Executable &executable, Processes *processes);

/// Opens and checks parameters: a safetensors file, an index of such files, or
/// the folder of a checkpoint. `rename` is a file of names, or empty. Missing,
/// surplus and misshapen tensors are bad input that lists them.
WeightSet openParameters(const format::Executable &executable,
                         const std::string &path, const std::string &rename,
                         Processes *processes, const Say &warn);

/// Runs the compiled-in initialization from a seed; slots get their initial
/// values.
void initialize(const format::Executable &executable, RankHost &ranks,
                uint64_t seed);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_TRAIN_START_H
