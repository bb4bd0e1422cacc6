# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a page of zcc --page: it is well-formed, loads nothing, and its figures are those of the report, of the trace and of
--explain. Usage: page.py PAGE REPORT TRACE EXPLAINED|none [stages]"""
import html.parser
import json
import re
import sys

page_file, report_file, trace_file, explained_file, *more = sys.argv[1:]
with open(page_file, encoding="utf-8") as f:
    text = f.read()
with open(report_file) as f:
    report = json.load(f)
with open(trace_file) as f:
    events = [e for e in json.load(f)["traceEvents"] if e["ph"] == "X"]
assert len(text) < 5e6


class Page(html.parser.HTMLParser):
    """Every element is closed, in order; attributes that load are listed, and the texts of JSON by their ids."""
    void = {"meta", "input", "link", "br", "img"}

    def __init__(self):
        super().__init__()
        self.open, self.loads, self.data, self.tags = [], [], {}, {}

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.loads += [value for key, value in attributes.items() if key in ("src", "href", "xlink:href") and not value.startswith("#")]
        if tag == "script" and attributes.get("type") == "application/json":
            self.data[attributes["id"]] = ""
        if tag not in self.void:
            self.open.append((tag, attributes.get("id")))

    def handle_startendtag(self, tag, attributes):
        self.tags[tag] = self.tags.get(tag, 0) + 1

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "script" and self.open[-1][1] in self.data:
            self.data[self.open[-1][1]] += data


page = Page()
page.feed(text)
page.close()
assert not page.open and not page.loads, (page.open, page.loads)
assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|import\(", text)
assert page.tags["svg"] == (2 if "stages" in more else 1) and page.tags["canvas"] == 1, page.tags
assert page.data.pop("measured") == "" and '<script type="application/json" id="measured"></script>' in text
data = {name: json.loads(own) for name, own in page.data.items()}
assert set(data) == {"report", "page", "explained", "memory", "timeline"}, set(data)

# One computation: all that the report has, unchanged.
assert data["report"] == report
assert not any(data["page"]["left_out"].values()), data["page"]["left_out"]
for stage, memory in zip(data["memory"], report["memory_by_stage"]):
    assert stage["planned"] == memory["peak"] and stage["live"] == memory["lower_bound"]
    assert sum(value["bytes"] for value in stage["values"]) == stage["live"], stage

# The spans are those of the trace.
timeline = data["timeline"]
assert sum(len(lane["begin"]) for lane in timeline["lanes"]) == len(events) and not timeline["shortest"]
spans = []
for lane in timeline["lanes"]:
    at = 0
    for gap, length, name in zip(lane["begin"], lane["length"], lane["name"]):
        begin = at + gap
        at = begin + length
        spans.append((lane["rank"], lane["stream"], begin, length, timeline["names"][name]))
wanted = [(e["pid"], e["tid"], e["ts"] * 1e3, e["dur"] * 1e3, e["name"]) for e in events]
for mine, other in zip(sorted(spans), sorted(wanted)):
    assert mine[:2] == other[:2] and mine[4] == other[4], (mine, other)
    assert abs(mine[2] - other[2]) < 1 and abs(mine[3] - other[3]) < 1, (mine, other)

# Explanations, as --explain plan and --explain of a parameter tell them.
if explained_file == "none":
    assert data["explained"] is None
else:
    with open(explained_file) as f:
        told = f.read()
    explained = data["explained"]
    assert told.startswith("plan: ") and explained["plan"] in told
    name = told[len(explained["plan"]):].split(":")[0]
    assert explained["texts"][explained["names"][name]] == told[len(explained["plan"]):], name
    values = {one["value"] for one in report["collectives"]}
    assert values <= set(explained["names"]), values - set(explained["names"])
