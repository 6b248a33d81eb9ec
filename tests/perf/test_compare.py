#!/usr/bin/env python3
"""Tests of perf/compare.py's parts: verdicts and table, what other programs print, charts. Prints TAP."""
import os
import re
import sys
import tempfile
import xml.dom.minidom

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(os.path.dirname(TESTS), "perf")]
import baselines  # noqa: E402
import compare  # noqa: E402
import svg  # noqa: E402
import tap  # noqa: E402
import targets  # noqa: E402

LESS = targets.Row("a", "a", "ns", targets.LOWER, 10, 5)
MORE = targets.Row("b", "b", "x", targets.HIGHER, 10, 20)
# row, figure, verdict
VERDICTS = [
    (LESS, 9.9, "met"), (LESS, 10, "met"), (LESS, 10.1, "missed"), (LESS, 0, "met"), (LESS, None, "not measured"),
    (MORE, 10.1, "met"), (MORE, 10, "met"), (MORE, 9.9, "missed"), (MORE, 0, "missed"), (MORE, None, "not measured"),
]
UCX = """+--------------+--------------+------------------------------+---------------------+-----------------------+
|              |              |        latency (usec)        |   bandwidth (MB/s)  |  message rate (msg/s) |
|     Test     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |
+--------------+--------------+----------+---------+---------+----------+----------+-----------+-----------+
                       10000      7.000    80.000   120.000        0.50       0.40       12000        8000
                       20000      6.684    79.420   123.958        0.77       0.49       12591        8067
"""
FI = """bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec
1m      20      =20      40m         0.05s    798.62     1312.98       0.00
"""


def judged(row, figure, wanted):
    found = targets.verdict(row, figure)
    return [] if found == wanted else [f"{row.better} {row.must}, {figure}: {found}"]


def keys_are_unique():
    keys = [row.key for row in targets.ROWS]
    return sorted({f"twice: {k}" for k in keys if keys.count(k) > 1})


def aims_are_beyond_musts():
    return [row.key for row in targets.ROWS if row.aim is not None and
            (row.aim >= row.must if row.better == targets.LOWER else row.aim <= row.must)]


def measurements_name_rows():
    rows, seen = {row.key for row in targets.ROWS}, [k for keys, _ in compare.MEASURES for k in keys]
    return [k for k in seen if k not in rows or seen.count(k) > 1]


def the_table_has_all_rows():
    lines = targets.table({"post 1": (55.0, "a note"), "post 16": (31.0, ""), "ring trip": (None, "no port")})
    bad = [] if len(lines) == len(targets.ROWS) + 1 else [f"{len(lines)} lines"]
    ends = {"post + reap, batch of 1 ": "55  met; a note", "post + reap, batch of 16": "31  missed",
            "round trip 64, ring": "-  not measured; no port", "connections": "not measured"}
    return bad + [f"{start}: {end}" for start, end in ends.items()
                  if not any(line.startswith(start) and line.endswith(end) for line in lines)]


def a_failed_measurement_is_no_figure():
    results = compare.Results(compare.Bench("/nonexistent", False))
    results.take(["post 16"], compare.post(16))
    figure, note = results.figures["post 16"]
    return [] if figure is None and "no bench_link" in note else [f"{figure} {note}"]


def quick_ends_in_time():
    bench = compare.Bench("/nonexistent", True)
    bench.since -= compare.QUICK_S + 1
    try:
        bench.run("bench_link")
    except compare.Unmeasured as why:
        return [] if "no time left" in str(why) else [str(why)]
    return ["it went on"]


def measured_beside(runnable):
    """What a comparison says with so many runnable threads, itself among them, after a minute of a high load."""
    bench, load, now = Paired([({"near": row(10.0)}, {"near": row(4.0)})]), os.getloadavg, compare.runnable
    bench.busy, os.getloadavg, compare.runnable = False, lambda: (2 * os.cpu_count() + 1, 0, 0), lambda: runnable
    try:
        bench.pairs("mmsg", True, [], [])
        return "measured"
    except compare.Unmeasured as why:
        return str(why)
    finally:
        os.getloadavg, compare.runnable = load, now


def a_busy_machine_is_no_measure():
    said = measured_beside(1 + os.cpu_count())
    return [] if "other threads run" in said else [said]


