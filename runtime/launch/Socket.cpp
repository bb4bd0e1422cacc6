// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TCP connections. The first bytes in each direction name this protocol, since
// somebody else may listen on a port that is tried.

#include "runtime/launch/Socket.h"

#include "runtime/core/Error.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace zcc::rt {

using Clock = std::chrono::steady_clock;

namespace {

struct Hello {
  char magic[8] = {'z', 'c', 'c', 'r', 'a', 'n', 'k', '1'};
  int32_t rank = 0, ranks = 0;
};
constexpr char welcome[8] = {'z', 'c', 'c', 'h', 'e', 'l', 'l', 'o'};
constexpr uint32_t largestFrame = 1u << 30;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void setTimeout(int fd, int milliseconds) {
  timeval limit{milliseconds / 1000, milliseconds % 1000 * 1000};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

bool receiveAll(int fd, void *data, size_t bytes) {
  auto *at = static_cast<char *>(data);
  while (bytes > 0) {
    ssize_t got = recv(fd, at, bytes, 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    at += got;
    bytes -= got;
  }
  return true;
}

void prepare(int fd) {
  int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

int listenOn(int port) {
  int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int one = 1, zero = 0;
  if (fd >= 0) {
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    any.sin6_port = htons(uint16_t(port));
    if (bind(fd, reinterpret_cast<sockaddr *>(&any), sizeof(any)) == 0 &&
        listen(fd, 1024) == 0)
      return fd;
    close(fd);
  }
  // The machine has no IPv6.
  fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return -1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(uint16_t(port));
  if (bind(fd, reinterpret_cast<sockaddr *>(&any), sizeof(any)) == 0 &&
      listen(fd, 1024) == 0)
    return fd;
  close(fd);
  return -1;
}

int portOf(int fd) {
  sockaddr_storage at{};
  socklen_t length = sizeof(at);
  getsockname(fd, reinterpret_cast<sockaddr *>(&at), &length);
  return ntohs(at.ss_family == AF_INET6
                   ? reinterpret_cast<sockaddr_in6 *>(&at)->sin6_port
                   : reinterpret_cast<sockaddr_in *>(&at)->sin_port);
}

std::string textOf(const sockaddr *address, socklen_t length) {
  char host[NI_MAXHOST] = "";
  getnameinfo(address, length, host, sizeof(host), nullptr, 0, NI_NUMERICHOST);
  std::string text = host;
  // An IPv4 address in the form of IPv6.
  if (text.compare(0, 7, "::ffff:") == 0)
    text.erase(0, 7);
  return text;
}

/// -1 if nobody of ours answers there.
int tryConnect(const std::string &address, int port, int rank, int ranks) {
  addrinfo hints{}, *list = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints,
                  &list) != 0)
    return -1;
  int found = -1;
  for (addrinfo *at = list; at && found < 0; at = at->ai_next) {
    int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
      continue;
    setTimeout(fd, 3000);
    Hello hello;
    hello.rank = rank;
    hello.ranks = ranks;
    char answer[sizeof(welcome)];
    if (connect(fd, at->ai_addr, at->ai_addrlen) == 0 &&
        send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) == sizeof(hello) &&
        receiveAll(fd, answer, sizeof(answer)) &&
        std::memcmp(answer, welcome, sizeof(answer)) == 0)
      found = fd;
    else
      close(fd);
  }
  freeaddrinfo(list);
  return found;
}

std::string missingRanks(const std::vector<Connection> &ranks) {
  std::vector<std::string> missing;
  for (size_t i = 1; i < ranks.size(); ++i)
    if (!ranks[i].isOpen())
      missing.push_back(std::to_string(i));
  return text(missing.size() == 1 ? "rank " : "ranks ", listText(missing));
}

} // namespace

Connection &Connection::operator=(Connection &&other) noexcept {
  std::swap(fd, other.fd);
  std::swap(error, other.error);
  std::swap(input, other.input);
  std::swap(output, other.output);
  return *this;
}

void Connection::close() {
  if (fd >= 0)
    ::close(fd);
  fd = -1;
}

void Connection::put(uint8_t kind, const std::string &bytes) {
  uint32_t length = uint32_t(bytes.size());
  output.append(reinterpret_cast<const char *>(&length), 4);
  output.push_back(char(kind));
  output += bytes;
}

bool Connection::flush() {
  size_t done = 0;
  bool good = true;
  while (done < output.size()) {
    ssize_t sent =
        send(fd, output.data() + done, output.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent < 0) {
      good = errno == EAGAIN || errno == EWOULDBLOCK;
      error = good ? 0 : errno;
      break;
    }
    done += sent;
  }
  output.erase(0, done);
  return good;
}

