/* Writes frames as lines of a transcript. Only RoCE packets are written, no ARP and ND messages. */
#include "transcript.h"

#include "flow/credit.h"
#include "wire/psn.h"

static void write_ack(FILE *f, const struct rn_pkt *pkt)
{
	static const char *const nak[] = {"NAK_SEQ", "NAK_INV", "NAK_ACC", "NAK_OP"};
	unsigned kind = pkt->syndrome >> 5 & 3, code = pkt->syndrome & 0x1f;
	if (kind == 0 && code == RN_CREDIT_NONE)
		fprintf(f, "ACK");
	else if (kind == 0)
		fprintf(f, "ACK credits=%u", rn_credit_count((uint8_t)code));
	else if (kind == 1)
		fprintf(f, "RNR%u", code);
	else if (kind == 3 && code < 4)
		fprintf(f, "%s", nak[code]);
	else
		fprintf(f, "AETH_%02x", pkt->syndrome);
}

void transcript_packet(const struct sim *sim, FILE *f, unsigned from, const struct rn_pkt *pkt)
{
	/* The node whose PSN sequence the packet uses. A request uses the sequence of its sender. A
	 * response repeats the PSN of a request, so it uses the sequence of the receiving node. */
	unsigned space = pkt->op->response ? 1 - from : from;
	bool counts = pkt->op->family != RN_F_CNP; /* the PSN of a CNP belongs to no request */
	int32_t psn =
		!counts ? (int32_t)pkt->psn
			: rn_psn_diff(pkt->psn, rn_psn_add(sim->spec.first_psn, space * 1000));
	const char *name = pkt->op->name;
	if (pkt->op->family == RN_F_ACK)
		write_ack(f, pkt);
	else
		fprintf(f, "%s", name[0] == 'R' && name[1] == 'C' ? name + 3 : name);
	fprintf(f, " psn=%d", psn);
	if (pkt->op->has_aeth)
		fprintf(f, " msn=%u", pkt->msn);
	if (pkt->op->has_aeth && pkt->op->family != RN_F_ACK && pkt->syndrome != RN_CREDIT_NONE)
		fprintf(f, " credits=%u", rn_credit_count(pkt->syndrome & 0x1F));
	if (pkt->op->family == RN_F_READ_REQ)
		fprintf(f, " len=%u", pkt->dma_len);
	else if (pkt->op->has_payload)
		fprintf(f, " n=%u", pkt->payload_len);
	if (pkt->ack_req)
		fprintf(f, " A");
	if (pkt->se)
		fprintf(f, " SE");
}

void transcript_frame(struct sim *sim, unsigned from, const struct rn_pkt *pkt, bool kept)
{
	if (sim->log == NULL || pkt->kind != RN_PKT_IB)
		return;
	fprintf(sim->log, "%lluus %c>%c ", (unsigned long long)((sim->now - RN_MS(1)) / 1000),
		"ab"[from], "ba"[from]);
	transcript_packet(sim, sim->log, from, pkt);
	fprintf(sim->log, "%s\n", kept ? "" : " LOST");
}