def what_it_ran_itself_before_does_not_count():
    said = measured_beside(1)
    return [] if said == "measured" else [said]


class Paired(compare.Bench):
    """A bench whose programs print what the test says: per round, the regimes of pump and of adapter."""

    def __init__(self, rounds):
        super().__init__("/nonexistent", False)
        self.rounds, self.turn, self.texts = len(rounds), -1, rounds

    def run(self, program, *options):
        self.turn += program == "bench_pump" and "--pool=ring" in options
        return [{"regimes": self.texts[self.turn][program == "bench_link"]}]


def row(value, epochs=9):
    return {"mmsg": value, "epochs": epochs}


def only_one_regime_is_compared():
    rounds = [({"near": row(10.0), "mixed": row(1.0)}, {"near": row(4.0), "mixed": row(1.0)}),
              ({"near": row(10.0)}, {"far": row(9.0)}),
              ({"far": row(2.0)}, {"far": row(1.0), "near": row(5.0)}),
              ({"far": row(2.0)}, {"far": row(0.6), "near": row(5.0)}),
              ({"far": row(2.0)}, {"far": row(2.0, epochs=2)})]
    (ratio, _), _ = Paired(rounds).pairs("mmsg", True, [], [])
    bad = [] if ratio == 0.4 else [f"ratio {ratio}"]
    try:
        Paired(rounds[1:2]).pairs("mmsg", True, [], [])
        return bad + ["near was compared with far"]
    except compare.Unmeasured:
        return bad


def goodput_is_that_of_the_nearest_cores():
    def run_(epochs, loss, clean):
        return {"epochs": epochs, "gbit_mean": loss, "gbit_clean": clean}

    runs = [{"near": run_(20, 8.0, 10.0), "far": run_(20, 3.0, 3.0)}, {"near": run_(19, 1.0, 10.0), "mixed": run_(99, 1.0, 9.0)},
            {"near": run_(40, 9.0, 10.0)}, {"near": run_(40, 7.0, 10.0)}]
    ratio, note = compare.goodput_ratio(runs)
    bad = [] if ratio == 0.8 and "near 0.800" in note and "far 1.000" in note else [f"{ratio} {note}"]
    try:
        return bad + [f"{compare.goodput_ratio(runs[1:2])}"]
    except compare.Unmeasured:
        return bad


def a_chart_has_one_distance_of_the_cores():
    def run_(**rates):
        return {regime: {"gbit": 8 * rate, "mmsg": rate, "epochs": 3} for regime, rate in rates.items()}

    tries = {("pump", 64): [run_(near=5.0, far=1.0), run_(near=6.0)], ("pump", 512): [run_(far=2.0), run_(near=4.0, mixed=9.0)],
             ("softrnic", 64): [run_(near=3.0), run_(smt=8.0)], ("softrnic", 512): [run_(far=1.0), run_(near=2.0)]}
    lines = compare.size_lines(tries)
    bad = [] if lines["regime"] == "near" and lines["mmsg"] == {
        "pump": [(64, 6.0), (512, 4.0)], "softrnic": [(64, 3.0), (512, 2.0)]} else [f"{lines}"]
    tries[("softrnic", 512)][1]["near"]["epochs"] = 2
    try:
        return bad + [f"a distance without each point: {compare.size_lines(tries)}"]
    except compare.Unmeasured:
        return bad


def single_posts_stand_beside_lists():
    class Both(Paired):
        def run(self, program, *options):
            found = super().run(program, *options)
            if "--post-list=1" in options:
                found = [{"regimes": {"near": row(3.0)}}]
            return found

    rounds = [({"near": row(10.0)}, {"near": row(5.0)})] * 3
    bad = []
    for name, function in (("ring send", compare.stream("ring", "send")), ("solo write", compare.solo("write"))):
        (ratio, note) = function(Both(rounds), {})[name]
        if ratio != 0.5 or not note.endswith("; single posts 0.3"):
            bad.append(f"{name}: {ratio} {note}")
    (_, note) = compare.stream("memif", "send")(Both(rounds), {})["memif send"]
    return bad + ([note] if "single" in note else [])


def ucx_is_understood():
    row_ = baselines.ucx_row(UCX)
    return [] if row_[1] == 6.684 and row_[5] == 0.49 else [str(row_)]


