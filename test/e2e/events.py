# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Waits and events taken out one at a time: refused, or implied by the others. A share of them; by hand all of them:

    python3 test/e2e/events.py build/bin every_event every_event_of_a_text

zcc and zrun prove with clocks that steps come in order. This test compares that with paths through streams and events, for
pairs of accesses to the same bytes.
"""
import re
import time

from harness import *

TRANSPORT = (1 << 63, (1 << 63) + 1)  # of collectives one thread calls it at a time: that of stream 0, or that of all others


def show(exe):
    return json.loads(call("rewrite_executable", path(exe))[0])


def rewrite(exe, changed, out):
    call("rewrite_executable", path(exe), path(out), stdin=json.dumps(changed) + "\n")


def steps_of(program):
    """Every step of a stage that may have waits and an event, with the name of its task."""
    for stage in program["stages"]:
        for task in stage["tasks"] + ([stage["init"]] if "init" in stage else []):
            for step in task["steps"]:
                yield task, step
                for part in ("body", "between"):
                    for inner in step.get("repeat", {}).get(part, []):
                        yield task, inner


class Moment:
    """A step as it is enqueued: the one of the program, its stream and the bytes (begin, end, whether written)."""

    def __init__(self, step, stream=0, accesses=(), waits=True, event=True):
        self.step, self.stream, self.accesses = step, stream, accesses
        self.has_waits, self.has_event = waits, event


HOST = 1 << 60  # bytes of the host's memory stand behind those of the device
END = {"name": "the end of a step of training"}


def enqueue(program, stage):
    """The moments of the initialization and of two steps of training."""
    axes = program["mesh"]
    temporal = next((i for i, axis in enumerate(axes) if axis.get("temporal")), None)

    def use(step, places):
        at = lambda operand, writes: (places[operand][0], sum(places[operand]), writes)
        stream, accesses = step.get("stream", 0), []
        if "kernel" in step or "batch" in step:
            for one in step["batch"]["members"] if "batch" in step else [step["kernel"]]:
                accesses += [at(operand, i >= one.get("reads", 0)) for i, operand in enumerate(one["operands"])]
        elif "copy" in step:
            accesses = [at(step["copy"].get("source", 0), False), at(step["copy"].get("target", 0), True)]
        elif "fill" in step:
            accesses = [at(step["fill"].get("target", 0), True)]
        elif "observe" in step:
            accesses = [at(operand, False) for operand in step["observe"]["operands"]]
        else:
            for one in step["bucket"]["members"] if "bucket" in step else [step["collective"]]:
                accesses += [at(one.get("source", 0), False), at(one.get("target", 0), True)]
            accesses.append((*TRANSPORT, stream == 0))
        return Moment(step, stream, accesses)

    def task(one, slots):
        places = [((slots[int(o.get("offset", 0))] + int(o.get("begin", 0)) if o.get("slot") else int(o.get("offset", 0))) + (HOST if o.get("memory") == "HOST" else 0),
                   int(o.get("size", 0))) for o in one["operands"]]
        for each in one["steps"]:
            if "repeat" not in each:
                yield use(each, places)
                continue
            repeat, now = each["repeat"], list(places)
            turns = math.prod(axes[axis]["size"] for axis in repeat["axes"])
            for turn in range(turns):
                begin, size = now[repeat.get("member", 0)]
                yield Moment(each, 0, [(begin, begin + size, True)], event=False)
                parts = [repeat["body"], repeat.get("between", []) if turn + 1 < turns else []]
                for part in reversed(parts) if repeat.get("ahead") else parts:
                    yield from (use(inner, now) for inner in part)
                if turn + 1 < turns:
                    for rotation in repeat.get("rotations", []):
                        held, next_, spare = (rotation.get(key, 0) for key in ("held", "next", "spare"))
                        now[held], now[next_] = now[next_], places[spare] if turn == 0 else now[held]
            yield Moment(each, waits=False)

    if "init" in stage:
        yield from task(stage["init"], [])
    yield Moment(END)
    for _ in range(2):
        for action in stage["actions"]:
            if "run" in action:
                if action["run"].get("event"):
                    yield Moment({"name": "the begin of a run", "event": action["run"]["event"]})
                if temporal is not None:
                    at = int(stage.get("coordinatesOffset", 0)) + 4 * temporal
                    yield Moment({"name": "the microbatch"}, 0, [(at, at + 4, True)])
                yield from task(stage["tasks"][action["run"].get("task", 0)], [int(slot) for slot in action["run"].get("slots", [])])
            else:
                one = action.get("send") or action["receive"]
                at = int(one.get("offset", 0))
                # A transport takes transfers of one thread while another is within a collective.
                yield Moment(one, 0, [(at, at + int(one["size"]), "receive" in action)], event=False)
        yield Moment(END)


class Replay:
    """The moments of a stage, and which two of them use the same bytes on different streams."""

    def __init__(self, program, stage):
        self.moments = list(enqueue(program, stage))
        self.pairs = []
        others = [i for i, moment in enumerate(self.moments) if moment.stream]
        for i in others:
            for k, moment in enumerate(self.moments):
                if moment.stream != self.moments[i].stream and (not moment.stream or k < i) and any(
                        max(a, c) < min(b, d) and (u or v) for a, b, u in self.moments[i].accesses for c, d, v in moment.accesses):
                    self.pairs.append((min(i, k), max(i, k)))

    def conflict(self):
        """Two steps that meet, by the waits and events that the steps have now; None if there are none."""
        before, last, recorded, begun = [], {}, {}, 0
        for i, moment in enumerate(self.moments):
            own = last.get(moment.stream, 0) | begun
            if moment.step is END:  # later work on any stream comes after everything
                own = begun = (1 << i) - 1
            for event in moment.step.get("waits", []) if moment.has_waits else []:
                own |= recorded.get(event, 0)
            before.append(own)
            own |= 1 << i
            last[moment.stream] = own
            if moment.has_event and moment.step.get("event"):
                recorded[moment.step["event"] - 1] = own
        return next(((i, k) for i, k in self.pairs if not before[k] >> i & 1), None)


def take_out(name, stride):
    """Takes out an executable's waits and events, one by one. Returns how many there are, how many of the rest were refused, and those that others imply."""
    compile_model(*ON_STREAMS[name], slow_machine())
    program = show("model.zexe")
    replays = [Replay(program, stage) for stage in program["stages"]]
    assert all(replay.pairs for replay in replays) and not any(replay.conflict() for replay in replays), name
    rewrite("model.zexe", program, "same.zexe")
    with open(path("same.zexe"), "rb") as f, open(path("model.zexe"), "rb") as g:
        assert f.read() == g.read(), "the executable is another one when it is written again"
    places = [(task, step, i) for task, step in steps_of(program) for i in [*range(len(step.get("waits", []))), None] if i is not None or step.get("event")]
    refusals, implied = 0, []
    for task, step, i in places[:: stride]:
        field = "event" if i is None else "waits"
        kept = step[field]
        if i is None:
            del step["event"]
        else:
            step["waits"] = kept[:i] + kept[i + 1:]
        rewrite("model.zexe", program, "damaged.zexe")
        p = subprocess.run([os.path.join(BIN, "zrun"), path("damaged.zexe"), "--check"], capture_output=True, text=True, timeout=100)
        meet = any(replay.conflict() for replay in replays)
        what = f"{name}: {field} {kept} of {step['name']} in {task['name']}"
        assert p.returncode in (0, 2), (what, p.returncode, p.stderr)
        # An event that nobody records is refused, needed or not.
        assert (p.returncode == 2) == (meet or i is None), (what, meet, p.stderr)
        if p.returncode == 2:
            refusals += 1
            assert re.search(r'error: .*damaged.zexe: stage \d+(, task ".*", step ".*"|: ".*" of stream \d+ )', p.stderr), p.stderr
        else:
            implied.append(what)
        step[field] = kept
    return len(places[:: stride]), refusals, implied


