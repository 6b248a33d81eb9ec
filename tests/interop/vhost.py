"""The lab without a network: the guest's virtio card is connected to softrnic's own port, net_vhost, by a socket through which QEMU
shares the guest's memory. Each of softrnic's programs is another process at this socket, while the guest stays."""
import time

from image import Trouble
from lab import Lab, OWN, PEER
from peer import peer


class VhostLab(Lab):
    def __enter__(self):
        self.socket, self.keeper = self.work / "vhost", None
        self.port = f'port = "vdev"; vdev = "net_vhost0,iface={self.socket},queues=1";'
        self.inside = []
        self.guest = peer(self.cache, self.work, [], None, PEER[4] + "/24", PEER[6] + "/64", vhost=self.socket)
        try:
            self.boot()
        except Exception:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.end_programs()
        self.guest.kill()

    def boot(self):
        """QEMU waits for a process at the socket before it starts, and the guest for its link."""
        self.keep()
        self.guest.boot()
        self.peer_mtu, self.netem_on = 1500, False

    def keep(self):
        """Starts a process that does no more than keep the link up."""
        self.socket.unlink(missing_ok=True)  # a program that was killed has left it
        self.keeper = super().ours("tools/nd_rping", "-s", "-P", "-a", OWN[4])
        if not self.keeper.says("listening"):
            raise Trouble(f"the process at the socket does not listen: {self.keeper.output}")

    def before_peer(self):
        """perftest's programs end at once if the link is down."""
        if not self.keeper:
            self.keep()
        self.link("ACTIVE")

    def ours(self, tool, *words, **config):
        """Starts the program when the guest has noticed that the one before has ended, and returns when its link is up again."""
        if self.keeper:
            self.keeper.kill()
            self.keeper = None
        self.link("DOWN")
        self.socket.unlink(missing_ok=True)
        program = super().ours(tool, *words, **config)
        self.link("ACTIVE", program)
        return program

    def end_programs(self):
        super().end_programs()
        self.keeper = None

    def link(self, state, program=None):
        """Waits for the state of rxe0, at most 20 s and no longer than the program runs."""
        until = time.monotonic() + 20
        while self.guest.run(f"grep -q {state} /sys/class/infiniband/rxe0/ports/1/state")[0]:
            if time.monotonic() > until:
                raise RuntimeError(f"rxe0 does not become {state}")
            if program and program.process.poll() is not None:
                return
            time.sleep(0.1)
