// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points of NCCL that runtime/cuda/Nccl.h names. In mode execute,
// calls are work of their streams that gives bytes to others through files
// (Meeting.h); sums are in the opposite order of ranks, so that nobody relies
// on the usual one. In mode record, the calls of a communicator are compared
// among its ranks when it ends. In both, buffers are checked as the driver's
// are.

#include "runtime/cuda/Nccl.h"

#include "runtime/comm/Reduce.h"
#include "test/cuda-stand-in/Calls.h"
#include "test/cuda-stand-in/Meeting.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>

namespace nccl = zcc::rt::cuda::nccl;
namespace rt = zcc::rt;

#define ZCC_DECLARE(name, symbol, parameters)                                  \
  extern "C" __attribute__((visibility("default")))                            \
  nccl::Result symbol parameters;
ZCC_NCCL_FUNCTIONS(ZCC_DECLARE)
ZCC_NCCL_OPTIONAL_FUNCTIONS(ZCC_DECLARE)
#undef ZCC_DECLARE
extern "C" __attribute__((visibility("default"))) nccl::Result
ncclGetVersion(int *version);
extern "C" __attribute__((visibility("default"))) const char *
ncclGetErrorString(nccl::Result code);
extern "C" __attribute__((visibility("default"))) const char *
ncclGetLastError(nccl::Comm comm);

namespace {

struct Call {
  enum Kind { AllReduce, AllGather, ReduceScatter, Send, Receive } kind;
  const char *source;
  char *target;
  size_t count;
  int type, operation, peer;

  /// The part that is equal on all members.
  std::string head() const {
    return rt::text(int(kind), " ", count, " ", type, " ", operation);
  }
};

/// The state of a communicator; its work may outlive it.
struct Shared {
  std::string files; // their common begin
  int rank, size;
  std::atomic<bool> isGivenUp{false};
  uint64_t kept = 0; // the first collective whose file exists; used by the work

  std::string file(const std::string &what, int rank) const {
    return files + what + "." + std::to_string(rank);
  }
};

} // namespace

namespace zcc::rt::cuda::nccl {

struct CommRecord {
  std::shared_ptr<Shared> shared = std::make_shared<Shared>();
  std::string folder;             // of the first one: goes with it
  std::set<void *> registered;    // memory
  int polls = 0;                  // until it is not in progress any more
  std::function<bool()> isMade{}; // and that it waits for others until then
  int splits = 0;
  uint64_t collectives = 0;
  std::map<int, uint64_t> sent, received;
  std::string log; // record
};

} // namespace zcc::rt::cuda::nccl

