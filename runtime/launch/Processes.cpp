// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that run together. A transport that finds ranks by itself connects
// first and carries the address of rank 0's side channel; for others the side
// channel connects first and carries the transport's addresses.

#include "runtime/launch/Processes.h"

#include "runtime/comm/Plugin.h"
#include "runtime/launch/Cores.h"

#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace zcc::rt {

namespace {

constexpr double connectSeconds = 300;
/// Seconds that ranks get to stop by themselves before they are stopped.
constexpr int graceSeconds = 5;
constexpr int setupChannel = 2;

struct Meeting {
  int port = 0;
  char addresses[1000] = "";
};

std::vector<std::string> split(const std::string &list) {
  std::vector<std::string> words;
  for (size_t at = 0; at < list.size();) {
    size_t end = std::min(list.find(' ', at), list.size());
    words.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::string coreText(const CoreSet &cores) {
  std::string out;
  for (int core : cores)
    out += text(out.empty() ? "" : ",", core);
  return out;
}

int gatherForPlugin(void *context, const void *mine, size_t bytes, void *all) {
  try {
    std::vector<std::string> given =
        static_cast<SideChannel *>(context)->gather(
            {static_cast<const char *>(mine), bytes});
    for (size_t i = 0; i < given.size(); ++i) {
      if (given[i].size() != bytes)
        return 1;
      std::memcpy(static_cast<char *>(all) + i * bytes, given[i].data(), bytes);
    }
    return 0;
  } catch (const Aborted &) {
    return 1;
  }
}

} // namespace

Processes::Processes(const std::string &name, const GetVariable &get,
                     double watchdog,
                     std::function<void(const std::string &)> note,
                     ProcessOwner owner)
    : plugin(&openTransport(name)), launched(findLocalRank(get)),
      busy(std::make_shared<std::atomic<bool>>(true)) {
  host.rank = host.size = -1;
  std::vector<Connection> peers;
  if (plugin->findsRanks) {
    if (const char *error = plugin->connect(&host))
      fail(error);
    ownRank = host.rank;
    ranks = host.size;
    peers = meetThroughTransport(connectSeconds);
  } else {
    LaunchEnvironment environment = readEnvironment(name, get);
    ownRank = environment.rank;
    ranks = environment.size;
    if (ownRank == 0)
      peers = acceptRanks(
          ranks, environment.ports, connectSeconds, [](int) {}, note);
    else {
      peers.resize(ranks);
      peers[0] = connectToFirst(ownRank, ranks, {environment.address},
                                environment.ports, connectSeconds);
    }
  }
  for (const Connection &peer : peers)
    addresses.push_back(peer.isOpen() ? localAddress(peer) : "");
  const bool isProgram = owner == ProcessOwner::Program;
  auto ended = [this, isProgram](const Verdict &verdict) {
    // Prints now: the launcher may end us soon, and the main thread may be
    // busy.
    if (verdict.died && isProgram) {
      std::fprintf(stderr, "error: %s\n", verdict.message.c_str());
      deathPrinted = true;
    }
    plugin->interrupt();
    std::thread([verdict, isProgram, isBusy = busy] {
      std::this_thread::sleep_for(std::chrono::seconds(graceSeconds));
      if (!isBusy->load())
        return;
      if (verdict.died && !isProgram)
        std::fprintf(stderr, "error: %s\n", verdict.message.c_str());
      if (!verdict.died)
        std::fprintf(stderr, "error: rank %d failed: %s\n", verdict.rank,
                     verdict.message.c_str());
      _exit(static_cast<int>(verdict.status));
    }).detach();
  };
  side = std::make_unique<SideChannel>(ownRank, std::move(peers), watchdog,
                                       cancelled, ended, isProgram);
}

Processes::~Processes() = default;

void Processes::start() {
  describeHosts();
  if (plugin->findsRanks)
    return;
  chooseAddress();
  host.rank = ownRank;
  host.size = ranks;
  host.address = address.empty() ? nullptr : address.c_str();
  host.allGather = gatherForPlugin;
  host.context = side.get();
  if (const char *error = plugin->connect(&host)) {
    throwIfCancelled(cancelled);
    fail(plugin->name, ": cannot connect: ", error);
  }
}

/// Rank 0 sends the others, through the transport, the place where it listens.
std::vector<Connection> Processes::meetThroughTransport(double seconds) {
  auto finish = [&](void *message) {
    if (!message || plugin->wait(message) != ZccWaitDone)
      fail(plugin->name, ": ", plugin->failure());
  };
  Meeting meeting;
  if (ownRank != 0) {
    finish(plugin->receive(0, setupChannel, 0, &meeting, sizeof(meeting)));
    std::vector<std::string> addresses = split(meeting.addresses);
    // The machine's own name for itself comes first; on it, no other is needed.
    if (addresses[0] == hostName())
      addresses = {"127.0.0.1"};
    else
      addresses.erase(addresses.begin());
    std::vector<Connection> peers(ranks);
    peers[0] =
        connectToFirst(ownRank, ranks, addresses, {meeting.port}, seconds);
    return peers;
  }
  return acceptRanks(
      ranks, {0}, seconds,
      [&](int port) {
        meeting.port = port;
        std::string addresses = hostName();
        for (const std::string &a : ownAddresses())
          if (addresses.size() + a.size() + 2 < sizeof(meeting.addresses))
            addresses += " " + a;
        std::memcpy(meeting.addresses, addresses.c_str(), addresses.size() + 1);
        for (int peer = 1; peer < ranks; ++peer)
          finish(
              plugin->send(peer, setupChannel, 0, &meeting, sizeof(meeting)));
      },
      [](const std::string &) {});
}

/// Learns which rank is on which host. Ranks of one machine are neighbours,
/// since groups of neighbouring ranks exchange the most.
void Processes::describeHosts() {
  std::string mine =
      text(hostName(), " ", getpid(), " ", coreText(allowedCores()));
  std::vector<std::string> all = side->gather(mine);
  std::vector<std::vector<std::string>> words;
  for (int i = 0; i < ranks; ++i) {
    words.push_back(split(all[i]));
    words.back().resize(3);
    hosts.push_back(words.back()[0]);
    ids.push_back(words.back()[1]);
  }
  describeRanks([](int) { return std::string(); });
  // All leave the gathering at about the same time.
  double now = std::chrono::duration<double>(
                   std::chrono::steady_clock::now().time_since_epoch())
                   .count();
  double first = 0;
  std::string clock =
      side->gather({reinterpret_cast<const char *>(&now), sizeof(now)})[0];
  std::memcpy(&first, clock.data(), sizeof(first));
  if (hosts[0] != hosts[ownRank]) // else it is the same clock
    ahead = now - first;
  local = index = 0;
  for (int i = 0; i < ranks; ++i) {
    if (hosts[i] == hosts[ownRank]) {
      index += i < ownRank;
      ++local;
      sharedCores &= words[i][2] == words[ownRank][2];
    }
    bool seenBefore = false;
    for (int k = 0; k < i; ++k)
      seenBefore |= hosts[k] == hosts[i];
    if (i > 0 && seenBefore && hosts[i] != hosts[i - 1])
      badInput("rank ", i, " runs on ", hosts[i], " like earlier ones, rank ",
               i - 1, " on ", hosts[i - 1],
               ": consecutive ranks must fill one machine after the other "
               "(mpirun --map-by slot, srun --distribution=block)");
  }
}

/// Chooses an address of rank 0 that every rank can reach. Ranks beside rank 0
/// may have met it at a loopback address (Debian gives a host's own name one),
/// which other hosts cannot reach; rank 0 then has a better one for its whole
/// host.
void Processes::chooseAddress() {
  if (ranks == 1)
    return;
  address = addresses[ownRank == 0 ? 1 : 0];
  for (int peer = 1; ownRank == 0 && peer < ranks; ++peer)
    if (hosts[peer] != hosts[0]) {
      address = addresses[peer];
      break;
    }
  std::string first = side->gather(address)[0];
  if (isLoopback(address) && hosts[ownRank] == hosts[0])
    address = first;
}

void Processes::setSpins(int spins) { host.spins = spins; }

std::unique_ptr<Transport> Processes::connect(ThreadPool &pool) {
  return std::make_unique<ProcessTransport>(*plugin, ownRank, ranks, pool,
                                            cancelled);
}

void Processes::agree(
    const std::vector<std::pair<std::string, std::string>> &facts) {
  std::string mine;
  for (const auto &[name, value] : facts)
    mine += text(name, "\1", value, "\2");
  std::vector<std::string> all = side->gather(mine);
  auto parse = [](const std::string &given) {
    std::vector<std::pair<std::string, std::string>> out;
    for (size_t at = 0; at < given.size();) {
      size_t middle = given.find('\1', at), end = given.find('\2', at);
      out.push_back({given.substr(at, middle - at),
                     given.substr(middle + 1, end - middle - 1)});
      at = end + 1;
    }
    return out;
  };
  auto first = parse(all[0]);
  std::vector<std::string> problems;
  for (int i = 1; i < ranks; ++i) {
    if (all[i] == all[0])
      continue;
    auto theirs = parse(all[i]);
    for (size_t k = 0; k < std::min(first.size(), theirs.size()); ++k)
      if (first[k] != theirs[k]) {
        problems.push_back(text("rank ", i, " has ", theirs[k].first, " ",
                                theirs[k].second, ", rank 0 has ",
                                first[k].first, " ", first[k].second));
        break;
      }
  }
  if (!problems.empty())
    badInput("the ranks do not run the same: ", listText(problems, 8));
}

void Processes::describeStages(const std::function<int(int)> &stageOf) {
  describeRanks([&](int rank) { return text("stage ", stageOf(rank), ", "); });
}

void Processes::describeRanks(const std::function<std::string(int)> &placeOf) {
  std::vector<std::string> names;
  for (int i = 0; i < ranks; ++i)
    names.push_back(text("rank ", i, " (", placeOf(i), hosts[i], ", process ",
                         ids[i], ")"));
  side->setDescriptions(names);
}

void Processes::finish() {
  side->gather("done");
  side->leave();
  plugin->disconnect();
}

std::pair<std::string, Status>
Processes::reportFailure(Status status, const std::string &message) {
  std::optional<Verdict> verdict =
      message.empty() ? side->verdict() : side->reportFailure(status, message);
  if (!verdict)
    return {message.empty() ? text("rank ", ownRank, " was stopped") : message,
            status};
  // The rank that died has been named; for other ranks, their own message or
  // place says what they waited for.
  if (verdict->died)
    return {message.empty() || deathPrinted ? endPlace : message,
            verdict->status};
  std::string prefix = ownRank == 0 ? "" : text("rank ", ownRank, ": ");
  if (verdict->rank == ownRank)
    return {prefix + verdict->message, status};
  if (message.empty())
    return {text("rank ", verdict->rank, " failed: ", verdict->message),
            verdict->status};
  // If all ranks fail alike, only one reports it.
  if (message == verdict->message)
    return {"", status};
  // This error mostly follows from a peer that is gone; all end as the first
  // one did.
  return {prefix + message, verdict->status};
}

} // namespace zcc::rt
