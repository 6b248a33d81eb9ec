"""Which stage of a message's way does a function belong to? Divides the instructions that callgrind counted."""
import re

# stage, pattern of the function's source file or library; the first that matches counts
STAGES = [
    ("copy of the payload, guarded", r"dataplane/port/mem\.|dataplane/core/memory/|memmove|memcpy"),
    ("ICRC", r"dataplane/wire/(icrc|fold|crc|fuse)|libisal"),
    ("posting: client API and the way to the shard", r"provider/client/|dataplane/port/submit|dataplane/nic/inproc|core/queue/(sq|rq|srq)"),
    ("completions: writing and reaping", r"dataplane/core/queue/cq|dataplane/core/qp/(qp|lane)\.c"),
    ("receive: match, short way, responder", r"dataplane/core/qp/(short_rx|responder)|dataplane/core/net/match|dataplane/wire/"),
    ("transmit: headers, short way, requester", r"dataplane/core/(qp|net|flow)/"),
    ("port: bursts, packet buffers, DPDK", r"dataplane/port/(rxtx|steer|port)|/rte_|librte|drivers/"),
    ("turn: shard, timers, commands, progress", r"dataplane/"),
    ("the measuring program", r"(^|/)perf/"),
    ("C library: locks, copies, signals", r"libc\.|pthread|nptl|sysdeps|libsodium"),
]
# before the others: the reaping half of provider/client
REAPING = ("completions: writing and reaping", r"provider/client/cq")
OTHER = "everything else"


def stage_of(file):
    return next((name for name, pattern in [REAPING, *STAGES] if re.search(pattern, file)), OTHER)


def _rows(text):
    """(instructions, file, function, library or '') of each line of callgrind_annotate."""
    for cost, place in re.findall(r"^ *([\d,]+) \([^)]*\) +(\S.*)$", text, re.M):
        if place != "PROGRAM TOTALS":
            named = re.fullmatch(r"(.*?):([^:\[]*?)(?: \[(.*)\])?", place)
            if named:
                library = named.group(3) or ""
                yield int(cost.replace(",", "")), named.group(1), named.group(2), library if ".so" in library else ""


def divide(text):
    """Instructions by stage, from the output of callgrind_annotate --threshold=100 --auto=no. Code of headers counts where the
    function into which it was inlined does."""
    rows = list(_rows(text))
    home = {}
    for _, file, function, library in sorted(rows):
        if file.endswith(".c"):
            home[function] = file  # the dearest one of that name
    sums = {}
    for cost, file, function, library in rows:
        own = file.endswith((".c", ".S")) or library
        if file == "???" and not library:
            own, file = True, "dataplane/port/mem.c"  # assembler in the program itself has no source line
        stage = stage_of(f"{file} {library}" if own else home.get(function, file))
        sums[stage] = sums.get(stage, 0) + cost
    return sums
