"""What programs see of devices: with a configuration, and without one."""
import os
import subprocess

import tap
from verbs import Folder, case, environment, library_folder, need, need_namespace, run


@case
def without_an_adapter_programs_print_the_same_as_without_softrnic(build):
    bad = []
    for words in (["ibv_devices"], ["ibv_devinfo"], ["ibv_rc_pingpong"]):
        need(words[0])
        plain = {name: value for name, value in environment(build).items() if name != "LD_LIBRARY_PATH"}
        want = subprocess.run(words, env=plain, capture_output=True, text=True, check=False)
        status, out, err = run(build, *words)
        if (status, out, err) != (want.returncode, want.stdout, want.stderr):
            bad.append(f"{words[0]}: {status} {out!r} {err!r} instead of {want.returncode} {want.stdout!r} {want.stderr!r}")
    return bad


@case
def a_broken_configuration_gives_a_reason_once(build):
    need("ibv_devices")
    with Folder() as f:
        status, _, err = run(build, "ibv_devices", config=f.write("bad.conf", "adapters = ( { port = 5; } );\n"))
    return [] if err.count("softrnic: ") == 1 and status in (0, 1) else [f"ends with {status} and says {err!r}"]


@case
def ibv_devices_lists_adapters(build):
    need("ibv_devices")
    with Folder() as f:
        status, out, _ = run(build, "ibv_devices", config=f.rings("inline"))
    return [] if status == 0 and "softrnic0" in out and "softrnic1" in out and "000000fffe000e01" in out else [f"{status}: {out}"]


@case
def ibv_devinfo_prints_all_attributes(build):
    need("ibv_devinfo")
    with Folder() as f:
        status, out, _ = run(build, "ibv_devinfo", "-v", config=f.memif(1))
    want = ["hca_id:\tsoftrnic0", "PORT_ACTIVE", "link_layer:\t\tEthernet", "::ffff:192.0.2.1, RoCE v2", "2001:db8::1, RoCE v2",
            "ATOMIC_HCA", "active_mtu:\t\t4096"]
    return [f"ends with {status}"] * (status != 0) + [f"does not say {text!r}" for text in want if text not in out]


@case
def the_folder_of_devices_is_there_without_the_library(build):
    """A program that has not loaded libibverbs sees an empty folder, but finds a device in it by name. Other folders are unchanged."""
    names = ["/sys/class/infiniband", "/sys/class/net"]
    code = f"import os; print([sorted(os.listdir(name)) for name in {names}], os.path.exists('/sys/class/infiniband/softrnic0'))"
    with Folder() as f:
        status, out, _ = run(build, "/usr/bin/python3", "-c", code, config=f.rings("inline"))
        listed = run(build, "ls", "-l", "/sys/class/infiniband/softrnic0", config=f.rings("inline"))
    return ([] if status == 0 and out == f"{[[], sorted(os.listdir(names[1]))]} True\n" else [f"{status}: {out}"]) + \
        ([] if listed[0] == 0 and "node_guid" in listed[1] and not listed[2] else [f"ls -l: {listed}"])


@case
def the_interface_with_the_address_is_shown(build):
    """To programs that have not loaded libibverbs too, as the tests of rdma-core start `ls`. The address on lo does not count."""
    need_namespace()
    node = "/sys/class/infiniband/softrnic0"
    script = f"""ip link set lo up && ip addr add 2001:db8::1/128 dev lo && ls {node}/device {node}/ports/1/gid_attrs &&
        ip link add v1 type veth peer name v2 && ip addr add 192.0.2.1/24 dev v1 && ls {node}/device/net {node}/ports/1/gid_attrs/ndevs &&
        cat {node}/ports/1/gid_attrs/ndevs/0 {node}/device/net/v1/dev_port; cat {node}/ports/1/gid_attrs/ndevs/1"""
    want = (f"{node}/device:\nnuma_node\n\n{node}/ports/1/gid_attrs:\ntypes\n"
            f"{node}/device/net:\nv1\n\n{node}/ports/1/gid_attrs/ndevs:\n0\nv1\n0\n")
    with Folder() as f:
        _, out, err = run(build, "unshare", "-rn", "sh", "-c", script, config=f.rings("inline"))
    return [f"shows {out!r} {err!r}"] * (out != want) + [f"says {err!r}"] * ("ndevs/1: No such file" not in err)


@case
def gids_name_the_interface(build):
    """ibv_query_gid_ex() returns the index of the interface with the address."""
    need_namespace()
    code = """
import ctypes, socket
v = ctypes.CDLL("libibverbs.so.1")
v.ibv_get_device_list.restype, v.ibv_open_device.restype = ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p
context = v.ibv_open_device(ctypes.c_void_p(v.ibv_get_device_list(None)[0]))
entry = (ctypes.c_uint32 * 8)()  # the GID, its index, port, type, interface
print(v._ibv_query_gid_ex(ctypes.c_void_p(context), 1, 0, entry, 0, 32), entry[7] == socket.if_nametoindex("v1"))
"""
    with Folder() as f:
        status, out, err = run(build, "unshare", "-rn", "sh", "-c", "ip link add v1 type veth peer name v2 && "
                               "ip addr add 192.0.2.1/24 dev v1 && exec /usr/bin/python3 -c \"$1\"", "sh", code, config=f.rings("inline"))
    return [] if (status, out) == (0, "0 True\n") else [f"{status}: {out!r} {err!r}"]


