// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the inputs that a rank gets: a slice of each input, or one for
// each microbatch if a batch is split over time.

#ifndef ZCC_RUNTIME_FORMAT_INPUTPARTS_H
#define ZCC_RUNTIME_FORMAT_INPUTPARTS_H

#include "runtime/format/Mesh.h"

namespace zcc::rt {

namespace format {
class Input;
class Stage;
} // namespace format

struct InputPart {
  const format::Input *input;
  Shard shard;
  uint64_t offset; // its place in the arena
  uint64_t room;   // its place in a room for all parts, one after the other
  size_t bytes;
  std::vector<int64_t> start; // where it begins in the batch that is given
};

/// In the order of the stage's inputs, which outlive it.
std::vector<InputPart> inputParts(const format::Stage &stage, const Mesh &mesh,
                                  int rank);
/// The parts of a rank in a batch that has only what this rank reads: of each
/// input its slice, or those of all microbatches one after the other.
std::vector<InputPart> partsOfLocalBatch(std::vector<InputPart> parts);
/// The shape of that batch's `input`.
std::vector<int64_t> localShape(const std::vector<InputPart> &parts,
                                const format::Input &input);
/// Bytes of a room for all parts.
size_t inputRoomBytes(const std::vector<InputPart> &parts);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_INPUTPARTS_H
