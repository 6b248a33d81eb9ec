"""The guest of this lab: Linux soft-RoCE on one virtio card, which is connected to a TAP device in a
network namespace."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "guest"))
import guest  # noqa: E402
from image import image  # noqa: E402

MODULES = "virtio_net,crc32_generic,crc32_pclmul,ib_uverbs,rdma_ucm,rdma_rxe,sch_netem,8021q"


def peer(cache, work, inside, tap, ip4, ip6, mac="52:54:00:00:00:01"):
    """ip4 and ip6 have a prefix length; the rest is as for Guest."""
    folder = image(cache)
    return guest.Guest(
        folder / "kernel", folder / "initramfs", work, inside=inside, append=f"load={MODULES} rxe=eth0,1500,{ip4},{ip6}",
        devices=["-netdev", f"tap,id=n,ifname={tap},script=no,downscript=no",
                 "-device", f"virtio-net-pci,netdev=n,romfile=,{guest.NO_OFFLOADS},mrg_rxbuf=off,mac={mac},host_mtu=9000"])


def available():
    """None if a guest with a TAP device can run on this machine, else the reason why not."""
    if not pathlib.Path("/dev/net/tun").exists():
        return "there is no /dev/net/tun"
    return guest.available()
