"""The guest with its cards, and the programs that run on them.

In each case one program uses the card of side 0 and another that of side 1 of a model. Side n has
the addresses 192.0.2.n+1 and 2001:db8::n+1.
"""
import contextlib
import itertools
import os
import pathlib
import socket
import struct
import sys
import threading
import time

import software
from models import MODULES, cards
from wires import Wires

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "guest"))
from guest import Guest  # noqa: E402
from image import image  # noqa: E402

ADDRESS = {4: ("192.0.2.1", "192.0.2.2"), 6: ("2001:db8::1", "2001:db8::2")}
SHARED = ["crc32_generic", "crc32_pclmul", "ib_uverbs", "rdma_ucm", "rdma_rxe"]
PROGRAMS = " ".join([*(name.split("/")[-1] for name in software.PROGRAMS), "rping", "ib_send_bw", "ib_write_bw"])
# 2 MiB pages for two processes with one shard each. The pages are pinned while a card can reach them.
HUGEPAGES, MEMORY_MB = 256, 1280
BROADCAST = b"\xff" * 6 + b"\x02\0\0\0\0\x77" + b"\x88\xb5" + bytes(200)  # EtherType of local experiments


class Program:
    """A program in the guest; its output goes to a file there."""

    def __init__(self, guest, command, log, seconds):
        self.guest, self.log = guest, log
        self.running = guest.start(f"exec >{log} 2>&1; {command}", seconds)

    def says(self, pattern, seconds=60):
        """Waits until the output has a line that matches (grep -E); false when that does not happen."""
        wait = (f"for n in $(seq {seconds * 5}); do grep -qE '{pattern}' {self.log} && exit 0; [ -e {self.log}.end ] && exit 1; "
                "sleep 0.2; done; exit 1")
        return self.guest.run(wait, seconds + 20)[0] == 0

    def wait(self, seconds=None):
        """The exit status, 124 or 143 if the program was killed because its time was up; None after `seconds` without an end."""
        return self.running.wait(seconds)

    @property
    def output(self):
        return self.guest.run(f"cat {self.log}", 20)[1]


