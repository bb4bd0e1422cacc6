// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport between ranks that are processes of their own, over any library
// that moves bytes (TransportPlugin.h). Collectives are made of messages here,
// in the same way for every library, so that all give the same bits.

#ifndef ZCC_RUNTIME_COMM_PROCESSTRANSPORT_H
#define ZCC_RUNTIME_COMM_PROCESSTRANSPORT_H

#include "runtime/comm/Communicator.h"
#include "runtime/comm/TransportPlugin.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/core/Wait.h"

#include <atomic>
#include <deque>
#include <map>

namespace zcc::rt {

class ProcessTransport : public Transport {
public:
  /// `plugin` is connected; all references outlive the transport.
  ProcessTransport(const ZccTransport &plugin, int rank, int ranks,
                   ThreadPool &pool, const Cancellation &cancellation);
  ~ProcessTransport() override;

  std::shared_ptr<Communicator> open(const std::vector<int> &ranks) override;
  void send(int peer, uint64_t tag, const void *data, size_t bytes) override;
  void receive(int peer, uint64_t tag, void *data, size_t bytes) override;
  std::unique_ptr<PlannedTransfer>
  openSend(int peer, uint64_t tag, const void *data, size_t bytes) override;
  std::unique_ptr<PlannedTransfer>
  openReceive(int peer, uint64_t tag, void *data, size_t bytes) override;
  std::vector<int> awaited() const override;
  void settle() override { reap(true); }

private:
  friend class ProcessCommunicator;
  friend class ProcessTransfer;
  struct Pending {
    void *message;
    std::vector<char> data;
  };

  void checkTag(uint64_t tag) const;
  void *beginSend(int peer, int channel, uint64_t tag, const void *data,
                  size_t bytes);
  void *beginReceive(int peer, int channel, uint64_t tag, void *data,
                     size_t bytes);
  /// Waits; `what` and `peer` are for messages. Throws Aborted if the run ends;
  /// then, and after broken(), no message's memory is in use.
  void finish(void *message, const char *what, int peer);
  [[noreturn]] void broken(const char *what, int peer);
  void reap(bool all);

  const ZccTransport &plugin;
  const int rank, ranks;
  ThreadPool &pool;
  const Cancellation &cancellation;
  std::map<std::vector<int>, std::shared_ptr<Communicator>> opened;
  std::deque<Pending> pending; // sends that nobody waits for
  // The ranks whose messages this rank waits for, for the watchdog.
  std::vector<std::atomic<bool>> waitingFor;
  std::vector<char> scratch; // of the collective under way
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_COMM_PROCESSTRANSPORT_H
