// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes checkpoints while the run goes on. A killed run can leave a temporary
// folder, but never half a checkpoint; files of a failing disk are removed at
// once.

#include "runtime/checkpoint/CheckpointWriter.h"

#include "runtime/checkpoint/Checksum.h"
#include "runtime/checkpoint/Folder.h"
#include "runtime/core/Copy.h"
#include "runtime/core/Error.h"
#include "runtime/core/HostView.h"
#include "runtime/core/Spaces.h"
#include "runtime/data/Parameters.h"
#include "runtime/data/SafeTensorsWriter.h"
#include "runtime/format/executable.pb.h"

#include <cerrno>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace zcc::rt {

/// A rank's file in memory. The pages stay allocated for the next checkpoint.
struct CheckpointWriter::Image {
  std::string name;
  const Mesh mesh;
  const std::vector<SavedSlice> &slices;
  std::vector<size_t> offsets; // of the slices
  char *base = nullptr;
  size_t length = 0;

  Image(const std::string &name, const Mesh &mesh,
        const std::vector<SavedSlice> &slices, const CheckpointIndex &index)
      : name(name), mesh(mesh), slices(slices) {
    std::vector<SafeTensorsWriter::Entry> entries;
    for (const SavedSlice &slice : slices) {
      const CheckpointIndex::Tensor &tensor = index.tensors[slice.tensor];
      entries.push_back({sliceName(tensor, slice.start),
                         static_cast<ElementType>(slice.state->type()),
                         slice.extent});
    }
    size_t dataSize;
    std::string header = safeTensorsHeader(entries, offsets, dataSize);
    length = header.size() + dataSize;
    void *memory = mmap(nullptr, length, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      fail("a checkpoint's copy of ", length,
           " bytes in memory: ", std::strerror(errno));
    (void)madvise(memory, length, MADV_HUGEPAGE);
    // Allocates the pages now, so that the first checkpoint does not wait for
    // it.
    (void)madvise(memory, length, MADV_POPULATE_WRITE);
    base = static_cast<char *>(memory);
    std::memcpy(base, header.data(), header.size());
    for (size_t &offset : offsets)
      offset += header.size();
  }
  ~Image() { munmap(base, length); }
  Image(const Image &) = delete;
};

CheckpointWriter::CheckpointWriter(const format::Executable &executable,
                                   const Mesh &mesh,
                                   const std::vector<int> &ranks,
                                   Settings given)
    : settings(std::move(given)), plan(executable, mesh), images(mesh.ranks()) {
  for (int rank : ranks)
    if (plan.fileOfRank[rank] >= 0)
      images[rank] =
          std::make_unique<Image>(plan.index.files[plan.fileOfRank[rank]].name,
                                  mesh, plan.byRank[rank], plan.index);
  auto begin = [this] { thread = std::thread([this] { loop(); }); };
  if (settings.start)
    settings.start(begin);
  else
    begin();
}

CheckpointWriter::~CheckpointWriter() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  thread.join();
}

bool CheckpointWriter::wait() {
  std::unique_lock<std::mutex> lock(mutex);
  bool idle = !busy;
  changed.wait(lock, [&] { return !busy; });
  return idle;
}

void CheckpointWriter::snapshot(int rank, Device &device) {
  Image *image = images[rank].get();
  if (!image)
    return;
  for (size_t i = 0; i < image->slices.size(); ++i) {
    const SavedSlice &slice = image->slices[i];
    auto type = static_cast<ElementType>(slice.state->type());
    StateBox place(image->mesh, *slice.state, rank);
    HostView view(device, addressOf(device, *slice.state),
                  volume(place.shard.shape) * byteSize(type), Access::Read);
    (void)copyBox(
        {view.data(), type, place.shard.shape, place.zero},
        {image->base + image->offsets[i], type, slice.extent, place.zero},
        slice.extent);
  }
}

void CheckpointWriter::begin(const Standing &standing) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    pending = standing;
    busy = true;
  }
  changed.notify_all();
}

std::string CheckpointWriter::takeProblem() {
  std::lock_guard<std::mutex> lock(mutex);
  return std::exchange(problem, "");
}

int64_t CheckpointWriter::published() {
  std::lock_guard<std::mutex> lock(mutex);
  return newest;
}

