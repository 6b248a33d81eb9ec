"""A virtual machine with Linux soft-RoCE: boot, run commands, kill.

Its only network card is connected to a TAP device in a network namespace. QEMU always emulates
(TCG), because /dev/kvm may be missing or not work. Commands are sent over virtio-serial ports, one
at a time on each port.
"""
import base64
import itertools
import pathlib
import select
import shutil
import socket
import subprocess
import time

from image import Trouble, image

PORTS = 4  # number of commands that can run at the same time
QEMU = "qemu-system-x86_64"


class Command:
    """A command in the guest, running or ended."""

    def __init__(self, guest, port, deadline):
        self.guest, self.port, self.deadline, self.text, self.status = guest, port, deadline, b"", None

    def done(self):
        return self.status is not None or self.wait(0) is not None

    def wait(self, seconds=None):
        """Waits for the command and returns its exit status (124 or 143: it ran out of time). With
        `seconds`, waits at most that long and returns None if the command still runs."""
        until = self.deadline if seconds is None else time.monotonic() + seconds
        while self.status is None:
            left = until - time.monotonic()
            if not select.select([self.port], [], [], max(left, 0))[0]:
                if seconds is not None:
                    return None
                raise Trouble("the guest does not answer")
            got = self.port.recv(65536)
            if not got:
                raise Trouble("the guest went away")
            self.text += got
            body, mark, rest = self.text.rpartition(b"= ")
            if mark and rest.endswith(b"\n"):
                self.text, self.status = base64.b64decode(body), int(rest)
                self.guest.free.append(self.port)
        return self.status

    @property
    def output(self):
        return self.text.decode(errors="replace") if self.status is not None else ""


class Guest:
    def __init__(self, cache, work, inside, tap, ip4, ip6, mtu=1500, mac="52:54:00:00:00:01"):
        """inside: prefix of a command that runs it in the TAP's namespace; work: folder for sockets
        and the console; ip4 and ip6 have a prefix length."""
        self.image, self.work, self.inside, self.tap = image(cache), pathlib.Path(work), list(inside), tap
        self.words = f"ip4={ip4} ip6={ip6} mtu={mtu}"
        self.mac = mac
        self.process, self.free, self.boots = None, [], itertools.count()

    def boot(self, seconds=90):
        run = self.work / f"boot{next(self.boots)}"
        run.mkdir()
        self.console = run / "console"
        command = self.inside + [
            QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-machine", "pc,accel=tcg,usb=off", "-cpu", "max",
            "-m", "512", "-no-reboot", "-kernel", str(self.image / "kernel"), "-initrd", str(self.image / "initramfs"),
            "-append", f"console=ttyS0 quiet panic=-1 mitigations=off rdinit=/init {self.words}",
            "-netdev", f"tap,id=n,ifname={self.tap},script=no,downscript=no",
            # No offloads: every frame on the TAP is a complete frame with its checksums.
            "-device", "virtio-net-pci,netdev=n,romfile=,csum=off,guest_csum=off,gso=off,guest_tso4=off,guest_tso6=off,"
            "guest_ecn=off,guest_ufo=off,host_tso4=off,host_tso6=off,host_ecn=off,host_ufo=off,mrg_rxbuf=off,"
            f"mac={self.mac},host_mtu=9000",
            "-serial", f"file:{self.console}", "-device", f"virtio-serial-pci,max_ports={PORTS + 1}"]
        for n in range(PORTS):
            command += ["-chardev", f"socket,id=c{n},path={run}/{n},server=on,wait=off",
                        "-device", f"virtserialport,chardev=c{n},name=run.{n},nr={n + 1}"]
        with open(run / "qemu", "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        until = time.monotonic() + seconds
        while b"guest: ready" not in self.read_console():
            if self.process.poll() is not None or time.monotonic() > until:
                raise Trouble(f"the guest does not boot: {(run / 'qemu').read_text()} {self.read_console()[-500:]!r}")
            time.sleep(0.1)
        self.free = []
        for n in range(PORTS):
            port = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            port.connect(f"{run}/{n}")
            self.free.append(port)

    def read_console(self):
        try:
            return self.console.read_bytes()
        except FileNotFoundError:
            return b""

    def start(self, command, seconds=60):
        """Starts a shell command that is killed after `seconds`."""
        port = self.free.pop(0)
        port.sendall(f"{seconds} ".encode() + base64.b64encode(command.encode()) + b"\n")
        return Command(self, port, time.monotonic() + seconds + 15)

    def run(self, command, seconds=60):
        """Runs a shell command and returns (status, output)."""
        started = self.start(command, seconds)
        return started.wait(), started.output

    def kill(self):
        """Ends the virtual machine without a shutdown."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


def available():
    """None if a guest can run on this machine, else the reason why not."""
    if not shutil.which(QEMU):
        return f"{QEMU} is not installed"
    if not pathlib.Path("/dev/net/tun").exists():
        return "there is no /dev/net/tun"
    return None