namespace {

struct Grouped {
  Call call;
  nccl::Comm comm;
  StreamHandle stream;
};
thread_local int depth = 0;
thread_local std::vector<Grouped> grouped;

rt::ElementType elementOf(int type) {
  using E = rt::ElementType;
  const E types[] = {E::I8,  E::U8,  E::I32, E::U32, E::I64,
                     E::U64, E::F16, E::F32, E::F64, E::BF16};
  return type >= 0 && type < 10 ? types[type] : E::Invalid;
}

rt::Reduction reductionOf(int operation) {
  using R = rt::Reduction;
  const R reductions[] = {R::Sum, R::Product, R::Max, R::Min};
  return reductions[operation];
}

nccl::Result refuse(const std::string &what) {
  complainOf(what);
  return nccl::invalidArgument;
}

/// Computes the call's result from the bytes of all members, by member.
void compute(const Call &call, const Shared &shared,
             const std::vector<std::string> &given) {
  size_t width = rt::byteSize(elementOf(call.type)), bytes = call.count * width;
  if (call.kind == Call::AllGather) {
    for (size_t m = 0; m < given.size(); ++m)
      std::memcpy(call.target + m * bytes, given[m].data(), bytes);
    return;
  }
  size_t begin =
      call.kind == Call::ReduceScatter ? size_t(shared.rank) * bytes : 0;
  std::vector<const void *> sources;
  for (size_t m = given.size(); m-- > 0;)
    sources.push_back(given[m].data() + begin);
  rt::reduce(elementOf(call.type), reductionOf(call.operation), sources.data(),
             int(sources.size()), call.target, int64_t(call.count));
}

/// Bytes that a call reads and writes.
std::pair<size_t, size_t> bytesOf(const Call &call, int size) {
  size_t bytes = call.count * rt::byteSize(elementOf(call.type));
  switch (call.kind) {
  case Call::AllReduce:
    return {bytes, bytes};
  case Call::AllGather:
    return {bytes, bytes * size_t(size)};
  case Call::ReduceScatter:
    return {bytes * size_t(size), bytes};
  case Call::Send:
    return {bytes, 0};
  case Call::Receive:
    break;
  }
  return {0, bytes};
}

/// A call and the number that it has among those of its kind.
struct Numbered {
  Call call;
  uint64_t number;
};

/// Gives all bytes first, and then takes all.
void runCalls(const std::vector<Numbered> &calls, Shared &shared) {
  auto pair = [](int from, int to, uint64_t number) {
    return rt::text("pair", from, ".", to, ".", number);
  };
  for (const auto &[call, number] : calls) {
    if (call.kind == Call::Receive)
      continue;
    std::string bytes(call.source, bytesOf(call, shared.size).first);
    if (call.kind == Call::Send)
      give(shared.file(pair(shared.rank, call.peer, number), 0), bytes);
    else
      give(shared.file(rt::text("all", number), shared.rank),
           call.head() + "\n" + bytes);
  }
  for (const auto &[call, number] : calls) {
    if (call.kind == Call::Send)
      continue;
    if (call.kind == Call::Receive) {
      std::string file = shared.file(pair(call.peer, shared.rank, number), 0);
      auto bytes = take(file, shared.isGivenUp);
      size_t wanted = bytesOf(call, shared.size).second;
      if (!bytes && !shared.isGivenUp)
        complain("ncclRecv: nothing came for a minute from ", file);
      if (!bytes)
        return;
      if (bytes->size() != wanted)
        complain("ncclRecv of ", wanted, " bytes, ", bytes->size(),
                 " were sent");
      else
        std::memcpy(call.target, bytes->data(), wanted);
      std::filesystem::remove(file);
      continue;
    }
    std::vector<std::string> given;
    for (int m = 0; m < shared.size; ++m) {
      auto bytes =
          take(shared.file(rt::text("all", number), m), shared.isGivenUp);
      if (!bytes && !shared.isGivenUp)
        complain("NCCL: rank ", m,
                 " did not come for a minute to a collective");
      if (!bytes)
        return;
      size_t end = bytes->find('\n');
      if (bytes->substr(0, end) != call.head()) {
        complain("NCCL: rank ", shared.rank, " calls \"", call.head(),
                 "\", rank ", m, " \"", bytes->substr(0, end), "\"");
        return;
      }
      given.push_back(bytes->substr(end + 1));
    }
    compute(call, shared, given);
  }
  // Ranks that gave these bytes have taken those of earlier calls.
  for (const auto &[call, number] : calls)
    if (call.kind < Call::Send) {
      for (; shared.kept < number; ++shared.kept)
        std::filesystem::remove(
            shared.file(rt::text("all", shared.kept), shared.rank));
      break;
    }
}

nccl::Result enqueueCalls(const std::vector<Grouped> &all) {
  if (all.empty())
    return nccl::success;
  nccl::Comm comm = all.front().comm;
  StreamHandle stream = all.front().stream;
  std::shared_ptr<Shared> shared = comm->shared;
  auto result = onFreeStream("NCCL", stream, [&](auto &lock) -> Result {
    // NCCL connects ranks, for which it allocates, when an algorithm or a pair
    // of ranks is first used.
    for (const Grouped &one : all)
      if (Result wrong =
              useFirst(lock, rt::text("NCCL's connection ", shared->files,
                                      " of rank ", shared->rank, ", ",
                                      one.call.kind < Call::Send
                                          ? one.call.head()
                                          : rt::text(int(one.call.kind),
                                                     " with ", one.call.peer))))
        return wrong;
    std::vector<Order::Use> uses;
    std::vector<Numbered> calls;
    for (const Grouped &one : all) {
      const Call &call = one.call;
      if (one.comm != comm || one.stream != stream)
        return complain("NCCL: a group of several communicators or streams");
      if (elementOf(call.type) == rt::ElementType::Invalid ||
          call.operation < 0 || call.operation > 3 || call.peer < 0 ||
          call.peer >= shared->size)
        return complain("NCCL: type ", call.type, ", operation ",
                        call.operation, ", peer ", call.peer);
      auto [read, written] = bytesOf(call, shared->size);
      for (auto [at, bytes, isWritten] :
           {std::tuple{hostPointer(call.source), read, false},
            {hostPointer(call.target), written, true}}) {
        if (bytes == 0)
          continue;
        const Allocation *found = find(at);
        if (!found || found->isPinned || found->context != current ||
            !isWithin(at, bytes))
          return complain("NCCL: ", bytes, " bytes at ", at,
                          " are no memory of this GPU");
        uses.push_back({at, bytes, isWritten});
      }
      uint64_t number = call.kind == Call::Send ? comm->sent[call.peer]++
                        : call.kind == Call::Receive
                            ? comm->received[call.peer]++
                            : comm->collectives++;
      calls.push_back({call, number});
      if (state.isRecording)
        comm->log += rt::text(call.kind == Call::Send      ? "send"
                              : call.kind == Call::Receive ? "receive"
                                                           : "all",
                              " ", call.peer, " ",
                              call.kind < Call::Send
                                  ? call.head()
                                  : rt::text(call.count, " ", call.type),
                              "\n");
    }
    auto isOver = std::make_shared<std::atomic<bool>>(false);
    (void)running(); // forgets those that are over
    state.communications.push_back({current, stream->number, stream->queue,
                                    shared->files, isOver,
                                    stream->clock.of(stream->number)});
    return enqueue(stream, "NCCL", uses, [calls, shared, isOver] {
      runCalls(calls, *shared);
      *isOver = true;
    });
  });
  if (result != success)
    return nccl::Result(result == invalidValue ? nccl::invalidArgument
                                               : result);
  comm->polls = 1;
  return nccl::inProgress;
}

nccl::Result add(const char *name, const Call &own, nccl::Comm comm,
                 StreamHandle stream) {
  if (Result wrong = call(name, [](auto &) { return success; }))
    return nccl::Result(wrong);
  grouped.push_back({own, comm, stream});
  if (depth > 0)
    return nccl::success;
  std::vector<Grouped> all;
  all.swap(grouped);
  return enqueueCalls(all);
}

std::optional<std::string> find(const std::string &file) {
  static const std::atomic<bool> isGivenUp{false};
  return std::filesystem::exists(file) ? take(file, isGivenUp) : std::nullopt;
}

/// Compares the rank's calls of a communicator, line by line, with those of
/// ranks that have ended before.
void compareLogs(const Shared &shared, const std::string &own) {
  auto of = [](const std::string &log, const std::string &kind, int peer) {
    std::string out, line;
    std::istringstream lines(log);
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      std::string what, rest;
      int other;
      words >> what >> other;
      std::getline(words, rest);
      if (what == kind && (peer < 0 || other == peer))
        out += rest + "\n";
    }
    return out;
  };
  for (int m = 0; m < shared.size; ++m) {
    std::optional<std::string> log = find(shared.file("end", m));
    if (!log)
      continue;
    if (of(*log, "all", -1) != of(own, "all", -1))
      complain("NCCL: ranks ", shared.rank, " and ", m, " of ", shared.files,
               " asked for different collectives");
    if (of(*log, "receive", shared.rank) != of(own, "send", m) ||
        of(*log, "send", shared.rank) != of(own, "receive", m))
      complain("NCCL: ranks ", shared.rank, " and ", m, " of ", shared.files,
               " send what the other does not receive");
  }
}

