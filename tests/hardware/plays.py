"""How cases are played. A play returns its complaints as lines."""
import contextlib
import re
import time
import traceback

import facts
import software
from image import Trouble
from lab import ADDRESS, SHARED
from models import MODULES, Tap

ROCE_PORT = b"\x12\xb7"
COUNTERS = re.compile(r"^ *\d+  \w+\n", re.M)


def tail(title, program):
    """The end of a program's output."""
    return [f"{title}: {line}" for line in COUNTERS.sub("", program.output).strip().splitlines()[-12:]]


def counter(output, name):
    """The value of a counter that a program has printed; 0 is not printed."""
    found = re.search(rf"^ *(\d+)  {name}$", output, re.M)
    return int(found[1]) if found else 0


def is_roce(frame):
    """Whether a frame, tagged or not, is RoCEv2 over IPv4."""
    at = 18 if frame[12:14] == b"\x81\x00" else 14
    return frame[at - 2:at] == b"\x08\x00" and frame[at + 9:at + 10] == b"\x11" and frame[at + 22:at + 24] == ROCE_PORT


class Pair:
    """Two programs of softrnic, the server on the card of side 0. {0} and {1} in the commands stand for the addresses of the
    sides. says: what the client's output must match. while_running(lab, cards, client): is called while the client runs; its
    complaints count. server_status: None = the server is ended when the client has ended."""

    def __init__(self, model, server, client, says="", family=4, mtu=1500, adapter="", more="", seconds=90, listens="listening",
                 while_running=None, server_status=0, client_status=0):
        self.model, self.server, self.client, self.says, self.family, self.mtu = model, server, client, says, family, mtu
        self.adapter, self.more, self.seconds, self.listens = adapter, more, seconds, listens
        self.while_running, self.server_status, self.client_status = while_running, server_status, client_status

    def play(self, lab):
        pair = lab.cards[self.model]
        words = {"mtu": self.mtu, "adapter": self.adapter, "more": self.more, "seconds": self.seconds}
        server = lab.ours(pair[0], self.server.format(*ADDRESS[self.family]), **words)
        if not server.says(self.listens):
            return ["the server does not listen"] + tail("server", server)
        client = lab.ours(pair[1], self.client.format(*ADDRESS[self.family]), **words)
        bad = self.while_running(lab, pair, client) if self.while_running else []
        status = client.wait()
        if status != self.client_status:
            bad.append(f"the client ended with {status}")
        if not re.search(self.says, client.output):
            bad.append(f"the client does not say {self.says!r}")
        if self.server_status is None:
            lab.guest.run("killall -TERM " + self.server.split()[0].split("/")[-1])
        status = server.wait(20)
        if self.server_status is not None and status != self.server_status:
            bad.append(f"the server ended with {status}")
        return bad + (tail("server", server) + tail("client", client) if bad else [])


class Shards:
    """Connections between adapters with two shards. says: what both must log about RSS. queues: the shards whose receive queues get
    frames; all others get none. handed: how many packets the client's shards may hand to each other at most."""

    ENOUGH = 10  # more than the frames of ARP and neighbour discovery, which are not hashed

    def __init__(self, pair, says, queues=(0,), handed=None):
        self.pair, self.says_of_rss, self.queues, self.handed = pair, says, queues, handed
        pair.server, pair.client = f"{pair.server} --stats", f"{pair.client} --stats"
        pair.adapter, pair.more = "shards = 2;", 'log = { level = "info"; };'

    def play(self, lab):
        bad = self.pair.play(lab)
        for who, program in zip(("the server", "the client"), lab.programs[-2:]):
            bad += [f"{who}: {line}" for line in self.judge(program.output)]
        found = re.search(r"^ *(\d+)  port_handed_off$", lab.programs[-1].output, re.M)
        handed = int(found[1]) if found else 0
        if self.handed is not None and handed > self.handed:
            bad.append(f"the client's shards handed {handed} packets to each other, more than {self.handed}")
        return bad

    def judge(self, output):
        frames = {int(shard): int(count) for count, shard in re.findall(r"^ *(\d+)  port_rx_frames_(\d+)$", output, re.M)}
        said = [line for line in output.splitlines() if "RSS" in line]
        bad = [] if len(said) == 1 and re.search(self.says_of_rss, said[0]) else [f"says of RSS: {said}"]
        few = [queue for queue in self.queues if frames.get(queue, 0) < self.ENOUGH]
        return bad + ([f"frames by shard: {frames}"] if few or frames.keys() - set(self.queues) else [])


