# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The picture of memory: it is XML, and its figures are those of the report and of the listing of buffers."""
import csv
import re
import xml.etree.ElementTree as xml
from harness import *

SVG = "{http://www.w3.org/2000/svg}"


def draw(model, *options, text=None):
    """(report, root of the picture, rows of --buffers)"""
    call("zcc", text or model_text(model), "-o", path("model.zexe"), "--report", path("report.json"), "--quiet", "--memory-plot", path("m.svg"),
         "--buffers", path("b.csv"), *options)
    with open(path("report.json")) as f:
        report = json.load(f)
    with open(path("b.csv")) as f:
        rows = list(csv.DictReader(f))
    return report, xml.parse(path("m.svg")).getroot(), rows


def of_class(element, name):
    return [e for e in element.iter() if e.get("class") == name]


def check(report, root, rows):
    panels = of_class(root, "panel")
    hosts = [p for p in panels if p.get("data-space") == "host"]
    panels = [p for p in panels if p.get("data-space") == "device"]
    assert len(panels) == len(report["memory_by_stage"]), len(panels)
    assert [int(p.get("data-allocated")) for p in hosts] == [m["host"] for m in report["memory_by_stage"] if m["host"]], len(hosts)
    for panel, memory in zip(panels, report["memory_by_stage"]):
        live, allocated = int(panel.get("data-live")), int(panel.get("data-allocated"))
        assert allocated == memory["peak"] and live == memory["lower_bound"], (allocated, live, memory)
        # The highest place of the highest area is where the peak is marked.
        peak, = of_class(panel, "peak")
        top = of_class(panel, "area")[0].get("d")
        heights = [float(y) for y in re.findall(r"V([0-9.-]+)", top)]
        assert min(heights) == float(peak.get("cy")) and int(peak.get("data-bytes")) == live, (min(heights), peak.attrib)
        shown = {area.get("data-category") for area in of_class(panel, "area")}
        assert shown == {name for name in ("parameters", "optimizer", "gradients", "residuals", "temporary") if memory[name]}, shown
        residents = of_class(panel, "resident")
        sizes = [int(r.get("data-bytes")) for r in residents]
        assert len(residents) == min(10, len(residents)) and sizes == sorted(sizes, reverse=True) and sum(sizes) <= live, sizes
        largest = [(v["name"], v["category"], v["bytes"]) for v in memory["largest"]]
        assert largest == [(r.get("data-name"), r.get("data-category"), int(r.get("data-bytes"))) for r in residents][:len(largest)], largest
    # The same bytes as the listing, tick by tick.
    if len(panels) == 1:
        for panel in panels + hosts:
            events = sorted((int(r[at]), sign * int(r["size"])) for r in rows if r["arena"] == panel.get("data-space")
                            for at, sign in (("lower", 1), ("upper", -1)))
            live = most = 0
            for _, size in events:
                live += size
                most = max(most, live)
            assert most == int(panel.get("data-live")), (most, panel.attrib)


def test_figures_are_those_of_the_report():
    for model, options in (("gpt2", ["--mesh=data=2"]), ("gpt2", ["--mesh=data=2,tensor=2", "--zero=3", "--microbatches=2"]),
                           ("gpt2", ["--mesh=data=2", "--memory=18MB"]), ("resnet", ["--mesh=data=2"]), ("dlrm", ["--mesh=data=4"]),
                           ("mlp", ["--optimizer=forward"]), ("gpt2", ["--mesh=data=2", "--microbatches=4", "--schedule=gpipe"])):
        report, root, rows = draw(model, *options)
        check(report, root, rows)
        end = re.search(r"time of the simulated step, (\w+)", open(path("m.svg")).read())
        assert end and end[1] in ("s", "ms", "us"), (model, options)


def test_overlapping_streams_and_initial_weights():
    machine = slow_machine()
    for model, *options in ON_STREAMS.values():
        check(*draw(model, *options, machine))


def test_what_the_host_has_is_a_panel_of_its_own():
    for options in (["--offload=optimizer"], ["--mesh=data=2", "--offload=optimizer,activations"]):
        report, root, rows = draw("gpt2", *options)
        check(report, root, rows)
        assert [p.get("data-space") for p in of_class(root, "panel")] == ["device", "host"]


def test_limits_are_lines_where_they_are_near():
    report, root, _ = draw("gpt2", "--mesh=data=2", "--memory=18MB")
    assert len(of_class(root, "limit")) == 1 and report["memory"]["peak"] <= 18e6
    _, root, _ = draw("gpt2", "--mesh=data=2", "--memory=90MB")
    assert not of_class(root, "limit") and "above the picture" in "".join(root.itertext())


def test_stages_stand_side_by_side():
    text = os.path.join(HERE, "two-stages.mlir")
    call("zcc", text, "--compile-from=tasks", "-o", path("s.zexe"), "--report", path("s.json"), "--quiet", "--memory-plot", path("s.svg"))
    root = xml.parse(path("s.svg")).getroot()
    panels = of_class(root, "panel")
    with open(path("s.json")) as f:
        stages = json.load(f)["memory_by_stage"]
    assert [int(p.get("data-allocated")) for p in panels] == [s["peak"] for s in stages] and len(panels) == 2, [p.attrib for p in panels]


def test_names_of_all_kinds():
    with open(path("names.mlir"), "w") as f:
        f.write("""#l = loc("a<b>&'c\\22.py":10:0)
func.func @main(%w: tensor<64x64xf32> loc("params['w<1> & \\22q\\22']"), %x: tensor<8x64xf32> loc("batch['x']")) -> tensor<f32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32> loc(#l)
  %1 = stablehlo.tanh %0 : tensor<8x64xf32> loc(#l)
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32> loc(#l)
  return %2 : tensor<f32>
}
""")
    report, root, rows = draw(None, text=path("names.mlir"))
    check(report, root, rows)
    names = [r.get("data-name") for r in of_class(root, "resident")]
    assert any("w<1>" in n and "&" in n and '"' in n for n in names), names


def test_resumed_text_has_the_same_picture():
    draw("mlp", "--mesh=data=2")
    first = open(path("m.svg")).read()
    call("zcc", model_text("mlp"), "--mesh=data=2", "--compile-to=planned", "-o", path("planned.mlir"))
    call("zcc", path("planned.mlir"), "--compile-from=planned", "-o", path("x.zexe"), "--quiet", "--memory-plot", path("again.svg"))
    bare = lambda svg: re.sub(r"Memory of a step of \S+ on", "", svg)  # without the name of the text
    assert bare(open(path("again.svg")).read()) == bare(first) != first


run(globals())
