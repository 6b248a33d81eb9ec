#!/usr/bin/env python3
"""Compares docs/verbs-to-nd2.md with the headers: every name in the page exists, the page names
every method of ndspi.h and every function of ndsupport.h, ndtypes.h and rn/client.h, and its
examples compile. Names and examples of verbs and rdma_cm are checked only where their headers are
installed.

usage: verbs.py ROOT CC..."""
import pathlib
import re
import subprocess
import sys

from methods import COMMENT, declared

PAGE = "docs/verbs-to-nd2.md"
SPAN = re.compile(r"`([^`\n]+)`")
EXAMPLE = re.compile(r"^<!-- compiled: ([\w.]+) -->\n```c\n(.*?)^```$", re.M | re.S)
PLAIN = "IBV_EVENT_ IBV_WR_ IBV_SEND_ IBV_WC_ IBV_ACCESS_ IBV_SRQ_ RDMA_PS_".split() # written without backticks
UNNAMED = {"QueryInterface", "AddRef", "Release"}
# Names of this form must be in the headers of this project (OURS), or in the given header (THEIRS).
OURS = re.compile(r"\b(?:Nds?[A-Z]\w+|NDS?_[A-Z]\w+|ND2_[A-Z]\w+|[rR][nN]_\w+|RN_\w+)\b")
THEIRS = {"infiniband/verbs.h": re.compile(r"\b(?:ibv_\w+|IBV_\w+)\b"),
          "rdma/rdma_verbs.h": re.compile(r"\b(?:rdma_\w+|RDMA_\w+)\b")}


def words(text):
    return set(re.findall(r"\w+", COMMENT.sub("", text)))


def public_text(root):
    return "\n".join(p.read_text() for p in sorted((root / "include").glob("*.h")) + sorted((root / "include/rn").glob("*.h")))


def expand(text):
    """Returns the names that X-macro rows of rn/abi.h generate."""
    made = set()
    for rows, prefix in (("RN_WQE_ROWS", "RN_WQE_"), ("RN_EVENT_ROWS", "RN_EVENT_"), ("RN_STATUS_ROWS", "RN_STATUS_")):
        body = re.search(rf"#define {rows}\(X\).*?\n((?:.*\\\n)*.*)", text).group(1)
        made |= {prefix + name for name in re.findall(r"X\((\w+),", body)}
    return made


def functions(root):
    """Returns the functions that clients can call, methods excluded."""
    found = set()
    for header, name in (("rn/client.h", r"rn_client_\w+"), ("ndsupport.h", r"Nd[A-Z]\w+"), ("ndtypes.h", r"Nds[A-Z]\w+")):
        text = COMMENT.sub("", (root / "include" / header).read_text())
        found |= set(re.findall(rf"^(?!\s|#|static).*?\b({name})\(", text, re.M))
    return found


def methods(root):
    interfaces = declared(root)
    text = COMMENT.sub("", (root / "include" / "ndtypes.h").read_text())
    factory = re.search(r"typedef struct IClassFactoryVtbl \{(.*?)\n\}", text, re.S).group(1)
    interfaces["IClassFactory"] = re.findall(r"\(\*(\w+)\)", factory)
    return {f"{i}::{m}" for i, names in interfaces.items() for m in names if m not in UNNAMED}


def complaints(root, page, theirs):
    """Returns complaints about the page. theirs: header -> words in it, None if the header is not
    installed."""
    bad = []
    text = public_text(root)
    ours = words(text) | expand(text)
    known = methods(root) | {"IND2Overlapped::CancelOverlappedRequests", "IND2Overlapped::GetOverlappedResult"}
    spans = SPAN.findall(EXAMPLE.sub("", page))
    prose = " ".join(spans)
    bad += [f"{name} is no method of the headers" for name in sorted(set(re.findall(r"\bI\w+::\w+", prose)) - known)]
    bad += [f"{name} is in none of our headers" for name in sorted(set(OURS.findall(prose)) - ours)]
    for header, form in THEIRS.items():
        named = form.findall(prose) + [w for w in re.findall(r"\b\w+", page) if any(w.startswith(c) for c in PLAIN)]
        named = {n for n in named if form.fullmatch(n)}
        if theirs[header] is not None:
            bad += [f"{name} is not in {header}" for name in sorted(named - theirs[header])]
    bad += [f"{name} of our headers is not named: say what it is for, or that verbs have none" for name in
            sorted((known | functions(root)) - set(re.findall(r"[\w:]+", prose)))]
    return bad


def examples(root, page, cc, includes):
    found = EXAMPLE.findall(page)
    if len(found) != page.count("```c\n") or not any(header == "ndsupport.h" for header, _ in found):
        return ["an example without a mark, or none"]
    bad = []
    for header, code in found:
        if header == "rdma_cma.h" and includes["rdma/rdma_verbs.h"] is None:
            continue
        run = subprocess.run([*cc, "-fsyntax-only", "-Wall", "-Werror", "-xc", f"-I{root / 'include'}", "-"], input=code,
                             capture_output=True, text=True, check=False)
        bad += [f"the example with {header}: {run.stderr}"] if run.returncode else []
    return bad


def installed(header, cc):
    """Returns all words that including a header declares, None if the header is not installed."""
    run = subprocess.run([*cc, "-E", "-dD", "-xc", "-"], input=f"#include <{header}>\n", capture_output=True, text=True, check=False)
    return words(run.stdout) if run.returncode == 0 else None


def main(root, cc):
    root = pathlib.Path(root)
    page = (root / PAGE).read_text()
    theirs = {header: installed(header, cc) for header in THEIRS}
    bad = complaints(root, page, theirs) + examples(root, page, cc, theirs)
    for sentence in bad:
        print(f"{PAGE}: {sentence}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
