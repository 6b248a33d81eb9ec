"""Two processes behind one softrnicd share one address."""
import functools
import os

from perftest import check_row
from rig import Process
from verbs import END_S, Folder, case, environment, pair, softrnicd


def behind(build, words):
    """Runs a server and a client behind a softrnicd; returns what pair() returns."""
    with Folder() as f, softrnicd(build, f) as socket:
        return pair(build, words, daemon=socket)


def play_pingpong(program, build):
    bad, server, client = behind(build, [program, "-g", "0", "-c"])
    return bad + [f"the {who} has another address: {text}" for who, text in (("server", server), ("client", client))
                  if text.count("::ffff:192.0.2.1") != 2]


def play_perftest(program, words, build):
    bad, _, text = behind(build, [program, "-F", *words.split()])
    return bad or check_row(program, words, text)


@case
def a_process_may_fork_before_it_has_objects(build):
    with Folder() as f, softrnicd(build, f) as socket:
        done = Process([os.path.join(build, "tests", "verbs", "verbs_late")], dict(environment(build), SOFTRNIC_DAEMON=socket), f.path / "log")
        status, text = done.end(END_S), done.text
    return [f"ends with {status}: {line}" for line in text.splitlines()[-20:]] if status else []


case(functools.partial(play_pingpong, "ibv_rc_pingpong"), name="two_processes_share_an_address")
case(functools.partial(play_pingpong, "ibv_ud_pingpong"), name="two_processes_share_an_address_ud")
case(functools.partial(play_perftest, "ib_send_lat", "-c UD -n 500"), core=False, name="two_processes_send_lat_ud")
case(functools.partial(play_perftest, "ib_send_bw", "-c UD -n 500"), core=False, name="two_processes_send_bw_ud")
