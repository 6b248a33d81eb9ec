"""Checks the tables of this folder and prints TAP."""
import pathlib
import re
import subprocess
import sys
import types

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "guest")]
import cases  # noqa: E402
import facts  # noqa: E402
import guest  # noqa: E402
import image  # noqa: E402
import lab  # noqa: E402
import models  # noqa: E402
import plays  # noqa: E402
import run  # noqa: E402
import tap  # noqa: E402


def cases_are_named_once():
    names = [c.name for c in cases.cases()]
    core = sum(c.core for c in cases.cases())
    bad = [f"{n} twice" for n in set(names) if names.count(n) > 1]
    return bad + ([] if 10 <= core < len(names) and len(names) >= 60 else [f"{core} of {len(names)} are in the core"])


def every_model_is_in_the_core():
    return [f"no core case of {m.name}" for m in models.MODELS if not any(c.core and c.name.startswith(f"{m.name}:") for c in cases.cases())]


def known_failures_are_cases():
    bad = [f"no case matches {pattern}" for pattern, _ in cases.KNOWN if not any(re.search(pattern, c.name) for c in cases.cases())]
    return bad + [f"{c.name} is in the core, and known to fail" for c in cases.cases() if c.core and cases.known(c)]


def cards_do_not_collide():
    cards = [card for pair in models.cards().values() for card in pair]
    bad = [f"{attribute} is not unique" for attribute in ("slot", "id", "net", "address", "mac")
           if len({getattr(card, attribute) for card in cards}) != len(cards)]
    return bad + [f"slot {card.slot} does not exist" for card in cards if card.slot > 30]


def frames_are_told_apart():
    """RoCEv2 with and without a tag, another port, and a frame that is too short."""
    plain = bytes(12) + b"\x08\x00" + b"\x45" + bytes(8) + b"\x11" + bytes(10) + b"\xc0\x00" + b"\x12\xb7" + bytes(20)
    tagged = plain[:12] + b"\x81\x00\x00\x64" + plain[12:]
    rows = [(plain, True), (tagged, True), (plain.replace(b"\x12\xb7", b"\x12\xb8"), False), (plain[:30], False)]
    return [f"wrong about {frame.hex()}" for frame, is_roce in rows if plays.is_roce(frame) != is_roce]


def frames_have_names():
    """kind() names each frame, and does not fail on a frame that was cut off anywhere, as frames in a capture may be."""
    ether, to_qp1 = bytes(12), b"\x64\0\xff\xff\0\0\0\x01" + bytes(12) + b"\x01\x07\x02\x03" + bytes(12) + b"\0\x10" + bytes(6)
    udp = b"\xc0\x01\x12\xb7\0\0\0\0"
    ipv4, ipv6 = b"\x08\0\x45" + bytes(8) + b"\x11" + bytes(10), b"\x86\xdd\x60" + bytes(5) + b"\x11" + bytes(33)
    arp = b"\x08\x06\0\x01\x08\0\x06\x04\0\x02" + bytes(16) + bytes([192, 0, 2, 1])
    rows = [(ether + ipv4 + udp + to_qp1, "CM REQ"), (ether + ipv6 + udp + to_qp1, "CM REQ"), (ether + arp, "ARP reply for 192.0.2.1"),
            (ether + b"\x81\0\0\x64" + arp, "ARP reply for 192.0.2.1"), (ether + ipv4 + b"\0\0\0\x35" + bytes(16), "UDP to port 53"),
            (ether + ipv4 + udp + b"\x04\0\xff\xff\0\0\0\x11" + bytes(8), "RoCE opcode 0x04 to QP 0x11"),
            (ether + b"\x86\xdd\x60" + bytes(5) + b"\0" + bytes(33) + b"\x3a" + bytes(7) + b"\x8f" + bytes(7), "ICMPv6 MLD report")]
    bad = [f"{facts.kind(frame)[0]} is no {name}" for frame, name in rows if facts.kind(frame)[0] != name]
    for whole, _ in rows:
        for length in range(len(whole)):
            facts.kind(whole[:length])
    lines = facts.of_wire([(5.0, 90, rows[0][0]), (6.5, 90, rows[0][0]), (7.5, 90, rows[0][0])], {":".join(6 * ["00"]): "us"})
    return bad + ([] if lines[0].endswith("0.00-  2.50 s  us to us: 3 x CM REQ") and rows[0][0].hex() in lines[1] else lines)


