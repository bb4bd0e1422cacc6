// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points: streams, events, graphs.

#include "test/cuda-stand-in/Calls.h"

static constexpr int greatestPriority = -5;

Result cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  return inContext("cuCtxGetStreamPriorityRange", [&](auto &) {
    *least = 0;
    *greatest = greatestPriority;
    return success;
  });
}

Result cuStreamCreateWithPriority(StreamHandle *stream, unsigned flags,
                                  int priority) {
  return inContext("cuStreamCreateWithPriority", [&](auto &) {
    if (flags != streamNonBlocking || priority > 0 ||
        priority < greatestPriority)
      return complain("cuStreamCreateWithPriority: flags ", flags,
                      ", priority ", priority);
    auto made = std::make_unique<StreamRecord>();
    made->context = current;
    made->number = state.streamsEver++;
    made->queue = current->streamsMade++ % state.queuesOfGpu;
    if (!state.isRecording)
      state.queues->share(made.get(), current, made->queue);
    *stream = made.release();
    state.streams.insert(*stream);
    return success;
  });
}

Result cuStreamDestroy_v2(StreamHandle stream) {
  return onStream("cuStreamDestroy_v2", stream,
                  [&](std::unique_lock<std::mutex> &lock) {
                    if (!state.isRecording) {
                      Queues &queues = *state.queues;
                      lock.unlock();
                      queues.wait(stream);
                      lock.lock();
                    }
                    state.streams.erase(stream);
                    delete stream;
                    return success;
                  });
}

Result cuStreamQuery(StreamHandle stream) {
  return onFreeStream("cuStreamQuery", stream, [&](auto &) {
    if (!state.isRecording)
      return state.queues->isDone(stream) ? success : notReady;
    threadClock().join(stream->clock);
    return success;
  });
}

Result cuStreamSynchronize(StreamHandle stream) {
  return onFreeStream("cuStreamSynchronize", stream,
                      [&](std::unique_lock<std::mutex> &lock) {
                        if (state.isRecording) {
                          threadClock().join(stream->clock);
                          return success;
                        }
                        Queues &queues = *state.queues;
                        lock.unlock();
                        queues.wait(stream);
                        return Result(current->lost.load());
                      });
}

Result cuStreamWriteValue64_v2(StreamHandle stream, DevicePointer to,
                               uint64_t value, unsigned flags) {
  const char *name = "cuStreamWriteValue64_v2";
  return onFreeStream(name, stream, [&](auto &) {
    if (!find(to) || !isWithin(to, 8) || to % 8 != 0 || flags != 0)
      return complain(name, ": no word of an allocation, or flags");
    return enqueue(stream, name, {{to, 8, true}}, [=] {
      __atomic_store_n(reinterpret_cast<uint64_t *>(to), value,
                       __ATOMIC_RELEASE);
    });
  });
}

Result cuEventCreate(EventHandle *event, unsigned flags) {
  return inContext("cuEventCreate", [&](auto &) {
    auto made = std::make_unique<EventRecord>();
    made->context = current;
    made->hasTime = !(flags & eventWithoutTime);
    *event = made.release();
    state.events.insert(*event);
    return success;
  });
}

Result cuEventDestroy_v2(EventHandle event) {
  return inContext("cuEventDestroy_v2", [&](auto &) {
    if (!state.events.erase(event) || event->context != current)
      return complain("cuEventDestroy_v2: no event of this context");
    delete event;
    return success;
  });
}

Result cuEventRecord(EventHandle event, StreamHandle stream) {
  return onFreeStream("cuEventRecord", stream, [&](auto &) {
    if (!state.events.count(event) || event->context != current)
      return complain("cuEventRecord: no event of this context");
    if (state.isRecording)
      event->clock = stream->clock;
    else
      event->point = state.queues->mark(stream);
    return success;
  });
}