# Runs a program on a machine whose kernel has the connection manager 10:77 in /dev, and if $1 is not empty, 10:$1 in sysfs.
KERNELS_DEVICE = """mount -t tmpfs dev /dev && mknod -m 666 /dev/null c 1 3 && mkdir /dev/shm /dev/infiniband &&
    mknod /dev/infiniband/rdma_cm c 10 77 && mount -t tmpfs misc /sys/class/misc || exit 77
    [ -z "$1" ] || { mkdir /sys/class/misc/rdma_cm && echo "10:$1" >/sys/class/misc/rdma_cm/dev; } || exit 77
    shift; exec "$@" """


@case
def the_device_of_rdma_cm_has_the_number_of_the_kernels(build):
    """librdmacm asks the kernel for the number, and takes a file with another number for a wrong one. Also with functions that programs
    call which were built with a glibc before 2.33."""
    code = """
import ctypes, os
ctypes.CDLL("libibverbs.so.1")
libc, fd = ctypes.CDLL(None), os.open("/dev/infiniband/rdma_cm", os.O_RDWR)
seen = os.fstat(fd)
print(os.major(seen.st_rdev), os.minor(seen.st_rdev))
def same(new, old, what):
    one, two = ctypes.create_string_buffer(256), ctypes.create_string_buffer(256)
    return new(what, one) == 0 and old(1, what, two) == 0 and one.raw == two.raw
print(same(libc.fstat, libc.__fxstat, fd), same(libc.stat, libc.__xstat, b"/dev/infiniband/uverbs0"))
"""
    bad = []
    for in_sysfs, want in (("", "10 77\nTrue True\n"), ("78", "10 78\nTrue True\n")):
        with Folder() as f:
            status, out, err = run(build, "unshare", "-m", "sh", "-c", KERNELS_DEVICE, "sh", in_sysfs, "/usr/bin/python3", "-c", code,
                                   config=f.rings("inline"))
        if status == 77 or "unshare failed" in err:
            raise tap.Skip("no device can be made")
        bad += [] if (status, out) == (0, want) else [f"{in_sysfs!r} in sysfs: {status}: {out!r} {err!r}"]
    return bad


@case
def the_launcher_sets_the_variables(build):
    need("ibv_devices")
    launcher = os.path.join(library_folder(build), "softrnic-run")
    env = {name: value for name, value in environment(build).items() if name != "LD_LIBRARY_PATH"}
    with Folder() as f:
        conf = str(f.memif(1))

        def launch(*words, shell=None):
            return subprocess.run(shell or [launcher, *words], env=env, capture_output=True, text=True, check=False)
        listed = launch("--config", conf, "-v", "ibv_devices")
        evaluated = launch(shell=["sh", "-c", f'eval "$({launcher} --config {conf} --env)" && ibv_devices'])
        status = launch("--config", conf, "sh", "-c", "exit 7").returncode
        missing = launch("--config", "/nonexistent", "true")
        folder = launch("--config", "/tmp", "true")
        daemon = launch("--daemon", "ibv_devices")
        no_folder = launch("--daemon", "/nonexistent/d.sock", "-v", "true")
        forgotten = launch("--config", conf, "sh", "-c", f'eval "$({launcher} --daemon --env)" && echo "[${{SOFTRNIC_CONFIG-none}}]"')
        dashed = launch("--config", conf, "--", "-c", "env")
        script = launch("--daemon", str(f.write("s.sh", "#!/bin/sh\n")), "argument")
    return ([f"--config: {listed.stdout} {listed.stderr}"] * ("softrnic0" not in listed.stdout or conf not in listed.stderr) +
            [f"--env: {evaluated.stdout} {evaluated.stderr}"] * ("softrnic0" not in evaluated.stdout) +
            [f"the status of the program is lost: {status}"] * (status != 7) +
            [f"no such file: {missing.returncode}"] * (missing.returncode != 2) +
            [f"a folder as configuration: {folder.returncode} {folder.stderr}"] * (folder.returncode != 2) +
            [f"no folder of the socket: {no_folder.stderr}"] * ("softrnicd at /nonexistent/d.sock," not in no_folder.stderr) +
            [f"--daemon --env keeps the configuration: {forgotten.stdout}"] * (forgotten.stdout != "[none]\n") +
            [f"a program whose name begins with a dash: {dashed.returncode} {dashed.stdout}"] * (dashed.returncode != 127) +
            [f"a script that cannot be executed: {script.returncode} {script.stderr}"] * (script.returncode != 126) +
            [f"--daemon without a daemon: {daemon.stdout}"] * ("softrnic0" in daemon.stdout))


@case
def the_launcher_leaves_other_variables_alone(build):
    """Those with ordinary names, those that a shell cannot name, and exported functions of bash."""
    launcher = os.path.join(library_folder(build), "softrnic-run")
    ours = ("LD_LIBRARY_PATH", "LD_PRELOAD", "SOFTRNIC_CONFIG", "SOFTRNIC_DAEMON", "_")
    with Folder() as f:
        env = dict(environment(build), verbose="3", print="1", folder="/data", here="x", name="n", **{
            "a.b": "1", "BASH_FUNC_readlink%%": "() {  echo mine\n}", "BASH_ENV": str(f.write("env.sh", "echo mine\n"))})
        done = subprocess.run([launcher, "--config", str(f.memif(1)), "env", "-0"], env=env, capture_output=True, text=True, check=False)
    got = dict(line.split("=", 1) for line in done.stdout.split("\0") if line)
    return [f"{name}: {got.get(name)!r} instead of {env.get(name)!r}" for name in sorted(set(env) | set(got))
            if name not in ours and name not in ("SHLVL", "PWD", "OLDPWD") and got.get(name) != env.get(name)]
