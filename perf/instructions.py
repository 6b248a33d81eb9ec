#!/usr/bin/env python3
"""Counts instructions with callgrind, prints them, and compares them with a record.

The counts are the same on a busy machine as on an idle one, so they decide about changes of the packet path. Those of the core
repeat exactly; the others run under virtual time (bench_link --virtual-time) and repeat within 0.2 %. A count of the core is the
difference between two runs, so that the cost of starting one is not part of it; bench_link warms up before it is counted. The
CRCs of ISA-L are part of the counts, in the version that ISA-L selects under valgrind.

scenarios:
  core:OP:SIZE:MTU    one message between two shards in memory (bench_core), both sides
  path:OP:SIZE:MTU    one message with application, client API, port (net_ring) and both shards (bench_link --solo)
  trip:send:SIZE:MTU  one round trip over the same path, one message outstanding
  post:OP:SIZE:BATCH  one request posted while the adapter gathers a batch, without the turn that sends it
  list:OP:SIZE:BATCH  the same with the whole batch posted in one call (bench_link --post-list)
  lists:OP:SIZE:MTU   as path, with requests and receives posted in lists of 16
  reap:OP:SIZE:BATCH  one completion taken, in calls that take a batch
  idle                one poll of an adapter that has nothing to do, and of the one at the other end of the ring
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import record
import stages

SCENARIOS = ["core:send:64:1024", "core:write:64:1024", "core:read:64:1024", "core:send:4096:4096", "core:write:1048576:4096",
             "path:send:64:1024", "path:write:64:1024", "path:read:64:1024", "trip:send:64:1024", "post:send:64:16",
             "list:send:64:16", "reap:send:64:16", "idle"]
# the columns of the table "Stage by stage" of docs/performance.md
COLUMNS = {"path:send:64:1024": "SEND 64", "path:write:64:1024": "WRITE 64", "path:read:64:1024": "READ 64",
           "trip:send:64:1024": "round trip, SEND 64"}
SOLO = "bench_link --solo --virtual-time --mbufs=1024"
# kind: function whose instructions are counted, command without the number of messages, option with that number, the
# numbers of messages of the runs (of batches for post, list and reap), and the title. o, s and m are the scenario's fields.
KINDS = {
    "core": ("rn_pair_run", "bench_core --op={o} --size={s} --mtu={m}", "--messages", (2000, 6000), "core {o} {s}"),
    "path": ("link_solo_messages", SOLO + " --signal=16 --window=128 --warm=1024 --op={o} --size={s} --mtu={m}", "--messages",
             (4096,), "whole path {o} {s}"),
    "lists": ("link_solo_messages", SOLO + " --signal=16 --window=128 --post-list=16 --warm=1024 --op={o} --size={s} --mtu={m}",
              "--messages", (4096,), "whole path, lists {o} {s}"),
    "trip": ("link_solo_messages", SOLO + " --rtt --warm=100 --op={o} --size={s} --mtu={m}", "--messages", (1000,),
             "round trip {o} {s}"),
    "post": ("link_post_batch", SOLO + " --op={o} --size={s} --batch={m}", "--posts", (200,), "post {o} {s}"),
    "list": ("link_post_batch", SOLO + " --op={o} --size={s} --batch={m} --post-list={m}", "--posts", (200,), "post list {o} {s}"),
    "reap": ("link_reap", SOLO + " --op={o} --size={s} --batch={m}", "--posts", (200,), "reap {o} {s}"),
    "idle": ("link_solo_idle", SOLO, "--idle", (2000,), "idle"),
}
LARGE = (20, 60)  # messages of 1 MiB
# Meson's options that change the counts, and `lto`, the project's own: b_lto is false when `lto` optimises at link time.
OPTIONS = ("lto", "b_lto", "b_pgo", "b_sanitize", "c_args", "optimization")
RUN_S = 200


class Scenario:
    def __init__(self, text):
        fields = text.split(":")
        if fields[0] not in KINDS or len(fields) != (1 if fields[0] == "idle" else 4):
            raise ValueError(f"no such scenario: {text}")
        names = dict(zip("osm", (fields[1:] + ["", "", ""])))
        self.text = text
        self.function, command, self.option, self.lengths, title = KINDS[fields[0]]
        self.command, self.title = command.format_map(names), title.format_map(names)
        if names["s"] == "1048576":
            self.lengths = LARGE
        # a length of post, list and reap is a number of batches
        self.each = int(names["m"]) if fields[0] in ("post", "list", "reap") else 1

    def run(self, place, length, out):
        """Instructions of one run."""
        # A program that was compiled without valgrind's header does not say from where to count, which takes longer.
        for early in ["--instr-atstart=no"], []:
            found = self.run_once(place, length, out, early)
            if found > 0:
                return found
        raise RuntimeError(f"{self.text}: callgrind has not seen {self.function}()")

    def run_once(self, place, length, out, early):
        words = self.command.split()
        done = subprocess.run(["valgrind", "--tool=callgrind", *early, f"--toggle-collect={self.function}",
                               f"--callgrind-out-file={out}", os.path.join(place, words[0]), *words[1:],
                               f"{self.option}={length}"], capture_output=True, text=True, timeout=RUN_S, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{self.text}: {done.stderr[-2000:]}")
        with open(out, encoding="utf-8") as f:
            sums = re.findall(r"^(?:summary|totals): (\d+)", f.read(), re.M)
        return int(sums[-1]) if sums else 0

    def out(self, folder):
        return os.path.join(folder, self.text.replace(":", "_"))

    def count(self, place, folder):
        """Instructions of one message, round trip, request or poll."""
        counts = [self.run(place, n, f"{self.out(folder)}.{n}") for n in self.lengths]
        if len(counts) == 1:
            counts, lengths = [0] + counts, (0,) + self.lengths
        else:
            lengths = self.lengths
        return round((counts[1] - counts[0]) / ((lengths[1] - lengths[0]) * self.each), 1)

    def stages(self, folder):
        """The stages of a message's way: name and instructions per message."""
        with open(f"{self.out(folder)}.{self.lengths[-1]}", encoding="utf-8") as f:
            return {name: cost / (self.lengths[-1] * self.each) for name, cost in stages.divide(f).items()}

    def functions(self, folder, number):
        """The functions that take most of the longer run, as (instructions per message, name)."""
        text = subprocess.run(["callgrind_annotate", f"{self.out(folder)}.{self.lengths[-1]}"], capture_output=True, text=True,
                              timeout=RUN_S, check=False).stdout
        rows = re.findall(r"^ *([\d,]+) \([^)]*\) +(\S.*)$", text, re.M)
        for cost, name in [r for r in rows if "PROGRAM TOTALS" not in r[1]][:number]:
            name = re.sub(r" \[.*", "", name)
            yield int(cost.replace(",", "")) / (self.lengths[-1] * self.each), re.sub(r"^[^ ]*:", "", name)


