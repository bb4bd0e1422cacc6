# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of zcc --page in a browser without a window: its scripts run without errors, tables sort and filter, and a click on a
value opens its explanation. Skipped where there is no Chromium."""
import html
import re
import shutil
from harness import *

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)

# Runs in the page once it is shown, and leaves what it found in an element of its own.
CHECK = """<script>
window.addEventListener("error", event => failures.push(event.message));
const failures = [], found = {};
function check(what, ok) { if (!ok) failures.push(what); }
const cells = (table, column) => [...document.querySelectorAll("#" + table + " tbody tr")].map(row => row.children[column].textContent);
const head = (table, label) => [...document.querySelectorAll("#" + table + " th")].findIndex(each => each.textContent === label);
const clickHead = (table, label) => document.querySelectorAll("#" + table + " th button")[head(table, label)].click();
const shown = () => !byId("panel").hidden && byId("panel").querySelector("h2").textContent + "\\n" + byId("told").textContent;
setTimeout(() => {
  try {
    found.title = byId("title").textContent;
    found.tiles = [...document.querySelectorAll(".tile")].map(each => each.textContent);
    found.sections = [...document.querySelectorAll("section:not([hidden]) h2")].map(each => each.textContent);
    // Tables.
    byId("alike").click();
    const all = cells("collectives-table", 0).length;
    check("every collective has a row", all === report.collectives.length);
    clickHead("collectives-table", "value");
    const values = cells("collectives-table", head("collectives-table", "value")), sorted = values.slice().sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    check("sorted by value", values.join() === sorted.join() && new Set(values).size > 1);
    clickHead("collectives-table", "value");
    check("sorted the other way", cells("collectives-table", head("collectives-table", "value")).join() !== values.join());
    const kind = report.collectives[0].kind;
    byId("filter").value = kind;
    byId("filter").dispatchEvent(new Event("input"));
    const kinds = cells("collectives-table", 0);
    check("filtered by kind", kinds.length > 0 && kinds.length < all && kinds.every(each => each === kind));
    // Values.
    const value = document.querySelector("#collectives-table .value");
    value.click();
    check("a collective's value is explained", shown() && shown().includes("collectives in the program"));
    byId("close").click();
    check("the panel closes", !shown());
    const rows = [...document.querySelectorAll("#memory-table .value")];
    check("values at the peak are listed", rows.length > 0);
    const told = rows.filter(row => { row.click(); return shown().includes("sharding: "); }).length;
    check("most values at the peak are explained: " + told + " of " + rows.length, told * 2 > rows.length);
    const resident = byId("memory-place").shadowRoot.querySelector(".resident text");
    byId("close").click();
    resident.dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true }));
    check("a value of the picture is explained", shown());
    document.querySelector("#explained-table .value").click();
    check("a listed value is explained", shown().includes("sharding: "));
    byId("plan").click();
    check("the plan is explained", shown().includes("simulated: "));
    // The timeline.
    const canvas = byId("lanes"), box = canvas.getBoundingClientRect();
    byId("close").click();
    let clicked = 0; // At every pixel, since a slow machine's measured step leaves the predicted one only a few.
    for (let x = Timeline.gutter; x < box.width - 20 && !shown(); x += 1)
      canvas.dispatchEvent(new MouseEvent("click", { clientX: box.left + x, clientY: box.top + 26 + 22 + 11, bubbles: true })), ++clicked;
    check("a span is explained", shown() && shown().includes("begins at "));
    canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + Timeline.gutter + clicked - 1, clientY: box.top + 59 }));
    found.tip = byId("tip").textContent;
    check("a span is told at the mouse", !byId("tip").hidden && found.tip.includes("takes "));
    for (const button of ["zoom-in", "zoom-in", "zoom-out", "zoom-all"]) byId(button).click();
    const pixels = new Set(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data).size;
    check("the timeline has colors", pixels > 10);
  } catch (error) {
    failures.push(String(error.stack));
  }
  found.failures = failures;
  document.body.append(element("pre", { id: "checked" }, JSON.stringify(found)));
}, 300);
</script>
</body>"""


def browse(file, *options):
    """(standard output, lines that the page wrote to the console)"""
    p = subprocess.run([BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--virtual-time-budget=5000",
                        f"--user-data-dir={path('browser')}", *options, "file://" + file], capture_output=True, text=True, errors="replace", timeout=300)
    return p.stdout, [line for line in p.stderr.splitlines() if "CONSOLE" in line]


def look(page):
    """Opens the page and a copy that clicks through itself; returns what that found."""
    with open(page) as f:
        text = f.read()
    _, console = browse(page, "--dump-dom")
    assert not console, console
    checked = path("checked.html")
    with open(checked, "w") as f:
        f.write(text.replace("</body>", CHECK))
    dom, console = browse(checked, "--dump-dom", "--window-size=1300,900")
    assert not console, console
    found = json.loads(html.unescape(re.search(r'<pre id="checked">(.*?)</pre>', dom, re.S)[1]))
    assert not found["failures"], found
    return found


def test_tables_sort_and_clicks_explain():
    call("zcc", model_text("gpt2"), "--mesh=data=2,pipe=2", "--microbatches=4", "-o", path("gpt.zexe"), "--quiet", "--page", path("gpt.html"))
    found = look(path("gpt.html"))
    assert found["sections"] == ["Report", "Memory", "Schedule", "Timeline, predicted", "Collectives", "Explanations"], found
    assert "loss.mlir on data=2, pipe=2 (4 devices" in found["title"] and any("bubble" in tile for tile in found["tiles"]), found


def test_a_measured_trace_stands_beside_the_predicted_one():
    call("zcc", model_text("mlp"), "--mesh=data=2", "-o", path("mlp.zexe"), "--quiet", "--page", path("mlp.html"))
    folder = os.path.join(DATA, "mlp")
    call("zrun", path("mlp.zexe"), "--params", os.path.join(folder, "params.safetensors"), "--batches", os.path.join(folder, "batches.safetensors"),
         "--steps", "2", "--trace", path("measured.json"))
    with open(path("mlp.html")) as f:
        text = f.read()
    with open(path("measured.json")) as f:
        trace = f.read()
    place = '<script type="application/json" id="measured">'
    assert text.count(place + "</script>") == 1
    with open(path("both.html"), "w") as f:
        f.write(text.replace(place, place + trace.replace("<", "\\u003c")))
    found = look(path("both.html"))
    assert "Timeline, predicted and measured" in found["sections"] and any("measured step" in tile for tile in found["tiles"]), found
    assert "Schedule" not in found["sections"], found


if not BROWSER:
    os.rmdir(WORK)
    print("skipped: there is no chromium")
    sys.exit(77)
run(globals())
