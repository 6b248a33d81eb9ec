"""Which requests are answered, and which are refused."""
import os
import struct

from daemon import Daemon, case
from protocol import (ATTACH, BODY, CLAIM, CLAIMS, FLUSH, INFO, JOIN, LEAVE, LISTEN, LONGEST, OUR_GID, PORT, SERVICE_BODY, SHOW,
                      UNCLAIM, UNLISTEN, Client, attach, claims, differ, plain, request)

ATTACHED = (PORT, LISTEN, UNLISTEN, JOIN, LEAVE, CLAIM, UNCLAIM, FLUSH)


@case
def info_has_the_port(build):
    with Daemon(build, "max_qp = 77;") as d, Client(d.socket) as c:
        info = c.info()
        return (differ("MAC", info["mac"].hex(":"), "02:00:00:00:00:07") + differ("max_qp", info["max_qp"], 77) +
                differ("number", info["number"], 0) + differ("token", info["token"], 0) +
                ([] if OUR_GID in info["gids"] else ["the address is missing"]))


@case
def bad_packets_are_refused(build):
    """A packet that is no request gets an error and changes nothing."""
    bad = []
    with Daemon(build) as d, Client(d.socket) as c:
        bad += differ("1 byte", c.err(b"x"), "EPROTO")
        bad += differ("7 bytes", c.err(plain(INFO)[:7]), "EPROTO")
        for version in (0, 2, 0xffffffff):
            for op in BODY:
                bad += differ(f"version {version} of {op}", c.err(request(op, bytes(BODY[op]), version)), "EPROTO")
        for op in (0, FLUSH + 1, 255, 0x80000000, 0xffffffff):
            bad += differ(f"op {op}", c.err(request(op, bytes(64))), "ENOSYS")
        for op, length in BODY.items():
            if length:
                bad += differ(f"op {op}, one byte short", c.err(plain(op)[:-1]), "EINVAL")
                bad += differ(f"op {op}, header alone", c.err(request(op)), "EINVAL")
        return bad + differ("INFO afterwards", c.err(plain(INFO)), "OK")


@case
def packets_of_no_length_or_too_much_end_the_session(build):
    bad = []
    with Daemon(build) as d, Client(d.socket) as other:
        before = d.settled()
        for what, packet in (("empty", b""), ("too long", plain(CLAIM) + b"x"), ("65536 bytes", plain(INFO) + bytes(65528))):
            with Client(d.socket) as c, open("/dev/null", "rb") as null:
                bad += differ(what, c.err(packet, [null.fileno()]), "GONE")
        with Client(d.socket) as c:  # the longest that fits
            bad += differ("longest", c.err(plain(INFO) + bytes(LONGEST - 8)), "OK")
        return bad + differ("another process", other.err(plain(INFO)), "OK") + d.leaks(before)


@case
def only_clients_may_ask_for_more(build):
    with Daemon(build) as d, Client(d.socket) as c:
        bad = [line for op in ATTACHED for line in differ(f"op {op}", c.err(plain(op)), "ENOTCONN")]
        return bad + differ("INFO", c.err(plain(INFO)), "OK") + differ("SHOW", c.err(plain(SHOW)), "OK")


@case
def a_client_attaches_once(build):
    with Daemon(build) as d, Client(d.socket) as c, Client(d.socket) as other:
        bad = differ("no queues", c.err(attach(queues=0)), "EINVAL")
        bad += differ("too many queues", c.err(attach(queues=1 << 16)), "EINVAL")
        bad += differ("queues", c.err(attach(queues=0xffffffff)), "EINVAL")
        bad += differ("first", c.attach(), "OK")
        bad += differ("second", c.err(attach()), "EALREADY")
        bad += differ("other", other.attach(), "OK")
        if not 1 <= c.number <= 254 or not 1 <= other.number <= 254 or c.number == other.number or c.token == other.token:
            bad.append(f"numbers {c.number}, {other.number}, tokens {c.token}, {other.token}")
        return bad


