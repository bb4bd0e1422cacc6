// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meeting place of ranks of one process that enqueue a collective: an event
// must be recorded before another rank's stream waits for it. Each rank shows
// where its operands are, all enqueue, and nobody goes on before all have: work
// that they enqueue next waits for all reads and writes. GPUs wait only for
// each other, never for the host.

#ifndef ZCC_RUNTIME_CUDA_DEVICEGROUP_H
#define ZCC_RUNTIME_CUDA_DEVICEGROUP_H

#include "runtime/core/Wait.h"
#include "runtime/cuda/CudaDevice.h"

#include <mutex>
#include <vector>

namespace zcc::rt {
namespace format {
class Step;
} // namespace format

namespace cuda {

class DeviceGroup {
public:
  explicit DeviceGroup(std::vector<int> ranks);

  /// The operands and events that a member shows the others.
  struct Post {
    const format::Step *step = nullptr; // the step that it is about to do
    const std::string *name = nullptr;
    std::vector<DevicePointer> sources, targets; // by portion
    EventHandle ready = nullptr; // operands may be read and written
    EventHandle done = nullptr;  // recorded before leave()
    Context context = nullptr;   // of the operands
  };

  const std::vector<int> ranks;

  /// Shows the post and returns when all members have shown theirs. Throws
  /// Aborted on cancellation, on all members or on none. A member that has
  /// entered must leave, whatever happens: posts stay as they are until all
  /// have left.
  void enter(int member, Post post, const Cancellation &cancellation,
             const SpinPolicy &policy);
  void leave(int member, const SpinPolicy &policy);
  /// Returns a member's post. May be called between enter() and leave(), and
  /// after that until the same member enters again.
  const Post &post(int member, int of) const {
    return posts[parities[member]][of];
  }

  /// The ranks that others wait for. Any thread may call this.
  std::vector<int> missing() const;

private:
  /// Returns when all members have come, or throws Aborted. Without a
  /// cancellation, all are sure to come.
  void meet(int member, const Cancellation *cancellation,
            const SpinPolicy &policy);

  mutable std::mutex mutex;
  Signal meetings;        // the number of meetings that are over
  std::vector<bool> come; // members that came to the current meeting
  size_t count = 0;
  std::vector<int> parities; // of the members' last posts
  std::vector<Post> posts[2];
};

/// One rank's part in a collective, while it enqueues.
class Visit {
public:
  /// Enters the group. All work on the stream so far comes before the others'
  /// use of the operands in the post. Throws Aborted.
  Visit(DeviceGroup &group, int member, CudaDevice &device, Stream &stream,
        DeviceGroup::Post post, const Cancellation &cancellation,
        const SpinPolicy &policy);
  /// Leaves, also after an error: no memory may be freed while others still use
  /// it.
  ~Visit();
  Visit(const Visit &) = delete;

  /// Lets the stream wait for all others. Fails if a member does another step.
  void begin();
  const DeviceGroup::Post &of(int other) const {
    return group.post(member, other);
  }
  /// Waits on the host until the others have enqueued, and on the stream until
  /// their work is done.
  void end();

private:
  DeviceGroup &group;
  const int member;
  CudaDevice &device;
  Stream &stream;
  const SpinPolicy policy;
  bool isOver = false;
};

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_DEVICEGROUP_H
