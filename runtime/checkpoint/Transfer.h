// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checkpoints as one plain safetensors file, and back.

#ifndef ZCC_RUNTIME_CHECKPOINT_TRANSFER_H
#define ZCC_RUNTIME_CHECKPOINT_TRANSFER_H

#include "runtime/checkpoint/CheckpointReader.h"

namespace zcc::rt {

/// Writes the parameters by their names. With slots, writes also those, as
/// "moment1:NAME", and the rest of the state as metadata.
void exportCheckpoint(const Checkpoint &checkpoint, bool withSlots,
                      const std::string &path);

/// Makes a checkpoint in `folder` from a file that exportCheckpoint() wrote
/// with slots. Throws bad input if the file was written without slots, or if
/// the folder has a checkpoint of its step. Returns the new checkpoint's
/// folder.
std::string importCheckpoint(const std::string &path,
                             const std::string &folder);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CHECKPOINT_TRANSFER_H
