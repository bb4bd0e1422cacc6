// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport between ranks that are threads of one process: groups read each
// other's memory between barriers; messages go through mailboxes.

#ifndef ZCC_RUNTIME_COMM_INPROCESS_H
#define ZCC_RUNTIME_COMM_INPROCESS_H

#include "runtime/comm/Communicator.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/core/Wait.h"

#include <map>
#include <mutex>

namespace zcc::rt {

class InProcessGroup;
class Mailbox;

/// The state that all ranks share. It outlives the transports.
class InProcessHub {
public:
  InProcessHub(int ranks, const Cancellation &cancellation, SpinPolicy policy);
  ~InProcessHub();

  /// The access of one rank; collectives are computed on its pool.
  std::unique_ptr<Transport> connect(int rank, ThreadPool &pool);

private:
  friend class InProcessTransport;
  std::shared_ptr<InProcessGroup> group(const std::vector<int> &ranks);

  const Cancellation &cancellation;
  SpinPolicy policy;
  std::mutex mutex;
  std::map<std::vector<int>, std::shared_ptr<InProcessGroup>> groups;
  std::vector<std::unique_ptr<Mailbox>> mailboxes;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_COMM_INPROCESS_H
