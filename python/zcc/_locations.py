# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Locations of a text of MLIR, as JAX prints them: `#loc3 = loc(callsite(#loc1 at #loc2))`."""
import os
import re

_ALIAS = re.compile(r"^(#loc\d*) = (loc\(.*\))$", re.M)
_REFERENCE = re.compile(r"#loc\d*\b")
_CALL = re.compile(r"loc\(callsite\((#loc\d*) at (#loc\d*)\)\)")
_FILE = re.compile(r'loc\("((?:[^"\\]|\\.)*)":\d+:\d+')
_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def without_callers(text, folder=_HERE):
    """Returns the text without the frames of `folder` and those that called them: a stack ends with the traced function.

    So the text of a function does not depend on the place of the call that compiles it, and its aliases are numbered anew.
    """
    aliases = dict(_ALIAS.findall(text))

    def innermost(alias):
        """Returns the file of a location's innermost frame, "" if it has none."""
        definition = aliases.get(alias, "")
        if call := _CALL.fullmatch(definition):
            return innermost(call[1])
        if file := _FILE.match(definition):
            return file[1]
        inner = _REFERENCE.search(definition)  # a name around a location
        return innermost(inner[0]) if inner else ""

    changed = {}

    def cut(alias):
        if alias not in changed:
            changed[alias] = alias  # ends a circle
            if call := _CALL.fullmatch(aliases.get(alias, "")):
                if innermost(call[2]).startswith(folder):
                    changed[alias] = cut(call[1])
        return changed[alias]

    numbers, definitions = {}, []

    def number(alias):
        """Returns the new name of an alias, and writes its definition after those that it reads."""
        alias = cut(alias)
        if alias not in aliases:
            return alias
        if alias not in numbers:
            definition = _REFERENCE.sub(lambda m: number(m[0]), aliases[alias])
            numbers[alias] = f"#loc{len(numbers) or ''}"
            definitions.append(f"{numbers[alias]} = {definition}")
        return numbers[alias]

    body = _ALIAS.sub("", text)
    body = _REFERENCE.sub(lambda m: number(m[0]), body)
    return "\n".join(definitions) + "\n" + body.strip("\n") + "\n"
