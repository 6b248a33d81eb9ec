#!/usr/bin/env python3
"""Tests of perf/instructions.py and perf/record.py: which counts fail, what --write keeps, which scenarios there are. Prints TAP."""
import os
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(os.path.dirname(TESTS), "perf")]
import instructions  # noqa: E402
import record  # noqa: E402
import stages  # noqa: E402
import tap  # noqa: E402

TEXT = """# a comment

built: gcc 12, optimization=3
core:send:64:1024   1000.0  the match became shorter
idle                 200.0  first record
"""
# count of core:send:64:1024 and the first word of what the check says, or None
COUNTS = [(1000.0, None), (1019.9, None), (1020.1, "FAIL"), (5000.0, "FAIL"), (990.0, None), (981.0, None), (979.0, "lower")]


def judged(count, first):
    found = record.Record.parse(TEXT).compare({"core:send:64:1024": count})
    return [] if [c.split()[0] for c in found] == ([first] if first else []) else [f"{count}: {found}"]


def a_new_scenario_fails():
    found = record.Record.parse(TEXT).compare({"core:read:64:1024": 1.0})
    return [] if len(found) == 1 and found[0].startswith("FAIL") else [f"found {found}"]


def text_stays_the_same():
    rec = record.Record.parse(TEXT)
    again = record.Record.parse(rec.text())
    return [] if (again.rows, again.built) == (rec.rows, rec.built) and len(rec.rows) == 2 else [rec.text()]


def bad_lines_are_refused():
    bad = []
    for line in "idle", "idle 20", "idle many first record", "idle 200.0  first record\nidle 200.0  first record":
        try:
            record.Record.parse(line)
            bad.append(f"accepted: {line!r}")
        except ValueError:
            pass
    return bad


def updated(counts, reason, built="gcc 12, optimization=3"):
    rec = record.Record.parse(TEXT)
    return rec.update(counts, built, reason), rec.rows


def lower_counts_keep_reasons():
    refused, rows = updated({"core:send:64:1024": 900.0}, None)
    wanted = {"core:send:64:1024": (900.0, "the match became shorter"), "idle": (200.0, "first record")}
    return [] if not refused and rows == wanted else [f"{refused} {rows}"]


def a_rise_needs_a_reason():
    refused, rows = updated({"core:send:64:1024": 1100.0, "idle": 190.0}, None)
    bad = [] if len(refused) == 1 and rows == record.Record.parse(TEXT).rows else [f"without: {refused} {rows}"]
    refused, rows = updated({"core:send:64:1024": 1100.0, "idle": 200.1}, "a check  more")
    wanted = {"core:send:64:1024": (1100.0, "a check more"), "idle": (200.1, "first record")}
    return bad + ([] if not refused and rows == wanted else [f"with: {refused} {rows}"])


def another_build_is_not_compared():
    refused, rows = updated({"core:send:64:1024": 1100.0}, None, "gcc 13")
    return [] if not refused and rows["core:send:64:1024"][0] == 1100.0 else [f"{refused} {rows}"]


def a_build_without_lto_is_another_build():
    values = {"b_lto": False, "b_pgo": "off", "b_sanitize": "none", "c_args": ["-g", "-O3"], "optimization": "3", "lto": True}
    words = instructions.option_words(values)
    bad = [] if words[0] == "lto=true" and "c_args=-g -O3" in words else [str(words)]
    return bad + [f"{name}: the same build" for name in instructions.OPTIONS
                  if instructions.option_words({**values, name: "other"}) == words]


def a_new_scenario_is_taken():
    refused, rows = updated({"core:read:64:1024": 7.0}, None)
    return [] if not refused and rows["core:read:64:1024"] == (7.0, record.FIRST) else [f"{refused} {rows}"]


def scenarios_become_commands():
    post = instructions.Scenario("post:send:64:16")
    wanted = "bench_link --solo --virtual-time --mbufs=1024 --op=send --size=64 --batch=16"
    bad = [] if (post.command, post.each, post.title) == (wanted, 16, "post send 64") else [vars(post)]
    bad += [] if instructions.Scenario("core:write:1048576:4096").lengths == instructions.LARGE else ["1 MiB"]
    return bad + ([] if instructions.Scenario("idle").command == instructions.SOLO else ["idle"])


def other_scenarios_are_refused():
    bad = []
    for text in "", "core", "core:send:64", "idle:1", "fast:send:64:1024", "core:send:64:1024:2":
        try:
            instructions.Scenario(text)
            bad.append(f"accepted: {text!r}")
        except ValueError:
            pass
    return bad


