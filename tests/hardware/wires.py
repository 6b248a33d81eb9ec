"""The wires between cards with several queues. A QEMU hub gives a card one queue, so each such card has a TAP with as many queues
instead, and the TAPs of a pair are joined by a bridge. All are in a network namespace, in which QEMU runs."""
import os
import subprocess

MTU = 9018  # of TAPs and bridges


def run(command):
    return subprocess.run(command.split(), capture_output=True, text=True, check=False, timeout=30)


class Wires:
    """pairs: the cards to be joined. missing: why that is not possible on this machine, or None."""

    def __init__(self, pairs):
        self.space, self.missing = f"hardware-{os.getpid()}", None
        for command in self.commands(pairs):
            done = run(command)
            if done.returncode:
                self.missing = f"no TAPs with several queues: {command}: {done.stderr.strip()}"
                self.remove()
                return

    def commands(self, pairs):
        space = self.space
        yield f"ip netns add {space}"
        for number, pair in enumerate(pairs):
            # Without snooping the bridge passes all multicast frames. Without an address the host's own IPv6 stack stays silent.
            yield f"ip -n {space} link add wire{number} mtu {MTU} type bridge mcast_snooping 0"
            yield f"ip -n {space} link set wire{number} addrgenmode none up"
            for card in pair:
                yield f"ip -n {space} tuntap add dev {card.net} mode tap multi_queue"
                yield f"ip -n {space} link set {card.net} mtu {MTU} addrgenmode none master wire{number} up"

    @property
    def inside(self):
        """Prefix of a command that runs it where the wires are."""
        return [] if self.missing else ["ip", "netns", "exec", self.space]

    def remove(self):
        run(f"ip netns del {self.space}")
