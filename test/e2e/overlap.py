# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives beside kernels: the same bits, in no more memory than there is."""
import re

from harness import *

PLANS = [("gpt2", "--mesh=data=2", "--zero=3"), ("moe", "--mesh=data=2", "--zero=3", "--microbatches=2"),
         ("mlp", "--mesh=data=2,tensor=2", "--zero=3"), ("gpt2-dropout", "--mesh=data=4", "--zero=3", "--state=*=gather"),
         ("gpt2", "--mesh=data=4", "--zero=1"), ("gpt2", "--mesh=data=2,context=2", "--zero=1"),
         ("gpt2", "--mesh=context=4"), ("llama", "--mesh=context=3", "--microbatches=2"),
         ("gpt2", "--mesh=data=2", "--zero=1", "--microbatches=4"), ("mlp", "--mesh=data=4", "--zero=0", "--microbatches=2")]
STAGES = [("gpt2", "--mesh=pipe=2,data=2", "--zero=1", "--microbatches=4", "--schedule=1f1b"),
          ("gpt2", "--mesh=pipe=2,data=2", "--zero=1", "--microbatches=4", "--schedule=zb-v"),
          ("gpt2-masked", "--mesh=pipe=2,data=2", "--zero=1", "--microbatches=2", "--schedule=zb-h1"),
          ("gpt2", "--mesh=pipe=2,data=2", "--zero=2", "--microbatches=4", "--schedule=interleaved:2"),
          ("gpt2-dropout", "--mesh=pipe=2,data=2", "--zero=3", "--microbatches=4", "--schedule=zb-h2"),
          ("mlp", "--mesh=pipe=2,data=2,tensor=2", "--zero=0", "--microbatches=2", "--schedule=1f1b")]


def compare(model, *options):
    beside = compile_model(model, *options)
    _, lines = train(model, steps=4)
    alone = compile_model(model, "--disable=overlap", *options, exe="alone.zexe")
    _, want = train(model, steps=4, exe="alone.zexe")
    got, want = ([(line["loss"], line["grad_norm"]) for line in all] for all in (lines, want))
    assert got == want, f"{model} {options}: {got}, on one stream {want}"
    assert beside["collectives"] and len(beside["collectives"]) == len(alone["collectives"]), (model, options)
    assert beside["predicted"]["step_seconds"] <= alone["predicted"]["step_seconds"], (model, options, beside["predicted"])
    return beside["predicted"]["step_seconds"] < 0.97 * alone["predicted"]["step_seconds"]


def test_same_bits():
    faster = [compare(*plan, slow_machine()) for plan in PLANS]
    assert faster.count(True) >= 2, faster


def test_same_bits_with_queues_in_any_order():
    for plan in PLANS[1:3] + PLANS[-3:]:
        compare(*plan, slow_machine(), "--target=reference")


def test_same_bits_in_stages():
    """Reductions and gathers run across tasks, and transfers meet them."""
    faster = [compare(*plan, slow_machine()) for plan in STAGES]
    assert faster.count(True) >= 2, faster
    for plan in STAGES[1:4]:
        compare(*plan, slow_machine(), "--target=reference")


def tasks_of(text):
    """Kinds of collectives and what they move, by task, and the tasks that the table runs."""
    tasks = {task.split(" ")[0]: set(re.findall(r"exec\.collective (\w+) .*what = \"(\w+)\"", task))
             for task in re.split(r"exec\.task @", text)[1:]}
    return tasks, re.findall(r"dist\.run @([\w.]+)", text)


def test_gradients_are_reduced_in_the_backward_pass():
    """Parameters are gathered in the forward pass, and the report names communication that is not hidden."""
    report = compile_model("gpt2", "--mesh=data=4", "--zero=1", "--compile-to=planned", slow_machine(), exe="planned.mlir")
    with open(path("planned.mlir")) as f:
        kinds, _ = tasks_of(f.read())
    assert ("reduce_scatter", "gradient") in kinds["backward"] and ("all_gather", "parameter") in kinds["forward"], kinds
    assert not kinds["epilogue"] & {("reduce_scatter", "gradient"), ("all_gather", "parameter")}, kinds
    predicted = report["predicted"]
    exposed = sum(one["seconds"] for one in predicted["exposed"])
    assert abs(exposed - predicted["by_stage"][0]["exposed_seconds"]) <= 1e-9 + 1e-3 * exposed, predicted
    assert set(predicted["by_stage"][0]["busy_seconds"]) == {"0", "1"}, predicted


