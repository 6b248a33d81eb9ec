"""UCX: ucx_info, and the tests of ucx_perftest over each transport that UCX has for such devices."""
import functools
import re

from verbs import Folder, case, need, pair, run

# UCX's names: "rc_v" is rc_verbs with ud_verbs for the exchange of addresses.
RC, UD = ["env", "UCX_TLS=rc_v,self", "UCX_NET_DEVICES=softrnic0:1"], ["env", "UCX_TLS=ud_verbs,self", "UCX_NET_DEVICES=softrnic0:1"]
# name, environment, words, idle policy, is in the core set
ROWS = [
    ("rc_tag_lat", RC, "-t tag_lat -n 1000 -s 100", "inline", True),
    ("rc_tag_bw", RC, "-t tag_bw -n 200 -s 1000000", "inline", True),
    ("rc_tag_lat_adaptive", RC, "-t tag_lat -n 1000 -s 3000", "adaptive", False),
    ("rc_tag_sync_lat", RC, "-t tag_sync_lat -n 1000", "inline", False),
    ("rc_tag_sync_bw", RC, "-t tag_sync_bw -n 1000 -s 4000", "inline", False),
    ("rc_put_lat", RC, "-t ucp_put_lat -n 1000", "inline", False),
    ("rc_put_bw", RC, "-t ucp_put_bw -n 300 -s 300000", "inline", True),
    ("rc_get", RC, "-t ucp_get -n 300 -s 300000", "inline", True),
    ("rc_add", RC, "-t ucp_add -n 1000", "inline", False),
    ("rc_fadd", RC, "-t ucp_fadd -n 1000", "inline", True),
    ("rc_swap", RC, "-t ucp_swap -n 1000", "inline", False),
    ("rc_cswap", RC, "-t ucp_cswap -n 1000", "inline", True),
    ("rc_stream_bw", RC, "-t stream_bw -n 1000 -s 5000", "inline", False),
    ("rc_stream_lat", RC, "-t stream_lat -n 1000 -s 5000", "inline", False),
    ("rc_am_lat", RC, "-t ucp_am_lat -n 1000", "inline", True),
    ("rc_am_bw", RC, "-t ucp_am_bw -n 1000 -s 9000", "inline", False),
    ("ud_tag_lat", UD, "-t tag_lat -n 1000 -s 100", "inline", True),
    ("ud_tag_bw", UD, "-t tag_bw -n 200 -s 100000", "inline", False),
    ("ud_tag_lat_adaptive", UD, "-t tag_lat -n 1000 -s 3000", "adaptive", False),
    ("ud_am_bw", UD, "-t ucp_am_bw -n 1000 -s 9000", "inline", False),
] + [(f"uct_rc_{test.replace(' -D ', '_').split(' ')[0]}", ["env"], f"-d softrnic0:1 -x rc_verbs -t {test} -n 1000", "inline", False)
     for test in ("am_lat", "am_lat -D zcopy -s 4000", "am_bw", "put_lat", "put_bw", "put_bw -D zcopy -s 65536", "get -D bcopy -s 4000",
                  "get -D zcopy -s 65536", "add_lat", "add_mr", "fadd", "cswap")
] + [(f"uct_ud_{test}", ["env"], f"-d softrnic0:1 -x ud_verbs -t {test} -n 1000", "inline", False) for test in ("am_lat", "am_bw")]


def play(variables, words, idle, build):
    need("ucx_perftest")
    bad, *texts = pair(build, [*variables, "ucx_perftest", "-w", "100", *words.split()], idle=idle)
    return bad or [f"ucx_perftest {words}: {line}" for text in texts for line in text.splitlines() if "ERROR" in line] or \
        [f"ucx_perftest {words}: no result: {line}" for line in texts[1].splitlines()[-6:] if not re.search(r"^Final: +\d+ ", texts[1], re.M)]


@case
def ucx_lists_the_devices(build):
    need("ucx_info")
    with Folder() as f:
        _, out, err = run(build, "ucx_info", "-d", config=f.rings("inline"))
    found = re.findall(r"Transport: (rc_verbs|ud_verbs)\n#\s+Device: (softrnic\d:1)", out)
    want = [(transport, f"softrnic{i}:1") for i in range(2) for transport in ("rc_verbs", "ud_verbs")]
    return [f"lists {found}"] * (found != want) + [line for line in (out + err).splitlines() if "ERROR" in line]


for label, env, options, policy, is_core in ROWS:
    case(functools.partial(play, env, options, policy), core=is_core, name=f"ucx_{label}")