class Ruled:
    """Connections between an adapter with two shards on a TAP, and soft-RoCE on the bridge of the TAP. The kernel lets DPDK's driver
    of the TAP make flow rules. All packets for which there is none arrive in the first queue, as those of a card without RSS do."""

    NEEDED = ["tun", "bridge", "sch_ingress", "sch_multiq", "cls_flower", "act_skbedit"]
    SHARE = 3  # at most one packet of so many is handed over; without rules it is every second one, with rules every tenth

    def __init__(self, server, client, family):
        self.server, self.client, self.family = f"{server} --stats", client, family

    def play(self, lab):
        mine, peer = Tap(0), f"{ADDRESS[4][1]}/24 {ADDRESS[6][1]}/64"
        server = lab.ours(mine, self.server.format(*ADDRESS[self.family]), 120, adapter="shards = 2;")
        lab.must(f"load {' '.join(self.NEEDED + SHARED)} && ip link add br0 type bridge mcast_snooping 0 && rxe br0 1500 {peer}")
        try:
            return self.converse(lab, mine, server)
        finally:
            self.clean(lab)

    def converse(self, lab, mine, server):
        if not server.says("listening"):
            return ["the server does not listen"] + tail("server", server)
        # A filter of the driver's own qdisc, behind those that it makes for its rules.
        lab.must(f"tc filter add dev {mine.interface} parent 1: protocol all pref 60000 flower action skbedit queue_mapping 0 && "
                 f"ip link set {mine.interface} master br0 up")
        client = lab.start(self.client.format(*ADDRESS[self.family]), 120)
        bad = [f"the {who} ended with {status}" for who, status in (("client", client.wait()), ("server", server.wait(20))) if status]
        bad += self.judge(server.output)
        return bad + (tail("server", server) + tail("client", client) if bad else [])

    def judge(self, output):
        frames, handed, rules, refused = (counter(output, f"port_{name}") for name in ("rx_frames", "handed_off", "flow_rules",
                                                                                       "flow_rules_refused"))
        bad = [] if rules and not refused else [f"{rules} rules were made, and {refused} refused"]
        return bad + ([f"of {frames} packets {handed} were handed over"] if handed * self.SHARE > frames else [])

    def clean(self, lab):
        """Linux 6.1 may hang when rxe0 is deleted soon after a connection has ended."""
        try:
            lab.must("killall -9 ucmatose; rdma link delete rxe0 && ip link del br0", 20)
        except (RuntimeError, Trouble):
            lab.reborn()


class Transfer:
    """Files of several sizes, one after the other; the data of the last one is also compared by sha256sum."""

    def __init__(self, model, via, sizes, mtu=1500, adapter="", seconds=120, more=""):
        self.model, self.sizes = model, sizes
        client = " && ".join(f"tools/nd_xfer -c {{0}} --via {via} /tmp/in.{size}" for size in sizes)
        self.pair = Pair(model, f"tools/nd_xfer -s {{0}} -n {len(sizes)} -o /tmp/out", client, mtu=mtu, adapter=adapter, seconds=seconds,
                         more=more)

    def play(self, lab):
        for size in self.sizes:
            lab.must(f"[ -e /tmp/in.{size} ] || head -c {size} /dev/urandom >/tmp/in.{size}")
        lab.must("rm -f /tmp/out")
        return self.pair.play(lab) or self.compare(lab)

    def compare(self, lab):
        first, second = lab.must(f"sha256sum </tmp/in.{self.sizes[-1]}; sha256sum </tmp/out").splitlines()
        return [] if first == second else ["the file that arrived is another one"]


