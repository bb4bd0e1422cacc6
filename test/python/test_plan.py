# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans, reports, pictures, files and the cache."""
import json
import os
import pathlib
import re
import subprocess
import sys

import jax
import numpy as np
import pytest

import zcc
from zcc import _timeline
from models import batches, classify, network


def make():
    rng = np.random.default_rng(3)
    return network(rng, 10, 16, 5), batches(rng)


def test_a_plan_without_weights():
    params, data = make()
    shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), params)
    plan = zcc.plan(classify, shapes, data[0], mesh="data=4", machine="h100-dgx", precision="bf16")
    assert plan.report["devices"] == 4 and plan.report["predicted"]["step_seconds"] > 0
    assert "memory" in str(plan) and "<svg" in plan.memory_plot
    assert "0.w" in plan.explain("0.w") and plan.explain("plan")
    assert plan.predicted_trace["traceEvents"]
    with pytest.raises(zcc.Error, match="nothing"):
        plan.explain("nothing")


def test_what_notebooks_show():
    params, data = make()
    plan = zcc.plan(classify, params, data[0], mesh="data=2")
    shown = plan._repr_html_()
    assert '<pre style="font-family: monospace' in shown and "max-width: 100%" in shown and "max-width" in plan.memory_plot._repr_html_()
    assert plan.memory_plot._repr_svg_() == plan.memory_plot
    # One stage has no schedule to draw.
    assert repr(plan.schedule_plot) == "<no picture>" and plan.schedule_plot._repr_html_() is None and plan.schedule_plot._repr_svg_() is None


def test_a_trace_is_a_picture():
    """Each stream of a rank has a row, with a bar for each event; those below a pixel are joined, and names are escaped."""
    import xml.etree.ElementTree as ElementTree

    params, data = make()
    plan = zcc.plan(classify, params, data[0], mesh="data=2")
    trace = plan.predicted_trace
    streams = {(event["pid"], event["tid"]) for event in trace["traceEvents"]}
    root = ElementTree.fromstring(trace.picture)
    titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert any(title.startswith("forward: k0_dot_general") for title in titles), titles
    assert sum(text.startswith("rank ") for text in texts) == len(streams) and {"forward", "communication"} <= set(texts), texts
    assert "max-width" in trace._repr_html_()

    def event(name, ts, dur, pid=0):
        return {"name": name, "ph": "X", "pid": pid, "tid": 0, "ts": ts, "dur": dur}

    def titled(events):
        return [title.text for title in ElementTree.fromstring(_timeline.draw(events)).iter("{http://www.w3.org/2000/svg}title")]

    assert titled([event("forward: a<b", 5, 1e6)]) == ["forward: a<b, 1 s from 0 us"]
    short = [event("forward: a", 0, 1), event("backward: b", 1, 2), event("epilogue: c", 3, 1e5)]
    assert titled(short) == ["backward: b, 2 us from 1 us, and 1 more", "epilogue: c, 100 ms from 3 us"]
    assert "2 more streams are not shown" in _timeline.draw([event("forward: a", 0, 1, pid) for pid in range(_timeline.MOST_ROWS + 2)])
    assert _timeline.draw([]) == "" and zcc.plan(classify, params, data[0]).predicted_trace.__class__({})._repr_html_() is None


def test_the_picture_of_a_trace_has_the_colors_of_the_page():
    page = (pathlib.Path(__file__).parents[2] / "compiler/emission/page.html").read_text()
    kinds = dict(re.findall(r'\["\w+", /\^(\(?[\w|]*\)?)/, "(#\w+)"\]', page))
    assert len(kinds) == 7, kinds
    drawn = {pattern: color for name, pattern, color in _timeline.KINDS if name != "communication"}
    assert {pattern.strip("()"): color for pattern, color in kinds.items()} == drawn
    moves, color = re.search(r"const moves = /(.*)/;", page)[1], re.search(r'moves\.test\(name\) \? "(#\w+)"', page)[1]
    assert _timeline.KINDS[0] == ("communication", f".*({moves})", color)


def test_a_function_of_a_cell_stands_by_its_own_name():
    """The file of a cell is a name of a number, which is not there."""
    import linecache

    source = "def cell(p, b):\n    return (b['x'] @ p['w']).mean()\n"
    space = {}
    exec(compile(source, "/tmp/ipykernel_1/2534022756.py", "exec"), space)
    linecache.cache["/tmp/ipykernel_1/2534022756.py"] = (len(source), None, source.splitlines(True), "/tmp/ipykernel_1/2534022756.py")
    plan = zcc.plan(space["cell"], {"w": np.ones((4, 2), "f")}, {"x": np.ones((8, 4), "f")})
    assert "of a step of cell on" in plan.memory_plot.lower()


def test_parameters_have_their_names_everywhere():
    params, data = make()
    plan = zcc.plan(classify, params, data[0], mesh="data=2", zero=1, precision="bf16")
    texts = [plan.explain("0.w"), plan.explain("plan"), plan.memory_plot, json.dumps(plan.report)]
    assert "train.update at 0.w (update)" in texts[0], texts[0]
    assert not any("leaves[" in text for text in texts)
    with pytest.raises(zcc.Error, match="two inputs are named 'key'") as refused:
        zcc.plan(lambda p, b, key: (b["x"] @ p["w"]).mean() + jax.random.normal(key), {"w": np.ones((4, 2), "f")},
                 {"x": np.ones((8, 4), "f"), "key": np.zeros(2, "uint32")})
    assert "leaves[" not in str(refused.value)


