// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches from a stream: for each step a u64 length, then a safetensors file.

#include "runtime/core/Error.h"
#include "runtime/data/BatchSource.h"
#include "runtime/data/Limits.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <unistd.h>

namespace zcc::rt {

namespace {

constexpr uint64_t maxStep = uint64_t(1) << 40;
constexpr size_t pieceBytes = 1 << 20;

class BatchStream : public BatchSource {
public:
  BatchStream(int fd, const std::vector<InputSpec> &inputs,
              const std::function<void(const std::string &)> &note)
      : fd(fd), inputs(inputs), note(note) {}

  Batch read(int64_t step) override {
    std::string name = text("standard input, step ", step + 1);
    uint64_t length;
    size_t got = readFully(reinterpret_cast<char *>(&length), sizeof(length));
    if (got == 0)
      badInput("standard input ended after ", step, " step",
               step == 1 ? "" : "s", ", but step ", step + 1, " was expected");
    if (got < sizeof(length))
      badInput(name, ": the stream ended inside the step's length");
    if (length > maxStep)
      badInput(name, ": a length of ", length, " bytes");
    auto bytes = std::make_shared<std::vector<char>>();
    // A wrong length must not take all memory: grow as data come.
    while (bytes->size() < length) {
      size_t have = bytes->size();
      size_t want =
          std::min<uint64_t>(length - have, std::max(have, pieceBytes));
      bytes->resize(have + want);
      got = readFully(bytes->data() + have, want);
      if (got < want)
        badInput(name, ": the stream ended inside the step, after ", have + got,
                 " of ", length, " bytes");
    }
    TensorMap tensors = parseSafeTensors(name, bytes->data(), bytes->size());
    std::vector<std::string> surplus;
    Batch batch;
    batch.inputs = matchInputs(name, tensors, inputs, nullptr, surplus);
    if (!surplus.empty() && note && !noted)
      note(text(name, ": left out, since the executable does not read it: ",
                listText(surplus)));
    noted = true;
    checkLimits(name, inputs, batch);
    batch.owner = bytes;
    return batch;
  }

  void interrupt() override { stopping = true; }

private:
  size_t readFully(char *to, size_t bytes) {
    size_t done = 0;
    while (done < bytes) {
      // A writer may be silent for long while the run has already failed.
      pollfd ready{fd, POLLIN, 0};
      int events = poll(&ready, 1, 100);
      if (stopping)
        throw Aborted();
      if (events == 0 || (events < 0 && errno == EINTR))
        continue;
      ssize_t got = ::read(fd, to + done, bytes - done);
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        badInput("standard input: ", std::strerror(errno));
      if (got == 0)
        break;
      done += got;
    }
    return done;
  }

  int fd;
  std::vector<InputSpec> inputs;
  std::function<void(const std::string &)> note;
  bool noted = false;
  std::atomic<bool> stopping{false};
};

} // namespace

std::unique_ptr<BatchSource>
openBatchStream(int fd, const std::vector<InputSpec> &inputs,
                const std::function<void(const std::string &)> &note) {
  return std::make_unique<BatchStream>(fd, inputs, note);
}

} // namespace zcc::rt
