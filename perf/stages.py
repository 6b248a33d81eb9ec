"""Which stage of a message's way does an instruction belong to? Divides what callgrind counted by source file. Code that the
compiler inlined counts for the file it comes from, so that a build with link-time optimisation, where few functions are left, is
divided like any other."""
import re
from collections import namedtuple

# One file of one function: the instructions in `function` whose source lines are in `file`; "???" without debug information.
Part = namedtuple("Part", "cost file function object")

POSTING = "posting: client API, the way to the shard, both queues"
TRANSMIT = "transmit: headers, short way, requester"
RECEIVE = "receive: match, short way, responder"
PORT = "port: bursts, packet buffers, DPDK"
COMPLETIONS = "completions: writing and reaping"
CRC = "ICRC"
TURN = "turn: shard, timers, commands"
LIBRARY = "C library: locks, copies, signals"
MEMORY = "memory: keys, and the guarded copy of the payload"
PROGRAM = "the measuring program"
OTHER = "no source line"
ORDER = [POSTING, TRANSMIT, RECEIVE, PORT, COMPLETIONS, CRC, TURN, LIBRARY, MEMORY, PROGRAM, OTHER]

# pattern of "file:function object", stage; the first that matches counts. None: code of general use, such as a CPU's intrinsics,
# counts where most of the function's other code does.
PATTERNS = [
    (r"/(dataplane/base|wire/(psn|hdr|pkt|opcode)\.h|qp/(qp|lane)\.h|shard/shard\.h|gcc/|bits/|rte_(ring|atomic|prefetch|branch))", None),
    (r"short_read\.c:(receive|take_re|\w*_rx)", RECEIVE),
    (r"(lcore|shard_turn|qp_dispatch)\.[ch]:link_|qp_dispatch\.[ch]:(take_|rn_qp_(post|take))", POSTING),
    (r"provider/client/cq", COMPLETIONS),
    (r"dataplane/port/mem\.|dataplane/core/memory/|memmove|memcpy|dataplane/port:0x", MEMORY),
    (r"dataplane/wire/(icrc|fold)|libisal", CRC),
    (r"provider/client/|dataplane/port/submit|dataplane/nic/inproc|core/queue/(sq|rq|srq)", POSTING),
    (r"dataplane/core/queue/cq|dataplane/core/qp/(qp|lane)\.c|complete\.h", COMPLETIONS),
    (r"dataplane/core/qp/(short_rx|responder)|dataplane/core/net/match|dataplane/wire/", RECEIVE),
    (r"dataplane/core/(qp|net|flow)/", TRANSMIT),
    (r"dataplane/port/(rxtx|steer|port)|/rte_|librte|drivers/", PORT),
    (r"dataplane/", TURN),
    (r"(^|/)perf/", PROGRAM),
    (r"libc\.|pthread|nptl|sysdeps|libsodium", LIBRARY),
]


def parts(lines):
    """The parts in the lines of a file that callgrind wrote, one for each stretch of lines of one file in one function."""
    names = {"ob": {}, "fl": {}, "fn": {}}  # callgrind gives a name once, with a number; later only the number
    now = {"ob": "", "fl": "", "fn": ""}
    positions, skip, cost = 1, False, 0

    def named(kind, text):
        number, name = re.match(r"\((\d+)\) ?(.*)", text).groups()
        if name:
            names[kind][number] = name
        return names[kind].get(number, "")

    def part():
        return Part(cost, now["fl"], now["fn"], now["ob"])

    for line in lines:
        key, equals, value = line.rstrip("\n").partition("=")
        if equals and re.fullmatch(r"ob|fl|fi|fe|fn", key):
            if cost:
                yield part()
            kind, cost = {"ob": "ob", "fn": "fn"}.get(key, "fl"), 0
            now[kind] = named(kind, value)
        elif equals and re.fullmatch(r"cob|cfi|cfl|cfn", key):
            named({"cob": "ob", "cfn": "fn"}.get(key, "fl"), value)
        elif key == "calls":
            skip = True  # the next line is what the called function cost
        elif line.startswith("positions:"):
            positions = len(line.split()) - 1
        elif re.match(r"[-+*\d]", line):
            words = line.split()
            cost += 0 if skip or len(words) <= positions else int(words[positions])
            skip = False
    if cost:
        yield part()


def place(part):
    """What PATTERNS look at. The folders of build/rooms are links to those of the source."""
    library = re.search(r"[^/]*\.so[^/]*$", part.object)
    file = re.sub(r".*/rooms/(\w+)/\1/", lambda m: f"/dataplane/{'' if m.group(1) in ('base', 'wire', 'port', 'nic') else 'core/'}"
                  f"{m.group(1)}/", part.file).replace("dataplane/core/client/", "provider/client/")
    if file == "???" and library is None and part.function.startswith("0x"):
        file = "dataplane/port"  # assembler in the program itself has no names: mem.c
    return f"{file}:{part.function} {library.group(0) if library else ''}"


def divide(lines):
    """Instructions by stage, from the lines of a file that callgrind wrote."""
    sums, of_function, general = {}, {}, []
    for p in parts(lines):
        text = place(p)
        stage = next((stage for pattern, stage in PATTERNS if re.search(pattern, text)), OTHER)
        if stage is None:
            general.append(p)
            continue
        sums[stage] = sums.get(stage, 0) + p.cost
        own = of_function.setdefault((p.object, p.function), {})
        own[stage] = own.get(stage, 0) + p.cost
    for p in general:
        own = of_function.get((p.object, p.function))
        stage = max(own, key=own.get) if own else TURN if "dataplane/" in place(p) else OTHER
        sums[stage] = sums.get(stage, 0) + p.cost
    return sums


def table(columns):
    """A table in Markdown. `columns` is a list of (title, {stage: instructions of one message}); the last row is the sum."""
    rows = [["stage", *(title for title, _ in columns)], ["---"] * (len(columns) + 1)]
    rows += [[stage, *(f"{sums.get(stage, 0):,.0f}" for _, sums in columns)] for stage in ORDER
             if any(sums.get(stage, 0) >= 0.5 for _, sums in columns)]
    rows.append(["**whole path**", *(f"**{sum(sums.values()):,.0f}**" for _, sums in columns)])
    return [f"| {' | '.join(row)} |" for row in rows]