def test_files(tmp_path):
    params, data = make()
    with zcc.compile(classify, params, data[0], mesh="data=2", report=tmp_path / "r.json", trace=tmp_path / "t.json",
                     memory_plot=tmp_path / "m.svg", buffers=tmp_path / "b.csv", plan_out=tmp_path / "p.plan") as step:
        assert json.loads((tmp_path / "r.json").read_text()) == step.report
        assert "<svg" in (tmp_path / "m.svg").read_text() and (tmp_path / "b.csv").read_text().startswith("id,")
        assert json.loads((tmp_path / "t.json").read_text())["traceEvents"] and (tmp_path / "p.plan").read_text()
    with pytest.raises(zcc.Error, match="cannot write"):
        zcc.compile(classify, params, data[0], report=tmp_path / "none" / "r.json")


def test_stages_have_a_picture():
    params, data = make()
    plan = zcc.plan(classify, params, data[0], mesh="pipe=2", microbatches=2)
    assert "<svg" in plan.schedule_plot


def test_only_plans_and_steps_make_pictures(monkeypatch, tmp_path):
    from zcc import _program

    made = []
    original = _program._compile
    monkeypatch.setattr(_program, "_compile", lambda text, name, options, place: made.append(set(options)) or original(text, name, options, place))
    params, data = make()
    with zcc.compile(classify, params, data[0], cache=False) as step:
        assert made.pop() >= {"trace", "memory-plot", "draw"} and not made
        step.gradients(data[0])
        step.evaluate(data[0])
        step.explain("0.w")
        step.page(tmp_path / "page.html")
        assert len(made) == 4 and not any(own & {"trace", "memory-plot", "draw"} for own in made)


def test_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ZCC_CACHE", str(tmp_path))
    params, data = make()

    def loss(**options):
        with zcc.compile(classify, params, data[0], **options) as step:
            assert step.report["devices"] >= 1 and step.table
            return step(data[0]).loss

    def files():
        return [f for f in os.listdir(tmp_path) if f.endswith(".zcc")]

    def deeper():
        return loss()

    first = loss()
    assert loss() == first and deeper() == first and len(files()) == 1  # from wherever it is called
    with open(tmp_path / files()[0], "r+b") as f:  # a damaged file is compiled anew
        f.seek(-10, os.SEEK_END)
        f.write(b"0123456789")
    assert loss() == first and len(files()) == 1
    loss(mesh="data=2")
    assert len(files()) == 2
    loss(mesh="4", cache=False)
    assert len(files()) == 2


def test_of_two_processes_one_compiles(tmp_path):
    code = """
import sys; sys.path.insert(0, sys.argv[1])
import numpy as np, zcc, zcc._program as p
from models import batches, classify, network
compiled = []
original = p._compile
p._compile = lambda *a: compiled.append(1) or original(*a)
rng = np.random.default_rng(3); params, data = network(rng, 10, 16, 5), batches(rng)
with zcc.compile(classify, params, data[0]) as step:
    print(len(compiled), step(data[0]).loss)
"""
    run = [sys.executable, "-c", code, os.path.dirname(__file__)]
    started = [subprocess.Popen(run, stdout=subprocess.PIPE, text=True, env={**os.environ, "ZCC_CACHE": str(tmp_path)}) for _ in range(2)]
    found = [p.communicate(timeout=300)[0].split() for p in started]
    assert sorted(f[0] for f in found) == ["0", "1"] and found[0][1] == found[1][1], found


def test_warnings_are_printed(capfd):
    params, data = make()
    with zcc.compile(classify, params, data[0], mesh="other=2") as step:
        assert "warning: nothing is sharded over axis 'other'" in capfd.readouterr().err and "warning:" in step.messages
    with zcc.compile(classify, params, data[0], mesh="other=2", quiet=True):
        assert capfd.readouterr().err == ""


def test_a_page(tmp_path):
    params, data = make()
    plan = zcc.plan(classify, params, data[0], mesh="data=2", machine="h100-dgx")
    plan.page(tmp_path / "plan.html")
    text = (tmp_path / "plan.html").read_text()
    assert text.startswith("<!") and "<svg" in text and "all-reduce" in text and len(text) < 5e6
    with pytest.raises(zcc.Error, match="expected a file .html"):
        plan.page(tmp_path / "plan.txt")
    with zcc.compile(classify, params, data[0], page=tmp_path / "step.html") as step:
        assert (tmp_path / "step.html").read_text().startswith("<!")
        step.page(tmp_path / "again.html")
    assert (tmp_path / "again.html").stat().st_size > 1000


def test_a_batch_is_read_where_it_lies():
    big = {"x": np.ones((1 << 16, 25), "f")}
    params = {"w": np.ones((25, 1), "f")}
    with zcc.compile(lambda p, b: jax.numpy.mean(b["x"] @ p["w"]), params, big, optimizer=zcc.SGD(lr=0.0)) as step:
        assert step(big).loss == 25 and step.report["memory"]["peak"] < 3e6
