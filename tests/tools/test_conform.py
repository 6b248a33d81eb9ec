"""usage: test_conform.py RN_CONFORM ND_RPING CATALOGUE listens | connects

Prints TAP: rn_conform finds no deviation of softrnic in this role. softrnic is on one end of a
veth pair and rn_conform on the other, in a network namespace of the test's own."""
import json
import os
import subprocess
import sys
import tempfile
import threading

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import tap  # noqa: E402

CONFORM, RPING, CATALOGUE, ROLE = sys.argv[1:5]
CONFIG = """adapters = ( { name = "a"; port = "af_packet"; iface = "rnconf0"; ipv4 = [ "192.0.2.1/24" ]; mtu = 1500; } );
eal = { hugepages = "no"; };
limits = { mbufs = 1024; };
idle = { policy = "inline"; };
"""
ROLES = {"listens": (["-s", "-a", "192.0.2.1"], []), "connects": (["-c", "-a", "192.0.2.50", "-S", "4096", "-C", "9"], ["--listen"])}
TRIES = 3
LEAST = {"listens": 55, "connects": 75} # rows that must pass; a row that does not apply is skipped
SKIPPED = 77


def again_and_again(argv, env, over):
    while not over.is_set():
        subprocess.run(argv, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=False)


def nothing_deviates(role, rows=None, more_config=""):
    words, options = ROLES[role]
    with tempfile.TemporaryDirectory(prefix="conform-test-") as folder:
        config, result = os.path.join(folder, "a.conf"), os.path.join(folder, "result.json")
        with open(config, "w", encoding="utf-8") as f:
            f.write(CONFIG + more_config)
        env = dict(os.environ, SOFTRNIC_CONFIG=config, SOFTRNIC_ND_CATALOG=CATALOGUE)
        over = threading.Event()
        peer = threading.Thread(target=again_and_again, args=([RPING, *words], env, over))
        peer.start()
        try:
            tool = subprocess.run([CONFORM, "--port", "rnconf1", "--address", "192.0.2.50", "--peer", "192.0.2.1", "--json", result,
                                   *options, *(["--rows", rows] if rows else [])],
                                  capture_output=True, text=True, timeout=400, check=False)
        finally:
            over.set()
            peer.join()
        with open(result, encoding="utf-8") as f:
            text = f.read()
        if not text:
            return [f"no result, exit status {tool.returncode}: {tool.stdout[-300:]} {tool.stderr}"]
        said = json.loads(text)
    complaints = [f"{row['row']}: {row['why']} {row['frames']}" for row in said["rows"] if row["result"] == "deviates"]
    if tool.returncode != 0:
        complaints.append(f"exit status {tool.returncode}: {tool.stdout[-300:]} {tool.stderr}")
    if not rows and said["passed"] < LEAST[role]:
        complaints.append(f"only {said['passed']} rows apply: {tool.stdout}")
    return complaints


def patiently(attempt):
    """Repeats a check in which the tool ignores one early repetition of a request: it may see two if it waits for a CPU."""
    complaints = []
    for _ in range(TRIES):
        complaints = attempt()
        if not complaints:
            break
    return complaints


def nobody_connects():
    """Both softrnic and the tool listen, so no connection comes: a row of the connection manager
    ends after --patience."""
    with tempfile.TemporaryDirectory(prefix="conform-test-") as folder:
        config = os.path.join(folder, "a.conf")
        with open(config, "w", encoding="utf-8") as f:
            f.write(CONFIG)
        env = dict(os.environ, SOFTRNIC_CONFIG=config, SOFTRNIC_ND_CATALOG=CATALOGUE)
        with subprocess.Popen([RPING, *ROLES["listens"][0]], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as peer:
            try:
                tool = subprocess.run([CONFORM, "--port", "rnconf1", "--address", "192.0.2.50", "--peer", "192.0.2.1", "--listen",
                                       "--rows", "C3", "--patience", "1"], capture_output=True, text=True, timeout=25, check=False)
            except subprocess.TimeoutExpired:
                return ["it waits for more than the second it was told"]
            finally:
                peer.kill()
    return [] if tool.returncode == 2 and "no connection" in tool.stdout else [f"{tool.returncode}: {tool.stdout} {tool.stderr}"]


def nobody_there():
    tool = subprocess.run([CONFORM, "--port", "rnconf1", "--address", "192.0.2.50", "--peer", "192.0.2.99"],
                          capture_output=True, text=True, timeout=60, check=False)
    return [] if tool.returncode == 2 and "no ARP answer" in tool.stderr else [f"{tool.returncode}: {tool.stderr}"]


if "RN_CONFORM_INSIDE" not in os.environ:
    if subprocess.run(["unshare", "-n", "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        sys.exit(SKIPPED)
    os.environ["RN_CONFORM_INSIDE"] = "1"
    os.execvp("unshare", ["unshare", "-n", sys.executable, *sys.argv])
subprocess.run("ip link add rnconf0 type veth peer name rnconf1 && ip link set rnconf0 addrgenmode none && "
               "ip link set rnconf1 addrgenmode none && ip link set rnconf0 up && ip link set rnconf1 up",
               shell=True, check=True)
CHECKS = {
    "listens": [("no host at the address", nobody_there), ("the peer does not connect", nobody_connects)],
    "connects": [("an impatient peer asks again before it is answered",
                  lambda: patiently(lambda: nothing_deviates("connects", "Q4,Q20",
                                                             "timers = { rto_floor_us = 1000; rto_initial_us = 1000; };\n")))],
}
tap.run([*CHECKS[ROLE], (f"nothing deviates, softrnic {ROLE}", lambda: nothing_deviates(ROLE))])
