"""usage: test_demo.py DEMO_SH

Prints TAP: the messages of demo.sh about an end that fails, hangs or is interrupted. A script
that does so replaces nd_xfer."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import tap  # noqa: E402

DEMO = sys.argv[1]
PAGES = 7  # number of hugepages before the demo
ENDS_S = 30

XFER = """#!/bin/bash
case " $* " in
*" -s "*) echo "listening on port 1"; eval "$FAKE_SERVER" ;;
*) eval "$FAKE_CLIENT" ;;
esac
"""
SYSCTL = f"""#!/bin/bash
case "$*" in
"-n vm.nr_hugepages") echo {PAGES} ;;
*vm.nr_hugepages=*) last=${{!#}}; echo "${{last##*=}}" >>"$FAKE_PAGES" ;;
esac
"""
AWK = """#!/bin/bash
case "$*" in *HugePages_Free*) echo 0 ;; *) exec /usr/bin/awk "$@" ;; esac
"""


CONFIG = """#!/bin/bash
echo "looked at $*"
case "$*" in *9.0*) echo "a sentence about $3"; exit 1 ;; esac
"""
NINJA = """#!/bin/bash
touch build/was-built
"""


class Demo:
    """Runs demo.sh in a folder of its own, with a build that is complete and scripts for
    nd_xfer, sysctl and awk."""

    def __init__(self, server, client, patience=60, options=()):
        self.server, self.client, self.patience, self.options = server, client, patience, options

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="demo-test-")
        shutil.copy(DEMO, self.path("demo.sh"))
        self.write("tools/packages.sh", "install_packages() { :; }\n")
        self.write("build/build.ninja", "")
        self.write("build/tools/nd_xfer", XFER)
        self.write("bin/sysctl", SYSCTL)
        self.write("bin/awk", AWK)
        self.write("build/config/softrnic-config", CONFIG)
        self.write("build/provider/nd.d/softrnic.conf", "")
        self.write("bin/ninja", NINJA)
        self.write("source", "some bytes\n")
        env = dict(os.environ, PATH=self.path("bin") + ":" + os.environ["PATH"], FAKE_SERVER=self.server, FAKE_CLIENT=self.client,
                   FAKE_PAGES=self.path("pages"), SOFTRNIC_DEMO_PATIENCE=str(self.patience))
        with open(self.path("log"), "wb") as f:
            self.child = subprocess.Popen([self.path("demo.sh"), *self.options, self.path("source")], env=env, stdin=subprocess.DEVNULL,
                                          stdout=f, stderr=f)
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.kill()
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(self.path(name), 0o755)

    @property
    def text(self):
        with open(self.path("log"), encoding="utf-8") as f:
            return f.read()

    def end(self):
        return self.child.wait(ENDS_S)

    def pages(self):
        """The numbers of hugepages that demo.sh has set, in order; [] if this user may not set
        them."""
        try:
            with open(self.path("pages"), encoding="ascii") as f:
                return [int(n) for n in f.read().split()]
        except FileNotFoundError:
            return []


def wrong_pages(demo):
    if not os.access("/proc/sys/vm/nr_hugepages", os.W_OK):
        return []
    said = f"vm.nr_hugepages is {PAGES + 512} instead of {PAGES} until" in demo.text and f"vm.nr_hugepages is {PAGES} again\n" in demo.text
    return [] if demo.pages() == [PAGES + 512, PAGES] and said else [f"hugepages: {demo.pages()}: {demo.text}"]


def says(server, client, *patterns, patience=60, options=(), built=True):
    with Demo(server, client, patience, options) as demo:
        status = demo.end()
        complaints = [] if status == 1 else [f"exit status {status}"]
        complaints += [f"does not say '{p}'" for p in patterns if not re.search(p, demo.text, re.M)]
        complaints += [] if os.path.exists(demo.path("build/was-built")) == built else [f"built: {not built}"]
        complaints += wrong_pages(demo) if "by send" in demo.text else []
        return complaints and complaints + [demo.text]


def interrupted():
    with Demo("sleep 60", "sleep 60") as demo:
        until = time.monotonic() + ENDS_S
        while "by send" not in demo.text and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.5)
        demo.child.send_signal(signal.SIGINT)
        status = demo.end()
        return ([] if status == 130 else [f"exit status {status}: {demo.text}"]) + wrong_pages(demo)


def cards_say(cards, *patterns):
    """Two cards: what is in build/ is used, and nothing is built. The end on the first card fails, if it gets so far."""
    return says("echo no room; exit 7", "sleep 1", *patterns, options=("--port", f"pci:{cards}"), built=False)


CHECKS = [
    ("a card is not ready", lambda: cards_say("0000:00:8.0,00:9.0", r"^looked at --devices 0000:00:8.0 0000:00:9.0$",
                                              r"^a sentence about 0000:00:9.0$", r"^demo.sh: the demo needs two cards that are ready$")),
    ("a card in capital letters", lambda: cards_say("0000:00:8.0,0A:09.0", r"^looked at --devices 0000:00:8.0 0000:0a:09.0$")),
    ("one card only", lambda: cards_say("0000:00:8.0", r"^  ./demo.sh --port pci:")),
    ("three cards", lambda: cards_say("00:8.0,00:a.0,00:b.0", r"^  ./demo.sh --port pci:")),
    ("the same card twice", lambda: cards_say("00:8.0,0000:00:8.0", r"^demo.sh: the demo needs two different cards$")),
    ("no frames pass between two cards", lambda: cards_say("00:8.0,00:a.0", r"^the programs in build/ are used as they are$",
                                                           r"no room$", r"^frames of MTU 1500 must pass between the two cards")),
    ("the client fails", lambda: says("echo it went away; exit 1", "echo no memory; exit 3", r"^no memory$",
                                      r"^client: failed with status 3$", r"^server: failed with status 1; its last words:$",
                                      r"^  \| it went away$", "the transfer by send failed")),
    ("the client is too slow", lambda: says("sleep 60", "sleep 60", r"^client: was stopped after 1 s: no failure, but too slow or stuck$",
                                            r"^server: did not end by itself and was ended by signal 15", patience=1)),
    ("the client crashes", lambda: says("exit 1", "kill -SEGV $$", r"^client: was ended by signal 11$", r"^server: failed with status 1;")),
    ("the server fails", lambda: says("echo no room; exit 7", "sleep 1", r"^client: ended well$",
                                      r"^server: failed with status 7; its last words:$", r"^  \| no room$")),
    ("interrupted", interrupted),
]

if __name__ == "__main__":
    tap.run(CHECKS)
