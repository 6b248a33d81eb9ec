"""The pingpong programs of ibverbs-utils; each compares the data it receives (-c)."""
import functools

from verbs import case, pair

# name, program, words, idle policy, is in the core set
ROWS = [
    ("plain", "ibv_rc_pingpong", "", "inline", True),
    ("plain_adaptive", "ibv_rc_pingpong", "", "adaptive", True),
    ("events", "ibv_rc_pingpong", "-e", "inline", True),
    ("events_adaptive", "ibv_rc_pingpong", "-e", "adaptive", False),
    ("one_byte", "ibv_rc_pingpong", "-s 1", "inline", False),
    ("odd_size", "ibv_rc_pingpong", "-s 4097", "inline", True),
    ("large_odd_size", "ibv_rc_pingpong", "-s 1000001 -n 100", "inline", True),
    ("small_mtu", "ibv_rc_pingpong", "-m 256 -s 9999", "inline", False),
    ("ipv6", "ibv_rc_pingpong", "-g 1", "inline", True),
    ("deep", "ibv_rc_pingpong", "-r 1000 -n 5000", "inline", False),
    ("timestamps", "ibv_rc_pingpong", "-t", "inline", False),
    ("extended_posts", "ibv_rc_pingpong", "-N", "inline", True),
    ("extended_posts_small", "ibv_rc_pingpong", "-N -s 1 -n 5000", "adaptive", False),
    ("uc", "ibv_uc_pingpong", "", "inline", True),
    ("uc_events", "ibv_uc_pingpong", "-e -s 3001", "inline", False),
    ("srq", "ibv_srq_pingpong", "-q 4", "inline", True),
    ("srq_adaptive", "ibv_srq_pingpong", "-q 4", "adaptive", False),
    ("srq_events", "ibv_srq_pingpong", "-e -q 8", "inline", True),
    ("srq_odd_size", "ibv_srq_pingpong", "-s 10007 -q 3", "inline", False),
    ("ud", "ibv_ud_pingpong", "", "inline", True),
    ("ud_adaptive", "ibv_ud_pingpong", "", "adaptive", False),
    ("ud_ipv6", "ibv_ud_pingpong", "-g 1 -s 1", "inline", True),
    ("ud_events", "ibv_ud_pingpong", "-e -s 3001", "inline", True),
    ("ud_full_packet", "ibv_ud_pingpong", "-s 4096", "inline", False),
]


# These programs wait for an acknowledgement for half a second, and have no option for that. On a busy machine the other process may
# wait for a CPU for longer.
GIVEN_UP = "transport retry counter exceeded"
TRIES = 3


def play(program, words, idle, build):
    words, bad = words.split(), []
    for left in reversed(range(TRIES)):
        bad = pair(build, [program, "-c", *([] if "-g" in words else ["-g", "0"]), *words], idle=idle)[0]
        if not left or not any(GIVEN_UP in line for line in bad):
            break
        print(f"# {program} {' '.join(words)}: {GIVEN_UP}; played again")
    return bad


for label, tool, options, policy, is_core in ROWS:
    case(functools.partial(play, tool, options, policy), core=is_core, name=f"pingpong_{label}")
