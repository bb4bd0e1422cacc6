// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport between threads. A collective is: post where my memory is, wait
// for all, work on the others' memory, wait for all again. A large all-reduce
// has each rank sum its own part of the elements and then copies the parts.
// Small operands are copied to a shared staging area, of which there are two in
// turn: the second wait is then the first one of the next collective.

#include "runtime/comm/InProcess.h"

#include "runtime/comm/Mailbox.h"
#include "runtime/core/Error.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace zcc::rt {

namespace {
constexpr size_t stagingBytes = 16384; // a rank
constexpr int64_t cacheLine = 64;

enum class Operation {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Permute,
  Exchange
};
const char *const operationNames[] = {"all-reduce",     "all-gather",
                                      "reduce-scatter", "all-to-all",
                                      "permutation",    "exchange"};

struct Post {
  Operation operation = Operation::AllReduce;
  ElementType type = ElementType::Invalid;
  size_t bytes = 0;
  const void *source = nullptr;
  void *target = nullptr;
};
} // namespace

/// What the members of a group share.
class InProcessGroup {
public:
  explicit InProcessGroup(std::vector<int> members)
      : ranks(std::move(members)), posts(2 * ranks.size()),
        staging(2 * ranks.size() * stagingBytes), tickets(ranks.size()) {}

  const std::vector<int> ranks;
  std::vector<Post> posts;   // [parity][member]
  std::vector<char> staging; // [parity][member][stagingBytes]
  // How many barriers each member has come to, for the watchdog.
  struct alignas(64) Ticket {
    std::atomic<uint32_t> value{0};
  };
  std::vector<Ticket> tickets;
  std::atomic<uint32_t> arrived{0};
  Signal released;
};

namespace {

/// What a rank waits for: the members of a group who have not come to a
/// barrier, or a message. Written by the rank, read by the watchdog.
struct WaitPlace {
  std::atomic<const InProcessGroup *> group{nullptr};
  std::atomic<uint32_t> ticket{0};
  std::atomic<int> peer{-1};

  void begin(const InProcessGroup *g, uint32_t t) {
    ticket.store(t, std::memory_order_relaxed);
    group.store(g, std::memory_order_release);
  }
  void end() { group.store(nullptr, std::memory_order_relaxed); }
};

class InProcessCommunicator : public Communicator {
public:
  InProcessCommunicator(std::shared_ptr<InProcessGroup> shared, int member,
                        ThreadPool &pool, const Cancellation &cancellation,
                        SpinPolicy policy, WaitPlace &waiting)
      : shared(std::move(shared)), members(int(this->shared->ranks.size())),
        member(member), pool(pool), cancellation(cancellation), policy(policy),
        waiting(waiting), sources(members) {}

  int size() const override { return members; }

  void allReduce(ElementType type, Reduction reduction, const void *source,
                 void *target, int64_t count) override {
    size_t width = byteSize(type);
    if (begin({Operation::AllReduce, type, count * width, source, target})) {
      reduce(type, reduction, sources.data(), members, target, count);
      return;
    }
    // Parts begin on cache lines: no two ranks write to one.
    int64_t line = cacheLine / int64_t(width);
    int64_t part = (count + members - 1) / members;
    part = (part + line - 1) / line * line;
    auto partBegin = [&](int m) { return std::min(count, m * part); };
    int64_t first = partBegin(member), last = partBegin(member + 1);
    char *out = static_cast<char *>(target);
    inBlocks(last - first, width, [&](int64_t from, int64_t to) {
      reduceRange(type, reduction, first + from, out + (first + from) * width,
                  to - from);
    });
    barrier();
    for (int i = 1; i < members; ++i) {
      int other = (member + i) % members;
      int64_t from = partBegin(other), to = partBegin(other + 1);
      const char *in = static_cast<const char *>(posts()[other].target);
      copy(out + from * width, in + from * width, (to - from) * width);
    }
    barrier();
  }

  void allGather(ElementType type, const void *source, void *target,
                 int64_t outer, int64_t n, int64_t inner) override {
    size_t row = n * inner * byteSize(type);
    bool staged =
        begin({Operation::AllGather, type, outer * row, source, target});
    for (int i = 0; i < members; ++i) {
      int other = (member + i) % members;
      copyRows(static_cast<char *>(target) + other * row, row * members,
               static_cast<const char *>(sources[other]), row, row, outer);
    }
    end(staged);
  }

  void reduceScatter(ElementType type, Reduction reduction, const void *source,
                     void *target, int64_t outer, int64_t n,
                     int64_t inner) override {
    size_t width = byteSize(type);
    int64_t row = n * inner;
    bool staged =
        begin({Operation::ReduceScatter, type,
               size_t(outer * row) * members * width, source, target});
    auto reduceRow = [&](int64_t o, int64_t a, int64_t b) {
      reduceRange(type, reduction, (o * members + member) * row + a,
                  static_cast<char *>(target) + (o * row + a) * width, b - a);
    };
    if (row * width >= 64 << 10)
      for (int64_t o = 0; o < outer; ++o)
        inBlocks(row, width, [&](int64_t a, int64_t b) { reduceRow(o, a, b); });
    else if (row != 0)
      pool.forEach(outer, 50 + row * width * members / 10,
                   [&](int64_t first, int64_t last) {
                     for (int64_t o = first; o < last; ++o)
                       reduceRow(o, 0, row);
                   });
    end(staged);
  }