def test_gradients_are_reduced_in_the_last_backward_pass():
    """The last microbatch runs a copy of the backward task that also reduces gradients. The collectives of the step and its results stay the same."""
    for model, *options in PLANS[-2:]:
        reports, texts = [], []
        for more in ([], ["--disable=overlap"]):
            reports.append(compile_model(model, *options, *more, "--compile-to=planned", slow_machine(), exe="planned.mlir"))
            with open(path("planned.mlir")) as f:
                texts.append(tasks_of(f.read()))
        (kinds, runs), (others, before) = texts
        reduced = {one for one in others["epilogue"] if one[1] == "gradient"}
        assert reduced and reduced <= kinds["backward_last"] and not reduced & (kinds["backward"] | kinds["epilogue"]), (model, kinds, others)
        assert "backward_last" not in others and runs == before[:-2] + ["backward_last", "epilogue"], (model, runs, before)
        listed = [sorted((c["kind"], c["value"], c["what"], c["tasks"], c["bytes"], c["times"]) for c in report["collectives"])
                  for report in reports]
        assert listed[0] == listed[1] and reports[0]["flops"] == reports[1]["flops"], model
        hidden, alone = (report["predicted"]["step_seconds"] for report in reports)
        assert hidden < 0.99 * alone, (model, hidden, alone)


def test_gradients_of_a_chunk_are_reduced_in_its_last_backward_pass():
    """Each chunk of a stage has its own, before tasks of other chunks; the report's collectives stay the same."""
    for model, *options in STAGES[:2]:
        reports, texts = [], []
        for more in ([], ["--disable=overlap"]):
            reports.append(compile_model(model, *options, *more, "--compile-to=planned", slow_machine(), exe="planned.mlir"))
            with open(path("planned.mlir")) as f:
                texts.append(tasks_of(f.read()))
        (kinds, runs), (others, before) = texts
        copies = {name for name in kinds if name.endswith("_last")}
        plain = [run.removesuffix("_last").removesuffix("_first") for run in runs]
        assert copies and not copies & set(others), (model, sorted(kinds))
        assert all(("reduce_scatter", "gradient") in kinds[name] and runs.count(name) == 1 for name in copies), (model, kinds)
        assert plain == before, (model, runs, before)
        listed = [sorted((c["kind"], c["value"], c["what"], c["bytes"], c["times"]) for c in report["collectives"]) for report in reports]
        assert listed[0] == listed[1] and reports[0]["flops"] == reports[1]["flops"], model
        hidden, alone = (report["predicted"]["step_seconds"] for report in reports)
        assert hidden < 0.99 * alone, (model, hidden, alone)


def test_rings_send_the_next_block_while_they_work_on_this_one():
    """Overlap takes no more memory. It hides nine tenths of the forward pass's sends, as kernels take about as long, and in the backward
    pass those of blocks that do not change. If the sequence is folded, turns take half as long, and half of the forward pass's sends are
    hidden."""
    exposed = lambda report, tasks: sum(one["seconds"] for one in report["predicted"]["exposed"] if (one["kind"], one["tasks"]) == ("permute", tasks))
    seconds = []
    for more, forward in ((["--disable=fold-sequences"], 0.1), ([], 0.5)):
        on = compile_model("gpt2", "--mesh=context=4", slow_machine(), *more)
        off = compile_model("gpt2", "--mesh=context=4", slow_machine(), *more, f"--disable={','.join(['overlap', *(o.partition('=')[2] for o in more)])}")
        assert on["memory"]["peak"] == off["memory"]["peak"], (on["memory"], off["memory"])
        assert 0 < exposed(off, "forward") and exposed(on, "forward") <= forward * exposed(off, "forward"), (on["predicted"], off["predicted"])
        assert 0 < exposed(on, "backward") < 0.6 * exposed(off, "backward"), (on["predicted"], off["predicted"])
        seconds.append(on["predicted"]["step_seconds"])
    assert seconds[1] < seconds[0], seconds


def test_memory_that_is_short():
    """Gathered values count only until they are freed, not to the end of the step."""
    plan = ("gpt2", "--mesh=data=4", "--zero=3", "--state=*=gather", slow_machine())
    off = compile_model(*plan, "--disable=overlap")
    on = compile_model(*plan, f"--memory={int(1.2 * off['memory']['peak'])}")
    assert on["predicted"]["step_seconds"] < 0.97 * off["predicted"]["step_seconds"], (on["predicted"], off["predicted"])
    assert on["memory"]["peak"] <= 1.2 * 0.9 * off["memory"]["peak"], (on["memory"], off["memory"])


def test_without_links_there_is_one_stream():
    call("zcc", model_text("mlp"), "--mesh=data=2", "--compile-to=planned", "--quiet", "-o", path("planned.mlir"))
    with open(path("planned.mlir")) as f:
        assert "exec.waits" not in f.read()


def test_the_trace_has_streams():
    compile_model(*PLANS[2], slow_machine())
    train("mlp", "--trace", path("trace.json"), steps=2)
    with open(path("trace.json")) as f:
        named = json.load(f)["traceEvents"]
    events = [e for e in named if e["ph"] == "X"]
    names = {(e["name"], e["pid"], e["tid"]): e["args"]["name"] for e in named if e["ph"] == "M"}
    assert names[("process_name", 1, 0)] == "rank 1" and names[("thread_name", 0, 0)] == "computation", names
    assert names[("thread_name", 0, 1)] == "communication 1" and abs(min(e["ts"] for e in events)) < 1, names
    beside = {e["name"] for e in events if e["tid"] == 1}
    assert beside and all(re.search("all_gather|reduce_scatter|all_reduce", name) for name in beside), beside
    assert {e["tid"] for e in events} == {0, 1}


run(globals())
