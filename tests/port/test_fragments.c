/* A SEND that arrives in two IPv4 fragments is not accepted, although all its bytes are correct.
 * Both fragments are counted and nothing is delivered. The peer is a packet socket on the other end
 * of a veth pair, in the test's own network namespace. The test is skipped where namespaces are not
 * available. */
#include "rig.h"

#include <arpa/inet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/frame.h"
#include "wire/hdr.h"

#define SKIPPED	  77
#define DEPTH	  4
#define LEN	  240u
#define PEER_QPN  0x4711u
#define PEER_PSN  100u
#define FIRST_CUT 104u /* bytes after the IP header in the first fragment; a multiple of 8 */

static const uint8_t peer_mac[6] = {2, 0, 0, 0, 0, 0xb};

struct bench {
	struct rn_link *link;
	struct rig_cq cq;
	struct rig_qp qp, peer;
	uint32_t pd, lkey;
	uint8_t buf[LEN], message[LEN];
	uint32_t psn;
	int wire;
};

static int packet_socket(const char *iface)
{
	struct sockaddr_ll addr = {.sll_family = AF_PACKET,
				   .sll_ifindex = (int)if_nametoindex(iface)};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

static void begin(struct bench *b, unsigned shards)
{
	*b = (struct bench){.psn = PEER_PSN};
	b->link = rig_open(
		rig_config("adapters = ( { name = \"a\"; port = \"af_packet\"; iface = \"va\";\n"
			   "  ipv4 = [ \"192.0.2.1/24\" ]; mtu = 1500; shards = %u; } );\n"
			   "eal = { hugepages = \"no\"; };\nlimits = { mbufs = 1024; };\n",
			   shards),
		0);
	b->pd = rig_pd(b->link);
	b->cq = rig_cq(b->link, DEPTH);
	b->qp = rig_qp(b->link, b->pd, &b->cq, &b->cq, DEPTH);
	rig_reg(b->link, b->pd, b->buf, LEN, RN_ACCESS_LOCAL_WRITE, &b->lkey, NULL);
	b->peer = (struct rig_qp){.qpn = PEER_QPN, .psn = PEER_PSN, .info = b->qp.info};
	b->peer.info.gids[0].b[15] = 2;
	memcpy(b->peer.info.mac, peer_mac, 6);
	rig_connect_one(&b->qp, &b->peer);
	b->wire = packet_socket("vb");
}

static void end(struct bench *b)
{
	struct rn_cmd cmd = {.op = RN_CMD_DESTROY_QP, .qp = {b->qp.qpn, b->qp.gen}};

	assert_int_equal(rig_exec(b->link, &cmd, NULL), 0);
	close(b->wire);
	rn_link_close(b->link);
}

static size_t build_send(struct bench *b, bool df, uint8_t *frame, size_t cap)
{
	struct rn_pkt pkt = {
		.ipv4 = true,
		.hop_limit = 64,
		.ip_id = (uint16_t)(b->psn + 7),
		.ip_df = df,
		.src = b->peer.info.gids[0],
		.dst = b->qp.info.gids[0],
		.udp_sport = 0xc123,
		.opcode = 0x04, /* RC SEND_ONLY */
		.pkey = 0xffff,
		.dest_qpn = b->qp.qpn,
		.psn = b->psn,
		.ack_req = true,
		.payload = b->message,
		.payload_len = LEN,
	};

	memset(b->message, (int)b->psn, LEN);
	memcpy(pkt.dmac, b->qp.info.mac, 6);
	memcpy(pkt.smac, peer_mac, 6);
	return rn_frame_build(&pkt, frame, cap);
}

static void put(const struct bench *b, const uint8_t *frame, size_t len)
{
	assert_int_equal(send(b->wire, frame, len, 0), len);
}

/* Sends one IP fragment of a frame: the bytes from offset `from` to offset `to`, counted from the
 * end of the IP header. */
static void put_piece(const struct bench *b, const uint8_t *frame, size_t from, size_t to,
		      bool last)
{
	uint8_t piece[ETH_FRAME_LEN], *ip = piece + RN_ETH_BYTES;
	uint16_t field = (uint16_t)(from / 8 | (last ? 0 : 0x2000u));
	uint32_t sum = 0;

	memcpy(piece, frame, RN_ETH_BYTES + RN_IPV4_BYTES);
	memcpy(ip + RN_IPV4_BYTES, frame + RN_ETH_BYTES + RN_IPV4_BYTES + from, to - from);
	rn_store16(ip + RN_IPV4_LENGTH, (uint16_t)(RN_IPV4_BYTES + to - from));
	rn_store16(ip + RN_IPV4_FRAGMENT, (uint16_t)(rn_load16(ip + RN_IPV4_FRAGMENT) | field));
	rn_store16(ip + RN_IPV4_CHECKSUM, 0);
	for (unsigned i = 0; i < RN_IPV4_BYTES; i += 2)
		sum += rn_load16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	rn_store16(ip + RN_IPV4_CHECKSUM, (uint16_t) ~((sum & 0xffff) + (sum >> 16)));
	put(b, piece, RN_ETH_BYTES + RN_IPV4_BYTES + to - from);
}

static void expect_delivery(struct bench *b)
{
	struct rn_cqe cqe = rig_wait(&b->cq);

	assert_int_equal(cqe.status, RN_STATUS_SUCCESS);
	assert_int_equal(cqe.byte_len, LEN);
	assert_memory_equal(b->buf, b->message, LEN);
	b->psn++;
}

static void post_receive(struct bench *b)
{
	rig_post(&b->qp, RN_WQE_RECV, b->psn, b->buf, LEN, b->lkey, 0, 0);
}

static void expect_fragments(struct bench *b, uint64_t wanted)
{
	uint64_t until = rig_now_ns() + 5000000000u;

	while (rig_stat(b->link, "verdict_IP_FRAGMENT") < wanted && rig_now_ns() < until)
		usleep(1000);
	assert_int_equal(rig_stat(b->link, "verdict_IP_FRAGMENT"), wanted);
}

/* When all fragments have DF set, the kernel sets DF in the reassembled packet too. Then no header
 * field of the reassembled packet tells that there were fragments. */
static void delivers_no_fragmented_packet(void **state)
{
	for (unsigned round = 0; round < 4; round++) {
		uint8_t frame[ETH_FRAME_LEN];
		struct rn_cqe cqe;
		struct bench b;

		begin(&b, 1 + round / 2);
		post_receive(&b);
		put(&b, frame, build_send(&b, round % 2, frame, sizeof(frame)));
		expect_delivery(&b);

		post_receive(&b);
		size_t len = build_send(&b, round % 2, frame, sizeof(frame));
		put_piece(&b, frame, 0, FIRST_CUT, false);
		put_piece(&b, frame, FIRST_CUT, len - RN_ETH_BYTES - RN_IPV4_BYTES, true);
		assert_false(rig_poll(&b.cq, &cqe, 100));
		expect_fragments(&b, 2);

		/* The receive is still posted, and an unfragmented packet with the same PSN is
		 * accepted. */
		put(&b, frame, len);
		expect_delivery(&b);
		end(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(delivers_no_fragmented_packet),
	};

	if (unshare(geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) != 0)
		return SKIPPED;
	if (system("ip link add va address 02:00:00:00:00:0a type veth peer name vb && ip link set "
		   "va up && "
		   "ip link set vb up") != 0)
		return SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
