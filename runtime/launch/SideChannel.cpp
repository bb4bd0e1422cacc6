// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The side channel. Rank 0 relays gatherings, failures, and the names of ranks
// that hold others up. Its first verdict is everybody's; a rank that loses the
// connection to rank 0 before takes that as the verdict.

#include "runtime/launch/SideChannel.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace zcc::rt {

namespace {

enum Kind : uint8_t { Beat, Given, Gathered, Failed, Decided, Bye };

constexpr double beatSeconds = 0.5;
constexpr size_t mostSuspects = 16;
/// After this many seconds without an answer a peer's machine counts as gone.
/// All ranks are to know within ten seconds.
constexpr double silentSeconds = 7;
/// Seconds that rank 0 waits for its own failure before it takes another
/// rank's: if all fail alike, rank 0 reports it.
constexpr double verdictDelay = 0.2;

class Writer {
public:
  template <typename T> Writer &number(T value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
    return *this;
  }
  Writer &string(const std::string &value) {
    number(uint64_t(value.size()));
    bytes += value;
    return *this;
  }
  std::string bytes;
};

class MessageReader {
public:
  explicit MessageReader(const std::string &bytes) : bytes(bytes) {}
  template <typename T> T number() {
    T value{};
    if (at + sizeof(T) <= bytes.size())
      std::memcpy(&value, bytes.data() + at, sizeof(T));
    at += sizeof(T);
    return value;
  }
  std::string string() {
    auto length = number<uint64_t>();
    if (at > bytes.size() || length > bytes.size() - at)
      return "";
    at += length;
    return bytes.substr(at - length, length);
  }

private:
  const std::string &bytes;
  size_t at = 0;
};

void write(Writer &out, const RankState &state) {
  out.number(state.rank).string(state.last).string(state.pending);
  out.number(state.still).number(state.silent).number(state.stage);
  out.number(uint32_t(state.awaited.size()));
  for (int rank : state.awaited)
    out.number(rank);
}

RankState readState(MessageReader &in) {
  RankState state;
  state.rank = in.number<int>();
  state.last = in.string();
  state.pending = in.string();
  state.still = in.number<double>();
  state.silent = in.number<double>();
  state.stage = in.number<int>();
  uint32_t count = std::min<uint32_t>(in.number<uint32_t>(), 1 << 20);
  for (uint32_t i = 0; i < count; ++i)
    state.awaited.push_back(in.number<int>());
  return state;
}

std::string encode(const Verdict &verdict) {
  Writer out;
  out.number(verdict.rank).number(verdict.died).number(int(verdict.status));
  return out.string(verdict.message).bytes;
}

Verdict decodeVerdict(const std::string &bytes) {
  MessageReader in(bytes);
  Verdict verdict;
  verdict.rank = in.number<int>();
  verdict.died = in.number<bool>();
  verdict.status = static_cast<Status>(in.number<int>());
  verdict.message = in.string();
  return verdict;
}

/// Seconds that a rank that the launcher ends waits to learn why.
constexpr double lastWords = 0.5;

// Launchers end the other ranks when one dies. The message that names the dead
// rank should come first.
std::atomic<int> terminationsSeen{0};
std::atomic<int> terminationWake{-1};

void onTermination(int) {
  terminationsSeen.fetch_add(1);
  uint64_t one = 1;
  int saved = errno;
  (void)!::write(terminationWake.load(), &one, sizeof(one));
  errno = saved;
}

double secondsBetween(std::chrono::steady_clock::time_point from,
                      std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

} // namespace

SideChannel::SideChannel(int rank, std::vector<Connection> connections,
                         double watchdog, Cancellation &cancellation,
                         std::function<void(const Verdict &)> ended,
                         bool takesSigterm)
    : rank(rank), ranks(int(connections.size())), watchdog(watchdog),
      cancellation(cancellation), ended(std::move(ended)),
      takesSigterm(takesSigterm), peers(ranks) {
  auto now = Clock::now();
  for (int i = 0; i < ranks; ++i) {
    peers[i].connection = std::move(connections[i]);
    peers[i].heard = peers[i].beaten = now;
    peers[i].state.rank = i;
    if (peers[i].connection.isOpen())
      watchConnection(peers[i].connection, std::min(watchdog, silentSeconds));
  }
  own.rank = rank;
  lastBeat = now;
  wakeUp = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (takesSigterm) {
    terminationWake.store(wakeUp);
    struct sigaction action {};
    action.sa_handler = onTermination;
    action.sa_flags = SA_RESTART;
    sigaction(SIGTERM, &action, nullptr);
  }
  thread = std::thread([this] { loop(); });
}

SideChannel::~SideChannel() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  wake();
  thread.join();
  if (takesSigterm)
    std::signal(SIGTERM, SIG_DFL);
  close(wakeUp);
}

void SideChannel::wake() {
  uint64_t one = 1;
  (void)!::write(wakeUp, &one, sizeof(one));
}

std::string SideChannel::nameOf(int r) const {
  return size_t(r) < names.size() ? names[r] : text("rank ", r);
}

