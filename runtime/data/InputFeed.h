// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds a rank with its inputs, step by step. If the device has room for them
// beside its arenas, the next step's inputs are copied there while a step runs,
// and only moved within the device's memory when their turn comes.

#ifndef ZCC_RUNTIME_DATA_INPUTFEED_H
#define ZCC_RUNTIME_DATA_INPUTFEED_H

#include "runtime/data/Inputs.h"
#include "runtime/format/InputParts.h"

namespace zcc::rt {

class InputFeed {
public:
  /// All references outlive the feed. All calls come from the rank's thread.
  InputFeed(const format::Stage &stage, const Mesh &mesh, int rank,
            const std::vector<InputSpec> &specs, Device &device);

  /// Waits for copies under way.
  ~InputFeed();
  InputFeed(const InputFeed &) = delete;

  /// Returns true if batches can be copied ahead; also if the stage has no
  /// inputs.
  bool hasRoom() const { return parts.empty() || device.inputRoom(); }
  /// Enqueues the copies of a step's batch to the room, if there is one. The
  /// step before must be enqueued already. Throws bad input if an integer does
  /// not fit; then load() will, too.
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
