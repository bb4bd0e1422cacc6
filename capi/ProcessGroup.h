// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes that use the library together, a rank each (zrun's --ranks).
// They make the same calls on trainers, one at a time.

#ifndef ZCC_CAPI_PROCESSGROUP_H
#define ZCC_CAPI_PROCESSGROUP_H

#include "runtime/launch/Processes.h"

#include <functional>
#include <mutex>

namespace zcc::capi {

/// A transport connects once, so a process has one group at most. It is made by
/// the first trainer that needs it and lasts until the process ends. At its
/// exit a process waits for the others, unless the run has failed.
class ProcessGroup {
public:
  /// The group that the option "ranks" calls for, "" if it is not given; null
  /// if the ranks are threads of this process. It waits for the others.
  static ProcessGroup *open(const std::string &ranks);

  rt::Processes &processes() { return connected; }

private:
  friend class Call;
  explicit ProcessGroup(const std::string &ranks);
  static void leave();

  const std::string ranks;
  rt::Processes connected;
  std::mutex mutex; // held during a call
};

/// A call that all processes of a group make. It has two parts. In the first,
/// each process checks what it was given: if one of them finds bad input, the
/// call ends with it in all of them, and nothing has changed. Between them is
/// meet(). In the second they run together: a failure there ends the run, in
/// all processes.
class Call {
public:
  /// Without a group (null) each process is alone, and this does nothing.
  Call(ProcessGroup *group, const char *name) : group(group), name(name) {}

  /// Runs the call; throws the error with which it ended. The work calls meet()
  /// once.
  void run(const std::function<void()> &work);

  /// Waits for the other processes. Throws, in all of them, the bad input that
  /// one has found, and if they do not make the same call with the same facts.
  void meet(const std::string &facts = "");
  /// The same within the first part.
  void compare(const std::string &facts);
  /// Says, in the place of a call, that this process refuses it: in all others
  /// it ends with this bad input. Throws only if the run has failed.
  void refuse(const std::string &reason);
  /// Says that whatever is thrown from here on is thrown by all processes, and
  /// leaves all as it was.
  void agree() { isAlike = true; }

private:
  [[noreturn]] void fail(rt::Status status, const std::string &message);

  ProcessGroup *group;
  const char *name;
  bool hasMet = false, isAlike = false;
};

} // namespace zcc::capi

#endif // ZCC_CAPI_PROCESSGROUP_H