Result cuStreamWaitEvent(StreamHandle stream, EventHandle event,
                         unsigned flags) {
  return onFreeStream("cuStreamWaitEvent", stream, [&](auto &) {
    if (!state.events.count(event))
      return complain("cuStreamWaitEvent: no event");
    if (state.isRecording)
      stream->clock.join(event->clock);
    else if (event->point)
      state.queues->enqueueWait(stream, event->point);
    return success;
  });
}

Result cuEventQuery(EventHandle event) {
  return inContext("cuEventQuery", [&](auto &) {
    if (!state.events.count(event))
      return complain("cuEventQuery: no event");
    if (state.isRecording)
      threadClock().join(event->clock);
    return !event->point || event->point->isReached ? success : notReady;
  });
}

Result cuEventElapsedTime(float *milliseconds, EventHandle begin,
                          EventHandle end) {
  return inContext("cuEventElapsedTime", [&](auto &) {
    for (EventHandle event : {begin, end})
      if (!state.events.count(event) || !event->hasTime)
        return complain("cuEventElapsedTime: no event, or one without time");
    *milliseconds = 0;
    if (state.isRecording)
      return success;
    for (EventHandle event : {begin, end})
      if (!event->point || !event->point->isReached)
        return notReady;
    *milliseconds = std::chrono::duration<float, std::milli>(end->point->when -
                                                             begin->point->when)
                        .count();
    return success;
  });
}

Result cuStreamBeginCapture_v2(StreamHandle stream, int mode) {
  return onFreeStream("cuStreamBeginCapture_v2", stream, [&](auto &) {
    stream->capture = std::make_unique<GraphRecord>();
    stream->capture->context = current;
    return success;
  });
}

Result cuStreamEndCapture(StreamHandle stream, Graph *graph) {
  Result result = onStream("cuStreamEndCapture", stream, [&](auto &) {
    if (!stream->capture)
      return complain("cuStreamEndCapture: the stream is not captured");
    *graph = stream->capture.release();
    state.graphs.insert(*graph);
    return success;
  });
  // Capturing ends, whatever becomes of the graph.
  std::lock_guard<std::mutex> lock(mutex);
  if (state.streams.count(stream))
    stream->capture.reset();
  return result;
}

Result cuGraphGetNodes(Graph graph, GraphNode *nodes, size_t *count) {
  return inContext("cuGraphGetNodes", [&](auto &) {
    if (!state.graphs.count(graph) || nodes)
      return complain("cuGraphGetNodes: no graph, or a list");
    *count = graph->calls.size();
    return success;
  });
}

Result cuGraphInstantiateWithFlags(GraphExecution *made, Graph graph,
                                   unsigned long long flags) {
  return inContext("cuGraphInstantiateWithFlags", [&](auto &) {
    if (!state.graphs.count(graph))
      return complain("cuGraphInstantiateWithFlags: no graph");
    *made = new GraphExecutionRecord{current, graph->calls};
    state.executions.insert(*made);
    return success;
  });
}

Result cuGraphLaunch(GraphExecution graph, StreamHandle stream) {
  return onFreeStream("cuGraphLaunch", stream, [&](auto &) {
    if (!state.executions.count(graph) || graph->context != current)
      return complain("cuGraphLaunch: no graph of this context");
    for (const CapturedCall &one : graph->calls)
      if (Result wrong = enqueue(stream, one.name, one.uses, one.work))
        return wrong;
    return success;
  });
}

Result cuGraphExecDestroy(GraphExecution graph) {
  return inContext("cuGraphExecDestroy", [&](auto &) {
    if (!state.executions.erase(graph))
      return complain("cuGraphExecDestroy: no graph");
    delete graph;
    return success;
  });
}

Result cuGraphDestroy(Graph graph) {
  return inContext("cuGraphDestroy", [&](auto &) {
    if (!state.graphs.erase(graph))
      return complain("cuGraphDestroy: no graph");
    delete graph;
    return success;
  });
}
