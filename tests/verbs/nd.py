"""perftest of Debian over softrnic's verbs at one end, softrnic's own counterpart nd_* over ND2 at the other, each once as the server.
Both ends are softrnic, but only one of them goes through libibverbs. docs/verbs.md names the options that one side lacks."""
import functools
import os

import tap
from perftest import check_row, words_of
from rdmacm import SERVER, meet, until_met
from verbs import Folder, case, environment, pair, plain_environment

VERBS = "send", "write", "read", "atomic"
PORT = "18515"

# A verb with _bw or _lat, words for both ends, "R" if the ends also connect by rdma_cm, is in the core set
ROWS = [
    *((f"{verb}_bw", "-n 1000", "R", verb != "send") for verb in VERBS),
    *((f"{verb}_lat", "-n 200", "R", verb == "send") for verb in VERBS),
    *((f"{verb}_{what}", "-a -n 5", "", False) for verb in VERBS[:3] for what in ("bw", "lat")),
    *((f"{verb}_bw", "-q 8 -n 200", "R", False) for verb in VERBS),
    *((f"{verb}_bw", "-e -n 500", "R", False) for verb in VERBS if verb != "write"),
    *((f"{verb}_lat", "-e -n 200", "", False) for verb in ("send", "read", "atomic")),
    *((f"{verb}_bw", "-b -n 500", "R", False) for verb in VERBS),
    *((f"{verb}_{what}", "-I 64 -s 64 -n 500", "", False) for verb in ("send", "write") for what in ("bw", "lat")),
    *((f"{verb}_{what}", "-c UC -n 500", "", False) for verb in ("send", "write") for what in ("bw", "lat")),
    ("send_bw", "-c UC -a -n 5", "", False),
    ("send_bw", "-c UD -n 500", "", False),
    ("send_lat", "-c UD -n 200", "", False),
    ("send_bw", "-c UD -a -n 20", "", False),
    ("send_lat", "-c UD -a -n 20", "", False),
    ("send_bw", "-c UD -e -n 200", "", False),
    ("send_bw", "-c UD -b -n 200", "", False),
    ("send_lat", "-c UD -I 64 -s 64 -n 200", "", False),
    ("send_bw", "--use-srq -q 4 -n 200", "", False),
    ("atomic_bw", "-A CMP_AND_SWAP -n 200", "", False),
    ("read_bw", "-o 1 -s 8388607 -n 5", "", False),
    ("write_bw", "-x 1 -m 1024 -n 500", "", False),  # IPv6
]


def own(build, program):
    path = os.path.join(build, "perf", program.replace("ib_", "nd_"))
    if not os.path.exists(path):
        raise tap.Skip(f"{path} is not built")
    return path


def play(program, words, nd_serves, build):
    """The two meet over TCP."""
    theirs, ours = [program, "-F", *words_of(words)], [own(build, program), *words_of(words)]
    bad, served, asked = pair(build, *((ours, theirs) if nd_serves else (theirs, ours)))
    return bad or check_row(program, words, asked)


def play_cm(program, words, nd_serves, build):
    """The two meet over rdma_cm."""
    words = ["-R", "-p", PORT, *words_of(words)]
    theirs, ours = [program, "-F", *words], [own(build, program), *words]
    one, other = (ours, theirs) if nd_serves else (theirs, ours)

    def attempt():
        with Folder() as f:
            envs = [(plain_environment if end is ours else environment)(build, f.memif(side)) for side, end in ((1, one), (2, other))]
            return meet(one, [*other, SERVER], envs, f.path, expect="#bytes", tries=1, seconds=25)
    return until_met(attempt)


def label(program, words, nd_serves, cm):
    """Returns the name of a case, which leaves out the number of messages."""
    told = [word.lstrip("-").replace("-", "_") for word in words.split()[:-2]]
    return "_".join(["nd", program, *told, *["cm"] * cm, "nd_serves" if nd_serves else "verbs_serve"])


for row, options, connects, is_core in ROWS:
    for way in (False, True):
        for how in ([play, play_cm] if connects else [play]):
            case(functools.partial(how, f"ib_{row}", options, way), core=is_core and (how is play_cm) == way,
                 name=label(row, options, way, how is play_cm))
