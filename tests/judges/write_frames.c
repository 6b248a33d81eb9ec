/* Writes a capture with every kind of frame that the frame builder makes, for the programs that
 * check captures (judge.py).
 *
 * usage: write_frames FILE.pcap
 *        write_frames --kinds
 *            prints the kinds in the tables of the code: "bth:04<tab>RC SEND_ONLY" and so on
 *
 * The capture has:
 * - every known opcode, over IPv4 and IPv6, with and without VLAN
 * - payloads of every pad length, and fields drawn at random from a fixed seed
 * - every CM message
 * - ARP, neighbour discovery and echo */
#include <stdio.h>
#include <string.h>

#include "wire/arp_msg.h"
#include "wire/cm_msg.h"
#include "wire/frame.h"
#include "wire/hdr.h"
#include "wire/icmp_msg.h"
#include "wire/nd_msg.h"
#include "base/rng.h"
#include "base/types.h"

static const uint32_t lengths[] = {0, 1, 2, 3, 4, 255, 1024, 4096};

static void put(FILE *out, const void *data, size_t n)
{
	if (fwrite(data, 1, n, out) != n)
		perror("write_frames");
}

static void put_file_header(FILE *out)
{
	static const struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t zone, accuracy, snaplen, link;
	} head = {0xa1b2c3d4, 2, 4, 0, 0, 65535, 1};

	put(out, &head, sizeof(head));
}

static void put_bytes(FILE *out, const uint8_t *frame, uint32_t n)
{
	const uint32_t record[4] = {0, 0, n, n};

	put(out, record, sizeof(record));
	put(out, frame, n);
}

/* Builds the frame and writes it to the capture. Returns false if the frame's length differs from
 * rn_frame_bytes(). */
static bool put_frame(FILE *out, const struct rn_pkt *pkt)
{
	uint8_t frame[RN_FRAME_OVERHEAD_MAX + 4096];
	uint32_t n = rn_frame_build(pkt, frame, sizeof(frame));

	if (n == 0 || n != rn_frame_bytes(pkt)) {
		fprintf(stderr, "opcode %#x: built %u bytes, announced %u\n", pkt->opcode, n,
			rn_frame_bytes(pkt));
		return false;
	}
	put_bytes(out, frame, n);
	return true;
}

static const struct rn_gid four[2] = {{{[10] = 0xff, 0xff, 192, 0, 2, 1}},
				      {{[10] = 0xff, 0xff, 192, 0, 2, 2}}};
static const struct rn_gid six[2] = {{{0x20, 0x01, 0x0d, 0xb8, [15] = 1}},
				     {{0x20, 0x01, 0x0d, 0xb8, [15] = 2}}};

static void set_addresses(struct rn_pkt *pkt, bool ipv4, bool vlan)
{
	memcpy(pkt->smac, (const uint8_t[]){2, 0, 0, 0, 0, 1}, 6);
	memcpy(pkt->dmac, (const uint8_t[]){2, 0, 0, 0, 0, 2}, 6);
	pkt->ipv4 = ipv4;
	pkt->src = ipv4 ? four[0] : six[0];
	pkt->dst = ipv4 ? four[1] : six[1];
	pkt->has_vlan = vlan;
	pkt->vlan_tci = vlan ? 3 << 13 | 100 : 0;
}

/* Fills every field with a random value. The frame builder uses only the fields that the opcode
 * has. */
static void draw_fields(struct rn_pkt *pkt, struct rn_rng *rng)
{
	pkt->kind = RN_PKT_IB;
	pkt->tclass = (uint8_t)rn_rng_next(rng);
	/* 64 to 255: tshark complains about a hop limit below 5 */
	pkt->hop_limit = (uint8_t)(64 + rn_rng_next(rng) % 192);
	pkt->ip_id = (uint16_t)rn_rng_next(rng);
	pkt->ip_df = true;
	pkt->flow_label = rn_rng_next(rng) & 0xfffff;
	pkt->udp_sport = (uint16_t)(0xc000 | (rn_rng_next(rng) & 0x3fff));
	pkt->udp_checksum = rn_rng_next(rng) & 1;
	pkt->se = rn_rng_next(rng) & 1;
	pkt->mig = rn_rng_next(rng) & 1;
	pkt->ack_req = rn_rng_next(rng) & 1;
	pkt->becn = rn_rng_next(rng) & 1;
	pkt->fecn = rn_rng_next(rng) & 1;
	pkt->pkey = 0xffff;
	pkt->dest_qpn = rn_rng_next(rng) & 0xffffff;
	pkt->psn = rn_rng_next(rng) & 0xffffff;
	pkt->va = rn_rng_next(rng);
	pkt->rkey = (uint32_t)rn_rng_next(rng);
	pkt->dma_len = (uint32_t)rn_rng_next(rng) >> 1;
	pkt->syndrome = 0x1f;
	pkt->msn = rn_rng_next(rng) & 0xffffff;
	pkt->imm = (uint32_t)rn_rng_next(rng);
	pkt->inv_rkey = (uint32_t)rn_rng_next(rng);
	pkt->qkey = (uint32_t)rn_rng_next(rng);
	pkt->src_qpn = rn_rng_next(rng) & 0xffffff;
	pkt->swap_add = rn_rng_next(rng);
	pkt->compare = rn_rng_next(rng);
	pkt->orig = rn_rng_next(rng);
}

