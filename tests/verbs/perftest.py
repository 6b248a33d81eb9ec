"""The programs of perftest that need no rdma_cm (no -R), RC: each must print its row of results at both ends."""
import functools
import re

from verbs import case, pair

# name, program, words, is in the core set
ROWS = [
    ("send_bw", "ib_send_bw", "-n 1000", True),
    ("write_bw", "ib_write_bw", "-n 1000", True),
    ("read_bw", "ib_read_bw", "-n 1000", True),
    ("atomic_bw", "ib_atomic_bw", "-n 1000", False),
    ("send_lat", "ib_send_lat", "-n 1000", True),
    ("write_lat", "ib_write_lat", "-n 1000", True),
    ("read_lat", "ib_read_lat", "-n 1000", True),
    ("atomic_lat", "ib_atomic_lat", "-n 1000", True),
    ("send_bw_all_sizes", "ib_send_bw", "-a -n 100", False),
    ("write_bw_all_sizes", "ib_write_bw", "-a -n 100", False),
    ("read_bw_all_sizes", "ib_read_bw", "-a -n 100", False),
    ("send_bw_events", "ib_send_bw", "-e -n 1000", False),
    ("send_lat_events", "ib_send_lat", "-e -n 500", False),
    ("write_bw_8_qps", "ib_write_bw", "-q 8 -n 1000", False),
    ("send_bw_both_ways", "ib_send_bw", "-b -n 1000", False),
    ("write_bw_both_ways", "ib_write_bw", "-b -n 1000", False),
    ("send_lat_inline", "ib_send_lat", "-I 64 -s 64 -n 1000", False),
    ("write_bw_uc", "ib_write_bw", "-c UC -n 1000", False),
    ("send_bw_srq", "ib_send_bw", "--use-srq -n 1000", False),
    ("send_bw_srq_8_qps", "ib_send_bw", "--use-srq -q 8 -n 1000", False),
    ("send_lat_srq", "ib_send_lat", "--use-srq -n 500", True),
    ("send_lat_uc", "ib_send_lat", "-c UC -n 500", False),
    ("send_bw_ud", "ib_send_bw", "-c UD -n 1000", True),
    ("send_lat_ud", "ib_send_lat", "-c UD -n 500", True),
    ("send_bw_ud_all_sizes", "ib_send_bw", "-c UD -a -n 100", False),
    ("send_lat_ud_all_sizes", "ib_send_lat", "-c UD -a -n 100", False),
    ("send_bw_ud_events", "ib_send_bw", "-c UD -e -n 500", False),
    ("send_bw_ud_both_ways", "ib_send_bw", "-c UD -b -n 500", False),
]

# On a busy machine a process may wait for a CPU for longer than perftest waits by default for an acknowledgement.
PATIENCE = "-u 18"


def words_of(options):
    """Returns the options as words. Only an RC queue pair waits for acknowledgements."""
    return [*options.split(), *([] if "-c U" in options else PATIENCE.split())]


def check_row(program, words, text):
    """Returns complaints if the output has no row of results."""
    if re.search(r"^ *#bytes.*\n *\d+ +\d+ +[\d.]+", text, re.M):
        return []
    return [f"{program} {words}: no row of results: {line}" for line in text.splitlines()[-6:]]


def play(program, words, build):
    bad, _, text = pair(build, [program, "-F", *words_of(words)])
    return bad or check_row(program, words, text)


for label, tool, options, is_core in ROWS:
    case(functools.partial(play, tool, options), core=is_core, name=f"perftest_{label}")
