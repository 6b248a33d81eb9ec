"""Runs programs of verbs over softrnic: writes configurations, starts one program or a server and a client, keeps their output."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import tap

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / "tools")]
from rig import Process, free_port, listens  # noqa: E402

CASES = []  # (name, function, core)
END_S = 60
AFTER_S = 10  # seconds in which a server ends whose client has failed
DEBIAN = "/usr/lib/x86_64-linux-gnu/libibverbs.so.1"


def case(function=None, *, core=True, name=None):
    """Marks a case: a function that gets the build folder and returns complaints. Without `core` it runs in the tier full only."""
    def mark(function):
        CASES.append((name or function.__name__, function, core))
        return function
    return mark(function) if function else mark


def library_folder(build):
    return os.path.join(build, "provider", "verbs")


def environment(build, config=None):
    """Returns the environment of a program: as softrnic-run makes it."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("SOFTRNIC_")}
    # The second folder is for a build with ASan, whose dlopen() ignores the run path of the library that calls it.
    env["LD_LIBRARY_PATH"] = f"{library_folder(build)}:{build}/provider"
    env["LD_PRELOAD"] = os.path.join(build, "provider", "preload", "libsoftrnic-preload.so")
    # Of programs of this folder that are built with it: the preloaded library comes before the runtime.
    env["ASAN_OPTIONS"] = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0"]))
    env["SOFTRNIC_DAEMON"] = "/nonexistent"  # none that happens to run here
    if config:
        env["SOFTRNIC_CONFIG"] = str(config)
    return env


def plain_environment(build, config):
    """Returns the environment of a program that links with softrnic's own library, such as nd_send_bw."""
    env = environment(build, config)
    del env["LD_LIBRARY_PATH"], env["LD_PRELOAD"]
    env["SOFTRNIC_ND_CATALOG"] = os.path.join(build, "provider", "nd.d")
    return env


def need(program):
    if not shutil.which(program):
        raise tap.Skip(f"{program} is not installed")


def need_namespace():
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode != 0:
        raise tap.Skip("no network namespace can be made")


def run(build, *argv, config=None, seconds=END_S):
    """Runs a program to its end and returns (exit status, standard output, standard error)."""
    done = subprocess.run(argv, env=environment(build, config), capture_output=True, text=True, timeout=seconds, check=False)
    return done.returncode, done.stdout, done.stderr


class Folder:
    """A temporary folder with configurations."""

    def __enter__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="verbs-test-"))
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def memif(self, side, idle="inline"):
        """Writes the configuration of one of two processes that memif joins; side is 1 (192.0.2.1) or 2."""
        role = "server" if side == 1 else "client"
        return self.write(f"{side}.conf", f"""adapters = ({{ name = "v{side}"; port = "memif"; socket = "{self.path}/memif.sock";
            role = "{role}"; mac = "02:00:00:00:0e:0{side}"; ipv4 = [ "192.0.2.{side}/24" ]; ipv6 = [ "2001:db8::{side}/64" ];
            mtu = 9000; }});\nidle = {{ policy = "{idle}"; }};\n""")

    def rings(self, idle):
        """Writes the configuration of two adapters that are joined inside one process."""
        adapters = ",\n".join(f"""{{ name = "v{i}"; port = "ring"; peer = "v{1 - i}"; mac = "02:00:00:00:0e:0{i + 1}";
            ipv4 = [ "192.0.2.{i + 1}/24" ]; ipv6 = [ "2001:db8::{i + 1}/64" ]; mtu = 9000; }}""" for i in range(2))
        return self.write("rings.conf", f'adapters = ({adapters});\nidle = {{ policy = "{idle}"; }};\n')

    def write(self, name, text):
        (self.path / name).write_text(text, encoding="utf-8")
        return self.path / name


@contextlib.contextmanager
def softrnicd_process(build, folder):
    """Runs a softrnicd with the address 192.0.2.1, to which no wire leads; gives its process, which listens at folder.path / "d.sock"."""
    daemon = os.path.join(build, "dataplane", "daemon", "softrnicd")
    if not os.path.exists(daemon):
        raise tap.Skip("softrnicd is not built")
    conf, socket = folder.memif(1, "adaptive"), folder.path / "d.sock"
    folder.write("1.conf", conf.read_text(encoding="utf-8") + f'daemon = {{ socket = "{socket}"; }};\n')
    process = Process([daemon, "-c", str(conf)], environment(build), folder.path / "daemon.log")
    try:
        end = time.monotonic() + END_S
        while not socket.exists() and process.child.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        yield process
    finally:
        process.kill()


@contextlib.contextmanager
def softrnicd(build, folder):
    """Runs a softrnicd as softrnicd_process() does; gives the path of its socket."""
    with softrnicd_process(build, folder):
        yield str(folder.path / "d.sock")


def pair(build, server, client=None, idle="inline", daemon=None):
    """Runs a server and, once it listens, its client, each with an adapter of its own. `server` and `client` are lists of words;
    the port number and, for the client, the host are added. A program below the build folder is one of softrnic's own. With `daemon`, the path of a socket, both share the port of that
    softrnicd instead. Returns (complaints, text of the server, text of the client)."""
    need(server[0])
    port, words = str(free_port()), client or server
    with Folder() as f:
        def env(side, program):
            if daemon:
                return dict(environment(build), SOFTRNIC_DAEMON=daemon)
            make = plain_environment if program.startswith(build + os.sep) else environment
            return make(build, f.memif(side, idle))
        one = Process([*server, "-p", port], env(1, server[0]), f.path / "server.log")
        other = None
        try:
            end = time.monotonic() + END_S
            while not listens(int(port)) and one.child.poll() is None and time.monotonic() < end:
                time.sleep(0.02)
            other = Process([*words, "-p", port, "127.0.0.1"], env(2, words[0]), f.path / "client.log")
            status = other.end(END_S)
            # The server of a client that has failed may wait for it for ever.
            ends = [("client", status, other.text), ("server", one.end(AFTER_S if status else END_S), one.text)]
        finally:
            for process in (one, other):
                if process and process.child.poll() is None:
                    process.kill()
    bad = [f"{' '.join(words)}: the {who} ends with {status}: {line}" for who, status, text in ends if status
           for line in text.splitlines()[:4] + text.splitlines()[4:][-8:] or ["(says nothing)"]]
    return bad, ends[1][2], ends[0][2]