static bool put_opcode(FILE *out, uint8_t opcode, struct rn_rng *rng)
{
	static const uint8_t reserved[16]; /* a CNP has 16 reserved bytes as payload */
	static uint8_t payload[4096];
	const struct rn_opcode_row *row = rn_opcode_row(opcode);
	bool good = true;

	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)rn_rng_next(rng);
	for (unsigned way = 0; way < 4; way++) {
		for (size_t i = 0; i < RN_ARRAY_SIZE(lengths); i++) {
			struct rn_pkt pkt = {
				.opcode = opcode, .payload = payload, .payload_len = lengths[i]};

			if (row->transport == RN_T_CNP) {
				pkt.payload = reserved;
				pkt.payload_len = sizeof(reserved);
			}
			set_addresses(&pkt, way & 1, way & 2);
			draw_fields(&pkt, rng);
			good &= put_frame(out, &pkt);
			if (!row->has_payload || row->transport == RN_T_CNP)
				break;
		}
	}
	return good;
}

static bool put_cm(FILE *out, uint16_t attr, bool ipv4, struct rn_rng *rng)
{
	struct rn_cm_msg msg = {.attr = attr, .tid = rn_rng_next(rng)};
	struct rn_pkt pkt = {.opcode = RN_T_UD | RN_OP_SEND_ONLY};
	uint8_t mad[RN_MAD_BYTES];

	/* The structs of all CM messages form a union, and each begins with a communication id. So
	 * this line sets the communication id for every value of attr. */
	msg.req.local_id = (uint32_t)rn_rng_next(rng);
	if (attr == RN_CM_REQ) {
		msg.req.service_id = rn_cm_service_id(RN_PS_TCP, 7471);
		msg.req.guid = rn_rng_next(rng);
		msg.req.qpn = 0x11;
		msg.req.psn = 0xb0;
		msg.req.pkey = 0xffff;
		msg.req.path_mtu = 3;
		msg.req.retry_cnt = 7;
	}
	rn_cm_msg_build(&msg, mad);
	set_addresses(&pkt, ipv4, false);
	draw_fields(&pkt, rng);
	pkt.payload = mad;
	pkt.payload_len = sizeof(mad);
	pkt.dest_qpn = RN_GSI_QPN;
	pkt.src_qpn = RN_GSI_QPN;
	pkt.qkey = RN_GSI_QKEY;
	return put_frame(out, &pkt);
}

/* ---- frames that are not RoCE ---- */

static unsigned put_ethernet(uint8_t *frame, uint16_t type, bool vlan)
{
	unsigned at = 12;

	memset(frame, 0, 60);
	memcpy(frame, (const uint8_t[]){2, 0, 0, 0, 0, 2}, 6);
	memcpy(frame + 6, (const uint8_t[]){2, 0, 0, 0, 0, 1}, 6);
	if (vlan) {
		rn_store16(frame + at, RN_ETHERTYPE_VLAN);
		rn_store16(frame + at + 2, 3 << 13 | 100);
		at += 4;
	}
	rn_store16(frame + at, type);
	return at + 2;
}

static void put_arp(FILE *out, uint16_t op, bool vlan)
{
	struct rn_arp arp = {
		.op = op, .sender = four[0], .target = four[1], .sender_mac = {2, 0, 0, 0, 0, 1}};
	uint8_t frame[64];
	unsigned at = put_ethernet(frame, RN_ETHERTYPE_ARP, vlan);

	if (op == RN_ARP_REPLY)
		memcpy(arp.target_mac, frame, 6);
	rn_arp_build(&arp, frame + at);
	put_bytes(out, frame, 60);
}

static unsigned put_ip_header(uint8_t *ip, bool ipv4, unsigned body, uint8_t hops)
{
	unsigned n = ipv4 ? 20 : 40;

	memset(ip, 0, n);
	if (ipv4) {
		ip[0] = 0x45;
		rn_store16(ip + RN_IPV4_LENGTH, (uint16_t)(20 + body));
		rn_store16(ip + RN_IPV4_FRAGMENT, RN_IPV4_FLAG_DF);
		ip[RN_IPV4_TTL] = hops;
		ip[RN_IPV4_PROTOCOL] = RN_IPPROTO_ICMP;
		memcpy(ip + RN_IPV4_SRC, four[0].b + 12, 4);
		memcpy(ip + RN_IPV4_DST, four[1].b + 12, 4);
		rn_store16(ip + RN_IPV4_CHECKSUM, rn_ip_checksum(0, ip, 20));
	} else {
		ip[0] = 0x60;
		rn_store16(ip + RN_IPV6_LENGTH, (uint16_t)body);
		ip[RN_IPV6_NEXT] = RN_IPPROTO_ICMPV6;
		ip[RN_IPV6_HOPS] = hops;
		memcpy(ip + RN_IPV6_SRC, six[0].b, 16);
		memcpy(ip + RN_IPV6_DST, six[1].b, 16);
	}
	return n;
}

