// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a step's batch to the arenas. Each rank takes its slice of each input,
// or one for each microbatch if the batch is split over time.

#ifndef ZCC_RUNTIME_DATA_INPUTS_H
#define ZCC_RUNTIME_DATA_INPUTS_H

#include "runtime/core/Device.h"
#include "runtime/data/BatchSource.h"
#include "runtime/format/InputParts.h"

namespace zcc::rt {

namespace format {
class Executable;
} // namespace format

/// The inputs of all stages, each name once.
std::vector<InputSpec> inputSpecs(const format::Executable &executable);

/// The number of elements by which a step's throughput is counted: those of the
/// first integer input [batch, seq], else the rows of the first input that has
/// any.
int64_t tokensPerStep(const std::vector<InputSpec> &inputs);

/// Writes one part. This and all functions below throw bad input if an integer
/// does not fit.
void writePart(const InputPart &part, const std::vector<InputSpec> &specs,
               const Batch &batch, char *to);
/// Copies one rank's slices to their places.
void loadInputs(const std::vector<InputPart> &parts,
                const std::vector<InputSpec> &specs, const Batch &batch,
                Device &device);
void loadInputs(const format::Executable &executable, const Mesh &mesh,
                int rank, const std::vector<InputSpec> &specs,
                const Batch &batch, Device &device);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_INPUTS_H
