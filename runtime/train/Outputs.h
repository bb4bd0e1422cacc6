// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arrays that a forward program returns beside its loss and metrics. Each
// rank has its shard of each array.

#ifndef ZCC_RUNTIME_TRAIN_OUTPUTS_H
#define ZCC_RUNTIME_TRAIN_OUTPUTS_H

#include "runtime/format/ElementType.h"
#include "runtime/format/Mesh.h"

#include <string>
#include <vector>

namespace zcc::rt {

namespace format {
class Executable;
class Output;
} // namespace format

/// An array, with its whole shape.
struct OutputSpec {
  std::string name;
  ElementType type;
  std::vector<int64_t> shape;
};

/// The arrays of a step in the order of the results of the program; empty if it
/// has none.
std::vector<OutputSpec> outputSpecs(const format::Executable &executable);

/// One rank's part of an array.
struct OutputPart {
  size_t index; // in outputSpecs()
  int rank;
  const format::Output *output;
  Shard shard;
  size_t bytes; // of the rank's buffer
};

/// The parts that together are all elements of all arrays. The list is the same
/// on all ranks.
std::vector<OutputPart> outputParts(const format::Executable &executable,
                                    const Mesh &mesh);

/// Copies the elements of a part from the rank's buffer to the whole array,
/// which is row-major.
void copyPart(const OutputPart &part, const void *data, char *whole);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_TRAIN_OUTPUTS_H
