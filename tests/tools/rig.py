"""Two adapters joined by memif, and the tools that use them: writes configurations, starts and
ends processes, and keeps their output."""
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

START_S = 20
END_S = 40


def free_port():
    """Returns the number of a TCP port that nothing uses, for a server and a client that meet there."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def listens(port):
    """Does a socket listen at this TCP port? A test must not connect to find out: some servers take one client only."""
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(name, encoding="ascii") as f:
            if any(re.search(rf":{port:04X} \S+ 0A ", line) for line in f):
                return True
    return False


class Process:
    """A running tool; `text` is its output so far, standard output and standard error together."""

    def __init__(self, argv, env, out):
        self.out = out
        self.began = time.monotonic()
        with open(out, "wb") as f:
            self.child = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=f, stderr=f)

    @property
    def text(self):
        with open(self.out, encoding="utf-8", errors="replace") as f:
            return f.read()

    def await_text(self, pattern, seconds=START_S):
        while not re.search(pattern, self.text):
            if self.child.poll() is not None or time.monotonic() - self.began > seconds:
                raise RuntimeError(f"{self.child.args} does not say '{pattern}' but: {self.text}")
            time.sleep(0.01)
        return self

    def end(self, seconds=END_S):
        """Waits for the end and returns the exit status; kills the process after `seconds` and
        returns -1."""
        try:
            return self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return -1

    def kill(self, number=signal.SIGKILL):
        self.child.send_signal(number)
        self.child.wait()


class Rig:
    """Side a is the server at 192.0.2.1 and 2001:db8::1, side b the client at .2 and ::2; a is
    the memif's server."""

    def __init__(self, xfer, rping, catalogue):
        self.xfer_path, self.rping_path = xfer, rping
        self.env = dict(os.environ, SOFTRNIC_ND_CATALOG=catalogue)
        self.folder = None
        self.processes = []

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="tools-test-")
        self.write_config("a")
        self.write_config("b")
        return self

    def __exit__(self, *_):
        for p in self.processes:
            if p.child.poll() is None:
                p.kill()
        self.processes = []
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write_config(self, side, loss=0, capture=False, text=None, impair="", timers="", **keys):
        host = "ab".index(side) + 1
        adapter = {"name": f"test-{side}", "port": "memif", "socket": self.path("memif.sock"),
                   "role": "server" if side == "a" else "client", "mac": f"02:00:00:00:0e:0{host}", **keys}
        words = " ".join(f'{k} = "{v}";' for k, v in adapter.items() if v is not None)
        if text is None:
            text = (f"adapters = ({{ {words} ipv4 = [ \"192.0.2.{host}/24\" ];"
                    f" ipv6 = [ \"2001:db8::{host}/64\" ]; mtu = 9000; }});\n"
                    'idle = { policy = "inline"; };\n')
            if loss:
                impair = f"loss = {float(loss)};"
            if impair:
                text += f"impair = {{ seed = {host}; {impair} }};\n"
            if timers:
                text += f"timers = {{ {timers} }};\n"
            if capture:
                text += f'capture = {{ file = "{self.path(side + ".pcap")}"; }};\n'
        with open(self.path(side + ".conf"), "w", encoding="utf-8") as f:
            f.write(text)

    def start(self, side, tool, *words):
        # Any other tool is a path.
        path = {"xfer": self.xfer_path, "rping": self.rping_path}.get(tool, tool)
        env = dict(self.env, SOFTRNIC_CONFIG=self.path(side + ".conf"))
        p = Process([path, *words], env, self.path(f"{side}{len(self.processes)}.log"))
        self.processes.append(p)
        return p

    def server(self, *words, tool="xfer"):
        return self.start("a", tool, "-s", *words).await_text("listening on port")

    def client(self, *words, tool="xfer", seconds=END_S):
        """Runs a client to its end and returns (exit status, output)."""
        p = self.start("b", tool, "-c", *words)
        return p.end(seconds), p.text

    def make_file(self, size, name="source"):
        """Makes a file of `size` random bytes and returns its path."""
        with open(self.path(name), "wb") as f:
            f.write(os.urandom(size))
        return self.path(name)

    def make_hole(self, size, name="hole"):
        """Makes a sparse file of `size` bytes and returns its path."""
        with open(self.path(name), "wb") as f:
            f.truncate(size)
        return self.path(name)


def same(one, other):
    with open(one, "rb") as f, open(other, "rb") as g:
        return f.read() == g.read()


def socket_files(pid):
    """The paths of the socket files to which the process has bound sockets and which exist."""
    inodes = set()
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            m = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{fd}"))
        except FileNotFoundError:
            continue
        if m:
            inodes.add(m[1])
    with open("/proc/net/unix", encoding="utf-8") as f:
        rows = [line.split() for line in f]
    return {r[7] for r in rows if len(r) > 7 and r[6] in inodes and os.path.exists(r[7])}