def built(place):
    """What the counts depend on besides the source: the compiler's name and major version, and OPTIONS."""
    comment = subprocess.run(["readelf", "-p", ".comment", os.path.join(place, "bench_core")], capture_output=True, text=True,
                             timeout=60, check=True).stdout
    named = re.search(r"(GCC|clang)[^\n]*?(\d+)\.\d+\.\d+ *$", comment, re.M)
    words = [f"{named.group(1).lower()} {named.group(2)}" if named else "unknown compiler"]
    with open(os.path.join(place, "..", "meson-info", "intro-buildoptions.json"), encoding="utf-8") as f:
        words += option_words({o["name"]: o["value"] for o in json.load(f)})
    return ", ".join(words)


def option_words(values):
    """One word for each of OPTIONS. `values` maps the names of a build's options to their values."""
    found = [(name, values.get(name, "")) for name in OPTIONS]
    return [f"{name}={' '.join(value) if isinstance(value, list) else str(value).lower()}" for name, value in found]


def why_not(place):
    """Why nothing can be counted here, or None."""
    if shutil.which("valgrind") is None:
        return "no valgrind"
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        if " avx2" not in f.read():
            return "no AVX2, so other versions of memcpy() and of the CRC run"
    missing = [p for p in ("bench_core", "bench_link") if not os.access(os.path.join(place, p), os.X_OK)]
    if missing:
        sys.exit(f"no {' and '.join(missing)} in {place}")
    return None


def options():
    p = argparse.ArgumentParser(prog="instructions.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("-b", metavar="DIR", default="build/perf", help="the programs [build/perf]")
    p.add_argument("-f", metavar="N", type=int, default=0, help="also list the N functions that take the most")
    p.add_argument("--stages", action="store_true", help="also divide each count by the stages of a message's way; ends with the "
                   "table of docs/performance.md")
    p.add_argument("--check", metavar="RECORD", help="fail if a count is more than 2 %% above the record")
    p.add_argument("--write", metavar="RECORD", help="write the counts into the record, and keep its reasons")
    p.add_argument("--reason", metavar="TEXT", help="with --write: why the counts that changed did so")
    p.add_argument("scenario", nargs="*", help="which to count [all of the record, or the usual ones]")
    return p.parse_args()


def main():
    o = options()
    why = why_not(o.b)
    rec = record.Record.read(o.check or o.write) if (o.check or o.write) and os.path.exists(o.check or o.write) else None
    if o.check and rec is None:
        sys.exit(f"no {o.check}")
    build = built(o.b) if why is None else ""
    if why is None and o.check and build != rec.built:
        why = f"the record is of another build: {rec.built}; this one is {build}"
    if why is not None:
        print(f"1..0 # SKIP {why}")
        sys.exit(77)
    try:
        scenarios = [Scenario(s) for s in o.scenario or (list(rec.rows) if o.check else SCENARIOS)]
    except ValueError as wrong:
        sys.exit(str(wrong))
    counts, divided = {}, {}
    print(f"{'one message':<24} {'instructions':>14}")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        for s, found in [(s, pool.submit(s.count, o.b, folder)) for s in scenarios]:
            counts[s.text] = found.result()
            print(f"{s.title:<24} {counts[s.text]:>14}", flush=True)
            for cost, name in s.functions(folder, o.f) if o.f else ():
                print(f"{cost:30.1f}  {name}")
            divided[s.text] = s.stages(folder) if o.stages else {}
            for name, cost in sorted(divided[s.text].items(), key=lambda x: -x[1]):
                print(f"{cost:30.1f}  {name}")
    if all(divided.get(name) for name in COLUMNS):
        print("\n" + "\n".join(stages.table([(title, divided[name]) for name, title in COLUMNS.items()])))
    if o.check:
        complaints = rec.compare(counts)
        print("\n".join(complaints))
        sys.exit(any(c.startswith("FAIL") for c in complaints))
    if o.write:
        rec = rec or record.Record()
        refused = rec.update(counts, build, o.reason)
        if refused:
            sys.exit("\n".join(refused))
        rec.write(o.write)


if __name__ == "__main__":
    main()
