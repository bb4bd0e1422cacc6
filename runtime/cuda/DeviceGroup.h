// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where ranks of one process meet while they enqueue a collective, so that an
// event is recorded before another rank's stream waits for it. Each shows where
// its operands are, all enqueue, and nobody goes on before all have: what they
// enqueue next waits for all that was read and written. The GPUs wait for each
// other alone, never for the host.

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

  /// What a member shows the others.
  struct Post {
    const format::Step *step = nullptr; // what it is about to do
    const std::string *name = nullptr;
    std::vector<DevicePointer> sources, targets; // by portion
    EventHandle ready = nullptr;                 // they may be read and written
    EventHandle done = nullptr;                  // recorded before leave()
  };

  const std::vector<int> ranks;

  /// Shows the post and returns when all have shown theirs; throws Aborted
  /// where that is not to be any more, of all members or of none. Who got here
  /// leaves, whatever happens: until all have, posts stay as they are.
  void enter(int member, Post post, const Cancellation &cancellation,
             const SpinPolicy &policy);
  void leave(int member, const SpinPolicy &policy);
  /// Between the two; and until the next enter(), of the same member.
  const Post &post(int member, int of) const {
    return posts[parities[member]][of];
  }

  /// Ranks that others wait for; by any thread.
  std::vector<int> missing() const;

private:
  /// Returns when all members have come, or throws Aborted. Without a
  /// cancellation all are sure to come.
  void meet(int member, const Cancellation *cancellation,
            const SpinPolicy &policy);

  mutable std::mutex mutex;
  Signal meetings;        // that are over
  std::vector<bool> come; // to the one under way
  size_t count = 0;
  std::vector<int> parities; // of the members' last posts
  std::vector<Post> posts[2];
};

/// One rank's part in a collective, while it enqueues.
class Visit {
public:
  /// All that the stream has enqueued comes before what others do now with the
  /// operands that the post shows. Throws Aborted.
  Visit(DeviceGroup &group, int member, CudaDevice &device, Stream &stream,
        DeviceGroup::Post post, const Cancellation &cancellation,
        const SpinPolicy &policy);
  /// Leaves, in an error's way too: nobody's memory is given back while others
  /// still use it.
  ~Visit();
  Visit(const Visit &) = delete;

  /// The stream waits for all others. Refuses those who do something else.
  void begin();
  const DeviceGroup::Post &of(int other) const {
    return group.post(member, other);
  }
  /// Waits on the host for what others enqueue, and on the stream for what they
  /// do.
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
