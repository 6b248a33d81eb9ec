"""A softrnicd with a configuration of its own in a temporary folder."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections import Counter

from protocol import Client

START_S = 30
GRACE_S = 5  # how long clients may come back after a restart of the daemon
CASES = []
CONFIG = """adapters = ( {{ name = "shared"; {adapter} }} );
eal = {{ hugepages = "no"; }};
idle = {{ policy = "adaptive"; }};
daemon = {{ socket = "{socket}"; {daemon} }};
"""
ADAPTER = 'port = "null"; mac = "02:00:00:00:00:07"; ipv4 = [ "192.0.2.1/24" ]; ipv6 = [ "2001:db8::1/64" ];'


def case(function):
    """Marks a function of the build folder as a case of run.py."""
    CASES.append((function.__name__, function))
    return function


def wait_for(what, condition, seconds=20):
    """Waits until condition() is true; returns its value. The time only matters for a test that fails: on a busy machine a process may wait
    for a CPU for seconds."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise RuntimeError(f"not within {seconds} s: {what}")
        time.sleep(0.01)


def within_grace(play):
    """Plays a round whose outcome depends on the grace time. play() returns complaints, and how many seconds have passed since the restart.
    A round that has taken longer shows nothing, so it is played again."""
    for _ in range(4):
        bad, took = play()
        if took < GRACE_S:
            return bad
    return bad + [f"took {took:.1f} s, which is longer than the grace time"]


class Daemon:
    """Runs between `with` and the end of the block. `daemon` and `adapter` are keys of these sections; `text` is the output so far;
    inside: prefix of a command that runs it in a network namespace."""

    def __init__(self, build, daemon="", adapter=ADAPTER, inside=()):
        self.program = os.path.join(build, "dataplane/daemon/softrnicd")
        self.folder = tempfile.mkdtemp(prefix="daemon-")
        self.socket, self.config, self.out = (os.path.join(self.folder, name) for name in ("d.sock", "d.conf", "out"))
        self.adapter, self.inside, self.child = adapter, list(inside), None
        self.configure(daemon)

    def configure(self, daemon):
        text = CONFIG.format(adapter=self.adapter, socket=self.socket, daemon=daemon)
        pathlib.Path(self.config).write_text(text, encoding="utf-8")

    @property
    def text(self):
        return pathlib.Path(self.out).read_text(encoding="utf-8", errors="replace")

    def launch(self, **environment):
        with open(self.out, "ab") as out:
            return subprocess.Popen([*self.inside, self.program, "-c", self.config], env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                                    stdout=out, stderr=out)

    def start(self, **environment):
        """Starts the program and waits until a process can connect."""
        self.child = self.launch(**environment)
        wait_for("softrnicd serves", lambda: self.answers() or self.child.poll() is not None, START_S)
        if self.child.poll() is not None:
            raise RuntimeError(f"softrnicd has ended with {self.child.returncode}: {self.text}")
        return self

    def answers(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as probe:
            return probe.connect_ex(self.socket) == 0

    def kill(self, number):
        self.child.send_signal(number)

    def stop(self, number=signal.SIGTERM, seconds=20):
        """Ends the daemon; returns its exit status."""
        self.child.send_signal(number)
        try:
            return self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
            raise RuntimeError(f"softrnicd does not end: {self.text}") from None

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.clean()
            raise

    def __exit__(self, *what):
        try:
            if self.child.poll() is None:
                self.stop()
            elif self.child.returncode not in (0, -signal.SIGKILL):
                raise RuntimeError(f"softrnicd has ended with {self.child.returncode}: {self.text}")
        finally:
            self.clean()

    def clean(self):
        if self.child is not None and self.child.poll() is None:
            self.child.kill()
            self.child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def fds(self):
        """What the daemon's descriptors refer to, without the numbers of sockets and pipes."""
        found = []
        folder = f"/proc/{self.child.pid}/fd"
        for name in os.listdir(folder):
            try:
                found.append(os.readlink(os.path.join(folder, name)).split(":[")[0])
            except FileNotFoundError:
                pass  # has been closed meanwhile
        return sorted(found)

    def settled(self):
        """The same, when the daemon has accepted and closed what is under way. The daemon accepts connections in turn, and looks at all
        sessions before it answers one again, so its answers to a new connection show that it is not behind. Other threads of the
        daemon close descriptors too, therefore several readings must be equal."""
        with Client(self.socket) as probe:
            last, equal, end = None, 0, time.monotonic() + 60
            while equal < 3:
                if time.monotonic() > end:
                    raise RuntimeError(f"the descriptors of softrnicd do not settle: {last}")
                probe.info()
                probe.info()
                equal = equal + 1 if last == (last := self.fds()) else 0
                time.sleep(0.1)
        last.remove("socket")  # the probe's
        return last

    def leaks(self, before):
        """Complaints about descriptors that are open and were not `before`."""
        def rest():
            return sorted((Counter(self.fds()) - Counter(before)).elements())
        try:
            wait_for("descriptors are closed", lambda: not rest())
        except RuntimeError:
            return [f"softrnicd leaves open: {rest()}"]
        return []
