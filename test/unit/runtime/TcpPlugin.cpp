// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transport in one file, built only for tests: a TCP connection for each pair
// of ranks, and bytes that move while some call waits. It shows what a
// transport has to implement; zrun finds it beside itself as --ranks tcp.

#include "runtime/comm/TransportPlugin.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace {

struct Head {
  uint64_t channel, tag, bytes;
};

struct Message {
  Head head{};
  char *data = nullptr;
  bool done = false, wrong = false;
};

using Key = std::tuple<int, uint64_t, uint64_t>; // peer, channel, tag

/// The traffic in one direction with one rank: a head, then the message's
/// bytes.
struct Stream {
  Message *message = nullptr;    // under way
  std::vector<char> unexpected;  // bytes that nobody has asked for yet
  Head head{};                   // of the message under way
  size_t headDone = 0, done = 0; // bytes
};

struct Peer {
  int socket = -1;
  std::deque<Message *> toSend;
  Stream out, in;
};

std::vector<Peer> peers;
std::map<Key, std::deque<Message *>> asked;
std::map<Key, std::deque<std::vector<char>>> arrived;
std::atomic<bool> interrupted{false};
std::mutex mutex;
std::string lastFailure;

bool failed(const std::string &what) {
  lastFailure = what + ": " + std::strerror(errno);
  return false;
}

struct Place {
  in_addr_t address;
  in_port_t port;
};

/// Ranks call those below them.
bool meet(ZccTransportHost *host) {
  sockaddr_in own{};
  socklen_t length = sizeof(own);
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = inet_addr(host->address ? host->address : "127.0.0.1");
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listener, reinterpret_cast<sockaddr *>(&own), length) != 0 ||
      listen(listener, host->size) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr *>(&own), &length) != 0)
    return failed("listening");
  Place mine{own.sin_addr.s_addr, own.sin_port};
  std::vector<Place> all(host->size);
  if (host->allGather(host->context, &mine, sizeof(mine), all.data()))
    return failed("exchanging addresses");
  peers.resize(host->size);
  for (int below = 0; below < host->rank; ++below) {
    own.sin_addr.s_addr = all[below].address;
    own.sin_port = all[below].port;
    int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(socket, reinterpret_cast<sockaddr *>(&own), length) != 0 ||
        write(socket, &host->rank, sizeof(int)) != sizeof(int))
      return failed("connecting");
    peers[below].socket = socket;
  }
  for (int above = host->rank + 1; above < host->size; ++above) {
    int socket = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC), who = 0;
    if (socket < 0 || read(socket, &who, sizeof(int)) != sizeof(int))
      return failed("accepting");
    peers[who].socket = socket;
  }
  close(listener);
  for (Peer &peer : peers) {
    int one = 1;
    if (peer.socket < 0)
      continue;
    setsockopt(peer.socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    fcntl(peer.socket, F_SETFL, O_NONBLOCK);
  }
  return true;
}

const char *connectAll(ZccTransportHost *host) {
  return meet(host) ? nullptr : lastFailure.c_str();
}

/// Returns true if bytes moved; a broken connection is a failure.
bool step(ssize_t moved, bool reading, size_t &done, bool &broken) {
  if (moved > 0) {
    done += size_t(moved);
    return true;
  }
  broken |= reading ? moved == 0 || (errno != EAGAIN && errno != EINTR)
                    : errno != EAGAIN && errno != EINTR;
  return false;
}

bool pushOut(Peer &peer) {
  Stream &out = peer.out;
  bool broken = false;
  while (out.message || !peer.toSend.empty()) {
    if (!out.message) {
      out = Stream();
      out.message = peer.toSend.front();
      peer.toSend.pop_front();
    }
    Message &m = *out.message;
    bool atHead = out.headDone < sizeof(Head);
    auto *head = reinterpret_cast<const char *>(&m.head);
    if (atHead) {
      if (!step(send(peer.socket, head + out.headDone,
                     sizeof(Head) - out.headDone, MSG_NOSIGNAL),
                false, out.headDone, broken))
        break;
    } else if (out.done < m.head.bytes) {
      if (!step(send(peer.socket, m.data + out.done, m.head.bytes - out.done,
                     MSG_NOSIGNAL),
                false, out.done, broken))
        break;
    }
    if (out.headDone == sizeof(Head) && out.done == m.head.bytes) {
      m.done = true;
      out.message = nullptr;
    }
  }
  return !broken;
}

/// Returns true if the message has the expected size; else it has failed.
bool fits(Message &message, size_t bytes) {
  if (message.head.bytes == bytes)
    return true;
  lastFailure = "a message of " + std::to_string(bytes) + " bytes, expected " +
                std::to_string(message.head.bytes);
  message.done = message.wrong = true;
  return false;
}

