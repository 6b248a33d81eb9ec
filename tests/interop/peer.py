"""The guest of this lab: Linux soft-RoCE on one virtio card, which is connected to a TAP device in a
network namespace, or to the socket of a vhost-user port."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "guest"))
import guest  # noqa: E402
from image import image  # noqa: E402

MODULES = "virtio_net,crc32_generic,crc32_pclmul,ib_uverbs,rdma_ucm,rdma_rxe,sch_netem,8021q"
MEMORY_MB = 512


def vhost_user(socket):
    """QEMU's words for a card whose other end is the process that listens at the socket. That process reads and writes the guest's
    memory, which must be shared therefore. When the process has ended, QEMU tries each second to connect again."""
    return ["-object", f"memory-backend-memfd,id=memory,size={MEMORY_MB}M,share=on", "-machine", "memory-backend=memory",
            "-chardev", f"socket,id=vhost,path={socket},reconnect=1", "-netdev", "vhost-user,id=n,chardev=vhost"]


def peer(cache, work, inside, tap, ip4, ip6, mac="52:54:00:00:00:01", vhost=None):
    """ip4 and ip6 have a prefix length. vhost: path of a socket, in place of a TAP. The rest is as for
    Guest."""
    folder = image(cache)
    net, card = ["-netdev", f"tap,id=n,ifname={tap},script=no,downscript=no"], "mrg_rxbuf=off"
    if vhost:
        # Without KVM QEMU 7.2 crashes when it prepares the MSI-X interrupts of such a card; without vectors it has a plain one.
        net, card = vhost_user(vhost), "vectors=0"
    return guest.Guest(
        folder / "kernel", folder / "initramfs", work, inside=inside, append=f"load={MODULES} rxe=eth0,1500,{ip4},{ip6}",
        memory=MEMORY_MB, devices=net + ["-device", f"virtio-net-pci,netdev=n,romfile=,{guest.NO_OFFLOADS},{card},mac={mac},host_mtu=9000"])


def available():
    """None if a guest with a TAP device can run on this machine, else the reason why not."""
    if not pathlib.Path("/dev/net/tun").exists():
        return "there is no /dev/net/tun"
    return guest.available()
