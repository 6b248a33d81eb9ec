"""Two processes behind one softrnicd share one address."""
import functools
import os
import time

import tap
from perftest import check_row
from verbs import END_S, Folder, Process, case, environment, pair


def behind(build, words):
    """Runs a server and a client behind a softrnicd; returns what pair() returns."""
    daemon = os.path.join(build, "dataplane", "daemon", "softrnicd")
    if not os.path.exists(daemon):
        raise tap.Skip("softrnicd is not built")
    with Folder() as f:
        conf, socket = f.memif(1, "adaptive"), f.path / "d.sock"
        f.write("1.conf", conf.read_text(encoding="utf-8") + f'daemon = {{ socket = "{socket}"; }};\n')
        process = Process([daemon, "-c", str(conf)], environment(build), f.path / "daemon.log")
        try:
            end = time.monotonic() + END_S
            while not socket.exists() and process.child.poll() is None and time.monotonic() < end:
                time.sleep(0.02)
            return pair(build, words, daemon=str(socket))
        finally:
            process.kill()


def play_pingpong(program, build):
    bad, server, client = behind(build, [program, "-g", "0", "-c"])
    return bad + [f"the {who} has another address: {text}" for who, text in (("server", server), ("client", client))
                  if text.count("::ffff:192.0.2.1") != 2]


def play_perftest(program, words, build):
    bad, _, text = behind(build, [program, "-F", *words.split()])
    return bad or check_row(program, words, text)


case(functools.partial(play_pingpong, "ibv_rc_pingpong"), name="two_processes_share_an_address")
case(functools.partial(play_pingpong, "ibv_ud_pingpong"), name="two_processes_share_an_address_ud")
case(functools.partial(play_perftest, "ib_send_lat", "-c UD -n 500"), core=False, name="two_processes_send_lat_ud")
case(functools.partial(play_perftest, "ib_send_bw", "-c UD -n 500"), core=False, name="two_processes_send_bw_ud")