/// Delivers the first message that has arrived for the key.
void deliver(const Key &key, Message &message) {
  std::vector<char> &first = arrived[key].front();
  if (fits(message, first.size()) && !first.empty())
    std::memcpy(message.data, first.data(), first.size());
  arrived[key].pop_front();
  message.done = true;
}

bool pullIn(Peer &peer, int from) {
  Stream &in = peer.in;
  bool broken = false;
  for (;;) {
    if (in.headDone < sizeof(Head)) {
      auto *head = reinterpret_cast<char *>(&in.head);
      if (!step(
              read(peer.socket, head + in.headDone, sizeof(Head) - in.headDone),
              true, in.headDone, broken))
        break;
      if (in.headDone < sizeof(Head))
        continue;
      auto &waiting = asked[{from, in.head.channel, in.head.tag}];
      in.message = waiting.empty() ? nullptr : waiting.front();
      if (in.message)
        waiting.pop_front();
      if (!in.message || !fits(*in.message, in.head.bytes)) {
        in.message = nullptr;
        in.unexpected.resize(in.head.bytes);
      }
    }
    char *to = in.message ? in.message->data : in.unexpected.data();
    if (in.done < in.head.bytes &&
        !step(read(peer.socket, to + in.done, in.head.bytes - in.done), true,
              in.done, broken))
      break;
    if (in.done < in.head.bytes)
      continue;
    Key key{from, in.head.channel, in.head.tag};
    if (in.message) {
      in.message->done = true;
    } else {
      arrived[key].push_back(std::move(in.unexpected));
      // It may have been asked for since it began to come.
      if (auto &waiting = asked[key]; !waiting.empty()) {
        deliver(key, *waiting.front());
        waiting.pop_front();
      }
    }
    in = Stream();
  }
  return !broken;
}

/// Moves what can be moved, after at most so many milliseconds.
bool progress(int milliseconds) {
  std::vector<pollfd> polled;
  std::vector<int> who;
  for (size_t i = 0; i < peers.size(); ++i) {
    Peer &peer = peers[i];
    if (peer.socket < 0)
      continue;
    bool sends = peer.out.message || !peer.toSend.empty();
    polled.push_back({peer.socket, short(POLLIN | (sends ? POLLOUT : 0)), 0});
    who.push_back(int(i));
  }
  poll(polled.data(), polled.size(), milliseconds);
  for (size_t i = 0; i < polled.size(); ++i) {
    Peer &peer = peers[who[i]];
    bool good = true;
    if (polled[i].revents & POLLOUT)
      good = pushOut(peer);
    if (good && (polled[i].revents & (POLLIN | POLLHUP | POLLERR)))
      good = pullIn(peer, who[i]);
    if (!good) {
      close(peer.socket);
      peer.socket = -1;
      lastFailure =
          "the connection to rank " + std::to_string(who[i]) + " was closed";
      return false;
    }
  }
  return true;
}

void *sendMessage(int to, int channel, uint64_t tag, const void *data,
                  size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (peers[to].socket < 0)
    return nullptr;
  auto *message = new Message{{uint64_t(channel), tag, bytes},
                              static_cast<char *>(const_cast<void *>(data))};
  peers[to].toSend.push_back(message);
  if (!pushOut(peers[to]))
    lastFailure = "the connection to rank " + std::to_string(to) + " broke";
  return message;
}

void *receiveMessage(int from, int channel, uint64_t tag, void *data,
                     size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  auto *message =
      new Message{{uint64_t(channel), tag, bytes}, static_cast<char *>(data)};
  Key key{from, uint64_t(channel), tag};
  if (!arrived[key].empty())
    deliver(key, *message);
  else
    asked[key].push_back(message);
  return message;
}

int ready(void *message) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!interrupted)
    progress(0);
  return static_cast<Message *>(message)->done;
}

int wait(void *opaque) {
  auto *message = static_cast<Message *>(opaque);
  std::unique_lock<std::mutex> lock(mutex);
  while (!message->done) {
    if (interrupted)
      return ZccWaitInterrupted;
    if (!progress(1))
      return ZccWaitFailed;
    lock.unlock(); // to a thread that wants to begin something
    sched_yield();
    lock.lock();
  }
  int outcome = message->wrong ? ZccWaitFailed : ZccWaitDone;
  delete message;
  return outcome;
}

void interrupt() { interrupted = true; }
void abandon() { interrupted = true; } // bytes move in calls only
const char *failure() { return lastFailure.c_str(); }

void disconnect() {
  for (Peer &peer : peers)
    if (peer.socket >= 0)
      close(peer.socket);
}

const ZccTransport table = {ZCC_TRANSPORT_VERSION,
                            "TCP",
                            /*findsRanks=*/0,
                            UINT64_MAX,
                            size_t(1) << 30,
                            /*polls=*/1,
                            connectAll,
                            sendMessage,
                            receiveMessage,
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