  void allToAll(ElementType type, const void *source, void *target,
                int64_t outer, int64_t n, int64_t inner,
                int64_t concat) override {
    size_t width = byteSize(type);
    bool staged = begin({Operation::AllToAll, type,
                         size_t(outer * n * inner) * width, source, target});
    // A block is [outer, n/k, inner] in the source and [concat, run] in the
    // target: rows of two lengths, cut where either ends.
    size_t sourceRow = n / members * inner * width;
    size_t block = outer * sourceRow;
    size_t run = concat ? block / concat : 0;
    size_t piece = std::gcd(sourceRow, run);
    for (int i = 0; i < members && block != 0; ++i) {
      int other = (member + i) % members;
      const char *in =
          static_cast<const char *>(sources[other]) + member * sourceRow;
      char *out = static_cast<char *>(target) + other * run;
      if (piece >= 256 << 10) {
        for (size_t at = 0; at < block; at += piece)
          copy(out + at / run * run * members + at % run,
               in + at / sourceRow * sourceRow * members + at % sourceRow,
               piece);
        continue;
      }
      pool.forEach(int64_t(block / piece), 20 + piece / 10,
                   [&](int64_t first, int64_t last) {
                     size_t at = first * piece, end = last * piece;
                     size_t inColumn = at % sourceRow, outColumn = at % run;
                     const char *inRow =
                         in + at / sourceRow * sourceRow * members;
                     char *outRow = out + at / run * run * members;
                     for (; at < end; at += piece) {
                       std::memcpy(outRow + outColumn, inRow + inColumn, piece);
                       if ((inColumn += piece) == sourceRow) {
                         inColumn = 0;
                         inRow += sourceRow * members;
                       }
                       if ((outColumn += piece) == run) {
                         outColumn = 0;
                         outRow += run * members;
                       }
                     }
                   });
    }
    end(staged);
  }

  void permute(ElementType type, const void *source, void *target,
               int64_t count, int64_t shift) override {
    size_t bytes = count * byteSize(type);
    bool staged = begin({Operation::Permute, type, bytes, source, target});
    int64_t from = ((member - shift) % members + members) % members;
    copy(static_cast<char *>(target), static_cast<const char *>(sources[from]),
         bytes);
    end(staged);
  }

  void exchange(const std::vector<Message> &sends,
                const std::vector<Message> &receives) override {
    // Sizes differ from member to member, so what is shown is the list.
    begin({Operation::Exchange, ElementType::Invalid, 0, &sends, nullptr});
    for (int i = 0; i < members; ++i) {
      int other = (member + i) % members;
      const Message &sent =
          (*static_cast<const std::vector<Message> *>(sources[other]))[member];
      const Message &received = receives[other];
      if (sent.bytes != received.bytes)
        fail("rank ", shared->ranks[member], " expects ", received.bytes,
             " bytes in an exchange, rank ", shared->ranks[other], " sends ",
             sent.bytes);
      copy(received.data, sent.data, sent.bytes);
    }
    barrier();
  }

private:
  Post *posts() { return &shared->posts[parity * members]; }

  void barrier() {
    uint32_t ticket = ++generation;
    shared->tickets[member].value.store(ticket, std::memory_order_relaxed);
    if (shared->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 ==
        uint32_t(members)) {
      shared->arrived.store(0, std::memory_order_relaxed);
      shared->released.set(ticket);
      return;
    }
    waiting.begin(shared.get(), ticket);
    waitUntil(shared->released, cancellation, policy,
              [&](uint32_t value) { return int32_t(value - ticket) >= 0; });
    waiting.end();
  }

  /// Shows the operands and waits for those of all others; whether the sources
  /// were staged, so that no second barrier is needed.
  bool begin(Post mine) {
    parity ^= 1;
    bool staged = mine.bytes <= stagingBytes;
    if (staged && mine.bytes != 0) {
      char *stage =
          &shared->staging[(parity * members + member) * stagingBytes];
      std::memcpy(stage, mine.source, mine.bytes);
      mine.source = stage;
    }
    posts()[member] = mine;
    barrier();
    for (int i = 0; i < members; ++i) {
      const Post &other = posts()[i];
      if (other.operation != mine.operation || other.type != mine.type ||
          other.bytes != mine.bytes)
        fail("rank ", shared->ranks[member], " is in an ",
             operationNames[int(mine.operation)], " of ", mine.bytes,
             " bytes while rank ", shared->ranks[i], " is in an ",
             operationNames[int(other.operation)], " of ", other.bytes,
             " bytes");
      sources[i] = other.source;
    }
    return staged;
  }

  void end(bool staged) {
    if (!staged)
      barrier();
  }

