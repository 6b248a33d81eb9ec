"""The library as a file: names, versions, texts and numbers are those of Debian's, and loading it costs little."""
import ctypes
import os
import re
import subprocess

import tap
from verbs import DEBIAN, case, environment, library_folder


def lines(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def exported(path):
    """Returns {(node, name)} of what programs may import: names in parentheses are of programs older than Debian 12."""
    return {tuple(found.groups()) for line in lines("objdump", "-T", path) if "*UND*" not in line and "*ABS*" not in line
            for found in [re.search(r"\s(IBVERBS_\S+)\s+(\w+)$", line)] if found}


def ours(build):
    return os.path.join(library_folder(build), "libibverbs.so.1")


def debian():
    if not os.path.exists(DEBIAN):
        raise tap.Skip(f"there is no {DEBIAN}")
    return DEBIAN


@case
def names_and_versions_are_those_of_debian(build):
    have, want = exported(ours(build)), exported(debian())
    return ([f"{name}@{node} is missing" for node, name in sorted(want - have)] +
            [f"{name}@{node} is too much" for node, name in sorted(have - want)] +
            ([] if len(want) == 146 else [f"Debian's library has {len(want)} names, not 146"]))


@case
def versions_inherit_from_each_other(build):
    def parents(path):
        text, node, found = "\n".join(lines("readelf", "-V", path)), None, {}
        for line in text.split("definition section", 1)[1].split("needs section")[0].splitlines():
            name = re.search(r"Name: (IBVERBS\S+)", line)
            node = name.group(1) if name else node
            parent = re.search(r"Parent \d+: (\S+)", line)
            if node:
                found[node] = parent.group(1) if parent else found.get(node)
        return found
    have, want = parents(ours(build)), parents(debian())
    return [] if have == want else [f"versions are {have}, not {want}"]


@case
def the_name_of_the_library_is_right(build):
    text = "\n".join(lines("readelf", "-d", ours(build)))
    needed = set(re.findall(r"\(NEEDED\).*\[(.+?)\]", text))
    return ([] if "SONAME" in text and "[libibverbs.so.1]" in text else ["the SONAME is not libibverbs.so.1"] +
            []) + [f"needs {name}" for name in sorted(needed) if not re.match(r"libc\.so|ld-linux|libgcc|libpthread", name)]


@case
def texts_and_rates_are_those_of_debian(build):
    mine, theirs = ctypes.CDLL(ours(build)), ctypes.CDLL(debian())
    bad = []
    for name, last in (("ibv_node_type_str", 9), ("ibv_port_state_str", 8), ("ibv_event_type_str", 22), ("ibv_wc_status_str", 26)):
        for library in (mine, theirs):
            getattr(library, name).restype = ctypes.c_char_p
        bad += [f"{name}({i}): {getattr(mine, name)(i)}" for i in range(-1, last) if getattr(mine, name)(i) != getattr(theirs, name)(i)]
    for name, numbers in (("ibv_rate_to_mult", range(-1, 30)), ("ibv_rate_to_mbps", range(-1, 30)), ("mult_to_ibv_rate", range(0, 500)),
                          ("mbps_to_ibv_rate", [0, 1, 2500, 10000, 14062, 25781, 103125, 1275000])):
        bad += [f"{name}({i})" for i in numbers if getattr(mine, name)(i) != getattr(theirs, name)(i)]
    return bad


@case
def stubs_refuse(build):
    library = ctypes.CDLL(ours(build), use_errno=True)
    library.verbs_open_device.restype = ctypes.c_void_p
    library.verbs_register_driver_34(None)
    return ([] if library.ibv_cmd_create_qp() == 95 else ["ibv_cmd_create_qp() does not return EOPNOTSUPP"]) + \
           ([] if library.verbs_open_device() is None else ["verbs_open_device() returns a pointer"])


@case
def loading_brings_no_dpdk(build):
    """A program that lists no devices loads neither libsoftrnic nor DPDK."""
    code = f"import ctypes; ctypes.CDLL({ours(build)!r}); print(open('/proc/self/maps').read())"
    maps = subprocess.run(["/usr/bin/python3", "-c", code], env=environment(build), capture_output=True, text=True, check=True).stdout
    return [f"loads {name}" for name in ("libsoftrnic.so", "librte") if name in maps] + \
           ([] if "verbs/libibverbs.so.1" in maps else ["does not load the library"])


@case
def symbols_of_dpdk_stay_hidden(build):
    """After the list of devices, which loads libsoftrnic, the process finds none of its symbols."""
    code = (f"import ctypes; l = ctypes.CDLL({ours(build)!r}); l.ibv_get_device_list(None); g = ctypes.CDLL(None);"
            "print('softrnic' in open('/proc/self/maps').read(), hasattr(g, 'rte_eal_init'), hasattr(g, 'rn_link_open'))")
    text = subprocess.run(["/usr/bin/python3", "-c", code], env=environment(build), capture_output=True, text=True, check=True).stdout
    return [] if text.split() == ["True", "False", "False"] else [f"loaded, DPDK visible, softrnic visible: {text}"]
