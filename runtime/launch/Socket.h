// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TCP connections between rank 0 and the others, and frames on them: a length,
// a kind, bytes.

#ifndef ZCC_RUNTIME_LAUNCH_SOCKET_H
#define ZCC_RUNTIME_LAUNCH_SOCKET_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace zcc::rt {

struct Packet {
  uint8_t kind;
  std::string bytes;
};

/// One end. Reads and writes do not block; bytes that cannot go out wait in
/// memory.
class Connection {
public:
  explicit Connection(int fd = -1) : fd(fd) {}
  Connection(Connection &&other) noexcept { *this = std::move(other); }
  Connection &operator=(Connection &&other) noexcept;
  ~Connection() { close(); }

  bool isOpen() const { return fd >= 0; }
  int descriptor() const { return fd; }
  bool hasOutput() const { return !output.empty(); }
  void close();

  void put(uint8_t kind, const std::string &bytes);
  /// Writes as much as the connection takes; false if it is broken.
  bool flush();
  /// Reads the bytes that are there and calls body for each whole frame; false
  /// at the end of the connection.
  bool read(const std::function<void(const Packet &)> &body);
  /// Says why the connection broke if its machine, or the way there, is gone.
  /// Empty if the other end closed it.
  std::string whyUnreachable() const;

private:
  int fd = -1, error = 0; // errno of the call that failed
  std::string input, output;
};

/// For rank 0: listens on the first of `ports` that is free (0: any), passes
/// its number to `listening`, and waits for ranks 1 to `ranks` - 1. Returns
/// connections by rank; the first one is closed. Throws after `seconds`, naming
/// the ranks that did not come. `waiting` gets, once, a list of missing ranks
/// after a while.
std::vector<Connection>
acceptRanks(int ranks, const std::vector<int> &ports, double seconds,
            const std::function<void(int port)> &listening,
            const std::function<void(const std::string &)> &waiting);

/// For the other ranks: tries addresses and ports until rank 0 answers.
Connection connectToFirst(int rank, int ranks,
                          const std::vector<std::string> &addresses,
                          const std::vector<int> &ports, double seconds);

/// The numeric address of this end.
std::string localAddress(const Connection &connection);
bool isLoopback(const std::string &address);
/// Addresses of this machine that others may reach, followed by the loopback
/// one.
std::vector<std::string> ownAddresses();
std::string hostName();

/// Breaks the connection about `seconds` after its machine has gone.
void watchConnection(const Connection &connection, double seconds);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_LAUNCH_SOCKET_H
