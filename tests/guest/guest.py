"""A virtual machine: boot, run commands, send commands to QEMU, kill.

QEMU always emulates (TCG), because /dev/kvm may be missing or not work. Commands are sent over
virtio-serial ports, one at a time on each port.
"""
import base64
import itertools
import json
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import time

from image import Trouble

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
                raise Trouble(f"the guest does not answer: {self.guest.last_words()}")
            got = self.port.recv(65536)
            if not got:
                raise Trouble(f"the guest went away: {self.guest.how_qemu_ended()}: {self.guest.last_words()}")
            self.text += got
            body, mark, rest = self.text.rpartition(b"= ")
            if mark and rest.endswith(b"\n"):
                self.text, self.status = base64.b64decode(body), int(rest)
                self.guest.free.append(self.port)
        return self.status

    @property
    def output(self):
        return self.text.decode(errors="replace") if self.status is not None else ""


# No offloads of a virtio card: every frame that it sends is complete and has its checksums.
NO_OFFLOADS = ("csum=off,guest_csum=off,gso=off,guest_tso4=off,guest_tso6=off,guest_ecn=off,guest_ufo=off,host_tso4=off,host_tso6=off,"
               "host_ecn=off,host_ufo=off")


class Guest:
    def __init__(self, kernel, initramfs, work, *, append, devices, machine="pc", memory=512, cpus=1, inside=()):
        """work: folder for sockets and the console; append: words for the kernel and for init;
        devices: words for QEMU; inside: prefix of a command that runs it in a network namespace."""
        self.kernel, self.initramfs, self.work, self.append, self.devices = kernel, initramfs, pathlib.Path(work), append, list(devices)
        self.machine, self.memory, self.cpus, self.inside = machine, memory, cpus, list(inside)
        self.process, self.free, self.boots = None, [], itertools.count()

    def command(self, run):
        """QEMU's command line; sockets and console are in the folder `run`."""
        command = self.inside + [
            QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-machine", f"{self.machine},accel=tcg,usb=off", "-cpu", "max",
            "-smp", str(self.cpus), "-m", str(self.memory), "-no-reboot", "-kernel", str(self.kernel), "-initrd", str(self.initramfs),
            "-append", f"console=ttyS0 quiet panic=-1 mitigations=off rdinit=/init {self.append}", *self.devices,
            "-serial", f"file:{run}/console", "-qmp", f"unix:{run}/qmp,server=on,wait=off",
            "-device", f"virtio-serial-pci,max_ports={PORTS + 1}"]
        for n in range(PORTS):
            command += ["-chardev", f"socket,id=c{n},path={run}/{n},server=on,wait=off",
                        "-device", f"virtserialport,chardev=c{n},name=run.{n},nr={n + 1}"]
        return command

    def boot(self, seconds=90):
        self.run_folder = run = self.work / f"boot{next(self.boots)}"
        run.mkdir()
        with open(run / "qemu", "wb") as log:
            self.process = subprocess.Popen(self.command(run), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        until = time.monotonic() + seconds
        while b"guest: ready" not in self.read_console():
            if self.process.poll() is not None or time.monotonic() > until:
                raise Trouble(f"the guest does not boot: {self.last_words()}")
            time.sleep(0.1)
        self.free = []
        for n in range(PORTS):
            port = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            port.connect(f"{run}/{n}")
            self.free.append(port)

    def read_console(self):
        try:
            return (self.run_folder / "console").read_bytes()
        except FileNotFoundError:
            return b""

    def last_words(self):
        """The end of what QEMU and the guest's console say."""
        return f"{(self.run_folder / 'qemu').read_text(errors='replace')[-300:]} {self.read_console()[-500:]!r}"

    def crashed(self):
        """Whether a signal has ended QEMU. SIGABRT does not count: QEMU aborts if a driver breaks the rules of a card. Waits up to two
        seconds for the end, because QEMU's sockets close earlier."""
        try:
            return self.process is not None and self.process.wait(2) < 0 and self.process.returncode != -signal.SIGABRT
        except subprocess.TimeoutExpired:
            return False

    def how_qemu_ended(self):
        """In words. The kernel ends large processes with SIGKILL when memory is short, so the memory that is left is named too."""
        if not self.crashed():  # -6: SIGABRT
            return f"QEMU's exit status is {self.process and self.process.returncode}"
        left = re.search(r"MemAvailable: *(\d+)", pathlib.Path("/proc/meminfo").read_text(encoding="ascii"))
        return f"QEMU was ended by {signal.Signals(-self.process.returncode).name}, {int(left[1]) // 1024 if left else '?'} MB of memory are left"

    def start(self, command, seconds=60):
        """Starts a shell command that is killed after `seconds`."""
        port = self.free.pop(0)
        port.sendall(f"{seconds} ".encode() + base64.b64encode(command.encode()) + b"\n")
        return Command(self, port, time.monotonic() + seconds + 15)

    def run(self, command, seconds=60):
        """Runs a shell command and returns (status, output)."""
        started = self.start(command, seconds)
        return started.wait(), started.output

    def qmp(self, command, **arguments):
        """Sends a command to QEMU itself, such as set_link."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as port:
            port.connect(f"{self.run_folder}/qmp")
            port.settimeout(10)
            stream = port.makefile("rw")
            for execute, words in (("qmp_capabilities", {}), (command, arguments)):
                stream.write(json.dumps({"execute": execute, "arguments": words}) + "\n")
                stream.flush()
                answer = {}
                while not answer.keys() & {"return", "error"}:  # greeting and events stand between
                    answer = json.loads(stream.readline())
                if "error" in answer:
                    raise Trouble(f"QEMU refuses {execute}: {answer['error'].get('desc')}")

    def kill(self):
        """Ends the virtual machine without a shutdown."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


def available():
    """None if a guest can run on this machine, else the reason why not."""
    return None if shutil.which(QEMU) else f"{QEMU} is not installed"
