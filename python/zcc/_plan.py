# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans and reports: objects that print as the command line does, and show as tables and pictures in a notebook."""
import html
import json

from . import _timeline
from ._errors import refuse
from ._program import compile_program


class Text(str):
    """A text of the command line; in a notebook it keeps its columns."""

    def _repr_html_(self):
        # Notebooks set texts among HTML in a proportional font, and break long lines.
        return f'<pre style="font-family: monospace; white-space: pre; overflow-x: auto">{html.escape(self)}</pre>'

    def __repr__(self):
        return str(self)


class Picture(str):
    """A picture as SVG, or empty where there is nothing to see."""

    def _repr_svg_(self):
        return str(self) or None

    def _repr_html_(self):
        """Notebooks prefer this one, which is as wide as a cell at most."""
        return self.replace("<svg ", '<svg style="max-width: 100%; height: auto" ', 1) or None

    def __repr__(self):
        if not self:
            return "<no picture>"
        return f"<picture of {len(self)} bytes, SVG; .save(file) writes it>"

    def save(self, file):
        """Writes the picture to a file."""
        with open(file, "w", encoding="utf-8") as f:
            f.write(self)


class Trace(dict):
    """A trace in Chrome's format, which Perfetto and chrome://tracing open: a dictionary with "traceEvents".

    In a notebook it shows as its picture.
    """

    @property
    def picture(self):
        """The trace as a Picture: a row for each stream of a rank, a bar for each event."""
        return Picture(_timeline.draw(self.get("traceEvents", [])))

    def _repr_html_(self):
        return self.picture._repr_html_()

    def save(self, file):
        """Writes the trace to a file."""
        with open(file, "w", encoding="utf-8") as f:
            json.dump(self, f)

    def __repr__(self):
        return f"<trace of {len(self.get('traceEvents', []))} events; .save(file) writes it>"


class Planned:
    """The base of Plan and Step: the report, pictures, explanations and the page of a compilation."""

    _measured = ""  # the trace of a step that has run, as JSON

    def _take(self, text, name, options, program):
        self._text, self._name, self._compile_options, self._program = text, name, list(options), program
        self._explained = {}

    @property
    def report(self):
        """The report as a dictionary, as zcc --report writes it."""
        return self._program.report

    @property
    def table(self):
        """The report as a table for people."""
        return Text(self._program.table)

    @property
    def messages(self):
        """Warnings and notes of the compilation."""
        return Text(self._program.messages)

    @property
    def memory_plot(self):
        """Memory over the predicted step by category, as a Picture."""
        return Picture(self._program.documents.get("memory-plot", ""))

    @property
    def schedule_plot(self):
        """The predicted schedule of a pipeline's stages as a Picture; empty if there is one stage."""
        return Picture(self._program.documents.get("draw", ""))

    @property
    def predicted_trace(self):
        """The predicted step as a Trace."""
        return Trace(json.loads(self._program.documents["trace"]))

    def explain(self, name="plan"):
        """Returns why the values and collectives at `name`, a parameter or FILE.py:LINE, are as they are, or the "plan"."""
        if name not in self._explained:
            options = [o for o in self._compile_options if o != "plan-only"] + ["plan-only", f"explain={name}"]
            self._explained[name] = Text(compile_program(self._text, self._name, options, documents=()).explanation)
        return self._explained[name]

    def _document(self, name):
        """Returns a document that is made only when it is asked for."""
        options = [o for o in self._compile_options if o != "plan-only"] + ["plan-only", name]
        return compile_program(self._text, self._name, options, documents=()).documents[name]

    def page(self, file):
        """Writes one page that opens offline in any browser: report, memory, schedule, timeline, collectives, explanations.

        If a step was measured (Step.tracing), the timeline has its times beside the predicted ones.
        """
        if not str(file).endswith((".html", ".htm")):
            refuse(f"expected a file .html, found '{file}'")
        text = self._document("page")
        if self._measured:
            text = text.replace('id="measured"></script>', 'id="measured">' + self._measured.replace("<", "\\u003c") + "</script>", 1)
        with open(file, "w", encoding="utf-8") as f:
            f.write(text)


class Plan(Planned):
    """A step that is planned and not compiled. str() is the table that zcc prints."""

    def __init__(self, text, name, options, program):
        self._take(text, name, options, program)

    def __reduce__(self):
        refuse("a plan can be neither copied nor pickled: plan.report and plan.table can, and zcc.plan(..., plan_out=FILE) writes what "
               "zcc --plan follows")

    def __str__(self):
        return str(self._program.table)

    def __repr__(self):
        return str(self)

    def _repr_html_(self):
        return self.table._repr_html_() + (self.memory_plot._repr_html_() or "")
