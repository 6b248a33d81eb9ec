"""Checks the tables of this folder and prints TAP."""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import cases  # noqa: E402
import models  # noqa: E402
import plays  # noqa: E402
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


def faults_are_told_apart():
    """vmxnet3 may read the first page; no card may write there, and no other card may do either."""
    line = "[    9.9] DMAR: [DMA {} NO_PASID] Request device [{}] fault addr {} [fault reason 0x06] PTE Read access is not set"
    pairs = models.cards()
    own, other = pairs["vmxnet3"][0], pairs["virtio"][0]
    rows = [(own, "Read", "0x0", True), (own, "Write", "0x0", False), (own, "Read", "0x1180200000", False), (other, "Read", "0x0", False)]
    cards = [card for pair in pairs.values() for card in pair]
    return [f"wrong about {what} of {card.id} at {where}" for card, what, where, want in rows
            if any(c.tolerates(line.format(what, card.address[5:], where)) for c in cards) != want]


if __name__ == "__main__":
    tap.run([("cases are named once", cases_are_named_once), ("every model is in the core", every_model_is_in_the_core),
             ("known failures are cases", known_failures_are_cases), ("cards do not collide", cards_do_not_collide),
             ("frames are told apart", frames_are_told_apart), ("faults are told apart", faults_are_told_apart)])