// A communicator has two streams of its own. The context is current.
nccl::Comm makeComm(const std::string &files, int rank, int size) {
  if (current)
    current->streamsMade += 2;
  auto *made = new nccl::CommRecord;
  made->shared->files = files;
  made->shared->rank = rank;
  made->shared->size = size;
  made->polls = 3;
  return made;
}

} // namespace

nccl::Result ncclGetVersion(int *version) {
  std::lock_guard<std::mutex> lock(mutex);
  *version = state.nccl;
  return nccl::success;
}

const char *ncclGetErrorString(nccl::Result code) {
  return code == nccl::remoteError
             ? "remote process exited or there was a network error"
             : "an error of the stand-in";
}

const char *ncclGetLastError(nccl::Comm) { return lastComplaint.c_str(); }

nccl::Result ncclGetUniqueId(nccl::UniqueId *id) {
  std::string folder = makeMeeting();
  if (folder.empty() || folder.size() >= sizeof(id->bytes))
    return nccl::systemError;
  std::memset(id, 0, sizeof(*id));
  std::memcpy(id->bytes, folder.data(), folder.size());
  return nccl::success;
}

nccl::Result ncclCommInitRankConfig(nccl::Comm *comm, int ranks,
                                    nccl::UniqueId id, int rank,
                                    nccl::Config *config) {
  Result result = inContext("ncclCommInitRankConfig", [&](auto &) {
    if (config->size != sizeof(*config) || config->magic != 0xcafebeef ||
        config->blocking != 0 || config->maxCtas < 1 ||
        config->maxCtas > state.multiprocessors || rank < 0 || rank >= ranks)
      return complain("ncclCommInitRankConfig: rank ", rank, " of ", ranks,
                      ", or another configuration than expected");
    std::string folder(id.bytes, strnlen(id.bytes, sizeof(id.bytes)));
    if (!std::filesystem::is_directory(folder))
      return Result(nccl::remoteError); // or somebody has given up
    *comm = makeComm(folder + "/world.", rank, ranks);
    (*comm)->folder = folder;
    return success;
  });
  return result == success ? nccl::inProgress : nccl::Result(result);
}

