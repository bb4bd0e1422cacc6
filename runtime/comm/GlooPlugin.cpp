// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport over Gloo's TCP pairs, for environments where only ranks and an
// address are known. Gloo moves the bytes on a thread of its own; its
// exceptions stop here.

#include "runtime/comm/TransportPlugin.h"

#include <gloo/context.h>
#include <gloo/transport/context.h>
#include <gloo/transport/device.h>
#include <gloo/transport/pair.h>
#include <gloo/transport/tcp/attr.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

namespace {

using gloo::transport::UnboundBuffer;

struct Message {
  std::unique_ptr<UnboundBuffer> buffer; // null once it is abandoned
  bool receives;
  bool handedOver = false; // to the reaper
  bool done = false;       // guarded; the reaper has seen its end
  int outcome = ZccWaitDone;
  std::string failure; // of it, if the reaper saw it
};

// Leaked if the run fails, since their destructors wait for peers. Only the
// buffers of messages must be freed (abandon).
std::shared_ptr<gloo::transport::Device> *device;
std::shared_ptr<gloo::transport::Context> *context;
std::mutex mutex;
std::set<Message *> live; // guarded
// Gloo cannot be asked if a send is over, so a thread waits for sends that
// somebody asks about. It is never joined if the run fails.
std::deque<Message *> toReap; // guarded
std::condition_variable reaperWork, reaped;
std::thread *reaper;
bool stopping = false;    // guarded; of the reaper
bool interrupted = false; // guarded
int inside = 0;           // guarded; calls that use messages outside the lock
std::condition_variable left;
std::mutex abandoning;
thread_local std::string lastFailure;

// Gloo has no wait without a limit.
constexpr auto never = std::chrono::hours(24 * 365);

template <typename Body> bool guarded(Body body) {
  try {
    body();
    return true;
  } catch (const std::exception &error) {
    lastFailure = error.what();
    return false;
  }
}

/// abandon() waits for the end of it.
struct Inside {
  Inside() {
    std::lock_guard<std::mutex> lock(mutex);
    ++inside;
    isInterrupted = interrupted;
    isStopping = stopping;
  }
  ~Inside() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      --inside;
    }
    left.notify_all();
  }
  bool isInterrupted; // when it began
  bool isStopping;
};

const char *connect(ZccTransportHost *host) {
  bool good = guarded([&] {
    gloo::transport::tcp::attr attributes;
    if (host->address)
      attributes.hostname = host->address;
    device = new std::shared_ptr<gloo::transport::Device>(
        gloo::transport::tcp::CreateDevice(attributes));
    context = new std::shared_ptr<gloo::transport::Context>(
        (*device)->createContext(host->rank, host->size));
    (*context)->setTimeout(std::chrono::minutes(5)); // for connecting
    // Addresses have one length in a transport; a row is those of one rank's
    // pairs.
    constexpr size_t most = 256;
    std::vector<char> mine(host->size * most), all(mine.size() * host->size);
    std::vector<size_t> lengths(host->size);
    for (int peer = 0; peer < host->size; ++peer) {
      if (peer == host->rank)
        continue;
      std::vector<char> bytes = (*context)->createPair(peer)->address().bytes();
      if (bytes.size() + 8 > most)
        throw std::runtime_error("an address is too long");
      uint64_t length = bytes.size();
      std::memcpy(&mine[peer * most], &length, 8);
      std::memcpy(&mine[peer * most + 8], bytes.data(), bytes.size());
    }
    if (host->allGather(host->context, mine.data(), mine.size(), all.data()))
      throw std::runtime_error("addresses could not be exchanged");
    for (int peer = 0; peer < host->size; ++peer) {
      if (peer == host->rank)
        continue;
      const char *at = &all[(size_t(peer) * host->size + host->rank) * most];
      uint64_t length;
      std::memcpy(&length, at, 8);
      (*context)->getPair(peer)->connect({at + 8, at + 8 + length});
    }
    (*context)->setTimeout(never);
  });
  return good ? nullptr : lastFailure.c_str();
}