static void put_nd(FILE *out, uint8_t type, bool vlan)
{
	const struct rn_nd nd = {.type = type,
				 .solicited = type == RN_ND_ADVERT,
				 .override = type == RN_ND_ADVERT,
				 .target = six[type == RN_ND_SOLICIT],
				 .has_mac = true,
				 .mac = {2, 0, 0, 0, 0, 1}};
	uint8_t frame[128];
	unsigned at = put_ethernet(frame, RN_ETHERTYPE_IPV6, vlan);

	at += put_ip_header(frame + at, false, RN_ND_BYTES, RN_ND_HOP_LIMIT);
	at += (unsigned)rn_nd_build(&six[0], &six[1], &nd, frame + at);
	put_bytes(out, frame, at);
}

static void put_echo(FILE *out, bool ipv4, bool reply, bool vlan, uint32_t len)
{
	static uint8_t data[4096], frame[4300];
	const struct rn_icmp_echo echo = {
		.reply = reply, .id = 7, .seq = (uint16_t)len, .data = data, .data_len = len};
	unsigned at = put_ethernet(frame, ipv4 ? RN_ETHERTYPE_IPV4 : RN_ETHERTYPE_IPV6, vlan);
	const struct rn_gid *addr = ipv4 ? four : six;

	for (uint32_t i = 0; i < len; i++)
		data[i] = (uint8_t)i;
	at += put_ip_header(frame + at, ipv4, RN_ICMP_ECHO_HDR + len, 64);
	at += (unsigned)rn_icmp_echo_build(ipv4, &addr[0], &addr[1], &echo, frame + at,
					   sizeof(frame) - at);
	put_bytes(out, frame, RN_MAX(at, 60u));
}

static void put_plain(FILE *out)
{
	for (unsigned way = 0; way < 4; way++) {
		bool vlan = way & 1, answer = way & 2;

		put_arp(out, answer ? RN_ARP_REPLY : RN_ARP_REQUEST, vlan);
		put_nd(out, answer ? RN_ND_ADVERT : RN_ND_SOLICIT, vlan);
		for (size_t i = 0; i < 2 * RN_ARRAY_SIZE(lengths); i++)
			put_echo(out, i & 1, answer, vlan, lengths[i / 2]);
	}
}

/* Prints one line per kind; the keys before the tab are those of kinds.py. */
static void print_kinds(void)
{
	static const struct {
		uint16_t number;
		const char *name;
	} attrs[] = {
#define X(name, number) {number, #name},
		RN_CM_ATTR_ROWS(X)
#undef X
	};

	for (unsigned opcode = 0; opcode < 256; opcode++)
		if (rn_opcode_row((uint8_t)opcode)->known)
			printf("bth:%02X\t%s\n", opcode, rn_opcode_row((uint8_t)opcode)->name);
	for (size_t i = 0; i < RN_ARRAY_SIZE(attrs); i++)
		printf("cm:%04X\t%s\n", attrs[i].number, attrs[i].name);
	printf("arp:%u\tARP request\narp:%u\tARP reply\n", RN_ARP_REQUEST, RN_ARP_REPLY);
	printf("nd:%u\tneighbour solicitation\nnd:%u\tneighbour advertisement\n", RN_ND_SOLICIT,
	       RN_ND_ADVERT);
	printf("icmp:8\techo request\nicmp:0\techo reply\nicmp6:128\techo request, IPv6\nicmp6:129\techo reply, IPv6\n");
}

static bool put_everything(FILE *out)
{
	static const uint16_t attrs[] = {RN_CM_REQ,  RN_CM_MRA,	     RN_CM_REJ,
					 RN_CM_REP,  RN_CM_RTU,	     RN_CM_DREQ,
					 RN_CM_DREP, RN_CM_SIDR_REQ, RN_CM_SIDR_REP};
	struct rn_rng rng;
	bool good = true;

	rn_rng_seed(&rng, 1);
	put_file_header(out);
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		if (rn_opcode_row((uint8_t)opcode)->known)
			good &= put_opcode(out, (uint8_t)opcode, &rng);
	}
	for (size_t i = 0; i < 2 * RN_ARRAY_SIZE(attrs); i++)
		good &= put_cm(out, attrs[i / 2], i & 1, &rng);
	put_plain(out);
	return good;
}

int main(int argc, char **argv)
{
	bool kinds = argc == 2 && strcmp(argv[1], "--kinds") == 0, good;
	FILE *out = argc == 2 && !kinds ? fopen(argv[1], "wb") : NULL;

	if (kinds) {
		print_kinds();
		return 0;
	}
	if (!out) {
		fprintf(stderr, "usage: write_frames FILE.pcap | --kinds\n");
		return 2;
	}
	good = put_everything(out);
	if (fclose(out))
		good = false;
	return good ? 0 : 1;
}