class Watched:
    """A pair whose frames on the wire are examined: judge(frames) gives complaints."""

    def __init__(self, pair, judge):
        self.model, self.pair, self.judge = pair.model, pair, judge

    def play(self, lab):
        with lab.capture(lab.cards[self.model][0]) as frames:
            bad = self.pair.play(lab)
        return bad + self.judge([(length, frame) for _, length, frame in frames if is_roce(frame)])


class LinkDown:
    """The link of the card of side 0 goes down in mid-transfer. No data may pass until it is up again; then the same connection
    goes on, and all data are right. The log must name both changes; events: whether the driver must have announced them."""

    def __init__(self, model, events, policy="adaptive"):
        self.events = events
        self.pair = Pair(model, "tools/nd_rping -s -a {0} --stats", "tools/nd_rping -c -a {0} -S 100 -C 0 -V -v",
                         while_running=self.interrupt, server_status=None, client_status=143,
                         more=f'log = {{ level = "info"; }}; idle = {{ policy = "{policy}"; }};')

    def play(self, lab):
        return self.pair.play(lab) or self.judge(lab.programs[-2].output)

    def judge(self, output):
        """output: that of the server, whose link it was"""
        bad = [f"the log does not say {what}" for what in ("link down", "link up") if f"adapter lab0: {what}" not in output]
        events = re.search(r"^ *(\d+)  port_link_events$", output, re.M)
        if bool(events and int(events[1]) >= 2) != self.events:
            bad.append(f"the driver has announced {events[1] if events else 0} changes of the link")
        return bad

    @staticmethod
    def rounds(lab, client):
        return int(lab.guest.run(f"grep -c '^.*rdma-ping-' {client.log}")[1])

    def interrupt(self, lab, pair, client):
        bad = [] if client.says("rdma-ping-20:") else ["no data flow"]
        lab.link(pair[0], False)
        try:
            time.sleep(0.5)
            before = self.rounds(lab, client)
            time.sleep(1)
            if self.rounds(lab, client) != before:
                bad.append("data flow while the link is down")
        finally:
            lab.link(pair[0], True)
        if not client.says(f"rdma-ping-{before + 50}:", 20):
            bad.append("no data flow after the link is up again")
        lab.guest.run("killall -TERM nd_rping")
        return bad