void SideChannel::setDescriptions(std::vector<std::string> descriptions) {
  std::lock_guard<std::mutex> lock(mutex);
  names = std::move(descriptions);
}

void SideChannel::loop() {
  pthread_setname_np(pthread_self(), "zrun-side");
  std::vector<pollfd> waits;
  std::vector<int> ofWait;
  Clock::time_point stopTime{};
  for (;;) {
    waits = {{wakeUp, POLLIN, 0}};
    ofWait = {-1};
    int timeout;
    {
      std::lock_guard<std::mutex> lock(mutex);
      bool output = false;
      for (int i = 0; i < ranks; ++i) {
        if (!peers[i].connection.isOpen())
          continue;
        short events = POLLIN;
        if (peers[i].connection.hasOutput())
          events |= POLLOUT, output = true;
        waits.push_back({peers[i].connection.descriptor(), events, 0});
        ofWait.push_back(i);
      }
      // Before it stops, the thread sends the last messages to the others.
      if (stopping) {
        if (stopTime == Clock::time_point())
          stopTime = Clock::now();
        if (!output || secondsBetween(stopTime, Clock::now()) > 1)
          return;
      }
      timeout = stopping || firstFailure || terminated ? 20 : 100;
    }
    if (poll(waits.data(), waits.size(), timeout) < 0 && errno != EINTR)
      return;
    std::unique_lock<std::mutex> lock(mutex);
    uint64_t count;
    (void)!::read(wakeUp, &count, sizeof(count));
    for (size_t k = 1; k < waits.size(); ++k) {
      if (!waits[k].revents)
        continue;
      int peer = ofWait[k];
      Connection &connection = peers[peer].connection;
      bool good = true;
      if (waits[k].revents & ~POLLOUT)
        good = connection.read([&](const Packet &f) { take(peer, f); });
      if (!good)
        lost(peer);
    }
    considerFailures();
    considerTermination();
    beat();
    for (int i = 0; i < ranks; ++i)
      if (peers[i].connection.isOpen() && peers[i].connection.hasOutput() &&
          !peers[i].connection.flush())
        lost(i);
    if (decision && !decisionHandled) {
      decisionHandled = true;
      Verdict verdict = *decision;
      lock.unlock();
      ended(verdict);
      lock.lock();
      changed.notify_all();
    }
  }
}

/// This and all functions below are called with the lock held.
void SideChannel::take(int from, const Packet &frame) {
  Peer &peer = peers[from];
  peer.heard = Clock::now();
  switch (frame.kind) {
  case Beat: {
    MessageReader in(frame.bytes);
    if (rank == 0) {
      peer.state = readState(in);
      peer.state.rank = from;
      return;
    }
    told.clear();
    uint32_t count = std::min<uint32_t>(in.number<uint32_t>(), mostSuspects);
    for (uint32_t i = 0; i < count; ++i)
      told.push_back(readState(in));
    return;
  }
  case Given: {
    MessageReader in(frame.bytes);
    const auto lane = in.number<uint32_t>();
    give(lane, from, in.string());
    return;
  }
  case Gathered: {
    MessageReader in(frame.bytes);
    Gathering &gathering = gatherings[in.number<uint32_t>()];
    gathering.gathered.clear();
    for (int i = 0; i < ranks; ++i)
      gathering.gathered.push_back(in.string());
    ++gathering.done;
    changed.notify_all();
    return;
  }
  case Failed: {
    Verdict verdict = decodeVerdict(frame.bytes);
    verdict.rank = from;
    verdict.died = false;
    peer.left = true;
    if (!firstFailure) {
      firstFailure = verdict;
      failureTime = Clock::now();
    }
    return;
  }
  case Decided:
    return decide(decodeVerdict(frame.bytes));
  case Bye:
    peer.left = true;
    return;
  }
}

void SideChannel::lost(int peer) {
  std::string unreachable = peers[peer].connection.whyUnreachable();
  peers[peer].connection.close();
  if (peers[peer].left || leaving || stopping)
    return;
  // Deaths that follow from a failure do not count.
  if (firstFailure)
    return;
  Verdict verdict;
  verdict.rank = peer;
  verdict.died = true;
  verdict.message =
      unreachable.empty()
          ? text(nameOf(peer), " died")
          : text(nameOf(peer), " cannot be reached: ", unreachable);
  decide(verdict);
}

void SideChannel::decide(const Verdict &verdict) {
  if (decision)
    return;
  decision = verdict;
  cancellation.cancel();
  if (rank == 0)
    for (Peer &peer : peers)
      if (peer.connection.isOpen()) {
        peer.connection.put(Decided, encode(verdict));
        (void)peer.connection.flush();
      }
  changed.notify_all();
}

void SideChannel::considerFailures() {
  if (rank == 0 && firstFailure && !decision &&
      (firstFailure->rank == 0 ||
       secondsBetween(failureTime, Clock::now()) > verdictDelay))
    decide(*firstFailure);
}

void SideChannel::deferTermination() {
  std::lock_guard<std::mutex> lock(mutex);
  terminationDeferred = true;
}

bool SideChannel::isTerminationSeen() const {
  return terminationsSeen.load() != 0;
}

