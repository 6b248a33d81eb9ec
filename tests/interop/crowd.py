"""Cases of several processes behind one softrnicd: many pairs at the same time, and the death of a process or of the daemon."""
import time

from lab import OWN
from pairs import Pair, lines

SOON_S = 30  # a peer's program must end and say why; a busy machine may delay its end
# What rping of the peer prints after a DREQ, and what it prints when its retransmissions have failed.
DISCONNECTED, GAVE_UP = "DISCONNECT EVENT", "cq completion failed"
SILENCE = "no message from the peer"  # nd_rping, 20 s after the last one
HOLD = "-S 3000 -C 1000000"  # rping that does not end by itself


class Crowd:
    """Plays all pairs at the same time; each has ports of its own. Every program must exchange data before the first one ends."""

    def __init__(self, pairs):
        self.pairs = pairs

    def play(self, lab, notes):
        lab.peer()
        for pair in self.pairs:
            bad = pair.start_server(lab)
            if bad:
                return bad
        # A program in the guest begins to send later than one of ours, so the guest's clients are started first.
        for pair in sorted(self.pairs, key=lambda p: p.serve != "ours"):
            pair.start_client(lab)
        start = time.monotonic()
        bad = lab.busy(len(self.pairs))
        notes.append(f"{len(self.pairs)} processes were busy after {time.monotonic() - start:.1f} s")
        for pair in self.pairs:
            mine = pair.end(lab, notes)
            bad += mine and [f"-- {pair.command}"] + mine
        wire = lab.report()["port"]["counters"]
        notes.append(f"frames of softrnicd so far: {', '.join(f'{k} {v}' for k, v in wire.items() if k.endswith(('frames', 'dropped')))}")
        return bad


def held(who, port):
    """An rping that runs until somebody ends it."""
    if who == "ours":
        return Pair("theirs", f"tools/nd_rping -c -a {{peer}} -p {port} {HOLD}", f"rping -s -a {{peer}} -p {port} -S 3000", cm_port=port)
    return Pair("ours", f"tools/nd_rping -s -a {{own}} -p {port}", f"rping -c -a {{own}} -p {port} {HOLD}")


def got_dreq(program):
    """Returns True if rping of the peer has ended because of a DREQ, and not because nobody acknowledged its packets."""
    return DISCONNECTED in program.output and GAVE_UP not in program.output


class ProcessDies:
    """One of two processes is killed: a DREQ must end the peer's program. The other process loses nothing. A request for the
    service of the dead is refused with reason 8."""

    def __init__(self, who):
        self.victim, self.other = held(who, 7301), Pair(
            "ours", "tools/nd_rping -s -a {own} -p 7302 -C 300", "rping -c -a {own} -p 7302 -S 20000 -C 300 -V", says_ours="served 300 rounds")

    def play(self, lab, notes):
        lab.peer()
        bad = []
        for pair in (self.victim, self.other):
            bad += pair.start_server(lab)
            pair.start_client(lab)
        bad += lab.busy(2)
        if bad:
            return bad
        start = time.monotonic()
        if self.other.ours.process.poll() is not None:
            bad.append("the other process has ended before")
        self.victim.ours.kill()
        status = self.victim.theirs.wait(SOON_S)
        notes.append(f"the peer's program ended {time.monotonic() - start:.1f} s after ours")
        if status is None:
            bad.append("the peer's program does not end")
        elif not got_dreq(self.victim.theirs):
            bad += ["no DREQ has reached the peer"] + lines("theirs", self.victim.theirs.output)
        bad += self.refused(lab)
        return bad + self.other.end(lab, notes)

    @staticmethod
    def refused(lab):
        start = time.monotonic()
        status, text = lab.guest.run(f"rping -c -a {OWN[4]} -p 7301 -C 1", SOON_S)
        if status and "RDMA_CM_EVENT_REJECTED, error 8" in text:
            return []
        return [f"connecting to a dead service ended with {status} after {time.monotonic() - start:.1f} s"] + lines("theirs", text)


class DaemonEnds:
    """softrnicd gets SIGTERM: a DREQ ends the peer's program. Ours ends when the next daemon does not take it back."""

    def __init__(self, who):
        self.pair = held(who, 7301)

    def play(self, lab, notes):
        lab.peer()
        bad = self.pair.start_server(lab)
        self.pair.start_client(lab)
        bad += lab.busy(1)
        if bad:
            return bad
        start = time.monotonic()
        bad += [] if lab.daemon.stop() == 0 else [lab.daemon.text]
        status = self.pair.theirs.wait(SOON_S)
        notes.append(f"the peer's program ended {time.monotonic() - start:.1f} s after SIGTERM of the daemon")
        if status is None or not got_dreq(self.pair.theirs):
            bad += ["no DREQ has reached the peer"] + lines("theirs", self.pair.theirs.output)
        lab.daemon.start()
        if self.pair.ours.wait(SOON_S) is None or SILENCE in self.pair.ours.output:
            bad += ["ours does not end"] + lines("ours", self.pair.ours.output)
        return bad


class DaemonRestarts:
    """softrnicd is killed and started again while pairs run. Their connections go on, and they end with success."""

    def __init__(self, pairs):
        self.pairs = pairs

    def play(self, lab, notes):
        lab.peer()
        bad = []
        for pair in self.pairs:
            bad += pair.start_server(lab)
            pair.start_client(lab)
        bad += lab.busy(len(self.pairs))
        if bad:
            return bad
        start = time.monotonic()
        lab.crash(len(self.pairs))
        notes.append(f"softrnicd was back with its clients after {time.monotonic() - start:.1f} s")
        bad += lab.busy(len(self.pairs))
        for pair in self.pairs:
            bad += pair.end(lab, notes)
        return bad