def libfabric_is_understood():
    row_ = baselines.fi_row(FI)
    return [] if float(row_["MB/sec"]) == 798.62 else [str(row_)]


def other_text_is_absence():
    bad = []
    for parse in baselines.ucx_row, baselines.fi_row:
        for text in "", "no such device\n", "1 2 3\n":
            try:
                bad.append(f"{parse(text)}")
            except baselines.Absent:
                pass
    return bad


CHARTS = {
    "linear": ({"a": [(0, 0), (1, 3.5), (2, 2)], "b": [(0, 9)]}, {}),
    "logarithmic": ({"a": [(64, 0.001), (1048576, 40)]}, {"log_x": True, "log_y": True}),
    "a zero where y is logarithmic": ({"a": [(1, 0), (2, 40)]}, {"log_y": True}),
    "one point": ({"a": [(5, 5)]}, {}),
    "four names": ({name: [(0, 1)] for name in ("softrnic, ring (near)", "softrnic, memif (near)", "TCP on lo", "UDP on lo")}, {}),
    "names": ({"x < y & z": [(0, 1870), (1, 2960), (2, 35000)]}, {"log_y": True, "names": ("half", "99 %", "99.9 %")}),
}


def drawn(series, options):
    text = svg.chart("t < u & v", "x", "y", series, **options)
    root = xml.dom.minidom.parseString(text).documentElement
    circles = root.getElementsByTagName("circle")
    points = sum(len([p for p in line if p[1] > 0 or not options.get("log_y")]) for line in series.values())
    bad = [] if len(circles) == points else [f"{len(circles)} circles for {points} points"]
    for c in circles:
        x, y = float(c.getAttribute("cx")), float(c.getAttribute("cy"))
        if not (svg.LEFT <= x <= svg.WIDTH - svg.RIGHT + 0.1 and svg.TOP - 0.1 <= y <= svg.HEIGHT - svg.BOTTOM + 0.1):
            bad.append(f"a point outside of the axes: {x} {y}")
    boxes = [float(r.getAttribute("x")) for r in root.getElementsByTagName("rect") if r.getAttribute("width") == "12"]
    for name, x, after in zip(series, boxes, [*boxes[1:], svg.WIDTH]):
        if after - x < 16 + 6 * len(name):
            bad.append(f"the name {name} has {after - x} units")
    names = [t.firstChild.data for t in root.getElementsByTagName("text")]
    return bad + [f"no text {n}" for n in [*series, "t < u & v", *options.get("names", ())] if n not in names]


def higher_is_drawn_higher():
    root = xml.dom.minidom.parseString(svg.chart("t", "x", "y", {"a": [(1, 1), (2, 5)]})).documentElement
    low, high = [(float(c.getAttribute("cx")), float(c.getAttribute("cy"))) for c in root.getElementsByTagName("circle")]
    return [] if high[1] < low[1] and high[0] > low[0] else [f"{low} {high}"]


def nothing_is_not_drawn():
    bad = []
    for series, options in (({}, {}), ({"a": []}, {}), ({"a": [(0, 1)]}, {"log_x": True}), ({"a": [(1, 0)]}, {"log_y": True})):
        try:
            bad.append(svg.chart("t", "x", "y", series, **options))
        except ValueError:
            pass
    return bad


CURVES = {"sizes": {"regime": "near", "gbit": {"a": [(64, 1)]}, "mmsg": {"a": [(64, 1)]}}, "latency": {"a": [(0, 1)]}, "qps": {"a": [(1, 1)]},
          "loss": {"a": [(0, 1)]}}


def pages_show_each_chart():
    """Charts are drawn on a quiet machine and committed then: all or none may be missing."""
    docs = os.path.join(os.path.dirname(TESTS), "docs")
    with tempfile.TemporaryDirectory() as folder:
        names = compare.draw(CURVES, folder)
    with open(os.path.join(docs, "performance.md"), encoding="utf-8") as f:
        page = f.read()
    with open(os.path.join(docs, "..", "README.md"), encoding="utf-8") as f:
        readme = f.read()
    bad = [f"docs/performance.md does not show {n}" for n in names if f"](img/{n})" not in page]
    bad += [f"README.md shows {n}, which is not drawn" for n in re.findall(r"\]\(docs/img/([^)]*)\)", readme) if n not in names]
    there = [n for n in names if os.path.exists(os.path.join(docs, "img", n))]
    bad += [] if there in ([], names) else [f"only {' '.join(there)} in docs/img"]
    if not bad and not there:
        raise tap.Skip("no chart in docs/img yet")
    return bad


