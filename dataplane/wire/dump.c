/* Prints a packet as one line that a person can read and a test can compare. A field is printed
 * only if the opcode carries the field. Pure functions, which any thread may call. */
#include "wire/dump.h"

#include <stdarg.h>
#include <stdio.h>

#include "wire/cm_msg.h"
#include "wire/frame.h"
#include "wire/hdr.h"
#include "base/types.h"

struct line {
	char *text;
	size_t cap, len;
};

/* Appends text to the line. l->len never exceeds cap - 1, so nothing is appended to a full line. */
static void __attribute__((format(printf, 2, 3))) put(struct line *l, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	int n = vsnprintf(l->text + l->len, l->cap - l->len, format, ap);
	va_end(ap);
	l->len = RN_MIN(l->len + (size_t)RN_MAX(n, 0), l->cap - 1);
}

static struct line start_line(char *text, size_t cap)
{
	rn_assert(cap > 0);
	text[0] = 0;
	return (struct line){.text = text, .cap = cap};
}

/* ---- management datagrams ---- */

#define CLASS_CM 0x07

/* Is the second word of the message's body the remote id? In REQ, SIDR_REQ and SIDR_REP the second
 * word is another field. */
static bool carries_remote_id(uint16_t attribute)
{
	return attribute != RN_CM_REQ && attribute != RN_CM_SIDR_REQ && attribute != RN_CM_SIDR_REP;
}

/* Prints the class and attribute of a 256-byte MAD. For a CM message also prints the transaction id
 * (offset 8) and the communication ids, which are the first two words of the body. */
static void put_mad(struct line *l, const uint8_t *mad)
{
	const uint8_t *body = mad + RN_MAD_HDR_BYTES;
	uint16_t attribute = rn_load16(mad + 16);

	if (mad[1] != CLASS_CM) {
		put(l, " MAD class=0x%02x attr=0x%04x", mad[1], attribute);
		return;
	}
	put(l, " CM %s tid=0x%llx local=0x%x", rn_cm_attr_name(attribute),
	    (unsigned long long)rn_load64(mad + 8), rn_load32(body));
	if (carries_remote_id(attribute))
		put(l, " remote=0x%x", rn_load32(body + 4));
	if (attribute == RN_CM_REJ)
		put(l, " reason=%u", rn_load16(body + 10));
}

/* ---- packets and addresses ---- */

/* Prints the AETH: syndrome and MSN. The upper three bits of the syndrome are its class (0 ACK, 1
 * RNR NAK, 3 NAK). The lower five bits are the value for this class. */
static void put_syndrome(struct line *l, const struct rn_pkt *pkt)
{
	static const char *const nak[] = {"sequence", "invalid", "access", "operational", "rd"};
	unsigned low = pkt->syndrome & 0x1F;

	switch (pkt->syndrome >> 5) {
	case 0:
		put(l, " credit=%u", low);
		break;
	case 1:
		put(l, " RNR timer=%u", low);
		break;
	case 3:
		if (low < RN_ARRAY_SIZE(nak))
			put(l, " NAK %s", nak[low]);
		else
			put(l, " NAK %u", low);
		break;
	default:
		put(l, " syndrome=0x%02x", pkt->syndrome);
	}
	put(l, " msn=%u", pkt->msn);
}

/* Prints the fields of the extension headers that the opcode has. */
static void put_extensions(struct line *l, const struct rn_pkt *pkt, const struct rn_opcode_row *op)
{
	if (op->has_deth)
		put(l, " qkey=0x%x from=0x%x", pkt->qkey, pkt->src_qpn);
	if (op->has_reth)
		put(l, " va=0x%llx rkey=0x%x dma=%u", (unsigned long long)pkt->va, pkt->rkey,
		    pkt->dma_len);
	if (op->has_atomic_eth)
		put(l, " va=0x%llx rkey=0x%x %s=0x%llx compare=0x%llx", (unsigned long long)pkt->va,
		    pkt->rkey, (pkt->opcode & 0x1F) == RN_OP_CMP_SWAP ? "swap" : "add",
		    (unsigned long long)pkt->swap_add, (unsigned long long)pkt->compare);
	if (op->has_aeth)
		put_syndrome(l, pkt);
	if (op->has_atomic_ack)
		put(l, " orig=0x%llx", (unsigned long long)pkt->orig);
	if (op->has_imm)
		/* pkt->imm has the byte order of the wire. */
		put(l, " imm=0x%08x", __builtin_bswap32(pkt->imm));
	if (op->has_ieth)
		put(l, " inv=0x%x", pkt->inv_rkey);
}