nccl::Result ncclCommInitRankScalable(nccl::Comm *comm, int ranks, int rank,
                                      int count, nccl::UniqueId *ids,
                                      nccl::Config *config) {
  for (int i = 0; i < count; ++i)
    if (ids[i].bytes[0] == 0)
      return refuse("ncclCommInitRankScalable: an identifier is missing");
  // The stand-in needs only one meeting place.
  std::error_code ignored;
  for (int i = 1; rank == 0 && i < count; ++i)
    std::filesystem::remove_all(ids[i].bytes, ignored);
  return ncclCommInitRankConfig(comm, ranks, ids[0], rank, config);
}

nccl::Result ncclCommSplit(nccl::Comm comm, int color, int key,
                           nccl::Comm *made, nccl::Config *config) {
  if (Result wrong = inContext("ncclCommSplit", [](auto &) { return success; }))
    return nccl::Result(wrong);
  if (color < nccl::noColor ||
      (config && (config->size != sizeof(*config) || config->blocking != 0)))
    return refuse("ncclCommSplit: another configuration than expected, or no "
                  "color");
  std::shared_ptr<Shared> shared = comm->shared;
  int number = comm->splits++;
  std::string what = rt::text("split", number);
  give(shared->file(what, shared->rank), rt::text(color, " ", key));
  comm->polls = 2;
  *made = nullptr;
  if (color == nccl::noColor)
    return nccl::inProgress;
  nccl::Comm child = makeComm("", 0, 0);
  child->isMade = [=] {
    std::vector<std::pair<int, int>> members; // key, rank
    for (int m = 0; m < shared->size; ++m) {
      std::optional<std::string> text = find(shared->file(what, m));
      if (!text)
        return false;
      std::istringstream words(*text);
      int otherColor, otherKey;
      words >> otherColor >> otherKey;
      if (otherColor == color)
        members.push_back({otherKey, m});
    }
    std::sort(members.begin(), members.end());
    auto own =
        std::find(members.begin(), members.end(), std::pair{key, shared->rank});
    child->shared->files = rt::text(shared->files, number, ".", color, ".");
    child->shared->rank = int(own - members.begin());
    child->shared->size = int(members.size());
    return true;
  };
  *made = child;
  return nccl::inProgress;
}

nccl::Result ncclCommGetAsyncError(nccl::Comm comm, nccl::Result *error) {
  *error = nccl::success;
  return nccl::Result(call("ncclCommGetAsyncError", [&](auto &) {
    if (comm->isMade && comm->isMade())
      comm->isMade = nullptr;
    if (comm->isMade || comm->polls-- > 0)
      *error = nccl::inProgress;
    return success;
  }));
}