@case
def numbers_of_others_cannot_be_taken(build):
    with Daemon(build) as d, Client(d.socket) as c, Client(d.socket) as thief:
        c.attach()
        bad = []
        for number in (c.number, c.number + 1, 255, 256, 0xffffffff):
            for token in (0, c.token ^ 1, c.token):
                got = thief.err(attach(number=number, token=token))
                if got not in ("EPERM", "EBUSY", "EINVAL"):
                    bad.append(f"number {number}, token {token}: {got}")
        return bad + differ("the client", c.err(plain(INFO)), "OK")


@case
def services_and_groups(build):
    service = struct.pack(SERVICE_BODY, 0x0000000001061d2f, OUR_GID)
    group = bytes(10) + b"\xff\xff" + bytes((239, 1, 2, 3))
    with Daemon(build) as d, Client(d.socket) as c, Client(d.socket) as other:
        c.attach(), other.attach()
        return (differ("listen", c.err(request(LISTEN, service)), "OK") +
                differ("listen of another", other.err(request(LISTEN, service)), "EADDRINUSE") +
                differ("unlisten", c.err(request(UNLISTEN, service)), "OK") +
                differ("listen afterwards", other.err(request(LISTEN, service)), "OK") +
                differ("join", c.err(request(JOIN, group)), "OK") + differ("join a host", c.err(request(JOIN, OUR_GID)), "EINVAL") +
                differ("leave", c.err(request(LEAVE, group)), "OK"))


@case
def claims_are_checked(build):
    with Daemon(build) as d, Client(d.socket) as c:
        c.attach()
        bad = differ("none", c.err(claims(0)), "OK")
        for n in (CLAIMS + 1, 1000, 0x80000000, 0xffffffff):
            bad += differ(f"{n} claims", c.err(claims(n)), "EINVAL")
        err, reply = c.ask(claims(CLAIMS))
        if err == 0 or struct.unpack_from("=I", reply)[0] != 0:
            bad.append(f"{CLAIMS} claims of zeros: error {err}, {reply[:4].hex()} accepted")
        return bad + differ("INFO afterwards", c.err(plain(INFO)), "OK")


@case
def descriptors_that_nobody_wants_are_closed(build):
    """One, two or many descriptors with any request leave none behind."""
    with Daemon(build) as d, Client(d.socket) as c, open("/dev/null", "rb") as null:
        before = d.settled()
        for op in BODY:
            for n in (1, 2, 3, 16, 253):
                c.err(plain(op), [null.fileno()] * n)
        c.err(b"x", [null.fileno()] * 2)
        return d.leaks(before) + differ("INFO afterwards", c.err(plain(INFO)), "OK")


@case
def the_report_is_json_in_parts(build):
    with Daemon(build, "clients = 250;") as d:
        clients = [Client(d.socket) for _ in range(250)]
        names = ["bad \x01\x7f\"\\\xe9" if n == 0 else f"client {n}" for n in range(250)]
        for c, name in zip(clients, names):
            c.attach(name=name, queues=2)
        report, parts = clients[0].show()
        names[0] = 'bad ??"\\?'
        bad = differ("names", sorted(c["name"] for c in report["clients"]), sorted(names))
        bad += differ("numbers", sorted(c["number"] for c in report["clients"]), sorted(c.number for c in clients))
        bad += differ("process", {(c["pid"], c["uid"], c["queues"]) for c in report["clients"]}, {(os.getpid(), os.geteuid(), 2)})
        bad += differ("clients", (report["port"]["clients"], report["port"]["clients_max"]), (250, 250))
        for c in clients:
            c.close()
        return bad + ([] if parts > 1 else ["the report has one part"])


@case
def a_long_name_is_cut(build):
    with Daemon(build) as d, Client(d.socket) as c:
        c.err(request(ATTACH, struct.pack("=IIQ", 0, 1, 0) + b"n" * 32))
        return differ("name", c.show()[0]["clients"][0]["name"], "n" * 31)
