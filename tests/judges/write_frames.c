/* Which frames does the builder make? Writes one of each kind to a capture, for the judges: every known opcode, over
 * IPv4 and IPv6, with and without VLAN, with payloads of every pad, fields drawn from a seed; and every CM message.
 * usage: write_frames FILE.pcap */
#include <stdio.h>
#include <string.h>

#include "cm_msg.h"
#include "frame.h"
#include "rng.h"
#include "types.h"

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

static bool put_frame(FILE *out, const struct rn_pkt *pkt)
{
	uint8_t frame[RN_FRAME_OVERHEAD_MAX + 4096];
	uint32_t n = rn_frame_build(pkt, frame, sizeof(frame));
	const uint32_t record[4] = {0, 0, n, n};

	if (n == 0 || n != rn_frame_bytes(pkt)) {
		fprintf(stderr, "opcode %#x: built %u bytes, announced %u\n", pkt->opcode, n, rn_frame_bytes(pkt));
		return false;
	}
	put(out, record, sizeof(record));
	put(out, frame, n);
	return true;
}

static void set_addresses(struct rn_pkt *pkt, bool ipv4, bool vlan)
{
	static const struct rn_gid four[2] = {{{[10] = 0xff, 0xff, 192, 0, 2, 1}}, {{[10] = 0xff, 0xff, 192, 0, 2, 2}}};
	static const struct rn_gid six[2] = {{{0x20, 0x01, 0x0d, 0xb8, [15] = 1}}, {{0x20, 0x01, 0x0d, 0xb8, [15] = 2}}};

	memcpy(pkt->smac, (const uint8_t[]){2, 0, 0, 0, 0, 1}, 6);
	memcpy(pkt->dmac, (const uint8_t[]){2, 0, 0, 0, 0, 2}, 6);
	pkt->ipv4 = ipv4;
	pkt->src = ipv4 ? four[0] : six[0];
	pkt->dst = ipv4 ? four[1] : six[1];
	pkt->has_vlan = vlan;
	pkt->vlan_tci = vlan ? 3 << 13 | 100 : 0;
}

/* Random values in every field a frame can have; the builder takes those its opcode carries. */
static void draw_fields(struct rn_pkt *pkt, struct rn_rng *rng)
{
	pkt->kind = RN_PKT_IB;
	pkt->tclass = (uint8_t)rn_rng_next(rng);
	pkt->hop_limit = (uint8_t)(64 + rn_rng_next(rng) % 192); /* tshark remarks on less than 5 */
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
	static uint8_t payload[4096];
	const struct rn_opcode_row *row = rn_opcode_row(opcode);
	bool good = true;

	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)rn_rng_next(rng);
	for (unsigned way = 0; way < 4; way++) {
		for (size_t i = 0; i < RN_ARRAY_SIZE(lengths); i++) {
			struct rn_pkt pkt = {.opcode = opcode, .payload = payload, .payload_len = lengths[i]};

			if (row->transport == RN_T_CNP) {
				pkt.payload = (const uint8_t[16]){0};
				pkt.payload_len = 16;
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

	msg.req.local_id = (uint32_t)rn_rng_next(rng); /* all messages begin with an id */
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

static bool put_everything(FILE *out)
{
	static const uint16_t attrs[] = {RN_CM_REQ, RN_CM_MRA, RN_CM_REJ, RN_CM_REP, RN_CM_RTU,
					 RN_CM_DREQ, RN_CM_DREP, RN_CM_SIDR_REQ, RN_CM_SIDR_REP};
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
	return good;
}

int main(int argc, char **argv)
{
	FILE *out = argc == 2 ? fopen(argv[1], "wb") : NULL;
	bool good;

	if (!out) {
		fprintf(stderr, "usage: write_frames FILE.pcap\n");
		return 2;
	}
	good = put_everything(out);
	if (fclose(out))
		good = false;
	return good ? 0 : 1;
}
