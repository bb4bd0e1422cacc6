// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies a step's batch to the arenas. Each rank takes its slice of each input,
// or one for each microbatch if the batch is split over time.

#ifndef ZCC_RUNTIME_DATA_INPUTS_H
#define ZCC_RUNTIME_DATA_INPUTS_H

#include "runtime/core/Device.h"
#include "runtime/data/BatchSource.h"
#include "runtime/data/RandomKeys.h"
#include "runtime/format/InputParts.h"

namespace zcc::rt {

namespace format {
class Executable;
} // namespace format

/// The inputs of all stages, each name once.
std::vector<InputSpec> inputSpecs(const format::Executable &executable);

/// The number of elements by which a step's throughput is counted: those of the
/// first integer input [batch, seq], else the rows of the first input that has
/// any and is no key.
int64_t tokensPerStep(const std::vector<InputSpec> &inputs);

/// True if an input is a key of random numbers.
bool readsKey(const std::vector<InputSpec> &inputs);
/// Throws bad input if a seed is given for keys and no input is one.
void checkKeySeed(const std::vector<InputSpec> &inputs,
                  const std::optional<uint64_t> &seed);
/// Returns the batch of a step, with its key in place of those that the batch
/// lacks. A batch without any views is one of no inputs but keys. `key` must
/// live as long as the result.
Batch withKey(const std::vector<InputSpec> &inputs, Batch batch,
              const RandomKey &key);

/// Writes one part. This and all functions below throw bad input if an integer
/// does not fit.
void writePart(const InputPart &part, const std::vector<InputSpec> &specs,
               const Batch &batch, char *to);
/// Returns the bytes of a part where the batch has them, if they lie there as
/// the program reads them: one after the other, without padding, in the
/// program's type, and at a multiple of the element's size and of 4 bytes,
/// which kernels rely on. Null if they do not.
const char *findPart(const InputPart &part, const std::vector<InputSpec> &specs,
                     const Batch &batch);
/// Copies one rank's slices to their places.
void loadInputs(const std::vector<InputPart> &parts,
                const std::vector<InputSpec> &specs, const Batch &batch,
                Device &device);
void loadInputs(const format::Executable &executable, const Mesh &mesh,
                int rank, const std::vector<InputSpec> &specs,
                const Batch &batch, Device &device);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_INPUTS_H
