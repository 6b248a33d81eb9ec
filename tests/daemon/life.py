"""Start, end and restart."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import tap
from daemon import GRACE_S, Daemon, case, wait_for, within_grace
from protocol import INFO, Client, attach, differ, plain


@case
def a_second_daemon_is_refused(build):
    with Daemon(build) as d:
        second = d.launch()
        status = second.wait(30)
        with Client(d.socket) as c:
            return (differ("exit status", status, 1) + differ("the first", c.err(plain(INFO)), "OK") +
                    ([] if "another softrnicd runs with this socket" in d.text else [d.text]))


@case
def the_end_removes_the_socket(build):
    bad = []
    for number in (signal.SIGTERM, signal.SIGINT):
        with Daemon(build) as d:
            with Client(d.socket) as c:
                c.attach()
                bad += differ("exit status", d.stop(number), 0)
                bad += differ("client", c.err(plain(INFO)), "GONE")
            bad += differ("socket", os.path.exists(d.socket), False)
            d.start()
            with Client(d.socket) as c:  # nobody is expected back
                bad += differ("attach", c.attach(), "OK")
    return bad


@case
def a_file_in_the_place_of_the_socket_stays(build):
    with Daemon(build) as d:
        d.stop()
        with open(d.socket, "w", encoding="utf-8") as f:
            f.write("mine")
        status = d.launch().wait(30)
        with open(d.socket, encoding="utf-8") as f:
            return differ("exit status", status, 1) + differ("file", f.read(), "mine")


def come_back(build, how):
    """Three clients; one comes back after the restart, one too late, one not at all. Returns complaints, and when those were done that
    must come before the end of the grace time."""
    with Daemon(build) as d:
        clients = [Client(d.socket) for _ in range(3)]
        for c in clients:
            c.attach()
        back, late, gone = ((c.number, c.token) for c in clients)
        if how == signal.SIGKILL:
            d.child.kill()
            d.child.wait()
        else:
            d.stop(how)
        bad = differ("socket", os.path.exists(d.socket), True)
        began = time.monotonic()
        d.start()
        start = time.monotonic()
        with Client(d.socket) as c, Client(d.socket) as thief, Client(d.socket) as fresh:
            bad += differ("with the token of another", thief.err(attach(number=back[0], token=gone[1])), "EPERM")
            bad += differ("with the token", c.attach(number=back[0], token=back[1]), "OK")
            bad += differ("number and token", (c.number, c.token), back)
            bad += differ("twice", thief.err(attach(number=back[0], token=back[1])), "EBUSY")
            bad += differ("a new one", fresh.attach(), "EAGAIN")
            took = time.monotonic() - began
            time.sleep(max(0, start + GRACE_S + 0.5 - time.monotonic()))
            got = thief.err(attach(number=late[0], token=late[1]))
            bad += differ("too late", got, "EBUSY")
            wait_for("a new one attaches after the grace", lambda: fresh.attach() == "OK", GRACE_S)
            if fresh.number in (back[0], late[0], gone[0]):
                bad.append(f"a new client has got the number {fresh.number} of a former one")
        return bad, took


@case
def clients_come_back_after_a_restart(build):
    return within_grace(lambda: come_back(build, signal.SIGUSR1))


@case
def clients_come_back_after_a_kill(build):
    return within_grace(lambda: come_back(build, signal.SIGKILL))


def come_back_in_turn(build):
    """Two clients come back, and a new one tries to attach before and after each. Returns complaints, and how long all that has taken."""
    with Daemon(build, "clients = 3;") as d:
        former = [Client(d.socket) for _ in range(2)]
        for c in former:
            c.attach()
        d.child.kill()
        d.child.wait()
        began, bad = time.monotonic(), []
        d.start()
        with Client(d.socket) as fresh, Client(d.socket) as first, Client(d.socket) as second:
            bad += differ("before anybody is back", fresh.attach(), "EAGAIN")
            bad += differ("first", first.attach(number=former[0].number, token=former[0].token), "OK")
            bad += differ("before all are back", fresh.attach(), "EAGAIN")
            bad += differ("second", second.attach(number=former[1].number, token=former[1].token), "OK")
            bad += differ("when all are back", fresh.attach(), "OK")
        return bad, time.monotonic() - began


@case
def new_clients_wait_for_former_ones(build):
    """New clients are refused only until all former clients are back: then new clients attach at once, before the grace time ends."""
    return within_grace(lambda: come_back_in_turn(build))


@case
def numbers_rest_after_an_end_for_good(build):
    """Late packets for a client of a daemon that has ended must not reach a client of the next one, nor of the one after it."""
    with Daemon(build, "clients = 254;") as d:
        with Client(d.socket) as c:
            c.attach()
            resting = c.number
            d.stop()
        d.start().stop()
        d.start()
        clients = [Client(d.socket) for _ in range(254)]
        got = [c.attach() for c in clients]
        numbers = [c.number for c in clients]
        for c in clients:
            c.close()
        return differ("attached", (got.count("OK"), got.count("EAGAIN")), (253, 1)) + differ("used", resting in numbers, False)


@case
def the_service_manager_gets_messages(build):
    with Daemon(build) as d:
        d.stop()
        path = os.path.join(d.folder, "manager")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(path)
            manager.settimeout(20)
            d.start(NOTIFY_SOCKET=path, WATCHDOG_USEC="400000")
            said = [manager.recv(100) for _ in range(4)]
            d.kill(signal.SIGHUP)
            wait_for("RELOADING", lambda: manager.recv(100) == b"RELOADING=1")
            wait_for("READY", lambda: manager.recv(100) == b"READY=1")
            d.stop()
            wait_for("STOPPING", lambda: manager.recv(100) == b"STOPPING=1")
        return differ("messages", said, [b"READY=1"] + [b"WATCHDOG=1"] * 3)


@case
def wrong_command_lines_are_explained(build):
    program = os.path.join(build, "dataplane/daemon/softrnicd")
    bad = []
    for words, status in ((["-h"], 0), (["-V"], 0), (["-x"], 2), (["word"], 2), (["-c", "/nonexistent"], 1), ([], 1)):
        done = subprocess.run([program, *words], capture_output=True, text=True, timeout=30, check=False,
                              env={k: v for k, v in os.environ.items() if k != "SOFTRNIC_CONFIG"})
        bad += differ(words, done.returncode, status)
        if not (done.stdout if status == 0 else done.stderr).strip():
            bad.append(f"{words}: says nothing")
    return bad


@case
def the_unit_is_valid(build):
    """systemd finds no error in the unit. The program must exist, so another one stands for it."""
    if shutil.which("systemd-analyze") is None:
        raise tap.Skip("there is no systemd-analyze")
    text = pathlib.Path(build, "config/softrnicd.service").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        unit = pathlib.Path(folder, "softrnicd.service")
        unit.write_text("".join("ExecStart=/bin/true\n" if line.startswith("ExecStart=") else line
                                for line in text.splitlines(True)), encoding="utf-8")
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, timeout=60,
                              check=False)
    return (done.stdout + done.stderr).splitlines() + differ("exit status", done.returncode, 0)


@case
def the_profile_is_valid(build):
    program, profile = os.path.join(build, "config/softrnic-config"), pathlib.Path(__file__).parents[2] / "config/softrnicd.conf"
    done = subprocess.run([program, str(profile)], capture_output=True, text=True, timeout=30, check=False)
    return differ("exit status", done.returncode, 0) + done.stderr.splitlines()