/* Prints a RoCE packet. Looks the opcode up, because pkt->op is NULL in a packet that was built and
 * not parsed. */
static void put_ib(struct line *l, const struct rn_pkt *pkt)
{
	const struct rn_opcode_row *op = rn_opcode_row(pkt->opcode);

	put(l, "%s", op->name);
	if (!op->known)
		put(l, " 0x%02x", pkt->opcode);
	put(l, " psn=%u qp=0x%x", pkt->psn, pkt->dest_qpn);
	if (pkt->ack_req)
		put(l, " ack");
	if (pkt->se)
		put(l, " se");
	if (pkt->fecn)
		put(l, " fecn");
	if (pkt->becn)
		put(l, " becn");
	if ((pkt->tclass & 3) == RN_ECN_CE)
		put(l, " ce");
	put_extensions(l, pkt, op);
	if (op->has_deth && pkt->dest_qpn == RN_GSI_QPN && pkt->payload &&
	    pkt->payload_len == RN_MAD_BYTES)
		put_mad(l, pkt->payload);
	if (op->has_payload || !op->known || pkt->payload_len)
		put(l, " len=%u", pkt->payload_len);
}

size_t rn_dump_pkt(char *text, size_t cap, const struct rn_pkt *pkt)
{
	struct line l = start_line(text, cap);

	switch ((enum rn_pkt_kind)pkt->kind) {
	case RN_PKT_IB:
		put_ib(&l, pkt);
		break;
	case RN_PKT_ARP:
		put(&l, "ARP %s",
		    pkt->payload && rn_load16(pkt->payload + 6) == 1 ? "request" : "reply");
		break;
	case RN_PKT_ND:
		put(&l, "ND type=%u", pkt->payload ? pkt->payload[0] : 0);
		break;
	case RN_PKT_ICMP:
		put(&l, "ICMP type=%u len=%u", pkt->payload ? pkt->payload[0] : 0,
		    pkt->payload_len);
		break;
	}
	return l.len;
}

/* Prints an address. Every address has only one form: an IPv6 address is printed as eight numbers
 * without "::". */
static void put_address(struct line *l, const struct rn_gid *g)
{
	if (rn_gid_is_ipv4(g)) {
		put(l, "%u.%u.%u.%u", g->b[12], g->b[13], g->b[14], g->b[15]);
		return;
	}
	for (unsigned i = 0; i < 16; i += 2)
		put(l, "%s%x", i ? ":" : "", rn_load16(g->b + i));
}

size_t rn_dump_addresses(char *text, size_t cap, const struct rn_pkt *pkt)
{
	struct line l = start_line(text, cap);

	put_address(&l, &pkt->src);
	put(&l, " > ");
	put_address(&l, &pkt->dst);
	return l.len;
}

size_t rn_dump_frame(char *text, size_t cap, const uint8_t *frame, size_t len)
{
	struct line l = start_line(text, cap);
	struct rn_pkt pkt;
	enum rn_verdict v = rn_frame_parse(frame, len, &pkt);

	/* A frame that was refused before its IP header was read has no addresses. */
	if (pkt.ip) {
		l.len = rn_dump_addresses(text, cap, &pkt);
		put(&l, " ");
	}
	if (v == RN_V_OK)
		l.len += rn_dump_pkt(text + l.len, cap - l.len, &pkt);
	else
		put(&l, "dropped: %s", rn_verdicts[v].text);
	return l.len;
}
