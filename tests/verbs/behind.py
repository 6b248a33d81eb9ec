"""Two processes behind one softrnicd share one address."""
import contextlib
import functools
import os
import signal
import subprocess
import sys

from perftest import check_row
from rig import Process, free_port
from verbs import END_S, Folder, case, environment, need, pair, softrnicd, softrnicd_process


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


@case(core=False)
def the_last_ack_of_a_process_arrives(build):
    """A softrnicd that gets little of a CPU has not yet taken the last ACK when ibv_rc_pingpong destroys its queue pair and ends."""
    with Folder() as f, softrnicd_process(build, f) as daemon:
        for thread in os.listdir(f"/proc/{daemon.child.pid}/task"):
            with contextlib.suppress(ProcessLookupError):
                os.setpriority(os.PRIO_PROCESS, int(thread), 19)
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
        try:
            return [text for _ in range(12)
                    for text in pair(build, ["ibv_rc_pingpong", "-g", "0", "-n", "10"], daemon=str(f.path / "d.sock"))[0]]
        finally:
            for process in busy:
                process.kill()
                process.wait()


@case
def a_new_softrnicd_removes_the_devices_of_the_old_one(build):
    """A softrnicd that ends on SIGTERM ends its connections. Its clients' devices are gone as soon as the next one has started."""
    need("ibv_asyncwatch")
    need("rping")
    words = ["stdbuf", "-oL", "rping", "-s", "-d", "-a", "192.0.2.1", "-p", str(free_port())]
    with Folder() as f, contextlib.ExitStack() as ends:
        def start(argv, log):
            process = Process(argv, dict(environment(build), SOFTRNIC_DAEMON=str(f.path / "d.sock")), f.path / log)
            ends.callback(process.kill)
            return process
        with softrnicd_process(build, f) as daemon:
            watch = start(["ibv_asyncwatch"], "watch.log").await_text("async event FD")
            server = start(words, "server.log").await_text("rdma_listen")
            daemon.kill(signal.SIGTERM)
        with softrnicd_process(build, f):
            watch.await_text("DEVICE_FATAL", END_S)
            status = server.end(END_S)
        return [] if status > 0 and "DEVICE_REMOVAL" in server.text else [f"rping ends with {status}: {server.text}"]


case(functools.partial(play_pingpong, "ibv_rc_pingpong"), name="two_processes_share_an_address")
case(functools.partial(play_pingpong, "ibv_ud_pingpong"), name="two_processes_share_an_address_ud")
case(functools.partial(play_perftest, "ib_send_lat", "-c UD -n 500"), core=False, name="two_processes_send_lat_ud")
case(functools.partial(play_perftest, "ib_send_bw", "-c UD -n 500"), core=False, name="two_processes_send_bw_ud")