# What callgrind writes of a build with link-time optimisation: receive() of rxtx.c with short_rx.c, a header and an intrinsic
# inlined. The line after calls= is the cost of the called function, which has a block of its own.
CALLGRIND = """# callgrind format
version: 1
positions: line
events: Ir
summary: 1000

ob=(1) /a/build/perf/bench_link
fl=(1) /b/build/../dataplane/port/rxtx.c
fn=(1) receive.lto_priv.0
10 20
+3 5
fi=(2) build/../dataplane/core/qp/short_rx.c
31 300
* 1
fi=(3) build/rooms/net/net/match.h
7 80
fi=(4) /usr/lib/gcc/x86_64-linux-gnu/12/include/emmintrin.h
100 10
fe=(1)
+1 4
cob=(2) /usr/lib/x86_64-linux-gnu/librte_mempool.so.23.0
cfi=(5) ???
cfn=(2) 0x0000000000001234
calls=3 0
14 500
15 6

fl=(6) build/rooms/queue/queue/cq.h
fn=(3) rn_shard_tx
1 40
fi=(2)
2 9

ob=(2)
fl=(5)
fn=(2)
0 500

ob=(1)
fl=(5)
fn=(4) 0x000000000000a600
0 15
fn=(5) rn_without_debug
0 8
fl=(7) b/../perf/link_end.c
fn=(6) link_post_request
5 2
"""
DIVIDED = {stages.RECEIVE: 300 + 1 + 80 + 10 + 9, stages.PORT: 20 + 5 + 4 + 6 + 500, stages.COMPLETIONS: 40, stages.MEMORY: 15,
           stages.OTHER: 8, stages.PROGRAM: 2}


def stages_divide_the_whole():
    found = stages.divide(CALLGRIND.split("\n"))
    return [] if found == DIVIDED and sum(found.values()) == 1000 else [str(found)]


def inlined_code_counts_for_its_own_file():
    found = [(p.cost, os.path.basename(p.file)) for p in stages.parts(CALLGRIND.split("\n")) if p.function.startswith("receive")]
    wanted = [(25, "rxtx.c"), (301, "short_rx.c"), (80, "match.h"), (10, "emmintrin.h"), (10, "rxtx.c")]
    return [] if found == wanted else [str(found)]


def one_function_counts_for_several_stages():
    bad = []
    for text, wanted in (("build/../dataplane/core/qp/qp_dispatch.c:link_submit", stages.POSTING),
                         ("build/../dataplane/core/qp/qp_dispatch.c:rn_shard_tx.part.0", stages.TRANSMIT),
                         ("build/../dataplane/core/qp/short_read.c:receive", stages.RECEIVE),
                         ("build/../dataplane/core/qp/short_read.c:rn_shard_tx", stages.TRANSMIT),
                         ("build/rooms/client/client/sgl.h:rn_client_qp_post", stages.POSTING),
                         ("build/rooms/port/port/wake.h:turn", stages.TURN)):
        file, function = text.split(":")
        found = stages.divide(["ob=(1) x", f"fl=(1) {file}", f"fn=(1) {function}", "1 7"])
        bad += [] if found == {wanted: 7} else [f"{text}: {found}"]
    return bad


def the_page_has_the_columns_and_stages():
    with open(os.path.join(os.path.dirname(TESTS), "docs", "performance.md"), encoding="utf-8") as f:
        rows = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in f if line.startswith("|")]
    lines = stages.table([(title, {stages.CRC: 1234.4}) for title in instructions.COLUMNS.values()])
    bad = [] if lines[2:] == ["| ICRC | 1,234 | 1,234 | 1,234 | 1,234 |", "| **whole path** |" + " **1,234** |" * 4] else lines
    heads = [cell.strip() for cell in lines[0].strip("| ").split("|")]
    if heads not in rows:
        return bad + [f"no table with the columns {heads}"]
    names = [row[0] for row in rows[rows.index(heads) + 2:]][:len(stages.ORDER)]
    return bad + [f"not a stage: {n}" for n in names[:names.index("**whole path**")] if n not in stages.ORDER]


def the_record_has_all_scenarios():
    rows = record.Record.read(os.path.join(os.path.dirname(TESTS), "perf", "instructions.txt")).rows
    return sorted({f"not in one of them: {name}" for name in set(rows) ^ set(instructions.SCENARIOS)})


tap.run([(f"a count of {c} against 1000", lambda c=c, f=f: judged(c, f)) for c, f in COUNTS] +
        [(f.__name__.replace("_", " "), f) for f in (
            a_new_scenario_fails, text_stays_the_same, bad_lines_are_refused, lower_counts_keep_reasons, a_rise_needs_a_reason,
            another_build_is_not_compared, a_build_without_lto_is_another_build, a_new_scenario_is_taken,
            scenarios_become_commands, other_scenarios_are_refused, stages_divide_the_whole, inlined_code_counts_for_its_own_file,
            one_function_counts_for_several_stages, the_page_has_the_columns_and_stages, the_record_has_all_scenarios)])