  void reduceRange(ElementType type, Reduction reduction, int64_t from,
                   void *target, int64_t count) {
    constexpr int most = 64;
    const void *local[most];
    std::vector<const void *> many;
    const void **at = local;
    if (members > most) {
      many.resize(members);
      at = many.data();
    }
    for (int i = 0; i < members; ++i)
      at[i] = static_cast<const char *>(sources[i]) + from * byteSize(type);
    reduce(type, reduction, at, members, target, count);
  }

  /// Splits elements over the pool, in blocks of a few thousand.
  template <typename Body>
  void inBlocks(int64_t elements, size_t width, Body body) {
    int64_t block = 16384 / int64_t(width);
    pool.forEach((elements + block - 1) / block, 1000 * members,
                 [&](int64_t from, int64_t to) {
                   body(from * block, std::min(elements, to * block));
                 });
  }

  void copy(char *to, const char *from, size_t bytes) {
    if (bytes < (256u << 10)) {
      std::memcpy(to, from, bytes);
      return;
    }
    inBlocks(bytes, 1, [&](int64_t a, int64_t b) {
      std::memcpy(to + a, from + a, b - a);
    });
  }

  void copyRows(char *to, size_t toStride, const char *from, size_t fromStride,
                size_t bytes, int64_t rows) {
    if (bytes == 0)
      return;
    if (bytes >= (256u << 10)) {
      for (int64_t i = 0; i < rows; ++i)
        copy(to + i * toStride, from + i * fromStride, bytes);
      return;
    }
    pool.forEach(rows, 50 + bytes / 10, [&](int64_t a, int64_t b) {
      for (int64_t i = a; i < b; ++i)
        std::memcpy(to + i * toStride, from + i * fromStride, bytes);
    });
  }

  std::shared_ptr<InProcessGroup> shared;
  const int members, member;
  ThreadPool &pool;
  const Cancellation &cancellation;
  SpinPolicy policy;
  WaitPlace &waiting;
  std::vector<const void *> sources; // of the collective under way
  uint32_t generation = 0;
  int parity = 0;
};

} // namespace

class InProcessTransport : public Transport {
public:
  InProcessTransport(InProcessHub &hub, int rank, ThreadPool &pool)
      : hub(hub), rank(rank), pool(pool) {}

  std::shared_ptr<Communicator> open(const std::vector<int> &ranks) override {
    auto &communicator = opened[ranks];
    if (!communicator) {
      auto at = std::find(ranks.begin(), ranks.end(), rank);
      if (at == ranks.end())
        fail("rank ", rank, " opens a group that it does not belong to");
      communicator = std::make_shared<InProcessCommunicator>(
          hub.group(ranks), int(at - ranks.begin()), pool, hub.cancellation,
          hub.policy, waiting);
    }
    return communicator;
  }
  void send(int peer, uint64_t tag, const void *data, size_t bytes) override {
    hub.mailboxes[peer]->put(rank, tag, data, bytes);
  }
  void receive(int peer, uint64_t tag, void *data, size_t bytes) override {
    waiting.peer.store(peer, std::memory_order_relaxed);
    hub.mailboxes[rank]->take(peer, tag, data, bytes, hub.cancellation,
                              hub.policy);
    waiting.peer.store(-1, std::memory_order_relaxed);
  }
  std::vector<int> awaited() const override {
    std::vector<int> result;
    if (int peer = waiting.peer.load(std::memory_order_relaxed); peer >= 0)
      result.push_back(peer);
    // Groups live as long as the hub. Where the rank moves on meanwhile, the
    // answer is stale but harmless.
    const auto *group = waiting.group.load(std::memory_order_acquire);
    uint32_t ticket = waiting.ticket.load(std::memory_order_relaxed);
    for (size_t i = 0; group && i < group->ranks.size(); ++i)
      if (int32_t(group->tickets[i].value.load(std::memory_order_relaxed) -
                  ticket) < 0)
        result.push_back(group->ranks[i]);
    return result;
  }

private:
  InProcessHub &hub;
  const int rank;
  ThreadPool &pool;
  WaitPlace waiting;
  std::map<std::vector<int>, std::shared_ptr<Communicator>> opened;
};

InProcessHub::InProcessHub(int ranks, const Cancellation &cancellation,
                           SpinPolicy policy)
    : cancellation(cancellation), policy(policy) {
  for (int i = 0; i < ranks; ++i)
    mailboxes.push_back(std::make_unique<Mailbox>());
}

InProcessHub::~InProcessHub() = default;

std::shared_ptr<InProcessGroup>
InProcessHub::group(const std::vector<int> &ranks) {
  std::lock_guard<std::mutex> lock(mutex);
  auto &group = groups[ranks];
  if (!group)
    group = std::make_shared<InProcessGroup>(ranks);
  return group;
}

std::unique_ptr<Transport> InProcessHub::connect(int rank, ThreadPool &pool) {
  return std::make_unique<InProcessTransport>(*this, rank, pool);
}

} // namespace zcc::rt
