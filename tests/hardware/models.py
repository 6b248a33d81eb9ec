"""The cards: what QEMU calls them, and the driver of the kernel that soft-RoCE uses."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "guest"))
from guest import NO_OFFLOADS  # noqa: E402

# A virtio card goes round the IOMMU unless it is told not to; then VFIO's mappings have no effect.
VIRTIO = f"{NO_OFFLOADS},iommu_platform=on,disable-legacy=on"
FIRST_SLOT = 4  # on the PCI bus; QEMU uses the slots before


class Model:
    """tolerated: pattern of faults that the IOMMU may report for the card. queues: how many pairs of queues the card has because
    its wire has as many (wires.py); None: the wire is a hub."""

    def __init__(self, name, device, kernel_driver, options="", tolerated=None, queues=None):
        self.name, self.device, self.kernel_driver, self.options, self.tolerated = name, device, kernel_driver, options, tolerated
        self.queues = queues


MODELS = [
    Model("e1000", "e1000", "e1000"),                # 82540EM
    Model("82545em", "e1000-82545em", "e1000"),
    Model("e1000e", "e1000e", "e1000e"),             # 82574L
    # About each start of DPDK's driver, and none of the kernel's, makes this card read from address 0, which is not mapped. Read in
    # QEMU: it fetches the filters from the area that it shares with the driver when the driver says that they have changed, and
    # does so before the driver has told where that area is. After the kernel's driver it reads where the kernel's area was
    # (seen: 0xfff86000). The data are right. Writes and other addresses count as faults here too.
    Model("vmxnet3", "vmxnet3", "vmxnet3", tolerated=r"DMA Read .* fault addr 0x0 "),
    Model("virtio", "virtio-net-pci", "virtio-pci", VIRTIO),
    Model("virtio-packed", "virtio-net-pci", "virtio-pci", VIRTIO + ",packed=on"),
    # Interrupts: one for each queue, one for the control queue, one for changes of the configuration.
    Model("virtio-rss", "virtio-net-pci", "virtio-pci", VIRTIO + ",mq=on,vectors=6,rss=on", queues=2),
    Model("virtio-mq", "virtio-net-pci", "virtio-pci", VIRTIO + ",mq=on,vectors=6", queues=2),
]
MODULES = {"virtio-pci": ["virtio_pci", "virtio_net"]}  # where it is not named after the driver


class Card:
    """A card in a slot; side 0 and side 1 of a model are joined by a QEMU hub, or by wires.py."""

    def __init__(self, model, number, side):
        self.model, self.hub, self.side = model, number, side
        self.slot = FIRST_SLOT + 2 * number + side
        self.id, self.net = f"card{self.slot}", f"net{self.slot}"
        self.address = f"0000:00:{self.slot:02x}.0"
        self.mac = f"52:54:00:00:00:{self.slot:02x}"

    @property
    def keys(self):
        """The keys of an adapter's configuration that name its card."""
        return f'port = "pci"; pci = "{self.address}";'

    def tolerates(self, fault):
        """Whether a line of the kernel's log is about a fault of this card that does not count."""
        return bool(self.model.tolerated and f"[{self.address[5:]}]" in fault and re.search(self.model.tolerated, fault))

    def words(self):
        """QEMU's arguments for this card."""
        options = f",{self.model.options}" if self.model.options else ""
        wire = (f"tap,ifname={self.net},queues={self.model.queues},script=no,downscript=no,vhost=off" if self.model.queues else
                f"hubport,hubid={self.hub}")
        return ["-netdev", f"{wire},id={self.net}",
                "-device", f"{self.model.device},id={self.id},netdev={self.net},mac={self.mac},addr={self.slot:#x},romfile={options}"]


class Tap:
    """A TAP interface of the guest's kernel. DPDK's driver of it takes flow rules, which those of the cards above do not."""

    def __init__(self, side):
        self.side, self.interface = side, f"tap{side}"

    @property
    def keys(self):
        return f'port = "vdev"; vdev = "net_tap0,iface={self.interface}"; mac = "02:00:00:00:12:4{self.side}";'


def cards():
    """{name of a model: its two cards}"""
    return {model.name: (Card(model, number, 0), Card(model, number, 1)) for number, model in enumerate(MODELS)}