/// Ends this process as an uncaught SIGTERM would, unless there is a verdict,
/// with which the run ends by itself.
void SideChannel::considerTermination() {
  if (!takesSigterm || terminationsSeen.load() <= int(terminationDeferred) ||
      decision)
    return;
  if (!terminated)
    terminated = Clock::now();
  if (secondsBetween(*terminated, Clock::now()) < lastWords)
    return;
  std::signal(SIGTERM, SIG_DFL);
  raise(SIGTERM);
}

void SideChannel::beat() {
  auto now = Clock::now();
  if (secondsBetween(lastBeat, now) < std::min(beatSeconds, watchdog / 10))
    return;
  lastBeat = now;
  std::string bytes;
  if (rank != 0) {
    Writer out;
    write(out, own);
    bytes = std::move(out.bytes);
  } else {
    told.clear();
    auto add = [&](const RankState &state) {
      if (told.size() < mostSuspects)
        told.push_back(state);
    };
    for (int i = 1; i < ranks; ++i) {
      Peer &peer = peers[i];
      if (!peer.connection.isOpen() || peer.left)
        continue;
      peer.state.silent = secondsBetween(peer.heard, now);
      if (peer.state.silent > watchdog / 4)
        add(peer.state);
    }
    if (own.still > watchdog / 4 && own.awaited.empty())
      add(own);
    for (int i = 1; i < ranks; ++i) {
      const Peer &peer = peers[i];
      if (peer.connection.isOpen() && peer.state.silent <= watchdog / 4 &&
          peer.state.still > watchdog / 4 && peer.state.awaited.empty())
        add(peer.state);
    }
    Writer out;
    out.number(uint32_t(told.size()));
    for (const RankState &state : told)
      write(out, state);
    bytes = std::move(out.bytes);
  }
  for (Peer &peer : peers) {
    if (!peer.connection.isOpen() || peer.connection.hasOutput())
      continue;
    // A stopped process reads nothing, so its buffers should not be filled.
    if (secondsBetween(peer.heard, now) > 10 &&
        secondsBetween(peer.beaten, now) < 10)
      continue;
    peer.beaten = now;
    peer.connection.put(Beat, bytes);
  }
}

/// On rank 0: takes the string of a rank, and sends all strings when all ranks
/// have given theirs.
void SideChannel::give(uint32_t lane, int from, std::string bytes) {
  Gathering &gathering = gatherings[lane];
  auto &given = gathering.given;
  given.resize(ranks);
  given[from] = std::move(bytes);
  if (std::any_of(given.begin(), given.end(), [](const auto &g) { return !g; }))
    return;
  Writer out;
  out.number(lane);
  gathering.gathered.clear();
  for (auto &g : given) {
    out.string(*g);
    gathering.gathered.push_back(std::move(*g));
    g.reset();
  }
  for (Peer &peer : peers)
    if (peer.connection.isOpen())
      peer.connection.put(Gathered, out.bytes);
  ++gathering.done;
  changed.notify_all();
}

std::vector<std::string> SideChannel::gather(const std::string &mine,
                                             uint32_t lane) {
  std::unique_lock<std::mutex> lock(mutex);
  Gathering &gathering = gatherings[lane];
  const int before = gathering.done;
  if (rank == 0) {
    give(lane, 0, mine);
  } else {
    Writer out;
    out.number(lane);
    out.string(mine);
    peers[0].connection.put(Given, out.bytes);
  }
  wake();
  changed.wait(lock, [&] { return gathering.done != before || decision; });
  if (gathering.done == before)
    throw Aborted();
  return gathering.gathered;
}

uint32_t SideChannel::takeLane() {
  std::lock_guard<std::mutex> lock(mutex);
  return lanes++;
}

void SideChannel::publish(const RankState &state) {
  std::lock_guard<std::mutex> lock(mutex);
  own = state;
}

std::vector<RankState> SideChannel::suspects() {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<RankState> result = told;
  if (rank != 0) {
    RankState first;
    first.silent = secondsBetween(peers[0].heard, Clock::now());
    if (first.silent > watchdog / 4)
      result.insert(result.begin(), first);
  }
  return result;
}

std::optional<Verdict> SideChannel::reportFailure(Status status,
                                                  const std::string &message) {
  std::unique_lock<std::mutex> lock(mutex);
  Verdict mine;
  mine.rank = rank;
  mine.status = status;
  mine.message = message;
  if (rank == 0) {
    // No rank failed before, or one did with the same message.
    if (!firstFailure || firstFailure->message == message)
      firstFailure = mine;
  } else if (peers[0].connection.isOpen()) {
    peers[0].connection.put(Failed, encode(mine));
  }
  wake();
  changed.wait_for(lock, std::chrono::seconds(2),
                   [&] { return decision.has_value(); });
  return decision;
}

std::optional<Verdict> SideChannel::verdict() {
  std::lock_guard<std::mutex> lock(mutex);
  return decision;
}

void SideChannel::leave() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    leaving = true;
    for (Peer &peer : peers)
      if (peer.connection.isOpen())
        peer.connection.put(Bye, "");
  }
  wake();
}

} // namespace zcc::rt
