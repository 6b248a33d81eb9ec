/* Prints the outcomes of test scripts (rows.h) as text, and defines the memory keys that a script
 * can name; see rowlang.h. */
#include "rowlang.h"

#include <arpa/inet.h>
#include <string.h>

#include "transcript.h"

const struct row_key row_keys[KEYS] = {
	[KEY_K] = {"k", 65536, SIM_PD,
		   RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ |
			   RN_ACCESS_REMOTE_ATOMIC | RN_ACCESS_MW_BIND},
	[KEY_RO] = {"ro", 65536, SIM_PD, RN_ACCESS_REMOTE_READ},
	[KEY_WO] = {"wo", 65536, SIM_PD, RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE},
	[KEY_LO] = {"lo", 65536, SIM_PD, 0},
	[KEY_PD2] = {"pd2", 65536, SIM_PD + 1,
		     RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ},
	[KEY_TINY] = {"tiny", 100, SIM_PD,
		      RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ |
			      RN_ACCESS_REMOTE_ATOMIC},
};

void rowlang_frame(FILE *f, const struct sim *sim, unsigned from, const struct rn_pkt *pkt)
{
	uint64_t base = (uint64_t)(uintptr_t)(sim->node[0].arena + V);

	transcript_packet(sim, f, from, pkt);
	if (pkt->op->family == RN_F_CNP)
		fprintf(f, " qp=%s dscp=%u%s%s M=%d",
			pkt->dest_qpn == sim->node[0].qp[0].qpn ? "peer" : "?", pkt->tclass >> 2,
			(pkt->tclass & 3) == 2 ? " ECT(0)" : "", pkt->becn ? " BECN" : "",
			pkt->mig);
	if (pkt->op->has_reth)
		fprintf(f, " va=%lld", (long long)(pkt->va - base));
	if (pkt->op->has_imm)
		fprintf(f, " imm=0x%x", ntohl(pkt->imm));
	if (pkt->op->has_ieth)
		fprintf(f, " inv=0x%x", pkt->inv_rkey);
	if (pkt->op->has_atomic_eth)
		fprintf(f, " va=%lld arg=0x%llx cmp=0x%llx", (long long)(pkt->va - base),
			(unsigned long long)pkt->swap_add, (unsigned long long)pkt->compare);
	if (pkt->op->has_atomic_ack)
		fprintf(f, " orig=0x%llx", (unsigned long long)pkt->orig);
	if (pkt->op->has_deth)
		fprintf(f, " qkey=0x%x%s", pkt->qkey,
			pkt->src_qpn == sim->node[from].qp[0].qpn ? "" : " FOREIGN-SOURCE");
	if (pkt->dest_qpn == RN_QPN_GROUP)
		fprintf(f, " group");
	if (pkt->payload_len)
		fprintf(f, " [%02x..%02x]", pkt->payload[0], pkt->payload[pkt->payload_len - 1]);
	if (pkt->op->family == RN_F_ACK &&
	    (pkt->pad || pkt->se || pkt->ack_req || pkt->payload_len))
		fprintf(f, " ACK-WITH-FLAGS");
	fputc('\n', f);
}

void rowlang_cqe(FILE *f, const struct rn_cqe *c, const char *inv)
{
	static const char *const status[] = {
#define X(name, number, ...) [number] = #name,
		RN_STATUS_ROWS(X)
#undef X
	};
	fprintf(f, "  %s %llu %s bytes=%u%s%s", c->flags & RN_CQE_RECV ? "recv" : "sent",
		(unsigned long long)c->wr_id, status[c->status], c->byte_len,
		c->flags & RN_CQE_SOLICITED ? " SE" : "", c->flags & RN_CQE_WRITE ? " WRITE" : "");
	if (c->flags & RN_CQE_IMM)
		fprintf(f, " imm=0x%x", ntohl(c->imm));
	if (c->flags & RN_CQE_GRH)
		fprintf(f, " GRH src=%u", c->src_qpn);
	if (c->flags & RN_CQE_INVAL)
		fprintf(f, " inv=%s", inv);
	fputc('\n', f);
}

void rowlang_event(FILE *f, unsigned kind)
{
	static const char *const event[] = {
#define X(name, number, text) [number] = #name,
		RN_EVENT_ROWS(X)
#undef X
	};
	fprintf(f, "  event %s\n", event[kind]);
}

unsigned rowlang_kind(const char *word)
{
	static const struct {
		const char *word;
		unsigned kind;
	} kinds[] = {{"recv", RN_WQE_RECV},	      {"send", RN_WQE_SEND},
		     {"write", RN_WQE_WRITE},	      {"read", RN_WQE_READ},
		     {"send_imm", RN_WQE_SEND_IMM},   {"send_inv", RN_WQE_SEND_INVAL},
		     {"write_imm", RN_WQE_WRITE_IMM}, {"cmp_swap", RN_WQE_CMP_SWAP},
		     {"fetch_add", RN_WQE_FETCH_ADD}};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(kinds); i++)
		if (strcmp(word, kinds[i].word) == 0)
			return kinds[i].kind;
	return UINT32_MAX;
}
