"""Makes the guest's kernel and initramfs out of Debian packages that apt fetches and nobody installs.

image(cache) gives the folder with `kernel`, `initramfs` and `versions`; what is there already and was made by this recipe is
used again, without a network. Needs apt with lists (apt-get update), dpkg and python3.
"""
import fcntl
import hashlib
import lzma
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ["busybox-static", "dash", "ibverbs-utils", "ibverbs-providers", "rdmacm-utils", "perftest", "iproute2"]
KERNEL = "linux-image-amd64"  # the cloud flavour has no rdma_rxe
MODULES = ["virtio_pci", "virtio_console", "virtio_net", "e1000", "e1000e", "vmxnet3", "vfio_pci", "vfio_iommu_type1",
           "crc32_generic", "crc32_pclmul", "ib_uverbs", "rdma_ucm", "rdma_rxe", "sch_netem", "8021q",
           # what net_tap needs for flow rules
           "tun", "bridge", "sch_ingress", "sch_multiq", "cls_flower", "act_skbedit"]
COMMANDS = ["load", "bind", "rxe"]  # scripts of this folder that become commands of the guest
UNWANTED = ["usr/share", "usr/include", "boot", "usr/lib/modules", "lib/modules"]
LIBRARIES = re.compile(r"lib(?!perl|pam|systemd-shared)|zlib")  # of the dependencies; the rest is for package scripts


class Trouble(Exception):
    """No image; the text says why."""


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, **more)
    if done.returncode:
        raise Trouble(f"{' '.join(command[:6])} ...: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout


def recipe():
    return hashlib.sha256(b"".join((HERE / name).read_bytes() for name in ("image.py", "init", *COMMANDS))).hexdigest()


def wanted():
    """Names of the packages that make the guest."""
    which = run("apt-cache", "depends", "--recurse", "--important", *PACKAGES)
    names = {line for line in which.splitlines() if re.match(r"[a-z0-9]", line) and ":" not in line and LIBRARIES.match(line)}
    kernel = re.search(r"Depends: (linux-image-\d\S*)", run("apt-cache", "depends", KERNEL))
    if not kernel:
        raise Trouble(f"apt does not know {KERNEL}: run apt-get update")
    return sorted(names | set(PACKAGES) | {kernel[1]})


def unpack_kernel(image):
    """The ELF kernel inside a bzImage, which QEMU starts at once; emulated, unpacking itself takes longer than booting."""
    sectors = image[0x1F1] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    payload = image[(sectors + 1) * 512 + offset:][:length]
    if payload[:6] != b"\xfd7zXZ\0":
        return image
    elf = lzma.LZMADecompressor().decompress(payload)
    return elf if elf[:4] == b"\x7fELF" else image


def with_dependencies(modules, known, order):
    """Files of modules in an order in which they can be loaded."""
    for name in modules:
        file = known.get(name)
        if not file:
            raise Trouble(f"the kernel has no module {name}")
        needs = re.search(rb"\0depends=([^\0]*)\0", file.read_bytes())
        with_dependencies([n.replace("-", "_") for n in needs[1].decode().split(",") if n], known, order)
        if file not in order:
            order.append(file)
    return order


def take_modules(root, kernel_tree):
    """Copies modules to NAME.ko, and writes `order`: each line has a module's name and what to load for it, in order."""
    known = {f.stem.replace("-", "_"): f for f in kernel_tree.glob("**/*.ko")}
    names = {file: name for name, file in known.items()}
    folder, order = root / "modules", ""
    folder.mkdir()
    for name in MODULES:
        files = with_dependencies([name], known, [])
        for file in files:
            shutil.copy(file, folder / f"{names[file]}.ko")
        order += f"{name} {' '.join(names[file] for file in files)}\n"
    (folder / "order").write_text(order)


def pack(root, target):
    """Writes a folder as a cpio archive of the kind that the kernel unpacks at boot ("newc")."""
    def entry(name, mode, data):
        fields = (0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)  # owned by root
        out.write(b"070701" + b"".join(b"%08X" % f for f in fields) + name.encode() + b"\0")
        out.write(b"\0" * (-out.tell() % 4) + data)
        out.write(b"\0" * (-out.tell() % 4))

    with open(target, "wb") as out:
        for path in sorted(root.rglob("*")):
            data = os.readlink(path).encode() if path.is_symlink() else path.read_bytes() if path.is_file() else b""
            entry(str(path.relative_to(root)), path.lstat().st_mode, data)
        entry("TRAILER!!!", 0, b"")


def make(folder, packages):
    with tempfile.TemporaryDirectory(dir=folder.parent) as work:
        root, kernel = pathlib.Path(work, "root"), pathlib.Path(work, "kernel")
        for tree in (root, kernel):
            tree.mkdir()
        # Debian 12 packages still have files in /lib and /bin beside /usr: one tree takes both.
        for name in ("bin", "sbin", "lib", "lib64"):
            (root / "usr" / name).mkdir(parents=True, exist_ok=True)
            (root / name).symlink_to(f"usr/{name}")
        for package in packages:
            tree = kernel if package.name.startswith("linux-image") else root
            subprocess.run(f"dpkg-deb --fsys-tarfile '{package}' | tar -x --keep-directory-symlink -C '{tree}'", shell=True,
                           check=True, timeout=300)
        for path in UNWANTED:
            shutil.rmtree(root / path, ignore_errors=True)
        for driver in (root / "etc/libibverbs.d").glob("*"):  # one provider: the others would be tried first
            if driver.name != "rxe.driver":
                driver.unlink()
        for name in ("dev", "proc", "sys", "run", "tmp", "root", "etc"):
            (root / name).mkdir(exist_ok=True)
        take_modules(root, kernel)
        for name, place in [("init", "init"), *((command, f"usr/bin/{command}") for command in COMMANDS)]:
            shutil.copy(HERE / name, root / place)
            (root / place).chmod(0o755)
        new = pathlib.Path(work, "image")
        new.mkdir()
        (new / "kernel").write_bytes(unpack_kernel(next((kernel / "boot").glob("vmlinuz-*")).read_bytes()))
        pack(root, new / "initramfs")
        (new / "versions").write_text("".join(f"{p.name}\n" for p in packages))
        (new / "recipe").write_text(recipe())
        shutil.rmtree(folder, ignore_errors=True)
        os.rename(new, folder)


def image(cache):
    """The folder of an image made by this recipe, below the folder `cache`."""
    folder, packages = pathlib.Path(cache, "image"), pathlib.Path(cache, "packages")
    packages.mkdir(parents=True, exist_ok=True)
    with open(pathlib.Path(cache, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            if (folder / "recipe").read_text() == recipe():
                return folder
        except FileNotFoundError:
            pass
        names = wanted()
        run("apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", *names, cwd=packages)
        make(folder, [newest(packages, name) for name in names])
        return folder


def newest(folder, name):
    """The file of this package that was fetched last; older versions go."""
    files = sorted(folder.glob(f"{name}_*.deb"), key=os.path.getmtime)
    if not files:
        raise Trouble(f"apt-get download left no {name}")
    for old in files[:-1]:
        old.unlink()
    return files[-1]


if __name__ == "__main__":
    import sys
    print(image(sys.argv[1]))
