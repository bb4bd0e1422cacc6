// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds a rank with its inputs, step by step. If the device has room for them
// beside its arenas, the next step's inputs are copied there while a step runs,
// and only moved within the device's memory when their turn comes. Inputs that
// have no place in an arena are read where the caller has them, if they lie
// there as the program reads them; else they are copied to memory of the feed.

#ifndef ZCC_RUNTIME_DATA_INPUTFEED_H
#define ZCC_RUNTIME_DATA_INPUTFEED_H

#include "runtime/data/Inputs.h"
#include "runtime/format/InputParts.h"

#include <cstdlib>

namespace zcc::rt {

class InputFeed {
public:
  /// All references outlive the feed. All calls come from the rank's thread.
  /// `parts` are those of batches of `specs`.
  InputFeed(const format::Stage &stage, std::vector<InputPart> parts,
            const std::vector<InputSpec> &specs, Device &device);
  /// For whole batches.
  InputFeed(const format::Stage &stage, const Mesh &mesh, int rank,
            const std::vector<InputSpec> &specs, Device &device)
      : InputFeed(stage, inputParts(stage, mesh, rank), specs, device) {}

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
  /// Enqueues the copies of the batch to the places where its step finds it:
  /// the batch that was brought ahead, if one was, which must be this one.
  void load(const Batch &batch);

  /// Returns true if steps read inputs in the caller's memory
  /// (Stage.caller_bytes). Then the batch stays until its step is done.
  bool readsCallers() const { return !callerParts.empty(); }
  /// After load(): where the step finds each part that lies in no arena, by
  /// part (Executor::bindInputs). Other parts have no address.
  const std::vector<Address> &places() const { return thePlaces; }
  /// The bytes of the last batch that load() copied, since they do not lie with
  /// the caller as the program reads them.
  size_t copiedBytes() const;

private:
  void lend(const Batch &batch);

  /// A part that lies in no arena.
  struct CallerPart {
    InputPart part;
    size_t number; // among all parts
    // Memory for a part that must be copied; made when it is needed first.
    std::unique_ptr<char, decltype(&std::free)> room{nullptr, &std::free};
    bool isCopied = false; // of the last batch
  };
  std::vector<InputPart> parts; // in the arena
  std::vector<CallerPart> callerParts;
  std::vector<Address> thePlaces;
  const std::vector<InputSpec> &specs;
  Device &device;
  std::unique_ptr<Event> brought, taken; // null: there is no room
  bool isAhead = false;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_INPUTFEED_H