class SoftRoce:
    """A program of softrnic on the card of side 1, and one of Linux soft-RoCE over the kernel's driver on that of side 0.
    serve: which of them is the server. In the commands {0} stands for the address of soft-RoCE and {1} for that of softrnic.
    The complaints end with facts about both sides and the wire."""

    def __init__(self, model, serve, ours, theirs, says="", family=4, mtu=1500, listens="listening", seconds=60):
        self.model, self.serve, self.ours, self.theirs, self.says = model, serve, ours, theirs, says
        self.family, self.mtu, self.listens, self.seconds = family, mtu, listens, seconds

    def play(self, lab):
        pair = lab.cards[self.model]
        with lab.capture(pair[0]) as frames:
            try:
                bad = self.play_captured(lab)
            except Exception:  # pylint: disable=broad-except
                bad = traceback.format_exc().splitlines() + self.facts(lab)
        names = {pair[0].mac: "soft-RoCE", pair[1].mac: "softrnic", "ff:ff:ff:ff:ff:ff": "all"}
        return bad + (facts.of_wire(frames, names) if bad else [])

    def play_captured(self, lab):
        lab.soft_roce(lab.cards[self.model][0], self.mtu)
        for _ in range(3):
            bad = self.play_once(lab)
            # perftest with -R connects twice; its server may not listen yet when the second connection arrives.
            if not re.search("RDMA_CM_EVENT_REJECTED, error: 8|refused, reason 8", "\n".join(bad)):
                break
            lab.end_programs()
        return bad

    def facts(self, lab):
        return facts.of_kernel(lab, lab.cards[self.model][0], self.theirs.split()[0])

    def play_once(self, lab):
        card, address = lab.cards[self.model][1], ADDRESS[self.family]
        words = {"command": self.ours.format(*address) + " --stats", "seconds": self.seconds, "mtu": self.mtu}
        if self.serve == "ours":
            ours = lab.ours(card, **words)
            if not ours.says(self.listens):
                return ["ours does not listen"] + tail("ours", ours)
            theirs = lab.start(self.theirs.format(*address), self.seconds)
            theirs.wait()
        else:
            theirs = lab.start(self.theirs.format(*address), self.seconds)
            lab.must("for n in $(seq 100); do rdma resource show cm_id | grep -q LISTEN && exit 0; sleep 0.1; done; exit 1")
            ours = lab.ours(card, **words)
        return self.judge(lab, ours, theirs)

    def judge(self, lab, ours, theirs):
        bad, status = [], ours.wait()
        if status:
            bad.append(f"ours ended with {status}")
        if not re.search(self.says, ours.output):
            bad.append(f"ours does not say {self.says!r}")
        about = self.facts(lab) if bad else []  # while theirs still runs
        status = theirs.wait(20)
        # rping: the server ends with an error when its client leaves, and a bug makes both end with 255 after all went well.
        if status and not (self.theirs.startswith("rping") and (self.serve == "theirs" or status == 255)):
            bad.append(f"theirs ended with {status}")
        if not bad:
            return []
        about = about or self.facts(lab)
        return bad + tail("ours", ours) + tail("theirs", theirs) + facts.of_softrnic(ours.output) + about


class Restart:
    """A program whose adapter starts and ends again and again, while the server on the card of side 0 stays and, if the wire is a
    hub, somebody floods both cards with broadcast frames."""

    def __init__(self, model, lives, adapter=""):
        self.pair = Pair(model, "tools/nd_rping -s -P -a {0}", f"tests/hardware/restart {{1}} {{0}} {lives}", f"{lives} lives",
                         seconds=300, server_status=None, adapter=adapter)

    def play(self, lab):
        card = lab.cards[self.pair.model][0]
        with contextlib.nullcontext() if card.model.queues else lab.flood(card.hub):
            return self.pair.play(lab)


class Reset:
    """An operator resets the card of side 0 three times in mid-transfer. The same connection goes on, and all data are right. After
    that the card still receives multicast frames, without which no peer finds an IPv6 address."""

    def __init__(self, model, adapter=""):
        self.pair = Pair(model, "tools/nd_rping -s -P -a {0}", "tools/nd_rping -c -a {0} -S 5001 -C 0 -V -v", family=6, adapter=adapter,
                         while_running=self.reset, server_status=None, client_status=143, more='eal = { args = [ "--telemetry" ]; };')

    def play(self, lab):
        return self.pair.play(lab)

    @staticmethod
    def reset(lab, pair, client):
        bad = [] if client.says("rdma-ping-20:") else ["no data flow"]
        server, socket = lab.programs[-2], lab.must("find /run /var/run /tmp -name dpdk_telemetry.v2").splitlines()
        for n in range(3):
            before = int(lab.guest.run(f"grep -c '^.*rdma-ping-' {client.log}")[1])
            lab.must(" || ".join(f"{software.PLACE}/tests/hardware/ask {name} /softrnic/reset,lab0 | grep requested" for name in socket))
            if not client.says(f"rdma-ping-{before + 30}:", 20):
                bad.append(f"no data flow after reset {n + 1}")
                break
        if lab.guest.run(f"[ $(grep -c 'its network card was reset' {server.log}) = 3 ]")[0]:
            bad.append("the log does not have three resets")
        lab.guest.run("for p in $(pidof nd_rping); do tr '\\0' ' ' </proc/$p/cmdline | grep -q ' -c ' && kill $p; done")
        client.wait()
        again = lab.ours(pair[1], f"tools/nd_rping -c -a {ADDRESS[6][0]} -C 10 -V")
        return bad + ([] if again.wait() == 0 else ["no new connection after the resets"] + tail("again", again))