bool Connection::read(const std::function<void(const Packet &)> &body) {
  bool good = true;
  char block[65536];
  for (;;) {
    ssize_t got = recv(fd, block, sizeof(block), 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      good = errno == EAGAIN || errno == EWOULDBLOCK;
      error = good ? 0 : errno;
    } else if (got == 0) {
      good = false;
    }
    if (got <= 0)
      break;
    input.append(block, got);
  }
  size_t at = 0;
  while (input.size() - at >= 5) {
    uint32_t length;
    std::memcpy(&length, input.data() + at, 4);
    if (length > largestFrame)
      return false;
    if (input.size() - at - 5 < length)
      break;
    body({uint8_t(input[at + 4]), input.substr(at + 5, length)});
    at += 5 + length;
  }
  input.erase(0, at);
  return good;
}

std::string Connection::whyUnreachable() const {
  for (int code : {ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, ENETDOWN})
    if (error == code)
      return std::strerror(code);
  return "";
}

std::vector<Connection>
acceptRanks(int ranks, const std::vector<int> &ports, double seconds,
            const std::function<void(int port)> &listening,
            const std::function<void(const std::string &)> &waiting) {
  Connection listener;
  for (size_t i = 0; i < ports.size() && !listener.isOpen(); ++i)
    listener = Connection(listenOn(ports[i]));
  if (!listener.isOpen())
    fail("rank 0 cannot listen on port ", ports.front(),
         ports.size() > 1 ? text(" to ", ports.back()) : "", ": ",
         std::strerror(errno));
  int port = portOf(listener.descriptor());
  listening(port);
  std::vector<Connection> found(ranks);
  auto start = Clock::now();
  bool told = false;
  for (int present = 1; present < ranks;) {
    double past = secondsSince(start);
    if (past > seconds)
      fail(missingRanks(found), " of ", ranks, " did not connect to rank 0 (",
           hostName(), ", port ", port, ") within ", int64_t(seconds), " s");
    if (past > 10 && !told) {
      waiting(
          text("rank 0 waits on port ", port, " for ", missingRanks(found)));
      told = true;
    }
    pollfd ready{listener.descriptor(), POLLIN, 0};
    if (poll(&ready, 1, 500) <= 0)
      continue;
    int fd = accept4(listener.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0)
      continue;
    Connection connection(fd);
    setTimeout(fd, 2000);
    Hello hello, expected;
    if (!receiveAll(fd, &hello, sizeof(hello)) ||
        std::memcmp(hello.magic, expected.magic, sizeof(hello.magic)) != 0)
      continue; // somebody else
    if (hello.ranks != ranks)
      fail("rank ", hello.rank, " was started as one of ", hello.ranks,
           " ranks, rank 0 as one of ", ranks);
    if (hello.rank < 1 || hello.rank >= ranks || found[hello.rank].isOpen())
      fail("two processes were started as rank ", hello.rank);
    if (send(fd, welcome, sizeof(welcome), MSG_NOSIGNAL) != sizeof(welcome))
      continue;
    prepare(fd);
    found[hello.rank] = std::move(connection);
    ++present;
  }
  return found;
}

Connection connectToFirst(int rank, int ranks,
                          const std::vector<std::string> &addresses,
                          const std::vector<int> &ports, double seconds) {
  auto start = Clock::now();
  do {
    for (const std::string &address : addresses)
      for (int port : ports) {
        int fd = tryConnect(address, port, rank, ranks);
        if (fd < 0)
          continue;
        prepare(fd);
        return Connection(fd);
      }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  } while (secondsSince(start) < seconds);
  fail("rank ", rank, " found no rank 0 at ", listText(addresses), ", port ",
       ports.front(), ports.size() > 1 ? text(" to ", ports.back()) : "",
       ", within ", int64_t(seconds), " s");
}

std::string localAddress(const Connection &connection) {
  sockaddr_storage at{};
  socklen_t length = sizeof(at);
  getsockname(connection.descriptor(), reinterpret_cast<sockaddr *>(&at),
              &length);
  return textOf(reinterpret_cast<sockaddr *>(&at), length);
}

bool isLoopback(const std::string &address) {
  return address.compare(0, 4, "127.") == 0 || address == "::1";
}

std::vector<std::string> ownAddresses() {
  std::vector<std::string> found;
  ifaddrs *list = nullptr;
  if (getifaddrs(&list) == 0) {
    for (ifaddrs *at = list; at; at = at->ifa_next) {
      if (!at->ifa_addr || at->ifa_addr->sa_family != AF_INET ||
          !(at->ifa_flags & IFF_UP) || (at->ifa_flags & IFF_LOOPBACK))
        continue;
      found.push_back(textOf(at->ifa_addr, sizeof(sockaddr_in)));
    }
    freeifaddrs(list);
  }
  found.push_back("127.0.0.1");
  return found;
}

std::string hostName() {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  return name;
}

void watchConnection(const Connection &connection, double seconds) {
  int fd = connection.descriptor(), on = 1;
  int interval = std::max(1, int(seconds / 4)), count = 3;
  unsigned milliseconds = unsigned(seconds * 1000);
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &interval, sizeof(interval));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds,
             sizeof(milliseconds));
}

} // namespace zcc::rt
