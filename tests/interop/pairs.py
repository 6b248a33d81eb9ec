"""Plays a case: one program in the guest and one of softrnic, the server started first; then checks
the output of both and softrnic's counters."""
import re

import counters
from lab import OWN, PEER

# Known bugs of the peer's programs: (program, exit status, text). The exit status has no meaning
# then.
PEER_FAULTS = [
    # rdma-core 44: rping's main thread closes the event channel while its event thread uses it.
    ("rping", 255, "rdma_get_cm_event: Bad file descriptor"),
]


def peer_fault(command, status, text):
    """Whether the program of the peer ended by a known bug."""
    return any(re.match(rf"\S*{p}\b", command) and status == s and t in text for p, s, t in PEER_FAULTS)


def lines(title, text):
    return [f"{title}: {line}" for line in text.strip().splitlines()[-12:]]


class Pair:
    """A program of softrnic ("ours") and one of the peer ("theirs").

    In the commands {peer} and {own} stand for the addresses. serve: which side is the server.
    allow: groups and counters of counters.py. once_more: output of the peer's program after a known
    bug; the case is then played again. want_ours, want_theirs: the required exit status, None =
    any. says_*: pattern that the output must match. want: counters that must not be 0. port, cm_port:
    where the peer's server listens, by TCP or by the RDMA CM; without them, on any CM id."""

    tries = 3  # at most, with once_more

    def __init__(self, serve, ours, theirs, family=4, seconds=60, allow="", mtu=1500, peer_mtu=None, more="", adapter="", netem="",
                 want_ours=0, want_theirs=0, says_ours="", says_theirs="", listens="listening", port=None, cm_port=None, want=(), once_more=None):
        self.serve, self.our_words, self.their_words, self.family, self.seconds = serve, ours, theirs, family, seconds
        self.allow, self.mtu, self.peer_mtu, self.more, self.netem = allow.split(), mtu, peer_mtu or mtu, more, netem
        self.want_ours, self.want_theirs, self.says_ours, self.says_theirs = want_ours, want_theirs, says_ours, says_theirs
        self.listens, self.port, self.cm_port, self.want, self.adapter = listens, port, cm_port, want, adapter
        self.once_more = once_more

    def start_ours(self, lab):
        words = self.our_words.format(peer=PEER[self.family], own=OWN[self.family]).split()
        return lab.ours(words[0], *words[1:], "--stats", mtu=self.mtu, more=self.more,
                        adapter=self.adapter)

    def start_theirs(self, lab):
        self.command = self.their_words.format(peer=PEER[self.family], own=OWN[self.family])
        return lab.start_theirs(self.command, self.seconds)

    def play(self, lab, notes):
        """Returns the complaints as lines; adds remarks to notes."""
        for _ in range(self.tries - 1):
            bad = self.play_once(lab, notes)
            if not bad or not self.once_more or not re.search(self.once_more, self.their_output):
                return bad
            notes.append(f"peer fault: {self.once_more}; played again")
            lab.end_programs()
        return self.play_once(lab, notes)

    def play_once(self, lab, notes):
        lab.peer(self.peer_mtu, self.netem)
        bad = self.start_server(lab)
        if bad:
            return bad
        self.start_client(lab)
        return self.end(lab, notes)

    def start_server(self, lab):
        """Returns complaints, after which the pair cannot go on."""
        self.their_output = ""
        if self.serve == "ours":
            self.ours = self.start_ours(lab)
            return [] if self.ours.says(self.listens) else ["ours does not listen"] + lines("ours", self.ours.output)
        lab.before_peer()
        self.theirs = self.start_theirs(lab)
        lab.peer_listens(self.port, self.cm_port)
        return []

    def start_client(self, lab):
        if self.serve == "ours":
            self.theirs = self.start_theirs(lab)
        else:
            self.ours = self.start_ours(lab)

    def end(self, lab, notes):
        """Waits until both programs have ended, and judges them."""
        if self.serve == "ours":
            self.theirs.wait()
            status = self.ours.wait(30)
        else:
            status = self.ours.wait(self.seconds)
            if self.theirs.wait(10) is None:
                lab.kill_theirs(self.theirs, self.command)
                self.theirs.wait()
        return self.judge(self.ours, status, self.theirs, notes)

    def judge(self, ours, status, theirs, notes):
        bad, seen = self.judge_ends(ours, status, theirs, notes), counters.parse(ours.output)
        if not seen:
            bad.append("ours printed no counters")
        bad += counters.complaints(seen, self.allow)
        bad += [f"counter {name} is 0, this case did not do what it is for" for name in self.want if not seen.get(name)]
        if bad:
            bad += self.told(ours, theirs)
            bad += [f"counters: {' '.join(f'{n}={v}' for n, v in seen.items())}"]
        return bad

    def judge_ends(self, ours, status, theirs, notes):
        """Compares exit status and output of both programs with what the case wants."""
        bad, self.their_output = [], theirs.output
        if self.want_ours is not None and status != self.want_ours:
            bad.append(f"ours ended with {status}")
        if self.want_theirs is not None and theirs.status != self.want_theirs:
            if peer_fault(self.command, theirs.status, theirs.output):
                notes.append(f"peer fault: {self.command.split()[0]} ended with {theirs.status} after all went well")
            else:
                bad.append(f"theirs ended with {theirs.status}")
        for who, text, pattern in (("ours", ours.output, self.says_ours), ("theirs", theirs.output, self.says_theirs)):
            if not re.search(pattern, text):
                bad.append(f"{who} does not say {pattern!r}")
        return bad

    def told(self, ours, theirs):
        """The last lines of both programs, without counters."""
        return lines("ours", re.sub(r"^ *\d+  \w+\n", "", ours.output, flags=re.M)) + lines("theirs", theirs.output)
