# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A trace as a picture: a row for each stream of a rank, a bar for each event. The page of a plan has one to zoom into."""
import html
import re

# The kinds and colors of the page (compiler/emission/page.html), to which test/python/test_plan.py holds them. The first that matches is an
# event's.
KINDS = [("communication", r".*(all[_-]gather|all[_-]reduce|reduce[_-]scatter|all[_-]to[_-]all|permute|broadcast )", "#c2607d"),
         ("forward", r"forward", "#7eaae2"), ("backward", r"backward", "#e8a352"), ("gradients of weights", r"weight", "#80bd7e"),
         ("update", r"epilogue|update", "#b59ad6"), ("transfer", r"send|receive|load|store", "#4fb3a5"), ("waiting", r"wait", "#c9c9c9"),
         ("other", r"", "#a8b3bd")]
MOST_ROWS = 40
LABELS, WIDTH, ROW, TOP = 170, 800, 18, 44  # pixels


def kind_of(name):
    return next(i for i, (_, pattern, _) in enumerate(KINDS) if re.match(pattern, name))


def time_text(microseconds):
    for size, unit in ((1e6, "s"), (1e3, "ms")):
        if microseconds >= size:
            return f"{microseconds / size:.4g} {unit}"
    return f"{microseconds:.4g} us"


class Bar:
    """One event, or several that are too short to be seen: then it is named by the longest of them."""

    def __init__(self, event):
        self.begin, self.end = event["ts"], event["ts"] + event["dur"]
        self.longest, self.count = event, 1

    def add(self, event):
        self.end = max(self.end, event["ts"] + event["dur"])
        self.count += 1
        self.longest = max(self.longest, event, key=lambda each: each["dur"])

    def text(self, start):
        text = f"{self.longest['name']}, {time_text(self.longest['dur'])} from {time_text(self.longest['ts'] - start)}"
        return text if self.count == 1 else f"{text}, and {self.count - 1} more"


def bars(events, scale):
    """Returns the bars of a stream's events; scale has pixels a microsecond. Events that end within a pixel of a bar's begin are of that bar."""
    found = []
    for event in sorted(events, key=lambda event: event["ts"]):
        if found and (event["ts"] + event["dur"] - found[-1].begin) * scale < 1:
            found[-1].add(event)
        else:
            found.append(Bar(event))
    return found


def draw(events):
    """Returns the picture of a trace's events (Chrome's format) as SVG, or an empty text where none takes time."""
    names = {(e["pid"], e["tid"] if e["name"] == "thread_name" else None): e["args"]["name"] for e in events if e["ph"] == "M"}
    rows = {}
    for event in events:
        if event["ph"] == "X":
            rows.setdefault((event["pid"], event["tid"]), []).append(event)
    if not rows:
        return ""
    begin = min(event["ts"] for own in rows.values() for event in own)
    length = max(event["ts"] + event["dur"] for own in rows.values() for event in own) - begin
    if length <= 0:
        return ""
    scale = WIDTH / length
    shown = sorted(rows)[:MOST_ROWS]
    height = TOP + ROW * len(shown) + 30
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LABELS + WIDTH + 30}" height="{height}" '
           f'viewBox="0 0 {LABELS + WIDTH + 30} {height}" font-family="sans-serif" font-size="11">',
           f'<rect width="100%" height="100%" fill="#ffffff"/>']
    seen = {kind_of(event["name"]) for key in shown for event in rows[key]}
    x = 8
    for i in sorted(seen):
        name, _, color = KINDS[i]
        out.append(f'<rect x="{x}" y="10" width="11" height="11" fill="{color}"/><text x="{x + 15}" y="20">{name}</text>')
        x += 30 + 6.5 * len(name)
    for i, key in enumerate(shown):
        y = TOP + ROW * i
        label = html.escape(", ".join(names.get(each, default) for each, default in (((key[0], None), f"rank {key[0]}"), (key, f"stream {key[1]}"))))
        out.append(f'<text x="{LABELS - 8}" y="{y + 13}" text-anchor="end">{label}</text>')
        out.append(f'<rect x="{LABELS}" y="{y + 1}" width="{WIDTH}" height="{ROW - 2}" fill="#f4f4f4"/>')
        for bar in bars(rows[key], scale):
            x, width = LABELS + (bar.begin - begin) * scale, max((bar.end - bar.begin) * scale, 0.3)
            out.append(f'<rect x="{x:.2f}" y="{y + 1}" width="{width:.2f}" height="{ROW - 2}" fill="{KINDS[kind_of(bar.longest["name"])][2]}">'
                       f"<title>{html.escape(bar.text(begin))}</title></rect>")
    bottom = TOP + ROW * len(shown)
    for i in range(5):
        x = LABELS + WIDTH * i / 4
        anchor = "start" if i == 0 else "middle"
        out.append(f'<line x1="{x}" y1="{TOP}" x2="{x}" y2="{bottom}" stroke="#00000030"/>'
                   f'<text x="{x}" y="{bottom + 14}" text-anchor="{anchor}">{time_text(length * i / 4)}</text>')
    if len(rows) > len(shown):
        out.append(f'<text x="8" y="{bottom + 26}">{len(rows) - len(shown)} more streams are not shown; .save(file) writes all</text>')
    return "\n".join(out + ["</svg>"])