class Filtered:
    """Two programs of softrnic, while somebody floods both cards with frames that are not for them. The card must pass on no frame to the
    MAC address of another host, and frames to the MAC of a group that nobody has joined only if its driver takes no list of groups.
    says: what the log says about the filter."""

    ARP = b"\x08\x06\0\x01\x08\0\x06\x04\0\x01" + bytes(40)
    SENDER = b"\x02\0\0\0\0\x77"
    FLOOD = (b"\x02\0\0\0\0\x66" + SENDER + ARP,                                      # to another host: verdict FRAME_MAC
             b"\x01\0\x5e\x2a\x35\x17" + SENDER + ARP.replace(b"\x06\x04", b"\x05\x04"),  # malformed, to a group: ARP_BAD
             b"\xff" * 6 + SENDER + b"\x89\x15" + bytes(60))                             # RoCEv1, to all: FRAME_ROCE_V1

    def __init__(self, pair, takes_list):
        self.pair, self.takes_list = pair, takes_list
        pair.more = 'log = { level = "info"; };'

    def play(self, lab):
        pair = lab.cards[self.pair.model]
        with lab.flood(pair[0].hub, self.FLOOD):
            bad = self.pair.play(lab)
        server, client = lab.programs[-2:]
        return bad + self.judge(server.output, self.takes_list) + self.judge(client.output, self.takes_list)

    @staticmethod
    def judge(output, takes_list):
        """output: that of a program with --stats"""
        count = {name: int(n) for n, name in re.findall(r"^ *(\d+)  verdict_(\w+)$", output, re.M)}
        says = "broadcasts, and " + ("the multicasts that it needs" if takes_list else "all multicasts")
        bad = [] if f"{says}\n" in output else [f"the log does not say {says!r}"]
        all_, host, group = (count.get(name, 0) for name in ("FRAME_ROCE_V1", "FRAME_MAC", "ARP_BAD"))
        # As many frames of each kind are sent. While it starts, a virtio card passes on all frames.
        if host > all_ / 10:
            bad.append(f"{host} frames to another host, {all_} to all")
        if all_ == 0 or (group > all_ / 10) == takes_list:
            bad.append(f"{group} frames to a group that nobody has joined, {all_} to all")
        return bad


class Removed:
    """The kernel takes the card of side 0 away in mid-transfer, as it does when somebody pulls it. The kernel must not have to wait, the
    programs must end with an error, and the card must work again when it is back."""

    def __init__(self, model):
        self.model, self.again = model, Pair(model, "tools/nd_rping -s -a {0} -C 10", "tools/nd_rping -c -a {0} -C 10 -V", "data compared")
        self.pair = Pair(model, "tools/nd_rping -s -a {0}", "tools/nd_rping -c -a {0} -S 100 -C 0 -V -v --timeout 8", "no (answer|message) from the peer",
                         while_running=self.remove, server_status=None, client_status=1)

    def play(self, lab):
        card = lab.cards[self.model][0]
        try:
            bad = self.pair.play(lab)
        finally:
            lab.must(f"[ -e /sys/bus/pci/devices/{card.address} ] || echo 1 >/sys/bus/pci/rescan; bind vfio-pci {card.address}")
        return bad or self.again.play(lab)

    @staticmethod
    def remove(lab, pair, client):
        bad = [] if client.says("rdma-ping-20:") else ["no data flow"]
        status, text = lab.guest.run(f"timeout 15 dash -c 'echo 1 >/sys/bus/pci/devices/{pair[0].address}/remove'", 30)
        if status:
            bad.append(f"the kernel waits for the card: {status} {text}")
        return bad + ([] if lab.programs[-2].says("its device is gone", 10) else ["the server does not notice"])


