// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of one rank, step by step. Where the device has room for them
// beside its arenas, the next step's are brought there while a step runs, and
// only moved within the device's memory when their turn comes.

#ifndef ZCC_RUNTIME_DATA_INPUTFEED_H
#define ZCC_RUNTIME_DATA_INPUTFEED_H

#include "runtime/data/Inputs.h"
#include "runtime/format/InputParts.h"

namespace zcc::rt {

class InputFeed {
public:
  /// All of them outlive the feed. Called by the rank's thread, as all else.
  InputFeed(const format::Stage &stage, const Mesh &mesh, int rank,
            const std::vector<InputSpec> &specs, Device &device);

  /// Waits for what is on its way.
  ~InputFeed();
  InputFeed(const InputFeed &) = delete;

  /// Whether batches can be brought ahead; a stage may have none of them.
  bool hasRoom() const { return parts.empty() || device.inputRoom(); }
  /// Enqueues the copies of a step's batch to its room, if there is one; the
  /// step before is enqueued. Throws bad input where an integer does not fit;
  /// then load() will.
  void bringAhead(const Batch &batch);
  /// Enqueues what the batch's step finds in its places: the batch that was
  /// brought ahead, if one was, which must be this one.
  void load(const Batch &batch);

private:
  const std::vector<InputPart> parts;
  const std::vector<InputSpec> &specs;
  Device &device;
  std::unique_ptr<Event> brought, taken; // null: there is no room
  bool isAhead = false;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_INPUTFEED_H
