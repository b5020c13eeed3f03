#!/usr/bin/python3
"""The catalogues of po/ as tables of C: tools/catalogues.py OUTPUT po/zh.po po/ja.po

Entries are sorted by their English text, as strcmp() orders them. Those that are marked fuzzy or
have no translation are left out: then English is shown. Of ngettext's pairs both texts are entries.

With --pseudo before OUTPUT every translation is its English text in accented letters: what a
program with that table still says in plain letters is in no catalogue (tests/cli/test_lang.py).
"""

import re
import sys
from pathlib import Path

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def entries(text: str) -> dict[str, str]:
    """English to translation, both still escaped as in C."""
    found: dict[str, str] = {}
    for block in re.split(r"\n\s*\n", text):
        parts = {"msgid": "", "msgid_plural": "", "msgstr": "", "msgstr[0]": ""}
        where = None
        for line in block.splitlines():
            if line.startswith("#"):
                continue
            word = line.split(" ", 1)[0]
            if word in parts:
                where = word
            if where:
                parts[where] += "".join(STRING.findall(line))
        text = parts["msgstr"] or parts["msgstr[0]"]
        if parts["msgid"] and text and not re.search(r"^#,.*\bfuzzy\b", block, re.M):
            found[parts["msgid"]] = text
            if parts["msgid_plural"]:  # neither Chinese nor Japanese tells one from many
                found[parts["msgid_plural"]] = text
    return found


PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
ACCENTED = "ȧƀċḋėḟġħīĵķŀṁṅȯṗɋṙşŧŭṽẇẋẏżȦƁĊḊĖḞĠĦĪĴĶĿṀṄȮṖɊṘŞŦŬṼẆẊẎŻ"
KEPT = re.compile(r"%%|%[-+ #0-9.*$]*(?:<PRI\w+>|hh|ll|[hlzj])?[a-zA-Z]?|\\.")


def pseudo(text: str) -> str:
    """In accented letters, but for conversions and escapes."""
    table = str.maketrans(PLAIN, ACCENTED)
    out, at = "", 0
    for kept in KEPT.finditer(text):
        out += text[at : kept.start()].translate(table) + kept[0]
        at = kept.end()
    return out + text[at:].translate(table)


def literal(text: str) -> str:
    """gettext writes "%<PRId64>" for what <inttypes.h> defines."""
    return '"' + re.sub(r"<(PRI\w+)>", r'" \1 "', text) + '"'


def plain(text: str) -> bytes:
    text = re.sub(r"<PRI([a-z])(32|64)>", lambda m: ("l" if m[2] == "64" else "") + m[1], text)
    return text.encode().decode("unicode_escape").encode("latin-1")


def main() -> int:
    words = sys.argv[1:]
    accented = words[0] == "--pseudo"
    output, *catalogues = map(Path, words[accented:])
    lines = ["/* Made by tools/catalogues.py from the files of po/. */", "#include <inttypes.h>"]
    for path in catalogues:
        lines.append(f"static const struct lang_entry entries_{path.stem}[] = {{")
        table = entries(path.read_text())
        for english in sorted(table, key=plain):
            text = pseudo(english) if accented else table[english]
            lines.append(f"\t{{{literal(english)}, {literal(text)}}},")
        lines.append("};")
    output.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
