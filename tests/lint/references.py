"""Rules about citations of docs/spec in code, tests and pages. A rule takes a Tree and returns
complaints, each as "path:line: sentence".

The forms "docs/spec/rocev2.md 6.14", "docs/spec/rocev2.md 7.1 and 7.2", "docs/spec/nd2.md row 148",
"rows 20 to 36 of docs/spec/nd2.md" and "A1 to A18 of docs/spec/rocev2.md" are checked, and letters
alone: "rows R, D and A of ..."."""
import re

PAGES = {"rocev2": "docs/spec/rocev2.md", "nd2": "docs/spec/nd2.md"}
PAGE = r"(?:docs/|\.\./)*spec/(?P<page>\w+)\.md"
ROW_OR_LETTER, LETTERED, SECTION = r"(?:[A-Z]?\d+[a-z]?|[A-Z])\b(?!\.\d)", r"[A-Z]\d*\b", r"\d+(?:\.\d+)*(?!\w)"
JOIN = r"(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+to\s+)"


def some(item):
    return rf"{item}(?:{JOIN}{item})*"


# AFTER: a page, then sections or rows. BEFORE: rows, then the page.
AFTER = re.compile(rf"{PAGE}[`)\]]*(?:(?:\s+|,\s+(?=section))(?:sections?\s+)?(?P<sections>{some(SECTION)}))?"
                   rf"(?:{JOIN}?\s*rows?\s+(?P<rows>{some(ROW_OR_LETTER)}))?")
BEFORE = re.compile(rf"(?:\b[Rr]ows?\s+(?P<rows>{some(ROW_OR_LETTER)})|\b(?P<ids>{some(LETTERED)})(?:\s+rows)?)"
                    rf"(?:\s*\([^()]*\))?\s+of\s+\[?`?{PAGE}")
# The forms in which these pages were cited before they were part of the tree.
OLD = re.compile(r"\bwire\s+rules\b|\binterface\s+rules\b|\bthe\s+ND2\s+rules\b|\bchecklist\b"
                 r"|\brows?\s+[A-Z]?\d+[a-z]?\s+of\s+(?!\[?`?(?:docs/|\.\./)*spec/)", re.I)
# A section must have its document (NAMED) within REACH characters before it.
BARE = re.compile(r"\bsections?\s+\d", re.I)
NAMED = re.compile(r"\b(?:RFC|IBTA|IEEE|Annex)\b|spec/\w+\.md")
REACH = 60
# The public headers and those of the Windows layer, all of which are installed.
INSTALLED = re.compile(r"(?:include|compat/include)/.*\.h$")
NOT_INSTALLED = re.compile(r"\b(?:docs|tests|dataplane|provider|tools|compat/src)/[\w./-]*\w|\b\w+\.md\b")
LINE_BREAK = re.compile(r"\n[ \t]*(?:\*(?!/)|//|#)?[ \t]*")


def joined(text):
    """Returns the text with each line break and comment mark behind it replaced by one \\v, so that
    citations across lines match and lines can still be counted."""
    return LINE_BREAK.sub("\v", text)


def line_at(text, position):
    return text.count("\v", 0, position) + 1


def ids_and_sections(text):
    """Returns (ids of rows, numbers of sections) of a page of docs/spec."""
    return (set(re.findall(r"^\| ([A-Z]?\d+[a-z]?) \|.*\|.*\|.*\|$", text, re.M)),
            set(re.findall(r"^#+ (\d+(?:\.\d+)*)\.? ", text, re.M)))


def pages(tree):
    return {name: ids_and_sections(tree.read(path).decode()) for name, path in PAGES.items() if path in tree.files}


def missing(page, rows, sections):
    """Returns the cited rows and sections that the page does not have."""
    known_rows, known_sections = page
    bad = [f"row {row}" for row in re.split(JOIN, rows or "") if row and
           not (row in known_rows or (row.isalpha() and any(known.startswith(row) for known in known_rows)))]
    return bad + [f"section {number}" for number in re.split(JOIN, sections or "") if number and number not in known_sections]


def references(tree):
    """Yields (file, line, page, rows, sections) of each citation."""
    for name in tree.text_files():
        if name.startswith(("tests/lint/references", "tests/lint/test_references", "tests/vectors/")):
            continue
        text = joined(tree.read(name).decode("utf-8", errors="replace"))
        for found in AFTER.finditer(text):
            yield name, line_at(text, found.start()), found.group("page"), found.group("rows"), found.group("sections")
        for found in BEFORE.finditer(text):
            yield name, line_at(text, found.start()), found.group("page"), found.group("rows") or found.group("ids"), None


def references_lead_somewhere(tree):
    """Each cited section and row exists."""
    known, bad = pages(tree), []
    for name, number, page, rows, sections in references(tree):
        if page not in known:
            if page != "README":
                bad.append(f"{name}:{number}: there is no docs/spec/{page}.md")
            continue
        bad += [f"{name}:{number}: docs/spec/{page}.md has no {what}" for what in missing(known[page], rows, sections)]
    return bad


def references_name_the_page(tree):
    """Citations name a page, instead of "the wire rules" or "row 9 of 169"."""
    bad = []
    for name in tree.text_files():
        if name.startswith(("tests/lint/", "tests/vectors/")):
            continue
        text = joined(tree.read(name).decode("utf-8", errors="replace"))
        bad += [f"{name}:{line_at(text, found.start())}: {re.sub(chr(11), ' ', found.group())}: of which page of docs/spec?"
                for found in OLD.finditer(text)]
        if not name.startswith("docs/spec/"):
            bad += [f"{name}:{line_at(text, found.start())}: a section of which document?" for found in BARE.finditer(text)
                    if not NAMED.search(text, max(0, found.start() - REACH), found.start())]
    return bad


def installed_headers_cite_what_is_public(tree):
    """Installed headers cite only public documents (IBTA, RFCs, Microsoft's pages), because docs/
    and the sources are not installed."""
    return [f"{name}:{number}: {NOT_INSTALLED.search(line).group()} is not installed"
            for name in tree.files if INSTALLED.match(name)
            for number, line in enumerate(tree.lines(name), 1) if NOT_INSTALLED.search(line)]


RULES = [references_lead_somewhere, references_name_the_page, installed_headers_cite_what_is_public]
