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


ANNOTATED = """Ir
1,000 (100.0%)  PROGRAM TOTALS
  400 (40.00%)  /a/b/dataplane/core/qp/short_rx.c:rn_short_rx [/a/build/perf/bench_link]
   90 ( 9.00%)  /a/b/rooms/net/net/match.h:rn_short_rx [/a/build/perf/bench_link]
    7 ( 0.70%)  /a/b/provider/client/qp.c:rn_client_qp_post
    5 ( 0.50%)  b/../perf/link_end.c:link_post_request [/a/build/perf/bench_link]
    3 ( 0.30%)  ???:0x0000000000001234 [/usr/lib/x86_64-linux-gnu/librte_mempool.so.23.0]
    2 ( 0.20%)  ???:0x000000000000a600 [/a/build/perf/bench_link]
"""


def stages_divide_the_whole():
    found = stages.divide(ANNOTATED)
    wanted = {"receive: match, short way, responder": 490, "posting: client API and the way to the shard": 7,
              "the measuring program": 5, "port: bursts, packet buffers, DPDK": 3, "copy of the payload, guarded": 2}
    return [] if found == wanted else [str(found)]


def the_record_has_all_scenarios():
    rows = record.Record.read(os.path.join(os.path.dirname(TESTS), "perf", "instructions.txt")).rows
    return sorted({f"not in one of them: {name}" for name in set(rows) ^ set(instructions.SCENARIOS)})


tap.run([(f"a count of {c} against 1000", lambda c=c, f=f: judged(c, f)) for c, f in COUNTS] +
        [(f.__name__.replace("_", " "), f) for f in (
            a_new_scenario_fails, text_stays_the_same, bad_lines_are_refused, lower_counts_keep_reasons, a_rise_needs_a_reason,
            another_build_is_not_compared, a_build_without_lto_is_another_build, a_new_scenario_is_taken,
            scenarios_become_commands, other_scenarios_are_refused, stages_divide_the_whole, the_record_has_all_scenarios)])
