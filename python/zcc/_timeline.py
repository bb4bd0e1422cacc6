# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A trace as a picture: a row for each stream of a rank, a bar for each event. The page of a plan has one to zoom into."""
import html
import re

# The kinds and colors of the page (compiler/emission/page.html); the first that matches is an event's.
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


def bars(events, begin, scale):
    """Returns (x, width, kind, text) of each bar, in pixels. Events that are too short to be seen are one bar, of the longest one's kind."""
    found = []
    for event in sorted(events, key=lambda event: event["ts"]):
        x, end = (event["ts"] - begin) * scale, (event["ts"] - begin + event["dur"]) * scale
        if found and end - found[-1][0] < 1:
            last = found[-1]
            last[1], last[3] = max(last[1], end), last[3] + 1
            if event["dur"] > last[2]["dur"]:
                last[2] = event
        else:
            found.append([x, end, event, 1])
    return [(x, max(end - x, 0.3), kind_of(longest["name"]), f"{longest['name']}, {time_text(longest['dur'])} from {time_text(longest['ts'] - begin)}" +
             (f", and {count - 1} more" if count > 1 else "")) for x, end, longest, count in found]


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
        for x, width, kind, text in bars(rows[key], begin, WIDTH / length):
            out.append(f'<rect x="{LABELS + x:.2f}" y="{y + 1}" width="{width:.2f}" height="{ROW - 2}" fill="{KINDS[kind][2]}">'
                       f"<title>{html.escape(text)}</title></rect>")
    bottom = TOP + ROW * len(shown)
    for i in range(5):
        x = LABELS + WIDTH * i / 4
        anchor = "start" if i == 0 else "middle"
        out.append(f'<line x1="{x}" y1="{TOP}" x2="{x}" y2="{bottom}" stroke="#00000030"/>'
                   f'<text x="{x}" y="{bottom + 14}" text-anchor="{anchor}">{time_text(length * i / 4)}</text>')
    if len(rows) > len(shown):
        out.append(f'<text x="8" y="{bottom + 26}">{len(rows) - len(shown)} more streams are not shown; .save(file) writes all</text>')
    return "\n".join(out + ["</svg>"])