def take_out_of_text(name, stride):
    """The same for the text of phase `planned`: a text that is not refused is compiled, and its executable is in order."""
    model, *options = ON_STREAMS[name]
    call("zcc", model_text(model), *options, slow_machine(), "--compile-to=planned", "--quiet", "-o", path("planned.mlir"))
    with open(path("planned.mlir")) as f:
        text = f.read()
    damages = [(m, m.group(), "") for m in re.finditer(r"exec\.event = \d+ : i64, |, exec\.event = \d+ : i64(?=})|(?<={)exec\.event = \d+ : i64(?=})", text)]
    for m in re.finditer(r"exec\.waits = array<i64: ([0-9, ]+)>", text):
        events = m.group(1).split(", ")
        for i in range(len(events)):
            left = ", ".join(events[:i] + events[i + 1:])
            damages.append((m, f"{m.group()} without {events[i]}", f"exec.waits = array<i64{': ' + left if left else ''}>"))
    refusals, implied = 0, []
    for m, what, put in damages[:: stride]:
        with open(path("damaged.mlir"), "w") as f:
            f.write(text[: m.start()] + put + text[m.end():])
        p = subprocess.run([os.path.join(BIN, "zcc"), path("damaged.mlir"), "--compile-from=planned", "-o", path("damaged.zexe"), "--quiet"],
                           capture_output=True, text=True, timeout=100)
        assert p.returncode in (0, 2), (what, p.stderr[-300:])
        if p.returncode == 2:
            refusals += 1
            # Memory that nobody waits for is in use until the step's end, so another value's place may be taken.
            assert re.search(r"error: .*(no event orders|overlap at time|waits for event \d+, which no step is)", p.stderr), (what, p.stderr[:300])
        else:
            program = show("damaged.zexe")
            assert not any(Replay(program, stage).conflict() for stage in program["stages"]), what
            implied.append(f"{name}: {what}")
    return len(damages[:: stride]), refusals, implied


def test_executables_of_overlap():
    assert take_out("overlap", 9)[1] > 5


def test_executables_of_zero_3():
    assert take_out("ZeRO 3, gathered", 9)[1] > 5


def test_executables_of_microbatches():
    assert take_out("microbatches", 9)[1] > 5


def test_executables_of_rings():
    assert take_out("ring", 9)[1] > 5


def test_executables_of_stages():
    assert take_out("stages", 9)[1] > 5


def test_texts():
    assert sum(take_out_of_text(name, 19)[1] for name in ON_STREAMS) > 20


def all_of(take):
    for name in ON_STREAMS:
        start = time.time()
        count, refusals, implied = take(name, 1)
        print(f"{name}: {count} taken out, {refusals} refused, {len(implied)} implied by others, {time.time() - start:.0f} s", *implied, sep="\n    ",
              flush=True)


def every_event():
    all_of(take_out)


def every_event_of_a_text():
    all_of(take_out_of_text)


run(globals())
