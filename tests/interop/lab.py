"""The test network: a network namespace with a TAP device that connects the guest with softrnic's
programs."""
import os
import pathlib
import re
import subprocess
import time

from peer import peer

PEER = {4: "192.0.2.1", 6: "2001:db8::1"}
OWN = {4: "192.0.2.2", 6: "2001:db8::2"}
# Addresses of the two kernels, for programs that exchange parameters over TCP; softrnic does not
# use them.
PEER_TCP, OWN_TCP = "198.51.100.1", "198.51.100.2"
TAP_MTU = 9000
# what a case may leave in the guest
PROGRAMS = ["rping", "ucmatose", "udaddy", "cmtime", "rdma_server", "rdma_client", "rstream", "ibv_rc_pingpong", "ibv_uc_pingpong",
            "ibv_ud_pingpong", "ibv_srq_pingpong", *(f"ib_{verb}_{what}" for verb in ("send", "write", "read", "atomic") for what in ("bw", "lat"))]


class Ours:
    """A running program of softrnic; its output goes to a file."""

    def __init__(self, command, env, log):
        self.log = log
        with open(log, "wb") as out:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                            env={**os.environ, **env})

    @property
    def output(self):
        return self.log.read_text(errors="replace")

    def says(self, pattern, seconds=30):
        """Waits until the output matches; false when the program ended or the time ran out without
        a match."""
        until = time.monotonic() + seconds
        while not re.search(pattern, self.output):
            if self.process.poll() is not None or time.monotonic() > until:
                return re.search(pattern, self.output) is not None
            time.sleep(0.05)
        return True

    def wait(self, seconds):
        """The exit status; None when the program did not end in time and was killed."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Lab:
    port = 'port = "af_packet"; iface = "tap0";'  # keys of softrnic's configuration

    def __init__(self, build, cache, work):
        self.build, self.work = pathlib.Path(build).resolve(), pathlib.Path(work)
        self.space = f"interop-{os.getpid()}"
        self.inside = ["ip", "netns", "exec", self.space]
        self.guest, self.cache, self.programs, self.serial, self.capture = None, cache, [], 0, None
        self.netem_on = False
        self.peer_mtu = 1500

    def __enter__(self):
        space = self.space
        for line in (f"ip netns add {space}", f"ip -n {space} link set lo up", f"ip -n {space} tuntap add dev tap0 mode tap",
                     # The host's own IPv6 stack must not answer on the TAP.
                     f"ip netns exec {space} sysctl -qw net.ipv6.conf.tap0.disable_ipv6=1",
                     f"ip -n {space} link set tap0 mtu {TAP_MTU} txqueuelen 20000 up",
                     f"ip -n {space} addr add {OWN_TCP}/24 dev tap0"):
            subprocess.run(line.split(), check=True)
        self.guest = peer(self.cache, self.work, self.inside, "tap0", PEER[4] + "/24", PEER[6] + "/64")
        self.boot()
        return self

    def __exit__(self, *_):
        self.end_programs()
        if self.guest:
            self.guest.kill()
        subprocess.run(["ip", "netns", "del", self.space], check=False)

    def end_programs(self):
        for program in self.programs:
            program.kill()
        self.programs = []

    def config(self, mtu=1500, more="", adapter=""):
        capture = f'capture = {{ file = "{self.capture}-{self.serial}.pcap"; }};' if self.capture else ""
        path = self.work / f"{self.serial}.conf"
        path.write_text(
            f'adapters = ({{ name = "lab"; {self.port} mac = "02:00:00:00:00:02"; mtu = {mtu};\n'
            f'  ipv4 = [ "{OWN[4]}/24" ]; ipv6 = [ "{OWN[6]}/64" ]; {adapter} }});\neal = {{ hugepages = "no"; }};\n{capture}\n{more}\n')
        return path

    def ours(self, tool, *words, before=(), **config):
        """Starts a program of the build folder; before: a command that runs it, such as env; **config as for config()."""
        self.serial += 1
        env = {"SOFTRNIC_CONFIG": str(self.config(**config)), "SOFTRNIC_ND_CATALOG": str(self.build / "provider/nd.d")}
        program = Ours([*self.inside, *before, str(self.build / tool), *map(str, words)], env, self.work / f"{self.serial}.log")
        self.programs.append(program)
        return program

    def peer(self, mtu=1500, netem=""):
        """Sets the guest's MTU, if it differs, and the netem impairment of the frames it sends
        ("" = none)."""
        if mtu != self.peer_mtu:
            self.peer_mtu = mtu
            self.must(f"ip link set eth0 mtu {mtu}")
        if self.netem_on:
            self.must("tc qdisc del dev eth0 root")
        if netem:
            self.must(f"tc qdisc add dev eth0 root netem {netem}")
        self.netem_on = bool(netem)

    def before_peer(self):
        """To be called before a server is started in the guest, when no program of softrnic runs."""

    def must(self, command):
        status, text = self.guest.run(command, 20)
        if status:
            raise RuntimeError(f"in the guest: {command}: {text}")

    def start_theirs(self, command, seconds):
        """Starts a program in the guest, which is killed after `seconds`."""
        return self.guest.start(command, seconds)

    def kill_theirs(self, _theirs, command):
        self.guest.run(f"killall -9 {command.split()[0]}")

    def peer_listens(self, port=None, cm_port=None):
        """Waits until a server in the guest listens: on this TCP port, on a CM id with this port, or else on any CM id."""
        look = f"rdma resource show cm_id | grep LISTEN | grep -Eq '{f':{cm_port}( |$)' if cm_port else ''}'"
        if port:
            look = f"ss -Hltn 'sport = :{port}' | grep -q ."
        self.must(f"for n in $(seq 100); do {look} && exit 0; sleep 0.1; done; exit 1")

    def own_listens(self, program, port, seconds=30):
        """Waits until a program of softrnic listens on this TCP port; false if none does before `program` ends or the time is over."""
        until = time.monotonic() + seconds
        while program.process.poll() is None and time.monotonic() < until:
            if subprocess.run(self.inside + ["ss", "-Hltn", f"sport = :{port}"], capture_output=True, check=True).stdout:
                return True
            time.sleep(0.05)
        return False

    def clean_up(self):
        """To be called after a failed case: what it left in the guest must not disturb the next one."""
        try:
            self.guest.run(f"killall -9 {' '.join(PROGRAMS)}", 10)
        except Exception:  # pylint: disable=broad-except
            self.reborn()

    def complaints(self):
        """What is wrong with the lab after a case, when no program of softrnic runs."""
        return []

    def boot(self):
        self.guest.boot()
        self.must(f"ip addr add {PEER_TCP}/24 dev eth0")
        self.netem_on, self.peer_mtu = False, 1500

    def reborn(self):
        """Kills the guest without a shutdown and boots it again."""
        self.guest.kill()
        self.boot()
