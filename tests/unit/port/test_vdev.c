/* The device name and arguments that DPDK gets for every kind of port. A receive buffer holds the
 * longest frame at the port's MTU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/types.h"
#include "port/vdev.h"

static const uint8_t mac[6] = {2, 0, 0, 0, 0, 7};

#define COMMON .queues = 1, .ring = 1024, .mac = mac, .number = 3, .rx_pcap = "", .tx_pcap = ""

static const struct {
	struct rn_vdev_spec spec;
	const char *name, *args;
	unsigned room;
} rows[] = {
	{{COMMON, .kind = RN_VDEV_MEMIF, .mtu = 1500, .socket = "/tmp/m", .server = true, .id = 2},
	 "net_memif3",
	 "role=server,id=2,socket=/tmp/m,socket-abstract=no,bsize=1536,rsize=8,mac=02:00:00:00:00:07",
	 2048},
	{{COMMON, .kind = RN_VDEV_MEMIF, .mtu = 9000, .socket = "@m"},
	 "net_memif3",
	 "role=client,id=0,socket=m,socket-abstract=yes,bsize=9024,rsize=8,mac=02:00:00:00:00:07",
	 9024},
	{{COMMON, .kind = RN_VDEV_AF_PACKET, .mtu = 1500, .iface = "va"},
	 "net_af_packet3",
	 "iface=va,qpairs=1,blocksz=65536,framesz=2048,framecnt=512",
	 2048},
	{{COMMON, .kind = RN_VDEV_AF_PACKET, .mtu = 4200, .iface = "va"},
	 "net_af_packet3",
	 "iface=va,qpairs=1,blocksz=65536,framesz=8192,framecnt=512",
	 8192},
	{{COMMON, .kind = RN_VDEV_AF_PACKET, .mtu = 9000, .iface = "va"},
	 "net_af_packet3",
	 "iface=va,qpairs=1,blocksz=65536,framesz=16384,framecnt=512",
	 16384},
	{{COMMON, .kind = RN_VDEV_NULL, .mtu = 4200}, "net_null3", "no-rx=1", 4224},
	{{.kind = RN_VDEV_PCAP, .number = 3, .mtu = 1500, .rx_pcap = "a", .tx_pcap = "b"},
	 "net_pcap3",
	 "rx_pcap=a,tx_pcap=b",
	 2048},
	{{.kind = RN_VDEV_PCAP, .number = 3, .mtu = 1500, .rx_pcap = "", .tx_pcap = "b"},
	 "net_pcap3",
	 "tx_pcap=b",
	 2048},
	{{.kind = RN_VDEV_OTHER, .mtu = 1500, .args = "net_tap0,iface=t,x=1"},
	 "net_tap0",
	 "iface=t,x=1",
	 2048},
	/* The driver of virtio counts a header of its own as part of the frame. */
	{{.kind = RN_VDEV_OTHER, .mtu = 9000, .args = "net_virtio_user0,path=s"},
	 "net_virtio_user0",
	 "path=s",
	 9216},
	{{COMMON, .kind = RN_VDEV_DAEMON, .mtu = 9000, .socket = "/tmp/x/port"},
	 "net_virtio_user_rn3",
	 "path=/tmp/x/port,server=1,queues=1,queue_size=1024,packed_vq=0,mrg_rxbuf=1,"
	 "mac=02:00:00:00:00:07",
	 9216},
	{{.kind = RN_VDEV_PCI, .mtu = 1500, .args = "0000:01:00.0"}, "0000:01:00.0", "", 2048},
	/* A PCI address may be written in several ways; rn_vdev_string() returns the form that EAL
	 * uses. */
	{{.kind = RN_VDEV_PCI, .mtu = 9000, .args = "1:0.0"}, "0000:01:00.0", "", 9216},
	{{.kind = RN_VDEV_PCI, .mtu = 1500, .args = "0001:AB:1f.7,x=1,y=2"},
	 "0001:ab:1f.7",
	 "x=1,y=2",
	 2048},
};

static void strings_fit_the_mtu(void **state)
{
	char name[64], args[256];

	for (unsigned i = 0; i < RN_ARRAY_SIZE(rows); i++) {
		assert_int_equal(
			rn_vdev_string(&rows[i].spec, name, sizeof(name), args, sizeof(args)), 0);
		assert_string_equal(name, rows[i].name);
		assert_string_equal(args, rows[i].args);
		assert_int_equal(rn_vdev_room(&rows[i].spec), rows[i].room);
		assert_true(rn_vdev_room(&rows[i].spec) >= rn_vdev_frame_bytes(rows[i].spec.mtu));
	}
}

static void refuses_what_does_not_fit(void **state)
{
	char name[64], args[8];
	struct rn_vdev_spec ring = {.kind = RN_VDEV_RING, .mtu = 1500};
	struct rn_vdev_spec card = {.kind = RN_VDEV_PCI, .mtu = 1500, .args = "net_null0"};

	assert_int_equal(rn_vdev_string(&rows[0].spec, name, sizeof(name), args, sizeof(args)),
			 -EINVAL);
	assert_int_equal(rn_vdev_string(&ring, name, sizeof(name), args, sizeof(args)), -EINVAL);
	assert_int_equal(rn_vdev_string(&card, name, sizeof(name), args, sizeof(args)), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_fit_the_mtu),
		cmocka_unit_test(refuses_what_does_not_fit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
