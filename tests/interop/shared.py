"""The lab behind softrnicd: the daemon owns the end of the guest's wire, and each of softrnic's programs is a client of it."""
import pathlib
import sys
import time

from lab import Lab, OWN

# At the end of the path: this folder has modules of the same names.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "daemon"))
from daemon import Daemon, wait_for  # noqa: E402
from protocol import Client  # noqa: E402

BUSY = 20  # frames in each direction that a client has exchanged when data flows


class Detached:
    """A program in the guest that leaves the guest's ports for commands free while it runs; for the rest as guest.Command."""

    def __init__(self, guest, name, command, seconds):
        self.guest, self.place, self.status, self.output = guest, f"/run/{name}", None, ""
        self.deadline = time.monotonic() + seconds + 15
        guest.run(f"( timeout -k 2 {seconds} {command} >{self.place}.text 2>&1 & echo $! >{self.place}.pid; wait $!; "
                  f"echo $? >{self.place}.code ) >/dev/null 2>&1 &", 10)

    def done(self):
        if self.status is None:
            missing, text = self.guest.run(f"cat {self.place}.code", 10)
            if not missing and text.strip():
                self.output = self.guest.run(f"cat {self.place}.text", 20)[1]
                self.status = int(text)
        return self.status is not None

    def wait(self, seconds=None):
        until = self.deadline if seconds is None else time.monotonic() + seconds
        while not self.done():
            if time.monotonic() > until:
                if seconds is None:
                    raise RuntimeError(f"the guest does not end {self.place}")
                return None
            time.sleep(0.1)
        return self.status

    def kill(self):
        self.guest.run(f"kill -9 $(cat {self.place}.pid)")


class SharedLab(Lab):
    def __init__(self, build, cache, work):
        super().__init__(build, cache, work)
        self.daemon, self.daemon_mtu, self.detached = None, None, 0

    def __enter__(self):
        try:
            super().__enter__()
            self.start_daemon(1500)
        except Exception:
            self.__exit__()
            raise
        return self

    def __exit__(self, *what):
        self.end_programs()
        self.end_daemon()
        super().__exit__(*what)

    def start_daemon(self, mtu):
        self.daemon = Daemon(str(self.build), adapter=f'{self.port} mac = "02:00:00:00:00:02"; mtu = {mtu}; ipv4 = [ "{OWN[4]}/24" ]; '
                             f'ipv6 = [ "{OWN[6]}/64" ];', inside=self.inside)
        self.daemon_mtu = mtu
        self.daemon.start()

    def end_daemon(self):
        if self.daemon:
            self.daemon.clean()
        self.daemon = None

    def config(self, mtu=1500, more="", adapter=""):
        """Addresses and MTU are those of the daemon. Starts one with this MTU if none runs."""
        if not self.daemon or self.daemon.child.poll() is not None or self.daemon_mtu != mtu:
            self.end_daemon()
            self.start_daemon(mtu)
        capture = f'capture = {{ file = "{self.capture}-{self.serial}.pcap"; }};' if self.capture else ""
        path = self.work / f"{self.serial}.conf"
        path.write_text(f'adapters = ({{ name = "lab"; port = "daemon"; socket = "{self.daemon.socket}"; {adapter} }});\n'
                        f'eal = {{ hugepages = "no"; }};\n{capture}\n{more}\n')
        return path

    def start_theirs(self, command, seconds):
        self.detached += 1
        return Detached(self.guest, f"theirs{self.detached}", command, seconds)

    def kill_theirs(self, theirs, _command):
        theirs.kill()

    def report(self):
        """The daemon's report about its port and its clients."""
        with Client(self.daemon.socket) as c:
            return c.show()[0]

    def clients(self):
        return self.report()["clients"]

    def busy(self, n):
        """Waits until n clients exchange frames in both directions, at the same time. Returns complaints, also if the switch has
        refused frames of theirs."""
        seen = []

        def look():
            seen[:] = self.clients()
            ended = [p for p in self.programs if p.process.poll() is not None]
            return ended or sum(min(c["counters"].get(k, 0) for k in ("rx_frames", "tx_frames")) > BUSY for c in seen) >= n

        try:
            found = wait_for("all clients are busy", look, 30)
        except RuntimeError as e:
            return [f"{e}: {seen}"]
        if found is not True:
            return ["a program has ended before all were busy"] + [f"frames: {c['counters']}" for c in seen]
        return [f"the switch has refused frames of client {c['number']}: {c['counters']['outcomes']}" for c in seen
                # A client announces its addresses when it starts, and the switch drops that.
                if any(o.startswith("CLIENT_") and o != "CLIENT_KIND" for o in c["counters"]["outcomes"])]

    def crash(self, n):
        """Kills the daemon and starts it again; waits until n clients are back."""
        self.daemon.child.kill()
        self.daemon.child.wait()
        self.daemon.start()
        wait_for("clients are back", lambda: sum(c["plugged"] for c in self.clients()) == n)

    def complaints(self):
        if not self.daemon:
            return []
        if self.daemon.child.poll() is not None:
            return [f"softrnicd has ended with {self.daemon.child.returncode}"] + self.daemon.text.splitlines()[-12:]
        try:
            wait_for("clients are gone", lambda: not self.clients())
        except RuntimeError as e:
            return [f"{e}: {self.clients()}"]
        return []