nccl::Result ncclMemAlloc(void **at, size_t bytes) {
  DevicePointer made = 0;
  Result result = call("ncclMemAlloc", [](auto &) { return success; });
  if (result == success)
    result = cuMemAlloc_v2(&made, bytes);
  *at = reinterpret_cast<void *>(uintptr_t(made));
  return nccl::Result(result);
}

nccl::Result ncclMemFree(void *at) {
  return nccl::Result(cuMemFree_v2(hostPointer(at)));
}

nccl::Result ncclCommRegister(nccl::Comm comm, void *at, size_t bytes,
                              void **handle) {
  return nccl::Result(inContext("ncclCommRegister", [&](auto &) {
    if (!find(hostPointer(at)) || !isWithin(hostPointer(at), bytes))
      return complain("ncclCommRegister: ", bytes, " bytes at ",
                      hostPointer(at), " are of no allocation");
    comm->registered.insert(at);
    *handle = at;
    return success;
  }));
}

nccl::Result ncclCommDeregister(nccl::Comm comm, void *handle) {
  if (comm->registered.erase(handle) == 0)
    return refuse("ncclCommDeregister: not registered");
  return nccl::success;
}

nccl::Result ncclCommFinalize(nccl::Comm comm) {
  if (!comm->registered.empty())
    return refuse("ncclCommFinalize: memory is still registered");
  const Shared &shared = *comm->shared;
  give(shared.file("end", shared.rank), comm->log);
  compareLogs(shared, comm->log);
  comm->polls = 2;
  return nccl::inProgress;
}

nccl::Result ncclCommDestroy(nccl::Comm comm) {
  const Shared &shared = *comm->shared;
  // The last one takes the folder away.
  if (!comm->folder.empty()) {
    give(shared.file("gone", shared.rank), "");
    bool isLast = true;
    for (int m = 0; m < shared.size; ++m)
      isLast &= std::filesystem::exists(shared.file("gone", m));
    std::error_code ignored;
    if (isLast)
      std::filesystem::remove_all(comm->folder, ignored);
  }
  delete comm;
  return nccl::success;
}

nccl::Result ncclCommAbort(nccl::Comm comm) {
  comm->shared->isGivenUp = true;
  if (!comm->folder.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(comm->folder, ignored);
  }
  delete comm;
  return nccl::success;
}

nccl::Result ncclAllReduce(const void *source, void *target, size_t count,
                           int type, int operation, nccl::Comm comm,
                           StreamHandle stream) {
  return add("ncclAllReduce",
             {Call::AllReduce, static_cast<const char *>(source),
              static_cast<char *>(target), count, type, operation, 0},
             comm, stream);
}

nccl::Result ncclAllGather(const void *source, void *target, size_t count,
                           int type, nccl::Comm comm, StreamHandle stream) {
  return add("ncclAllGather",
             {Call::AllGather, static_cast<const char *>(source),
              static_cast<char *>(target), count, type, 0, 0},
             comm, stream);
}

nccl::Result ncclReduceScatter(const void *source, void *target, size_t count,
                               int type, int operation, nccl::Comm comm,
                               StreamHandle stream) {
  return add("ncclReduceScatter",
             {Call::ReduceScatter, static_cast<const char *>(source),
              static_cast<char *>(target), count, type, operation, 0},
             comm, stream);
}

nccl::Result ncclSend(const void *source, size_t count, int type, int peer,
                      nccl::Comm comm, StreamHandle stream) {
  return add("ncclSend",
             {Call::Send, static_cast<const char *>(source), nullptr, count,
              type, 0, peer},
             comm, stream);
}

nccl::Result ncclRecv(void *target, size_t count, int type, int peer,
                      nccl::Comm comm, StreamHandle stream) {
  return add("ncclRecv",
             {Call::Receive, nullptr, static_cast<char *>(target), count, type,
              0, peer},
             comm, stream);
}

nccl::Result ncclGroupStart() {
  ++depth;
  return nccl::success;
}

nccl::Result ncclGroupEnd() {
  if (depth == 0)
    return refuse("ncclGroupEnd: no group");
  if (--depth > 0)
    return nccl::success;
  std::vector<Grouped> all;
  all.swap(grouped);
  return enqueueCalls(all);
}