void CheckpointWriter::loop() {
  pthread_setname_np(pthread_self(), "zrun-checkpoint");
  for (;;) {
    Standing standing;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return pending || stopping; });
      if (!pending)
        return;
      standing = *pending;
      pending.reset();
    }
    std::string said;
    bool isWritten = false;
    try {
      write(standing);
      isWritten = true;
    } catch (const Aborted &) {
      // The run ends for another reason, which is reported elsewhere.
    } catch (const std::exception &error) {
      said = error.what();
    }
    if (settings.afterWriting)
      settings.afterWriting();
    {
      std::lock_guard<std::mutex> lock(mutex);
      busy = false;
      problem = said;
      if (isWritten)
        newest = standing.step;
    }
    changed.notify_all();
  }
}

/// Writes this process's files. Its report to the publishing process is "!" and
/// an error, or lines of a file's index, its size and its checksum.
void CheckpointWriter::write(const Standing &standing) {
  std::string temporary =
      text(settings.folder, "/writing-", settings.token, "-", standing.step);
  // An earlier run may have kept more, and the disk may be full of them.
  if (settings.publishes)
    prune();
  std::string problem, report;
  if (mkdir(temporary.c_str(), 0777) != 0 && errno != EEXIST)
    problem =
        text(temporary, ": cannot make the folder: ", std::strerror(errno));
  for (size_t rank = 0; rank < images.size() && problem.empty(); ++rank) {
    Image *image = images[rank].get();
    if (!image)
      continue;
    problem = writeWholeFile(temporary + "/" + image->name,
                             {image->base, image->length}, /*direct=*/true);
    report += text(plan.fileOfRank[rank], " ", image->length, " ",
                   checksumOf({image->base, image->length}), "\n");
  }
  if (!problem.empty())
    report = "!" + problem;
  std::vector<std::string> reports = {report};
  if (settings.gather)
    reports = settings.gather(report);
  for (size_t i = 0; i < reports.size(); ++i)
    if (!reports[i].empty() && reports[i][0] == '!')
      problem =
          text(i == 0 ? "" : text("rank ", i, ": "), reports[i].substr(1));
  if (problem.empty()) {
    if (settings.publishes)
      problem = publish(temporary, standing, reports);
    if (settings.gather) // the others hear how it ended
      problem = settings.gather(problem)[0];
  }
  if (problem.empty())
    return;
  if (settings.publishes)
    removeAll(temporary);
  fail("no checkpoint of step ", standing.step, ": ", problem);
}

std::string CheckpointWriter::publish(const std::string &temporary,
                                      const Standing &standing,
                                      const std::vector<std::string> &reports) {
  CheckpointIndex index = plan.index;
  index.standing = standing;
  for (const std::string &report : reports)
    for (size_t at = 0; at < report.size();) {
      size_t end = report.find('\n', at);
      unsigned file = 0;
      unsigned long long bytes = 0;
      char sum[33] = "";
      if (std::sscanf(report.substr(at, end - at).c_str(), "%u %llu %32s",
                      &file, &bytes, sum) == 3 &&
          file < index.files.size()) {
        index.files[file].bytes = bytes;
        index.files[file].checksum = sum;
      }
      at = end + 1;
    }
  for (const CheckpointIndex::File &file : index.files)
    if (file.checksum.empty())
      return text(file.name, ": no process has written it");
  std::string bytes = printIndex(index);
  std::string problem = writeWholeFile(temporary + "/index.json", bytes);
  if (problem.empty())
    problem = syncFolder(temporary);
  if (!problem.empty())
    return problem;
  if (settings.beforePublishing)
    settings.beforePublishing();
  problem = replaceFolder(temporary, stepFolder(settings.folder, standing.step),
                          temporary + "-replaced");
  if (problem.empty())
    problem = syncFolder(settings.folder);
  if (problem.empty()) {
    if (settings.present.empty() || settings.present.back() != standing.step)
      settings.present.push_back(standing.step);
    prune();
  }
  return problem;
}

/// Removes all whole checkpoints but the newest `keep`. Each is renamed first,
/// so that nobody finds it half removed.
void CheckpointWriter::prune() {
  std::vector<int64_t> &present = settings.present;
  while (present.size() > size_t(settings.keep)) {
    std::string old = stepFolder(settings.folder, present.front());
    std::string aside = text(settings.folder, "/writing-", settings.token,
                             "-old-", present.front());
    if (rename(old.c_str(), aside.c_str()) == 0)
      removeAll(aside);
    present.erase(present.begin());
  }
}

} // namespace zcc::rt