def faults_are_told_apart():
    """vmxnet3 may read the first page. vmxnet3 may not write there, and no other card may read or write there."""
    line = "[    9.9] DMAR: [DMA {} NO_PASID] Request device [{}] fault addr {} [fault reason 0x06] PTE Read access is not set"
    pairs = models.cards()
    own, other = pairs["vmxnet3"][0], pairs["virtio"][0]
    rows = [(own, "Read", "0x0", True), (own, "Write", "0x0", False), (own, "Read", "0x1180200000", False), (other, "Read", "0x0", False)]
    cards = [card for pair in pairs.values() for card in pair]
    return [f"wrong about {what} of {card.id} at {where}" for card, what, where, want in rows
            if any(c.tolerates(line.format(what, card.address[5:], where)) for c in cards) != want]


class CrashingLab:
    """A lab whose QEMU crashes in the first `crashes` cases. The object is also the lab's guest and what the case plays."""

    def __init__(self, crashes, complains=False):
        self.crashes, self.complains, self.played = crashes, complains, 0
        self.guest = self

    def play(self, _lab):
        self.played += 1
        if self.crashed():
            raise image.Trouble("the guest went away")
        return ["a complaint"] if self.complains else []

    def crashed(self):
        return self.played <= self.crashes

    def end_programs(self):
        return not self.crashed()

    vfio = end_programs

    def faults(self):
        return []

    def reborn(self):
        pass


def a_crash_of_qemu_is_played_again():
    """A case is played once more if QEMU crashed. A case with a complaint but without a crash fails at once."""
    bad = []
    for crashes, complains, want_played, want_passed in ((0, False, 1, True), (0, True, 1, False), (1, False, 2, True), (1, True, 2, False),
                                                         (2, False, 2, False)):
        fake = CrashingLab(crashes, complains)
        complaints, remarks = run.play(fake, types.SimpleNamespace(play=fake))
        if fake.played != want_played or (not complaints) != want_passed or bool(remarks) != (crashes == 1 and want_passed):
            bad.append(f"{crashes} crashes, {complains}: played {fake.played} times, {complaints} {remarks}")
    return bad


def programs_go_with_their_guest():
    """The next case must not wait for programs of a guest that has gone."""
    gone = lab.Lab.__new__(lab.Lab)
    gone.guest, gone.programs = types.SimpleNamespace(run=lambda *_: 1 // 0), ["a program"]
    try:
        gone.end_programs()
    except ZeroDivisionError:
        return [f"left: {gone.programs}"] if gone.programs else []
    return ["no exception of the guest"]


def the_end_of_qemu_has_a_reason():
    """A signal by name, with the memory that is left; else the exit status."""
    bad = []
    for command, says, crashed in (("kill -SEGV $$", r"^QEMU was ended by SIGSEGV, \d+ MB of memory are left$", True),
                                   ("exit 3", "^QEMU's exit status is 3$", False),
                                   ("kill -ABRT $$", "^QEMU's exit status is -6$", False), ("sleep 9", "^QEMU's exit status is None$", False)):
        machine = guest.Guest("", "", ".", append="", devices=[])
        with subprocess.Popen(["sh", "-c", command]) as machine.process:
            if machine.crashed() != crashed or not re.search(says, machine.how_qemu_ended()):
                bad.append(f"{command}: {machine.how_qemu_ended()}")
            machine.process.kill()
    return bad


if __name__ == "__main__":
    tap.run([("cases are named once", cases_are_named_once), ("every model is in the core", every_model_is_in_the_core),
             ("known failures are cases", known_failures_are_cases), ("cards do not collide", cards_do_not_collide),
             ("frames are told apart", frames_are_told_apart), ("frames have names", frames_have_names),
             ("faults are told apart", faults_are_told_apart),
             ("a case is played again if QEMU crashed", a_crash_of_qemu_is_played_again),
             ("programs go with their guest", programs_go_with_their_guest), ("the end of QEMU has a reason", the_end_of_qemu_has_a_reason)])
