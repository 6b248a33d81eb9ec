/* One shard with one connected QP, identical at every start. The shard receives the frames of a
 * capture and answers them. So frames that another program (scapy) has built reach the tested code.
 *
 * usage: shard_peer rc|uc|ud
 *            prints the numbers that a peer needs, as "name value" lines
 *        shard_peer rc|uc|ud IN.pcap OUT.pcap
 *            prints one line per frame of IN: the verdict, and the values that the shard read from
 *            the frame, as "name=value" words. Writes all frames that the shard sends to OUT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "wire/cm_msg.h"
#include "memory/mr.h"
#include "record.h"
#include "shard/shard.h"
#include "sim.h"
#include "base/types.h"

#define DUT    1u
#define VA     0x100000u /* start of the region that the peer may access; its byte i is i * 5 */
#define LENGTH 65536u

static struct sim sim;
static struct rn_mw_shared window[2];
static uint32_t rkey, window_key[2];

static void must(bool held, const char *what)
{
	if (!held) {
		fprintf(stderr, "shard_peer: %s\n", what);
		exit(1);
	}
}

/* Posts the requests that the peer must answer: a READ with three response packets, a READ with one
 * response packet, a CMP_SWAP and a WRITE. */
static void ask(void)
{
	static const struct {
		enum rn_wqe_kind kind;
		uint32_t length;
	} asked[] = {
		{RN_WQE_READ, 3000}, {RN_WQE_READ, 100}, {RN_WQE_CMP_SWAP, 8}, {RN_WQE_WRITE, 64}};

	for (unsigned i = 0; i < RN_ARRAY_SIZE(asked); i++) {
		const struct sim_op op = {.kind = asked[i].kind,
					  .flags = RN_WQE_SIGNALED,
					  .wr_id = i,
					  .length = asked[i].length,
					  .local = (3 << 20) + i * 4096};

		sim_post(&sim, DUT, 0, &op);
	}
}

/* Creates the QP under test, a memory region, and 64 receives. With RC, also binds two memory
 * windows to the region. */
static void set_up(uint8_t type)
{
	struct sim_node *n = &sim.node[DUT];
	const uint32_t access = RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE |
				RN_ACCESS_REMOTE_READ | RN_ACCESS_REMOTE_ATOMIC | RN_ACCESS_MW_BIND;
	struct rn_mr_attr mr = {NULL, VA, LENGTH, SIM_PD, access};
	struct rn_bind bind = {4096, 0, RN_ACCESS_REMOTE_READ};
	struct sim_spec spec;

	sim_spec_default(&spec);
	spec.type = type;
	sim_init(&sim, &spec);
	sim_connect(&sim, 0);
	mr.ptr = n->arena + (8 << 20);
	for (uint32_t i = 0; i < LENGTH; i++)
		n->arena[(8 << 20) + i] = (uint8_t)(i * 5);
	must(rn_mr_add(n->mrs, &mr, &bind.lkey, &rkey) == 0, "no region");
	for (unsigned i = 0; type == RN_QPT_RC && i < 2; i++) {
		must(rn_mw_add(n->mrs, SIM_PD, &window[i], &window_key[i]) == 0, "no window");
		window_key[i] = (window_key[i] & ~0xFFu) | 7;
		must(rn_mw_bind(n->mrs, window_key[i], (struct rn_mr_via){SIM_PD, n->qp[0].qpn}, VA,
				&bind, &rn_shard_qp(n->shard, n->qp[0].qpn)->bound),
		     "window not bound");
	}
	for (uint64_t i = 0; i < 64; i++)
		sim_post(&sim, DUT, 0,
			 &(struct sim_op){.kind = RN_WQE_RECV,
					  .wr_id = i,
					  .local = 1 << 20,
					  .length = 65536});
}

/* Prints the numbers that a peer needs: QPNs, keys, address, first PSNs, Q_Key. */
static void print_facts(void)
{
	const struct sim_node *n = &sim.node[DUT];

	printf("qpn %u\npeer_qpn %u\nrkey %u\nwindow0 %u\nwindow1 %u\n", n->qp[0].qpn,
	       sim.node[0].qp[0].qpn, rkey, window_key[0], window_key[1]);
	printf("va %u\npsn %u\nown_psn %u\nqkey %u\n", VA, sim.spec.first_psn,
	       sim.spec.first_psn + 1000, SIM_QKEY);
}

static void print_number(const char *name, uint64_t value)
{
	printf(" %s=%" PRIu64, name, value);
}

