// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs the code of a target: it loads the code once for all ranks of the
// process, and gives each of them a device and the steps of its program. A
// program that wants to run executables lists the backends that it has.

#ifndef ZCC_RUNTIME_CORE_BACKEND_H
#define ZCC_RUNTIME_CORE_BACKEND_H

#include "runtime/core/BasicSteps.h"
#include "runtime/core/DeviceTransfers.h"
#include "runtime/core/Step.h"
#include "runtime/core/Wait.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace zcc::rt {

class Mesh;
class ThreadPool;
class Transport; // of runtime/comm; handed on here

namespace format {
class Executable;
} // namespace format

/// What a rank's device and steps are made for and with. All references
/// outlive them.
struct RankSetting {
  const Mesh &mesh;
  int rank;
  ThreadPool &pool;         // the rank's cores
  Transport &transport;     // to the other ranks, between memory of the host
  const Observer &observer; // of what ObserveSteps show
  const Cancellation &cancellation;
  // Among the ranks of this machine, and whether each is a process.
  int localIndex = 0, localRanks = 1;
  bool isProcess = false;
  SpinPolicy policy = {0}; // where ranks wait for each other
  // Gets a line for people: what is done in a way that one would not expect.
  std::function<void(const std::string &)> note = nullptr; // may be empty
};

/// An executable's code in this process. Ranks call at once.
class LoadedCode {
public:
  virtual ~LoadedCode() = default;
  /// Called on the rank's thread, which is where it wants to be already.
  virtual std::unique_ptr<Device> makeDevice(const RankSetting &setting) = 0;
  /// The NUMA node, as the system counts, that the device of the machine's rank
  /// of that index is at; -1: none, or unknown.
  virtual int nodeOf(int) const { return -1; }
  /// Transfers between the devices of stages; null: over the transport, of what
  /// is copied to the host and from it. Called by all ranks, before their steps
  /// are made. They go before the device.
  virtual std::unique_ptr<DeviceTransfers> makeTransfers(const RankSetting &,
                                                         Device &) {
    return nullptr;
  }
  /// The factory goes when the steps are made.
  virtual std::unique_ptr<StepFactory> makeSteps(const RankSetting &setting,
                                                 Device &device) = 0;
  /// The ranks that one of this process waits for in a step of the backend's
  /// own; called by any thread.
  virtual std::vector<int> awaited(int) const { return {}; }
};

class Backend {
public:
  virtual ~Backend() = default;
  /// Executable.target and Code.target.
  virtual const char *name() const = 0;

  /// Throws bad input that says what this machine lacks, or what the code.
  virtual void check(const format::Executable &executable) const = 0;

  /// For --check, more than name and value of the target: (what, value). Says
  /// what is lacking, and loads the code.
  using Facts = std::vector<std::pair<std::string, std::string>>;
  virtual Facts describe(const format::Executable &executable) const = 0;

  /// Bytes that the arenas of all ranks of this process may take together, by
  /// what the machine has; 0: unknown.
  virtual uint64_t memoryBytes() const = 0;

  /// `executable` has passed check() and outlives the result.
  virtual std::unique_ptr<LoadedCode>
  load(const format::Executable &executable) const = 0;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_BACKEND_H