def the_costliest_port_counts_when_idle():
    ring, memif = ({"percent": p, "wake_us_p50": w, "wake_us_p99": 9 * w} for p, w in ((0.02, 30), (0.41, 1500)))
    figure, note = compare.idle_row({"ring": ring, "memif": memif, "af_packet": "needs root"})
    wanted = "ring 0.02 (woken in 30 us, 99 % 270), memif 0.41 (woken in 1500 us, 99 % 13500), af_packet: needs root"
    bad = [] if (figure, note) == (0.41, wanted) else [f"{figure} {note}"]
    try:
        return bad + [str(compare.idle_row({"ring": "no"}))]
    except compare.Unmeasured:
        return bad


def what_is_missing_is_named():
    which = baselines.shutil.which
    try:
        baselines.shutil.which = lambda name: None if name == "fi_pingpong" else "/usr/bin/x"
        one = baselines.to_install() or ""
        baselines.shutil.which = lambda name: "/usr/bin/x"
        none = baselines.to_install()
    finally:
        baselines.shutil.which = which
    return [] if one.endswith(" libfabric-bin") and "ucx" not in one and "apt-get install" in one and none is None else [f"{one} {none}"]


def the_best_turn_counts():
    def absent():
        raise baselines.Absent("no such program")

    turns = {"softrnic": iter([5.0, 7.0, 6.0]), "tcp": iter([2.0, 1.0, 3.0])}
    found = compare.in_turn({"softrnic": lambda: next(turns["softrnic"]), "rxd": absent, "tcp": lambda: next(turns["tcp"])}, max)
    bad = [] if found == {"softrnic": 7.0, "tcp": 3.0, "rxd": "no such program"} else [f"{found}"]
    try:
        compare.in_turn({"softrnic": absent, "tcp": lambda: 1.0}, max)
        return bad + ["compared without a figure of softrnic"]
    except compare.Unmeasured:
        return bad


def no_figure_of_another_transport_is_no_ratio():
    rows_ = [compare.against(6.0, 3.0, "Gbit/s", 3.0), compare.against(6.0, "absent", "Gbit/s", "absent")]
    return [] if rows_[0][0] == 2.0 and rows_[1] == (None, "absent") else [f"{rows_}"]


def idle_memory_is_understood():
    line = "4080 bytes, 1272 of them in the connection manager; queues 192"
    figure, note = compare.memory_row(f"[ RUN      ] a test\n{line}\n[       OK ] a test\n")
    bad = [] if figure == 4080 and note.startswith("1272 ") else [f"{figure}, {note}"]
    try:
        bad.append(f"other text: {compare.memory_row('no hugepages')}")
    except compare.Unmeasured:
        pass
    return bad


tap.run([(f"{r.better}, {f} is {w}", lambda r=r, f=f, w=w: judged(r, f, w)) for r, f, w in VERDICTS] +
        [(f"chart: {name}", lambda s=s, o=o: drawn(s, o)) for name, (s, o) in CHARTS.items()] +
        [(f.__name__.replace("_", " "), f) for f in (
            keys_are_unique, aims_are_beyond_musts, measurements_name_rows, the_table_has_all_rows,
            a_failed_measurement_is_no_figure, quick_ends_in_time, only_one_regime_is_compared, goodput_is_that_of_the_nearest_cores,
            a_chart_has_one_distance_of_the_cores, a_busy_machine_is_no_measure,
            what_it_ran_itself_before_does_not_count, single_posts_stand_beside_lists,
            ucx_is_understood, libfabric_is_understood,
            other_text_is_absence, higher_is_drawn_higher, nothing_is_not_drawn,
            idle_memory_is_understood, pages_show_each_chart, the_costliest_port_counts_when_idle, what_is_missing_is_named,
            the_best_turn_counts, no_figure_of_another_transport_is_no_ratio)])
