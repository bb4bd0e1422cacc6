// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes meet by gathering texts over the side channel. The first byte of
// each text is its kind.

#include "capi/ProcessGroup.h"

#include "capi/Worker.h"
#include "runtime/core/Error.h"

#include <cstdlib>
#include <memory>
#include <new>
#include <unistd.h>

namespace zcc::capi {

using rt::badInput;
using rt::Status;
using rt::text;

namespace {

/// The kinds of texts that processes give when all meet.
enum Said : char {
  Calls = 'c',   // followed by the call and its facts
  Refuses = '!', // followed by what is wrong with its input
  Fails = 'f',   // the same, but it is a failure
  Ends = 'e'     // the process ends
};

/// Seconds until a process that is not heard from counts as silent, as zrun's
/// --watchdog has them by default. Trainers have watchdogs of their own.
constexpr double watchdogSeconds = 10;

std::mutex openMutex;
ProcessGroup *theGroup = nullptr; // never destroyed: peers may be gone
pid_t owner = 0;                  // children of a fork are no ranks

const char *variable(const char *name) { return std::getenv(name); }

} // namespace

ProcessGroup::ProcessGroup(const std::string &ranks)
    : ranks(ranks), connected(
                        ranks, variable, watchdogSeconds,
                        [](const std::string &) {}, rt::ProcessOwner::Library) {
}

ProcessGroup *ProcessGroup::open(const std::string &given) {
  std::string ranks = given.empty() ? rt::findRanks(variable) : given;
  if (ranks == "local")
    return nullptr;
  std::lock_guard<std::mutex> lock(openMutex);
  if (theGroup && theGroup->ranks != ranks)
    badInput("--ranks ", ranks, ": this process is a rank of --ranks ",
             theGroup->ranks, " already, for as long as it lives");
  if (theGroup)
    return theGroup;
  std::unique_ptr<ProcessGroup> made;
  // Threads that this starts get no signals, as those of a worker.
  Worker().run([&] {
    made.reset(new ProcessGroup(ranks));
    made->connected.start();
  });
  made->connected.setBusy(false);
  owner = getpid();
  std::atexit(leave);
  return theGroup = made.release();
}

void ProcessGroup::leave() {
  if (!theGroup || owner != getpid())
    return;
  rt::Processes &processes = theGroup->connected;
  try {
    // A process that is within a call hears that this one makes none any more.
    // One that refuses does not listen; it ends or calls after that.
    for (bool haveAllEnded = false; !haveAllEnded;) {
      haveAllEnded = true;
      for (const std::string &said :
           processes.channel().gather(std::string(1, Ends))) {
        if (said[0] != Ends && said[0] != Refuses)
          return;
        haveAllEnded &= said[0] == Ends;
      }
    }
    processes.finish();
  } catch (...) {
    // The run has failed; the transport is left as it is.
  }
}

void Call::compare(const std::string &facts) {
  if (!group)
    return;
  rt::Processes &processes = group->connected;
  const std::string mine = text(name, facts.empty() ? "" : ": ", facts);
  std::vector<std::string> all =
      processes.channel().gather(std::string(1, Calls) + mine);
  isAlike = true; // all processes throw the same here
  auto nameOf = [&](size_t rank) {
    return int(rank) == processes.rank() ? std::string()
                                         : text("rank ", rank, ": ");
  };
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i][0] == Ends)
      rt::fail("rank ", i, " has ended its process, and does not call ", name);
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i][0] == Refuses)
      badInput(nameOf(i), all[i].substr(1));
    else if (all[i][0] == Fails)
      rt::fail(nameOf(i), all[i].substr(1));
  for (size_t i = 1; i < all.size(); ++i)
    if (all[i] != all[0])
      badInput("all processes must make the same calls: rank ", i, " calls ",
               all[i].substr(1), ", rank 0 calls ", all[0].substr(1));
  isAlike = false;
}

void Call::meet(const std::string &facts) {
  compare(facts);
  hasMet = true;
}

void Call::run(const std::function<void()> &work) {
  if (!group)
    return work();
  std::lock_guard<std::mutex> lock(group->mutex);
  group->connected.setBusy(true);
  struct Idle {
    ProcessGroup &group;
    ~Idle() { group.connected.setBusy(false); }
  } idle{*group};
  try {
    work();
  } catch (const rt::Error &error) {
    if (isAlike)
      throw;
    fail(error.status, error.what());
  } catch (const rt::Aborted &) {
    fail(Status::Failed, "");
  } catch (const std::bad_alloc &) {
    fail(Status::Failed, "out of memory");
  } catch (const std::exception &error) {
    fail(Status::Failed, error.what());
  }
}

void Call::refuse(const std::string &reason) {
  if (!group)
    return;
  run([&] {
    isAlike = true; // there is nothing more to tell the others
    try {
      (void)group->connected.channel().gather(std::string(1, Refuses) + reason);
    } catch (const rt::Aborted &) {
      isAlike = false;
      throw;
    }
  });
}

void Call::fail(Status status, const std::string &message) {
  rt::Processes &processes = group->connected;
  rt::SideChannel &channel = processes.channel();
  std::optional<rt::Verdict> verdict = channel.verdict();
  if (!hasMet && !verdict && !message.empty()) {
    // The others wait for this process in meet().
    try {
      Said said = status == Status::BadInput ? Refuses : Fails;
      (void)channel.gather(std::string(1, said) + message);
      throw rt::Error(status, message);
    } catch (const rt::Aborted &) {
      // The run has failed meanwhile.
    }
  }
  auto [told, ended] = processes.reportFailure(status, message);
  verdict = channel.verdict();
  if (verdict && verdict->died)
    throw rt::Error(Status::Failed, told.empty()
                                        ? verdict->message
                                        : text(verdict->message, "; ", told));
  if (told.empty()) // another rank said the same
    told = message;
  throw rt::Error(ended, told);
}

} // namespace zcc::capi