template <typename Begin>
void *begin(void *data, size_t bytes, bool receives, Begin how) {
  auto *message = new Message;
  message->receives = receives;
  Inside here;
  bool good = guarded([&] {
    if (here.isStopping)
      throw std::runtime_error("the run has failed");
    message->buffer = (*context)->createUnboundBuffer(data, bytes);
    how(*message->buffer);
  });
  if (!good) {
    delete message;
    return nullptr;
  }
  std::lock_guard<std::mutex> lock(mutex);
  live.insert(message);
  return message;
}

uint64_t slotOf(int channel, uint64_t tag) {
  return uint64_t(channel) << 60 | tag;
}

void *send(int peer, int channel, uint64_t tag, const void *data,
           size_t bytes) {
  return begin(const_cast<void *>(data), bytes, false,
               [&](UnboundBuffer &b) { b.send(peer, slotOf(channel, tag)); });
}

void *receive(int peer, int channel, uint64_t tag, void *data, size_t bytes) {
  return begin(data, bytes, true,
               [&](UnboundBuffer &b) { b.recv(peer, slotOf(channel, tag)); });
}

int outcomeOf(Message &message) {
  Inside here;
  if (here.isInterrupted)
    return ZccWaitInterrupted;
  bool completed = false;
  bool good = guarded([&] {
    completed = message.receives ? message.buffer->waitRecv(nullptr, never)
                                 : message.buffer->waitSend(nullptr, never);
  });
  return !good ? ZccWaitFailed : completed ? ZccWaitDone : ZccWaitInterrupted;
}

void reap() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    reaperWork.wait(lock, [] { return stopping || !toReap.empty(); });
    if (toReap.empty())
      return;
    Message *message = toReap.front();
    toReap.pop_front();
    lock.unlock();
    int outcome = outcomeOf(*message);
    lock.lock();
    message->outcome = outcome;
    if (outcome == ZccWaitFailed)
      message->failure = lastFailure;
    message->done = true;
    reaped.notify_all();
  }
}

int ready(void *opaque) {
  auto *message = static_cast<Message *>(opaque);
  std::lock_guard<std::mutex> lock(mutex);
  if (stopping)
    return 1;
  if (message->handedOver)
    return message->done;
  message->handedOver = true;
  if (!reaper)
    reaper = new std::thread(reap);
  toReap.push_back(message);
  reaperWork.notify_one();
  return 0;
}

int wait(void *opaque) {
  auto *message = static_cast<Message *>(opaque);
  int outcome;
  if (message->handedOver) {
    std::unique_lock<std::mutex> lock(mutex);
    reaped.wait(lock, [&] { return message->done; });
    outcome = message->outcome;
    if (outcome == ZccWaitFailed)
      lastFailure = message->failure;
  } else {
    outcome = outcomeOf(*message);
  }
  if (outcome != ZccWaitDone) // the peer may still use the memory
    return outcome;
  {
    std::lock_guard<std::mutex> lock(mutex);
    live.erase(message);
  }
  delete message;
  return ZccWaitDone;
}

void interrupt() {
  std::lock_guard<std::mutex> lock(mutex);
  interrupted = true;
  for (Message *message : live) {
    message->buffer->abortWaitRecv();
    message->buffer->abortWaitSend();
  }
}

void stopReaper() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  reaperWork.notify_one();
  if (reaper)
    reaper->join();
  delete reaper;
  reaper = nullptr;
}

/// Gloo's thread keeps a message's buffer while it moves bytes of it, and finds
/// none once it is destroyed; the destructor waits for that. The pairs stay
/// open: peers should learn from the side channel who failed.
void abandon() {
  std::lock_guard<std::mutex> one(abandoning);
  interrupt();
  stopReaper();
  std::unique_lock<std::mutex> lock(mutex);
  left.wait(lock, [] { return inside == 0; });
  for (Message *message : live)
    message->buffer.reset();
  live.clear();
}

const char *failure() { return lastFailure.c_str(); }

void disconnect() {
  stopReaper();
  delete context;
  delete device;
}

const ZccTransport table = {ZCC_TRANSPORT_VERSION,
                            "Gloo",
                            /*findsRanks=*/0,
                            (uint64_t(1) << 59) - 1,
                            size_t(1) << 30,
                            /*polls=*/0,
                            connect,
                            send,
                            receive,
                            ready,
                            wait,
                            interrupt,
                            abandon,
                            failure,
                            disconnect};

} // namespace

extern "C" __attribute__((visibility("default"))) const ZccTransport *
zccTransport() {
  return &table;
}
