// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of a backend, which runs the code of a target. It loads the
// code once for all ranks of the process, and gives each rank a device and the
// steps of its program. A program that wants to run executables lists the
// backends that it has.

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
class NanOrigins;
class ThreadPool;
class Transport; // of runtime/comm; handed on here

namespace format {
class Executable;
} // namespace format

/// The surroundings that a rank's device and steps are made in. All references
/// outlive them.
struct RankSetting {
  const Mesh &mesh;
  int rank;
  ThreadPool &pool;         // the rank's cores
  Transport &transport;     // to the other ranks, between memory of the host
  const Observer &observer; // gets the values of ObserveSteps
  const Cancellation &cancellation;
  // The index of this rank among the ranks of its machine, how many those are,
  // and true if each of them is a process of its own.
  int localIndex = 0, localRanks = 1;
  bool isProcess = false;
  SpinPolicy policy = {0}; // where ranks wait for each other
  // Gets the origins of NaN, if the backend looks for them; null: nobody wants
  // them.
  NanOrigins *nanOrigins = nullptr;
  // Gets a line for people when something is done in an unexpected way.
  std::function<void(const std::string &)> note = nullptr; // may be empty
};

/// An executable's code, loaded in this process. Several ranks may call it at
/// the same time.
class LoadedCode {
public:
  virtual ~LoadedCode() = default;
  /// Called on the rank's thread, which is already bound to its cores.
  virtual std::unique_ptr<Device> makeDevice(const RankSetting &setting) = 0;
  /// Returns the NUMA node, by the system's number, that is nearest to the
  /// device of the rank with that index on this machine. -1: there is none, or
  /// it is unknown.
  virtual int nodeOf(int) const { return -1; }
  /// Returns transfers between the devices of stages. Null: messages are copied
  /// to the host, go over the transport, and are copied from the host. All
  /// ranks call this before their steps are made. The transfers are destroyed
  /// before the device.
  virtual std::unique_ptr<DeviceTransfers> makeTransfers(const RankSetting &,
                                                         Device &) {
    return nullptr;
  }
  /// The factory is destroyed once the steps are made.
  virtual std::unique_ptr<StepFactory> makeSteps(const RankSetting &setting,
                                                 Device &device) = 0;
  /// Returns the ranks that the given rank of this process waits for in one of
  /// the backend's own steps. Any thread may call this.
  virtual std::vector<int> awaited(int) const { return {}; }
};

class Backend {
public:
  virtual ~Backend() = default;
  /// The name in Executable.target and Code.target.
  virtual const char *name() const = 0;

  /// Throws bad input that names the thing that this machine, or the code,
  /// lacks.
  virtual void check(const format::Executable &executable) const = 0;

  /// Facts for --check beyond the name and value of the target, as pairs
  /// (subject, value). Names what is lacking, and loads the code.
  using Facts = std::vector<std::pair<std::string, std::string>>;
  virtual Facts describe(const format::Executable &executable) const = 0;

  /// Bytes that the arenas of all ranks of this process may take together,
  /// judged by the memory of this machine; 0: unknown.
  virtual uint64_t memoryBytes() const = 0;
  /// True if ranks compute on the machine's cores.
  virtual bool computesOnCores() const { return true; }
  /// True if ranks look for NaN in what kernels write (RankSetting).
  virtual bool looksForNan() const { return false; }

  /// `executable` has passed check() and outlives the result.
  virtual std::unique_ptr<LoadedCode>
  load(const format::Executable &executable) const = 0;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_BACKEND_H