class Lab:
    LET_GO = 6  # seconds in which the kernel lets go of a card

    def __init__(self, build, cache, work):
        self.work, self.serial = pathlib.Path(work), itertools.count()
        self.cards, self.programs, self.with_kernel = cards(), [], None
        folder = image(cache)
        initramfs = software.initramfs(folder / "initramfs", build, work)
        self.wires = Wires([pair for pair in self.cards.values() if pair[0].model.queues])
        if self.wires.missing:
            self.cards = {name: pair for name, pair in self.cards.items() if not pair[0].model.queues}
        devices = ["-device", "intel-iommu,intremap=on"]
        for pair in self.cards.values():
            devices += pair[0].words() + pair[1].words()
        self.guest = Guest(
            folder / "kernel", initramfs, work, machine="q35", memory=MEMORY_MB, cpus=2, inside=self.wires.inside,
            # Emulated on a busy host, the kernel's check of its timer may fail without a reason.
            append=f"no_timer_check intel_iommu=on load=vfio_pci,vfio_iommu_type1 huge={HUGEPAGES}", devices=devices)

    def __enter__(self):
        try:
            self.boot()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.guest.kill()
        self.wires.remove()

    def boot(self):
        self.guest.boot(180)
        self.with_kernel = None
        self.must("bind vfio-pci " + " ".join(card.address for pair in self.cards.values() for card in pair))

    def reborn(self):
        """Kills the guest without a shutdown and boots it again."""
        self.guest.kill()
        self.boot()

    def must(self, command, seconds=60):
        status, text = self.guest.run(command, seconds)
        if status:
            raise RuntimeError(f"in the guest: {command}: {status} {text}")
        return text

    def ours(self, card, command, seconds=60, mtu=1500, adapter="", more=""):
        """Starts programs of softrnic on a card, one after the other if && is between them; their paths are those in the build
        folder. SIDE in `adapter` stands for the number of the side."""
        name = f"/tmp/{next(self.serial)}"
        side = card.side
        self.must(f"cat >{name}.conf <<'END'\n"
                  f'adapters = ({{ name = "lab{side}"; {card.keys} mtu = {mtu};\n'
                  f'  ipv4 = [ "{ADDRESS[4][side]}/24" ]; ipv6 = [ "{ADDRESS[6][side]}/64" ]; {adapter.replace("SIDE", str(side))} }});\n{more}\nEND\n')
        return self.start(f"export SOFTRNIC_CONFIG={name}.conf; cd {software.PLACE} && {command}", seconds, name)

    def start(self, command, seconds=60, name=None):
        """Starts any program in the guest."""
        log = f"{name or f'/tmp/{next(self.serial)}'}.log"
        program = Program(self.guest, f"trap 'touch {log}.end' EXIT; {command}", log, seconds)
        self.programs.append(program)
        return program

    def end_programs(self):
        """Ends what still runs; false if that is not possible. Raises if the guest has gone: then its programs have gone too."""
        programs, self.programs = self.programs, []
        self.guest.run(f"killall -9 {PROGRAMS}", 20)
        return all(p.wait(10) is not None for p in programs)

    def faults(self):
        """What the kernel said about faults of the IOMMU since the last call, without those that a model is known for."""
        every = [card for pair in self.cards.values() for card in pair]
        return [line for line in self.must("dmesg -c").splitlines() if "DMAR: [" in line and not any(c.tolerates(line) for c in every)]

    def soft_roce(self, card, mtu=1500):
        """Gives a card to the kernel and makes rxe0 on it, until vfio() is called."""
        module = MODULES.get(card.model.kernel_driver, [card.model.kernel_driver])
        self.must(f"load {' '.join(module + SHARED)} && bind {card.model.kernel_driver} {card.address}")
        self.with_kernel = card
        # Where the interface appears depends on the bus: a virtio card has a device of its own below the PCI device.
        self.must(f"cd /sys/bus/pci/devices/{card.address}; for n in $(seq 100); do for i in net/* */net/*; do "
                  f"[ -e $i ] && exec rxe ${{i##*/}} {mtu} {ADDRESS[4][card.side]}/24 {ADDRESS[6][card.side]}/64; done; sleep 0.1; done; exit 1")
        address = self.must(f"cd /sys/bus/pci/devices/{card.address}; cat net/*/address */net/*/address 2>/dev/null || true").strip()
        if address != card.mac:  # a program that used it before has left another one
            raise RuntimeError(f"{card.id} has the address {address} and not its own, {card.mac}")

    def vfio(self):
        """Takes back from the kernel what soft_roce() has given it; false if the kernel does not let go. Linux 6.1 may hang for a
        minute when rxe0 is deleted soon after a connection has ended."""
        if not self.with_kernel:
            return True
        address, self.with_kernel = self.with_kernel.address, None
        # Takes less than a second. When it hangs, not even a signal ends the command.
        return self.guest.start(f"rdma link delete rxe0; bind vfio-pci {address}").wait(self.LET_GO) == 0

    @contextlib.contextmanager
    def capture(self, card):
        """Gives a list that has, when the context has ended, (seconds, length on the wire, first bytes) of each frame that passed the
        card. QEMU cannot capture at a card with several queues, whose list stays empty."""
        path, frames = self.work / "wire.pcap", []
        if card.model.queues:
            yield frames
            return
        self.guest.qmp("object-add", **{"qom-type": "filter-dump", "id": "dump", "netdev": card.net, "file": str(path), "maxlen": 400})
        try:
            yield frames
        finally:
            self.guest.qmp("object-del", id="dump")
            data, at = path.read_bytes(), 24
            path.unlink()
            while at + 16 <= len(data):
                seconds, microseconds, kept, length = struct.unpack_from("<4I", data, at)
                frames.append((seconds + microseconds / 1e6, length, data[at + 16:at + 16 + kept]))
                at += 16 + kept

    def link(self, card, up):
        self.guest.qmp("set_link", name=card.id, up=up)

    @contextlib.contextmanager
    def flood(self, hub, frames=(BROADCAST,)):
        """Sends frames, by default broadcasts, into a hub from outside of the guest, until the context ends."""
        there, here = str(self.work / "flood.there"), str(self.work / "flood.here")
        ended = threading.Event()

        def send(port):
            while not ended.is_set():
                try:
                    for frame in frames * max(1, 4 // len(frames)):
                        port.sendto(frame, there)
                except BlockingIOError:
                    pass
                time.sleep(0.002)

        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as port:
            port.bind(here)  # what the hub sends here is dropped when the socket is full
            port.setblocking(False)
            self.guest.qmp("netdev_add", id="flood", type="dgram", local={"type": "unix", "path": there},
                           remote={"type": "unix", "path": here})
            self.guest.qmp("netdev_add", id="flood-port", type="hubport", hubid=hub, netdev="flood")
            sender = threading.Thread(target=send, args=(port,), daemon=True)
            sender.start()
            try:
                yield
            finally:
                ended.set()
                sender.join()
                os.unlink(here)
                self.guest.qmp("netdev_del", id="flood-port")
                self.guest.qmp("netdev_del", id="flood")
