"""Two processes behind one softrnicd share one address."""
import functools
import os
import time

import tap
from verbs import END_S, Folder, Process, case, environment, pair


def play(words, build):
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
            bad, server, client = pair(build, words, daemon=str(socket))
        finally:
            process.kill()
    return bad + [f"the {who} has another address: {text}" for who, text in (("server", server), ("client", client))
                  if text.count("::ffff:192.0.2.1") != 2]


for label, program in (("two_processes_share_an_address", "ibv_rc_pingpong"), ("two_processes_share_an_address_ud", "ibv_ud_pingpong")):
    case(functools.partial(play, [program, "-g", "0", "-c"]), name=label)