class Idle:
    """A server without work: how often does its shard wake? After data have flowed, interrupts must have come."""

    SECONDS, WAKES = 3, 150  # the shard looks for frames 10 times a second; sleeping without interrupts it would wake 1,000 times

    def __init__(self, model):
        self.pair = Pair(model, "tools/nd_rping -s -P -a {0}", "tools/nd_rping -c -a {0} -C 30 -V", "data compared", server_status=None,
                         while_running=self.look)

    def play(self, lab):
        return self.pair.play(lab)

    def look(self, lab, pair, client):
        client.wait()
        came = lab.must(f"grep -F 'vfio-msix[1]({pair[0].address})' /proc/interrupts || true").split()
        wakes = ("cd /proc/$(pidof nd_rping)/task; for t in *; do grep -q rn-shard $t/comm && "
                 "awk '/^voluntary/ {print $2}' $t/status; done; true")
        before, after = lab.must(f"{wakes}; sleep {self.SECONDS}; {wakes}").split()
        bad = [] if came and sum(map(int, came[1:3])) >= 30 else [f"interrupts: {' '.join(came)}"]
        return bad + ([f"{int(after) - int(before)} wakes in {self.SECONDS} s"] if int(after) - int(before) > self.WAKES else [])


class Described:
    """A pair; before it, nd_portinfo must say of the card of side 0, with the same configuration, what matches `says`."""

    def __init__(self, pair, says):
        self.pair, self.says = pair, says

    def play(self, lab):
        program = lab.ours(lab.cards[self.pair.model][0], "tools/nd_portinfo/nd_portinfo $SOFTRNIC_CONFIG", more=self.pair.more)
        status = program.wait()
        if status or not re.search(self.says, program.output, re.M):
            return [f"nd_portinfo ended with {status} and does not say {self.says!r}"] + tail("nd_portinfo", program)
        return self.pair.play(lab)


class Refused:
    """What is missing before a card can be used is said in one sentence, with the command that mends it."""

    def __init__(self, model):
        self.model = model

    def play(self, lab):
        card, kernel = lab.cards[self.model][0], lab.cards[self.model][0].model.kernel_driver
        a, free = card.address, lab.cards[self.model][1]
        lab.must("grep -q ^guest: /etc/passwd || echo guest:x:1000:1000::/tmp:/bin/dash >>/etc/passwd; chmod 1777 /tmp /dev/shm; "
                 "chmod 666 /dev/vfio/vfio")
        bad = self.expect(lab, card, "cd /sys/bus/pci/drivers/vfio-pci && echo {a} >unbind",
                          f"{a} is bound to no driver; bind it with .modprobe vfio-pci; dpdk-devbind.py -b vfio-pci {a}")
        bad += self.expect(lab, card, f"load {' '.join(MODULES.get(kernel, [kernel]))} && bind {kernel} {{a}}",
                           f"{a} is bound to the kernel driver {kernel} as interface")
        bad += self.expect(lab, card, "bind vfio-pci {a}; chmod 600 /dev/vfio/*", "this user may not open /dev/vfio/[0-9]*, the IOMMU group of",
                           user=True)
        lab.must("chmod 666 /dev/vfio/*")
        bad += self.expect(lab, card, "ulimit -l 8192", "this user may lock only 8 MB, and VFIO locks all memory", user=True, huge="auto")
        bad += self.expect(lab, card, "ulimit -l 65536", "this user may lock only 64 MB, and VFIO locks all memory(.|\n)*out of memory",
                           user=True)
        server = lab.ours(card, "tools/nd_rping -s -a {0}".format(*ADDRESS[4]))
        bad += [] if server.says("listening") else ["the server does not listen"] + tail("server", server)
        bad += self.expect(lab, card, "true", f"another process uses {a} .or a card of its IOMMU group")
        listed = lab.must(f"{software.PLACE}/config/softrnic-config --devices")
        return bad + [f"--devices does not have {word}" for word in (f"{free.address} is ready", f'pci = "{free.address}"') if word not in listed]

    @staticmethod
    def expect(lab, card, prepare, sentence, user=False, huge="no"):
        """Prepares the machine, or if that is a limit, the server's process, and starts a server on the card, which must end with the
        sentence (a regular expression)."""
        limit = f"{prepare}; " if prepare.startswith("ulimit") else ""
        lab.must("true" if limit else prepare.format(a=card.address))
        command = f"{limit}exec tools/nd_rping -s -a {ADDRESS[4][0]}"
        run = lab.ours(card, f"exec su guest -s /bin/dash -c '{command}'" if user else command, more=f'eal = {{ hugepages = "{huge}"; }};')
        status = run.wait(40)
        return [] if status and re.search(sentence, run.output) else [f"not said: {sentence}"] + tail("said", run)