/* Prints the values that were parsed from the packet; `sum` is a checksum of the payload. */
static void print_packet(const struct rn_pkt *p)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < p->payload_len; i++)
		sum = sum * 31 + p->payload[i];
	print_number("vlan", p->has_vlan ? p->vlan_tci : 0);
	print_number("tclass", p->tclass);
	print_number("hops", p->hop_limit);
	print_number("length", p->payload_len);
	print_number("sum", sum);
	if (p->kind != RN_PKT_IB)
		return;
	print_number("flow", p->flow_label);
	print_number("sport", p->udp_sport);
	print_number("opcode", p->opcode);
	print_number("solicited", p->se);
	print_number("migreq", p->mig);
	print_number("pkey", p->pkey);
	print_number("fecn", p->fecn);
	print_number("becn", p->becn);
	print_number("dqpn", p->dest_qpn);
	print_number("ackreq", p->ack_req);
	print_number("psn", p->psn);
	if (p->op->has_reth || p->op->has_atomic_eth) {
		print_number("va", p->va);
		print_number("rkey", p->rkey);
	}
	if (p->op->has_reth)
		print_number("dma_length", p->dma_len);
	if (p->op->has_atomic_eth) {
		print_number("swap_or_add", p->swap_add);
		print_number("compare", p->compare);
	}
	if (p->op->has_aeth) {
		print_number("syndrome", p->syndrome);
		print_number("msn", p->msn);
	}
	if (p->op->has_atomic_ack)
		print_number("original", p->orig);
	if (p->op->has_imm)
		print_number("imm", __builtin_bswap32(p->imm));
	if (p->op->has_ieth)
		print_number("invalidate", p->inv_rkey);
	if (p->op->has_deth) {
		print_number("qkey", p->qkey);
		print_number("src_qpn", p->src_qpn);
	}
}

/* Builds a frame from the parsed values. Returns true if this frame equals the original frame. For
 * a MAD, the rebuilt MAD must equal the original MAD too. Always returns true for a packet that is
 * not RoCE. */
static bool is_remade(const struct rn_pkt *p, const uint8_t *frame, uint32_t len)
{
	static uint8_t out[SIM_FRAME_MAX];
	struct rn_cm_msg msg;
	uint8_t mad[RN_MAD_BYTES];

	if (p->kind != RN_PKT_IB)
		return true;
	if (rn_frame_build(p, out, sizeof(out)) != len || memcmp(out, frame, len) != 0)
		return false;
	if (p->dest_qpn != RN_GSI_QPN)
		return true;
	if (!rn_cm_msg_parse(p->payload, p->payload_len, &msg))
		return false;
	rn_cm_msg_build(&msg, mad);
	return memcmp(mad, p->payload, RN_MAD_BYTES) == 0;
}

static void take(const uint8_t *frame, uint32_t len)
{
	struct rn_pkt p;
	enum rn_verdict parsed = rn_frame_parse(frame, len, &p);

	printf("parsed=%s remade=%d", rn_verdicts[parsed].name,
	       parsed == RN_V_OK && is_remade(&p, frame, len));
	printf(" verdict=%s", rn_verdicts[sim_inject(&sim, DUT, frame, len)].name);
	if (parsed == RN_V_OK)
		print_packet(&p);
	putchar('\n');
	sim_send(&sim, DUT, UINT32_MAX);
}

static void converse(FILE *in, FILE *out)
{
	static uint8_t frame[SIM_FRAME_MAX];
	uint32_t head[6], record[4];

	sim.pcap = out;
	if (sim.spec.type == RN_QPT_RC)
		ask();
	sim_send(&sim, DUT, UINT32_MAX);
	must(fread(head, sizeof(head), 1, in) == 1 && head[0] == 0xa1b2c3d4, "not a capture");
	while (fread(record, sizeof(record), 1, in) == 1) {
		must(record[2] <= sizeof(frame) && fread(frame, 1, record[2], in) == record[2],
		     "a frame is cut");
		take(frame, record[2]);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		uint8_t type;
	} types[] = {{"rc", RN_QPT_RC}, {"uc", RN_QPT_UC}, {"ud", RN_QPT_UD}};
	unsigned i = 0;

	while (argc > 1 && i < RN_ARRAY_SIZE(types) && strcmp(argv[1], types[i].name) != 0)
		i++;
	if ((argc != 2 && argc != 4) || i == RN_ARRAY_SIZE(types)) {
		fprintf(stderr, "usage: shard_peer rc|uc|ud [IN.pcap OUT.pcap]\n");
		return 2;
	}
	set_up(types[i].type);
	if (argc == 2) {
		print_facts();
		return 0;
	}
	FILE *in = fopen(argv[2], "rb"), *out = record_open(argv[3]);
	must(in && out, "cannot open the captures");
	converse(in, out);
	fclose(in);
	return fclose(out) != 0;
}
