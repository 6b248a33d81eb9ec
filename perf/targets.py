"""The targets of the project's speed: a table of rows, and what a figure means for its row."""
from collections import namedtuple

# better: "lower" or "higher"; must and aim are in `unit`. aim is None where the project has none.
Row = namedtuple("Row", "key text unit better must aim")

LOWER, HIGHER = "lower", "higher"
ROWS = [
    Row("count path send", "whole path, SEND 64", "instructions", LOWER, 1300, 1000),
    Row("count path write", "whole path, WRITE 64", "instructions", LOWER, 1150, 900),
    Row("count path read", "whole path, READ 64", "instructions", LOWER, 2000, 1500),
    Row("count core send", "core, SEND 64", "instructions", LOWER, 850, 700),
    Row("count core write", "core, WRITE 64", "instructions", LOWER, 800, 650),
    Row("count core read", "core, READ 64", "instructions", LOWER, 1500, 1200),
    Row("testpmd", "the pump itself, memif", "x testpmd", HIGHER, 0.9, None),
    Row("ring send", "SEND 64, ring, two cores, lists of 16", "x pump", HIGHER, 0.45, 0.5),
    Row("ring write", "WRITE 64, ring, two cores, lists of 16", "x pump", HIGHER, 0.5, 0.6),
    Row("memif send", "SEND 64, memif, two cores", "x pump", HIGHER, 0.45, 0.5),
    Row("memif write", "WRITE 64, memif, two cores", "x pump", HIGHER, 0.5, 0.6),
    Row("solo send", "SEND 64, both ends on one core, lists of 16", "x pump", HIGHER, 0.4, 0.5),
    Row("solo write", "WRITE 64, both ends on one core, lists of 16", "x pump", HIGHER, 0.45, 0.5),
    Row("ring trip", "round trip 64, ring", "x pump", LOWER, 1.8, 1.5),
    Row("memif trip", "round trip 64, memif", "x pump", LOWER, 1.8, 1.5),
    Row("ring p999", "p99.9 of the round trip, ring", "x median", LOWER, 5, 3),
    Row("memif p999", "p99.9 of the round trip, memif", "x median", LOWER, 5, 3),
    Row("ring removed", "round trips removed for a gap, ring", "per cent", LOWER, 5, None),
    Row("memif removed", "round trips removed for a gap, memif", "per cent", LOWER, 5, None),
    Row("bulk write 4096", "1 MiB WRITE, MTU 4096, memif", "x pump", HIGHER, 0.85, 1.0),
    Row("bulk write 1024", "1 MiB WRITE, MTU 1024, memif", "x pump", HIGHER, 0.7, 0.85),
    Row("bulk read 4096", "1 MiB READ, MTU 4096, memif", "x pump", HIGHER, 0.85, 1.0),
    Row("bulk read 1024", "1 MiB READ, MTU 1024, memif", "x pump", HIGHER, 0.7, 0.85),
    Row("post 16", "post + reap, batch of 16", "ns", LOWER, 30, 20),
    Row("post 1", "post + reap, batch of 1", "ns", LOWER, 60, 40),
    # as ib_write_bw -q does; with 128 in all each WRITE has an ACK of its own, and the row would measure ACKs
    Row("qps 64", "64 queue pairs, 128 WRITEs 64 on each, core", "x one", HIGHER, 0.85, 0.9),
    Row("qps 1024", "1,024 queue pairs", "x one", HIGHER, 0.8, 0.85),
    Row("qps 10000", "10,000 queue pairs", "x one", HIGHER, 0.65, 0.75),
    Row("regions", "1,000,000 regions, random keys, core", "x one", HIGHER, 0.75, 0.85),
    Row("loss 0.1", "goodput at 0.1 % loss both ways", "x no loss", HIGHER, 0.97, 0.99),
    Row("loss 1", "goodput at 1 % loss both ways", "x no loss", HIGHER, 0.85, 0.95),
    Row("peer loss 0.1", "the same against a go-back-N peer, 0.1 %", "x no loss", HIGHER, 0.93, None),
    Row("peer loss 1", "the same against a go-back-N peer, 1 %", "x no loss", HIGHER, 0.55, None),
    Row("connections", "connections, data on each", "per second", HIGHER, 10000, 50000),
    Row("qp memory", "memory of an idle queue pair beyond its queues", "bytes", LOWER, 4096, 2048),
    Row("start", "start to the first usable adapter, --no-huge", "ms", LOWER, 600, 300),
    Row("idle", "adaptive policy, idle: share of a core", "per cent", LOWER, 0.5, None),
    Row("trip tcp", "round trip of TCP on lo", "x softrnic", HIGHER, 5, None),
    Row("trip ucx", "round trip of UCX tcp", "x softrnic", HIGHER, 5, None),
    Row("bulk ucx", "1 MiB bandwidth", "x UCX tcp", HIGHER, 2, None),
    Row("bulk tcp", "1 MiB bandwidth", "x TCP on lo", HIGHER, 3, None),
    Row("bulk rxd", "1 MiB bandwidth", "x udp;ofi_rxd", HIGHER, 10, None),
]
MET, MISSED, NOT_MEASURED = "met", "missed", "not measured"


def verdict(row, figure):
    """A figure that equals the target meets it. No figure is never met."""
    if figure is None:
        return NOT_MEASURED
    return MET if (figure <= row.must if row.better == LOWER else figure >= row.must) else MISSED


def number(x):
    if x is None:
        return "-"
    return f"{x:,.0f}" if abs(x) >= 100 else f"{x:.3g}"


def table(figures):
    """The lines of the table. figures maps a row's key to (figure or None, note)."""
    lines = [f"{'quantity':<48} {'unit':<13} {'must':>8} {'aim':>8} {'figure':>9}  verdict"]
    for row in ROWS:
        figure, note = figures.get(row.key, (None, ""))
        sign = "<=" if row.better == LOWER else ">="
        lines.append(f"{row.text:<48} {row.unit:<13} {sign + number(row.must):>8} {number(row.aim):>8} {number(figure):>9}  "
                     f"{verdict(row, figure)}{'; ' + note if note else ''}")
    return lines
