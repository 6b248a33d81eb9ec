"""The archive that is added to the guest's image: softrnic's programs of a build, and the libraries and drivers of DPDK.

The programs are in /opt/softrnic, laid out as in the build folder. Scripts of the source tree are there too, and find the programs
in build/, as in the source tree.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "guest"))
from image import Trouble, pack  # noqa: E402

PLACE = "/opt/softrnic"
PROGRAMS = ["tools/nd_rping", "tools/nd_ucmatose", "tools/nd_xfer", "perf/nd_send_bw", "perf/nd_write_bw", "tests/hardware/ask",
            "tests/hardware/groups", "tests/hardware/restart", "config/softrnic-config", "tools/nd_portinfo/nd_portinfo"]
SCRIPTS = ["demo.sh", "tools/packages.sh", "tools/report.sh"]
SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
SHELL = pathlib.Path("/bin/bash")  # for the scripts; the guest has none
DRIVERS = ["bus_pci", "bus_vdev", "mempool_ring", "mempool_stack", "net_e1000", "net_tap", "net_virtio", "net_vmxnet3"]


def libraries(files):
    """{name: path} of what the dynamic linker loads for these files."""
    text = subprocess.run(["ldd", *map(str, files)], capture_output=True, text=True, check=True, timeout=60).stdout
    return dict(re.findall(r"^\s+(lib\S+) => (/\S+) \(0x", text, re.M))


def drivers():
    """The folder from which EAL loads drivers, and the drivers' files in it, whose names end with the version."""
    for folder in pathlib.Path("/usr/lib").glob("*/dpdk/pmds-*"):
        abi = folder.name.split("-")[1]
        files = [folder / f"librte_{name}.so.{abi}" for name in DRIVERS]
        if all(file.exists() for file in files):
            return folder, files
    raise Trouble("DPDK's drivers are not installed")


def archive(build, work):
    """Makes the archive in the folder `work` and returns its path."""
    build, root = pathlib.Path(build).resolve(), pathlib.Path(work, "software")
    library = (build / "provider/libsoftrnic.so.0").resolve()
    folder, plugins = drivers()
    for name in PROGRAMS:
        (root / PLACE[1:] / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(build / name, root / PLACE[1:] / name)
    for name in SCRIPTS:
        shutil.copy(SOURCE / name, root / PLACE[1:] / name)
    (root / PLACE[1:] / "build").symlink_to(".")
    (root / "usr/bin").mkdir(parents=True)
    shutil.copy(SHELL, root / "usr/bin/bash")
    shared = root / str(folder.parent.parent)[1:]
    shared.mkdir(parents=True)
    for name, path in libraries([library, *(build / name for name in PROGRAMS), *plugins, SHELL]).items():
        shutil.copy(library if name.startswith("libsoftrnic") else path, shared / name)
    (root / str(folder)[1:]).mkdir(parents=True)
    for plugin in plugins:
        library_name = plugin.name.rpartition(".")[0]  # without the minor version, as other libraries refer to it
        shutil.copy(plugin.resolve(), shared / library_name)
        (root / str(folder)[1:] / plugin.name).symlink_to(f"../../{library_name}")
    catalogue = root / PLACE[1:] / "provider/nd.d"
    catalogue.mkdir(parents=True)
    for file in (build / "provider/nd.d").iterdir():
        text = file.read_text()
        (catalogue / file.name).write_text(text.replace(str(library), f"{shared}/libsoftrnic.so.0"[len(str(root)):]))
    out = pathlib.Path(work, "software.cpio")
    pack(root, out)
    shutil.rmtree(root)
    return out


def initramfs(base, build, work):
    """One file with both archives, one behind the other, as the kernel takes them."""
    whole = pathlib.Path(work, "initramfs")
    with open(whole, "wb") as out:
        for part in (base, archive(build, work)):
            with open(part, "rb") as data:
                shutil.copyfileobj(data, out)
            out.write(b"\0" * (-out.tell() % 4))
    os.unlink(pathlib.Path(work, "software.cpio"))
    return whole
