// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/DeviceGroup.h"

namespace zcc::rt::cuda {

DeviceGroup::DeviceGroup(std::vector<int> members)
    : ranks(std::move(members)), come(ranks.size()), parities(ranks.size()) {
  for (auto &each : posts)
    each.resize(ranks.size());
}

void DeviceGroup::meet(int member, const Cancellation *cancellation,
                       const SpinPolicy &policy) {
  uint32_t before;
  {
    std::lock_guard<std::mutex> lock(mutex);
    before = meetings.load();
    come[member] = true;
    if (++count == ranks.size()) {
      come.assign(ranks.size(), false);
      count = 0;
      meetings.add(1);
      return;
    }
  }
  for (int i = 0; i < policy.spins; ++i) {
    if (meetings.load() != before)
      return;
    pauseOnce();
    if (i % 128 == 127)
      yieldCore();
  }
  while (meetings.load() == before) {
    if (cancellation && cancellation->cancelled()) {
      std::lock_guard<std::mutex> lock(mutex);
      if (meetings.load() != before)
        return; // all others think that it is here
      come[member] = false;
      --count;
      throwIfCancelled(*cancellation);
    }
    meetings.sleep(before, sliceMilliseconds);
  }
}

void DeviceGroup::enter(int member, Post post, const Cancellation &cancellation,
                        const SpinPolicy &policy) {
  // Other members may still read the previous post.
  parities[member] ^= 1;
  posts[parities[member]][member] = std::move(post);
  meet(member, &cancellation, policy);
}

void DeviceGroup::leave(int member, const SpinPolicy &policy) {
  meet(member, nullptr, policy);
}

std::vector<int> DeviceGroup::missing() const {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<int> out;
  for (size_t i = 0; i < ranks.size(); ++i)
    if (count != 0 && !come[i])
      out.push_back(ranks[i]);
  return out;
}

Visit::Visit(DeviceGroup &group, int member, CudaDevice &device, Stream &stream,
             DeviceGroup::Post post, const Cancellation &cancellation,
             const SpinPolicy &policy)
    : group(group), member(member), device(device), stream(stream),
      policy(policy) {
  device.record(stream, post.ready);
  group.enter(member, std::move(post), cancellation, policy);
}

void Visit::begin() {
  const DeviceGroup::Post &own = of(member);
  for (int i = 0; i < int(group.ranks.size()); ++i) {
    if (of(i).step != own.step)
      fail("rank ", group.ranks[member], " is in ", *own.name, " while rank ",
           group.ranks[i], " is in ", *of(i).name);
    if (i != member)
      device.enqueueWait(stream, of(i).ready);
  }
}

void Visit::end() {
  isOver = true;
  // Errors are thrown once all members know that they may go on.
  std::exception_ptr thrown;
  try {
    device.record(stream, of(member).done);
  } catch (...) {
    thrown = std::current_exception();
  }
  group.leave(member, policy);
  if (thrown)
    std::rethrow_exception(thrown);
  for (int i = 0; i < int(group.ranks.size()); ++i)
    if (i != member)
      device.enqueueWait(stream, of(i).done);
}

Visit::~Visit() {
  try {
    if (!isOver)
      end();
  } catch (...) {
    // The error that it leaves for is the one to be reported.
  }
}

} // namespace zcc::rt::cuda
