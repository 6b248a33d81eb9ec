"""A softrnicd with a configuration of its own in a temporary folder."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

START_S = 30
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


def wait_for(what, condition, seconds=5):
    """Waits until condition() is true; returns its value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise RuntimeError(f"not within {seconds} s: {what}")
        time.sleep(0.01)


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
        """The same, when the daemon has accepted and closed what is under way."""
        last = None
        while last != (last := self.fds()):
            time.sleep(0.2)
        return last

    def leaks(self, before, seconds=3):
        """Complaints about descriptors that are open and were not `before`."""
        try:
            wait_for("descriptors are closed", lambda: self.fds() == before, seconds)
        except RuntimeError:
            rest = self.fds()
            for name in before:
                if name in rest:
                    rest.remove(name)
            return [f"softrnicd leaves open: {rest}"]
        return []