class Demo:
    """demo.sh between the two cards, with the programs that are there. It refuses cards that cannot be used with the sentence of
    softrnic-config."""

    def __init__(self, model):
        self.model = model

    def play(self, lab):
        a, b = (card.address for card in lab.cards[self.model])
        lab.must("head -c 400001 /dev/urandom >/tmp/demo-file")
        bad = self.run(lab, f"{a},0000:00:1e.7", False, "there is no PCI device 0000:00:1e.7", "the demo needs two cards that are ready")
        bad += self.run(lab, f"{a},0000:00:00.0", False, "0000:00:00.0 is no network card")  # the host bridge
        bad += self.run(lab, f"{a},{a}", False, "two different cards")
        return bad + self.run(lab, f"{a},{b}", True, "the programs in build/ are used as they are", *(
            f"^sent 400001 bytes by {via} in" for via in ("send", "write", "read")), "all held: three transfers with equal hashes, the table$")

    @staticmethod
    def run(lab, cards, good, *sentences):
        demo = lab.start(f"exec {software.PLACE}/demo.sh --port pci:{cards} /tmp/demo-file", 240)
        status = demo.wait()
        bad = [] if (status == 0) == good else [f"with {cards} the demo ended with {status}"]
        bad += [f"not said with {cards}: {s}" for s in sentences if not re.search(s, demo.output, re.M)]
        return bad + (tail("demo", demo) if bad else [])


class Report:
    """tools/report.sh about the card of side 1, with a peer on that of side 0. driver: what it must say about the port."""

    def __init__(self, model, driver):
        self.model, self.driver = model, driver

    def play(self, lab):
        pair = lab.cards[self.model]
        server = lab.ours(pair[0], f"tools/nd_rping -s -a {ADDRESS[4][0]} && perf/nd_write_bw -R", 180)
        if not server.says("listening"):
            return ["the server does not listen"] + tail("server", server)
        client = lab.ours(pair[1], f"exec tools/report.sh $SOFTRNIC_CONFIG {ADDRESS[4][0]}", 150)
        status, said = client.wait(), client.output
        wanted = (self.driver, f"{pair[1].address} is ready", "^IOMMU groups: [1-9]", "^  link: up, [1-9]", "^  MTU: 1500, ",
                  "data compared", "^ *65536 +1000 ")
        bad = [f"the report ended with {status}"] if status else []
        bad += [f"not said: {pattern}" for pattern in wanted if not re.search(pattern, said, re.M)]
        bad += ["it tells an address"] if re.search(f"{pair[1].mac}|{ADDRESS[4][0]}", said) else []
        return bad + (said.splitlines() if bad else [])
