// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Posts and waits for the transfers of one rank's action table. All streams of
// a device are joined at the end of a step, so transfers that are posted at the
// beginning of the next disturb no work of the last.

#include "runtime/core/StageTransfers.h"

#include "runtime/core/Error.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>

namespace zcc::rt {

using Clock = std::chrono::steady_clock;

static TransferPlan planOf(const format::Executable &executable, int stage) {
  for (const format::Action &action : executable.stages(stage).actions())
    if (!action.has_run())
      return std::move(planTransfers(executable)[size_t(stage)]);
  return planTransfers(executable.stages(stage));
}

StageTransfers::StageTransfers(const format::Executable &executable,
                               const Mesh &mesh, int rank, Device &device,
                               Transfers &transfers, DeviceTransfers *between,
                               Enter enter, Note note, Around around)
    : device(device), isOnDevices(between),
      plan(planOf(executable, mesh.stageOf(rank))), enter(std::move(enter)),
      note(std::move(note)), around(std::move(around)) {
  const format::Stage &stage = executable.stages(mesh.stageOf(rank));
  entries.resize(size_t(stage.actions_size()));
  posted.resize(entries.size());
  toPost.reserve(entries.size());
  underWay.reserve(entries.size());
  for (int i = 0; i < stage.actions_size(); ++i) {
    const format::Action &action = stage.actions(i);
    if (!action.has_send() && !action.has_receive())
      continue;
    Entry &entry = entries[size_t(i)];
    entry.sends = action.has_send();
    const format::Transfer &own =
        entry.sends ? action.send() : action.receive();
    entry.transfer = &own;
    entry.name = own.name();
    if (own.has_microbatch())
      entry.name += text(" of microbatch ", own.microbatch());
    entry.name +=
        text(entry.sends ? ", to stage " : ", from stage ", own.peer());
    entry.at = device.at(own.offset());
    entry.bytes = own.size();
    int peer = mesh.inStage(rank, int(own.peer()));
    void *memory = entry.at.host();
    bool isKept = std::binary_search(plan.kept.begin(), plan.kept.end(), i);
    if (between) {
      DeviceTransfers::Message message{
          peer,   own.tag(), plan.lanes[size_t(i)], entry.at, entry.bytes,
          isKept, entry.name};
      entry.way = entry.sends ? between->openSend(message)
                              : between->openReceive(message);
      continue;
    }
    if (isKept || !device.isHostMemory(entry.at)) {
      entry.staging.resize(entry.bytes);
      memory = entry.staging.data();
    }
    entry.way =
        entry.sends
            ? transfers.openSend(peer, own.tag(), memory, entry.bytes)
            : transfers.openReceive(peer, own.tag(), memory, entry.bytes);
  }
}

bool StageTransfers::mayPost(int receive) {
  const std::vector<int> &sends = plan.awaits[size_t(receive)];
  int previous = plan.previous[size_t(receive)];
  return (previous < 0 || posted[size_t(previous)]) &&
         std::all_of(sends.begin(), sends.end(), [&](int send) {
           return entries[size_t(send)].way->isOver();
         });
}

void StageTransfers::post(int receive) {
  PlannedTransfer &way = *entries[size_t(receive)].way;
  for (int send : plan.awaits[size_t(receive)])
    way.follow(*entries[size_t(send)].way);
  way.begin();
  posted[size_t(receive)] = true;
  if (!isOnDevices)
    underWay.push_back(receive);
}

void StageTransfers::before(int action) {
  // isOver() also lets transports move bytes that do so only during calls.
  underWay.erase(
      std::remove_if(underWay.begin(), underWay.end(),
                     [&](int i) { return entries[size_t(i)].way->isOver(); }),
      underWay.end());
  const std::vector<int> &now = plan.posts[size_t(action)];
  toPost.insert(toPost.end(), now.begin(), now.end());
  std::sort(toPost.begin(), toPost.end()); // one after the other in a lane
  toPost.erase(std::remove_if(toPost.begin(), toPost.end(),
                              [&](int receive) {
                                bool may = mayPost(receive);
                                if (may)
                                  post(receive);
                                return may;
                              }),
               toPost.end());
  for (int send : plan.awaits[size_t(action)])
    wait(send);
  // A receive that is due now waits for nothing else.
  if (auto at = std::find(toPost.begin(), toPost.end(), action);
      at != toPost.end()) {
    toPost.erase(at);
    post(action);
  }
  if (size_t(action) == entries.size())
    posted.assign(entries.size(), false);
}

void StageTransfers::wait(int action) {
  Entry &entry = entries[size_t(action)];
  if (!isOnDevices && entry.sends && entry.way->isOver())
    return entry.way->wait();
  Span::Kind kind = entry.sends ? Span::WaitSend : Span::Receive;
  enter(entry.name);
  if (isOnDevices) {
    around(action, kind, false);
    entry.way->wait();
    return around(action, kind, true);
  }
  auto begin = Clock::now();
  entry.way->wait();
  note({kind, nullptr, entry.transfer, begin, Clock::now(), nullptr});
}

void StageTransfers::send(int action) {
  Entry &entry = entries[size_t(action)];
  Stream &stream = device.mainStream();
  enter(entry.name);
  if (isOnDevices) {
    around(action, Span::Send, false);
    entry.way->begin();
    return around(action, Span::Send, true);
  }
  auto begin = Clock::now();
  if (!entry.staging.empty())
    device.copyOut(stream, entry.staging.data(), entry.at, entry.bytes);
  device.wait(stream);
  entry.way->begin();
  underWay.push_back(action);
  note({Span::Send, nullptr, entry.transfer, begin, Clock::now(), nullptr});
}

void StageTransfers::receive(int action) {
  Entry &entry = entries[size_t(action)];
  wait(action);
  if (!entry.staging.empty())
    device.copyIn(device.mainStream(), entry.at, entry.staging.data(),
                  entry.bytes);
}

} // namespace zcc::rt
