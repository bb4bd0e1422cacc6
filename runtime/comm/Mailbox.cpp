// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages on their way to one rank.

#include "runtime/comm/Mailbox.h"

#include "runtime/core/Bytes.h"
#include "runtime/core/Error.h"

namespace zcc::rt {

/// Frees messages that were sent and never received.
Mailbox::~Mailbox() {
  for (auto &[key, lines] : waiting)
    while (lines.sends.first)
      if (End *end = lines.sends.pop(); !end->changed)
        delete static_cast<Kept *>(end);
}

void Mailbox::Line::push(End &end) {
  end.next = nullptr;
  (last ? last->next : first) = &end;
  last = &end;
}

Mailbox::End *Mailbox::Line::pop() {
  End *end = first;
  first = end->next;
  if (!first)
    last = nullptr;
  return end;
}

bool Mailbox::Line::remove(End &end) {
  End *before = nullptr;
  for (End *each = first; each; before = each, each = each->next)
    if (each == &end) {
      (before ? before->next : first) = end.next;
      if (last == &end)
        last = before;
      return true;
    }
  return false;
}

void Mailbox::prepare(int from, uint64_t tag) {
  std::lock_guard<std::mutex> lock(mutex);
  waiting[{from, tag}];
}

/// Both ends keep waiting if their sizes differ, so neither is ever over.
Mailbox::End *Mailbox::meet(End &end, Lines &lines) {
  Line &others = end.sends ? lines.receives : lines.sends;
  if (!others.first)
    return nullptr;
  size_t sent = end.sends ? end.bytes : others.first->bytes;
  size_t expected = end.sends ? others.first->bytes : end.bytes;
  if (sent != expected)
    fail("message ", end.tag, " from rank ", end.from, " has ", sent,
         " bytes, expected ", expected);
  return others.pop();
}

/// Called without the lock: the two ends have left the lines.
void Mailbox::deliver(End &one, End &other) {
  End &send = one.sends ? one : other, &receive = one.sends ? other : one;
  copyBytes(receive.data, send.data, send.bytes);
  for (End *end : {&send, &receive}) {
    Signal *changed = end->changed;
    if (!changed) { // kept
      std::lock_guard<std::mutex> lock(mutex);
      unused.emplace_back(static_cast<Kept *>(end));
      continue;
    }
    // The end may be destroyed once it is over.
    end->over.store(true, std::memory_order_release);
    changed->add(1);
  }
}

void Mailbox::begin(End &end) {
  end.over.store(false, std::memory_order_relaxed);
  End *other;
  {
    std::lock_guard<std::mutex> lock(mutex);
    Lines &lines = waiting[{end.from, end.tag}];
    try {
      other = meet(end, lines);
    } catch (...) {
      end.over.store(true, std::memory_order_relaxed);
      throw;
    }
    if (!other)
      return (end.sends ? lines.sends : lines.receives).push(end);
  }
  deliver(end, *other);
}

void Mailbox::wait(End &end, const Cancellation &cancellation,
                   const SpinPolicy &policy) {
  waitUntil(*end.changed, cancellation, policy,
            [&](uint32_t) { return end.over.load(std::memory_order_acquire); });
}

void Mailbox::cancel(End &end) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (end.over.load(std::memory_order_acquire))
      return;
    Lines &lines = waiting[{end.from, end.tag}];
    if ((end.sends ? lines.sends : lines.receives).remove(end)) {
      end.over.store(true, std::memory_order_relaxed);
      return;
    }
  }
  // The other end copies.
  while (!end.over.load(std::memory_order_acquire))
    yieldCore();
}

/// The smallest buffer that is large enough, else any.
std::unique_ptr<Mailbox::Kept> Mailbox::takeUnused(size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  size_t best = unused.size();
  for (size_t i = 0; i < unused.size(); ++i)
    if (unused[i]->buffer.capacity() >= bytes &&
        (best == unused.size() ||
         unused[i]->buffer.capacity() < unused[best]->buffer.capacity()))
      best = i;
  if (unused.empty())
    return std::make_unique<Kept>();
  if (best < unused.size())
    std::swap(unused[best], unused.back());
  std::unique_ptr<Kept> kept = std::move(unused.back());
  unused.pop_back();
  return kept;
}

void Mailbox::put(int from, uint64_t tag, const void *data, size_t bytes) {
  End direct;
  direct.from = from;
  direct.tag = tag;
  direct.sends = true;
  direct.data = const_cast<void *>(data);
  direct.bytes = bytes;
  direct.changed = &changed;
  End *other;
  {
    std::lock_guard<std::mutex> lock(mutex);
    other = meet(direct, waiting[{from, tag}]);
  }
  if (other)
    return deliver(direct, *other);
  std::unique_ptr<Kept> kept = takeUnused(bytes);
  const char *first = static_cast<const char *>(data);
  kept->buffer.assign(first, first + bytes);
  kept->from = from;
  kept->tag = tag;
  kept->sends = true;
  kept->data = kept->buffer.data();
  kept->bytes = bytes;
  // The receiver may have come meanwhile.
  begin(*kept);
  kept.release(); // to the lines; or to those that are unused
}

void Mailbox::take(int from, uint64_t tag, void *data, size_t bytes,
                   const Cancellation &cancellation, const SpinPolicy &policy) {
  End end;
  end.from = from;
  end.tag = tag;
  end.data = data;
  end.bytes = bytes;
  end.changed = &changed;
  begin(end);
  try {
    wait(end, cancellation, policy);
  } catch (...) {
    cancel(end);
    throw;
  }
}

} // namespace zcc::rt
