/* Runs ("plays") the scripts that play.h describes: sends packets to the peer and checks the peer's
 * answers. Used by the tool's one thread. */
#include "play.h"

#include <arpa/inet.h>
#include <endian.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "wire/psn.h"
#include "base/types.h"

#define MS 1000000ull
/* longest wait for an answer, in ms; long because the peer may be an emulated or a loaded
 * machine */
#define PATIENCE 5000u
#define SILENCE	 250u

/* Byte offsets in an untagged IPv4 frame. */
enum { IP = 14, IP_ID = 18, IP_FLAGS = 20, IP_SUM = 24, UDP = 34, BTH = 42 };

static enum outcome __attribute__((format(printf, 2, 3)))
deviates(struct play *p, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(p->why, sizeof(p->why), format, ap);
	va_end(ap);
	return DEVIATES;
}

static uint64_t in_ms(unsigned ms)
{
	return line_now() + ms * MS;
}

/* ---- the words of a script line ---- */

static const char *value(const struct play *p, const char *key)
{
	size_t n = strlen(key);

	for (unsigned i = 1; i < p->nwords; i++)
		if (strncmp(p->word[i], key, n) == 0 && p->word[i][n] == '=')
			return p->word[i] + n + 1;
	return NULL;
}

static bool flag(const struct play *p, const char *name)
{
	for (unsigned i = 1; i < p->nwords; i++)
		if (strcmp(p->word[i], name) == 0)
			return true;
	return false;
}

static uint64_t number(const struct play *p, const char *key, uint64_t missing)
{
	const char *v = value(p, key);

	return v ? strtoull(v, NULL, 0) : missing;
}

static int32_t word_psn(const struct play *p, unsigned i)
{
	return (int32_t)strtol(p->word[i], NULL, 0);
}

static uint8_t opcode_named(const char *name)
{
	for (unsigned i = 0; i < 32; i++) {
		const struct rn_opcode_row *row = rn_opcode_row((uint8_t)i);

		if (row->known && strcmp(row->name + 3, name) == 0)
			return row->opcode;
	}
	return (uint8_t)strtoul(name, NULL, 0);
}

/* ---- packets sent to the peer ---- */

static void mend_ip_sum(uint8_t *frame)
{
	uint32_t sum = 0;

	frame[IP_SUM] = frame[IP_SUM + 1] = 0;
	for (unsigned i = 0; i < 20; i += 2)
		sum += (uint32_t)frame[IP + i] << 8 | frame[IP + i + 1];
	while (sum >> 16)
		sum = (sum & 0xFFFF) + (sum >> 16);
	frame[IP_SUM] = (uint8_t)(~sum >> 8);
	frame[IP_SUM + 1] = (uint8_t)~sum;
}

/* Changes the field that `what` names, such as the pad bytes, and computes a new ICRC. */
static void edit(const char *what, const struct rn_pkt *pkt, uint8_t *frame, unsigned len)
{
	if (what == NULL)
		return;
	if (strcmp(what, "tver") == 0)
		frame[BTH + 1] |= 1;
	rn_frame_finish(pkt, frame);
	/* here the pad bytes count as payload, so that the ICRC covers the new pad bytes */
	if (strcmp(what, "pad") == 0) {
		struct rn_pkt whole = *pkt;

		memset(frame + len - 4 - (-pkt->payload_len & 3), 0xFF, -pkt->payload_len & 3);
		whole.payload_len = (pkt->payload_len + 3) & ~3u;
		rn_frame_finish(&whole, frame);
	}
}

/* Changes the bytes named by `what` and keeps the old ICRC. The peer must drop the frame: the ICRC
 * is wrong, or the frame is an IP fragment or has another UDP destination port. */
static void flip(const char *what, uint8_t *frame, unsigned len)
{
	if (what == NULL)
		return;
	if (strcmp(what, "payload") == 0)
		frame[len - 12] ^= 0x10;
	else if (strcmp(what, "pad") == 0)
		frame[len - 5] ^= 0x10;
	else if (strcmp(what, "sport") == 0)
		frame[UDP + 1] ^= 1;
	else if (strcmp(what, "dport") == 0)
		frame[UDP + 3] ^= 1;
	else if (strcmp(what, "id") == 0)
		frame[IP_ID + 1] ^= 1;
	else if (strcmp(what, "fragment") == 0)
		frame[IP_FLAGS] |= 0x20;
	else if (strcmp(what, "icrc") == 0)
		for (unsigned i = 0; i < 2; i++) {
			uint8_t was = frame[len - 4 + i];

			frame[len - 4 + i] = frame[len - 1 - i];
			frame[len - 1 - i] = was;
		}
	mend_ip_sum(frame);
}

static void addresses(const struct play *p, struct rn_pkt *pkt)
{
	pkt->pkey = (uint16_t)number(p, "pkey", 0xFFFF);
	pkt->mig = number(p, "M", 1);
	pkt->udp_sport = (uint16_t)number(p, "port", pkt->udp_sport);
	pkt->dest_qpn = (uint32_t)number(p, "qp", pkt->dest_qpn);
	pkt->hop_limit = (uint8_t)number(p, "ttl", 64);
	pkt->tclass = (uint8_t)number(p, "tos", 0);
	pkt->fecn = flag(p, "fecn");
	pkt->udp_checksum = flag(p, "sum");
	if (flag(p, "resv")) {
		pkt->bth_resv6 = 0x3F;
		pkt->bth_resv7 = 0x7F;
	}
	if (value(p, "from"))
		pkt->src.b[15] ^= 0x40;
	if (value(p, "to"))
		pkt->dst.b[15] ^= 0x40;
}

static void fields(const struct play *p, struct rn_pkt *pkt)
{
	const struct conn *c = p->c;

	pkt->ack_req = flag(p, "A");
	pkt->va = number(p, "addr", c->va + number(p, "va", 0));
	pkt->rkey = (uint32_t)number(p, "rkey", c->rkey);
	pkt->payload_len = (uint32_t)number(p, "n", 0);
	pkt->dma_len = (uint32_t)number(p, "len", pkt->payload_len);
	pkt->imm = htonl((uint32_t)number(p, "imm", 0));
	pkt->syndrome = (uint8_t)number(p, "syn", 0x1F);
	pkt->msn = (uint32_t)number(p, "msn", 1);
	pkt->swap_add = number(p, "arg", 0);
	pkt->compare = number(p, "cmp", 0);
}

/* Returns whether packet `r` repeats the peer's last request. A repeated packet has the same hash.
 * Two READ requests also count as repeated, because a READ may be repeated for the rest of its
 * data. */
static bool repeats(const struct play *p, const struct came *r)
{
	return p->asked &&
	       (r->hash == p->asked_hash || (p->asked_read && r->pkt.op->family == RN_F_READ_REQ));
}

/* Drops the repetitions of the peer's last request that have arrived. Must be called before that
 * request is answered. The peer sent these repetitions because the answer was late, so they do not
 * show how the peer handles the answer. */
static void drop_repetitions(struct play *p)
{
	struct queue *q = &p->c->requests;

	conn_pump(p->c, NULL, in_ms(1));
	for (; q->n && repeats(p, &q->came[q->first % CONN_QUEUE]); q->n--)
		q->first++;
}

static enum outcome do_send(struct play *p)
{
	static uint8_t payload[CONN_MTU * 2];
	struct conn *c = p->c;
	uint8_t opcode = opcode_named(p->word[1]), frame[4096];
	uint32_t base = rn_opcode_row(opcode)->response ? c->peer_psn : c->psn;
	struct rn_pkt pkt = conn_packet(c, opcode, base + (uint32_t)word_psn(p, 2));

	if (rn_opcode_row(opcode)->response)
		drop_repetitions(p);
	memset(payload, (int)number(p, "fill", 0xAA), sizeof(payload));
	fields(p, &pkt);
	addresses(p, &pkt);
	/* a server of rping's protocol reads a Send of 16 bytes as {address, key, size} */
	if (pkt.payload_len == 16) {
		uint64_t va = htobe64(0x10000);
		uint32_t key = htonl(0x1234), size = htonl((uint32_t)number(p, "adv", 64));

		memcpy(payload, &va, 8);
		memcpy(payload + 8, &key, 4);
		memcpy(payload + 12, &size, 4);
	}
	pkt.payload = payload;
	for (uint64_t i = 0; i < number(p, "count", 1); i++) {
		unsigned len = rn_frame_build(&pkt, frame, sizeof(frame));

		edit(value(p, "edit"), &pkt, frame, len);
		flip(value(p, "flip"), frame, len);
		line_send(c->line, frame, len);
		pkt.psn = (pkt.psn + 1) & 0xFFFFFF;
	}
	return PASSED;
}

/* ---- the peer's answers ---- */

static const char *kind_of(const struct rn_pkt *a)
{
	static const char *const nak[] = {"NAK_SEQ", "NAK_INV", "NAK_ACC", "NAK_OP"};

	if (a->op->family != RN_F_ACK)
		return a->op->name + 3;
	if (a->syndrome >> 5 == 0)
		return "ACK";
	if (a->syndrome >> 5 == 1)
		return "RNR";
	return a->syndrome >> 5 == 3 && (a->syndrome & 0x1F) < 4 ? nak[a->syndrome & 0x1F]
								 : "AETH-RESERVED";
}

/* Returns true if `word` is one of the words in `list`, which are separated by bars. */
static bool among(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = list; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
		if (strncmp(at, word, n) == 0 && (at[n] == '|' || at[n] == 0))
			return true;
	return false;
}

static enum outcome check_fields(struct play *p, const struct came *a)
{
	const struct rn_pkt *k = &a->pkt;
	const char *kind = kind_of(k);
	uint64_t fill = number(p, "fill", 256);

	if (value(p, "n") && k->payload_len != number(p, "n", 0))
		return deviates(p, "%s carries %u bytes, not %s", kind, k->payload_len,
				value(p, "n"));
	if (value(p, "msn") && k->msn != number(p, "msn", 0))
		return deviates(p, "%s says MSN %u, not %s", kind, k->msn, value(p, "msn"));
	if (value(p, "orig") && k->orig != number(p, "orig", 0))
		return deviates(p, "it found 0x%llx, not %s", (unsigned long long)k->orig,
				value(p, "orig"));
	for (unsigned i = 0; fill < 256 && i < RN_MIN(k->payload_len, 16u); i++)
		if (a->head[i] != fill)
			return deviates(p, "%s brings byte 0x%02x, not %s", kind, a->head[i],
					value(p, "fill"));
	if (k->op->family == RN_F_ACK &&
	    (k->se || k->ack_req || k->pad || k->payload_len || k->syndrome & 0x80))
		return deviates(p, "%s with fields that are zero in one", kind);
	return PASSED;
}

static enum outcome do_expect(struct play *p)
{
	struct conn *c = p->c;
	bool may_be_none = among(p->word[1], "none"), until = strcmp(p->word[0], "until") == 0;
	int32_t wanted = word_psn(p, 2), kept = (int32_t)number(p, "kept", (uint64_t)wanted), psn;
	struct came *a;

	do {
		a = conn_take(c, &c->answers, in_ms(may_be_none ? SILENCE : PATIENCE));
		if (a == NULL)
			return may_be_none ? PASSED
					   : deviates(p, "expected %s psn=%d, nothing came",
						      p->word[1], wanted);
		psn = rn_psn_diff(a->pkt.psn, c->psn);
	} while (until && psn != wanted && strcmp(kind_of(&a->pkt), "ACK") == 0);
	if (!among(p->word[1], kind_of(&a->pkt)) || (psn != wanted && psn != kept))
		return deviates(p, "expected %s psn=%d, got %s psn=%d", p->word[1], wanted,
				kind_of(&a->pkt), psn);
	return check_fields(p, a);
}

static enum outcome do_silent(struct play *p)
{
	struct came *a = conn_take(p->c, &p->c->answers,
				   in_ms(p->nwords > 1 ? (unsigned)word_psn(p, 1) : SILENCE));

	if (a == NULL)
		return PASSED;
	return deviates(p, "expected silence, got %s psn=%d", kind_of(&a->pkt),
			rn_psn_diff(a->pkt.psn, p->c->psn));
}

/* Sends a Write of 0 bytes, which needs no key: any working queue pair acknowledges such a Write.
 * Expects the ACK if `alive` is true, otherwise no answer. */
static enum outcome probe(struct play *p, bool alive)
{
	struct rn_pkt pkt =
		conn_packet(p->c, RN_OP_WRITE_ONLY, p->c->psn + (uint32_t)word_psn(p, 1));
	uint32_t kept =
		rn_psn_add(p->c->psn, (uint32_t)number(p, "kept", (uint64_t)word_psn(p, 1)));
	struct came *a;
	bool acked;

	pkt.ack_req = true;
	conn_send(p->c, &pkt);
	do {
		a = conn_take(p->c, &p->c->answers, in_ms(alive ? PATIENCE : SILENCE));
		acked = a && (a->pkt.psn == pkt.psn || a->pkt.psn == kept);
	} while (a && alive && !acked && strcmp(kind_of(&a->pkt), "ACK") == 0);
	if (alive && (!acked || strcmp(kind_of(&a->pkt), "ACK")))
		return deviates(p, "afterwards a request with PSN %s is %s", p->word[1],
				a ? "refused" : "not answered");
	if (!alive && a)
		return deviates(p, "afterwards a request is answered: %s psn=%d", kind_of(&a->pkt),
				rn_psn_diff(a->pkt.psn, p->c->psn));
	return PASSED;
}

static enum outcome do_alive(struct play *p)
{
	return probe(p, true);
}

static enum outcome do_dead(struct play *p)
{
	return probe(p, false);
}

static enum outcome do_atomics(struct play *p)
{
	struct rn_pkt pkt = conn_packet(p->c, RN_OP_FETCH_ADD, p->c->psn);
	struct came *a;

	pkt.va = p->c->va;
	pkt.rkey = p->c->rkey;
	pkt.ack_req = true;
	conn_send(p->c, &pkt);
	a = conn_take(p->c, &p->c->answers, in_ms(PATIENCE));
	if (a && a->pkt.op->family == RN_F_ATOMIC_ACK && p->c->va % 8 == 0)
		return PASSED;
	snprintf(p->why, sizeof(p->why), "the peer's memory has no atomic access");
	return NOT_APPLICABLE;
}

static enum outcome do_short(struct play *p)
{
	struct rn_pkt pkt = conn_packet(p->c, RN_OP_SEND_ONLY, p->c->psn);
	static const uint8_t payload[CONN_MTU];
	struct came *a;

	pkt.payload = payload;
	pkt.payload_len = sizeof(payload);
	pkt.ack_req = true;
	conn_send(p->c, &pkt);
	a = conn_take(p->c, &p->c->answers, in_ms(PATIENCE));
	if (a && strcmp(kind_of(&a->pkt), "ACK") == 0) {
		snprintf(p->why, sizeof(p->why), "the peer's receives are not short");
		return NOT_APPLICABLE;
	}
	return a && strcmp(kind_of(&a->pkt), "NAK_INV") == 0
		       ? PASSED
		       : deviates(p, "expected NAK_INV psn=0, got %s",
				  a ? kind_of(&a->pkt) : "nothing");
}

static enum outcome do_for_ever(struct play *p)
{
	unsigned n = p->c->req.req.rnr_retry;

	if (n == 7)
		return PASSED;
	snprintf(p->why, sizeof(p->why), "the peer's REQ has RNR retry count %u, not 7 (endless)",
		 n);
	return NOT_APPLICABLE;
}

/* ---- requests of the peer ---- */

static enum outcome do_request(struct play *p)
{
	struct conn *c = p->c;
	uint64_t answered = c->line->sent_at;
	const char *opcode = p->word[2][0] >= 'A' && p->word[2][0] <= 'Z' ? p->word[2] : NULL;
	struct came *r;
	int32_t psn;

	/* Skips repetitions of the last request. No rule limits how often the peer may repeat a
	 * request. */
	do {
		r = conn_take(c, &c->requests, in_ms((unsigned)number(p, "within", 2 * PATIENCE)));
		if (r == NULL)
			return deviates(p, "expected a request psn=%s, nothing came", p->word[1]);
		psn = rn_psn_diff(r->pkt.psn, c->peer_psn);
	} while (p->asked && r->hash == p->asked_hash && psn != word_psn(p, 1));
	const char *name = r->pkt.op->name + 3;
	if (psn != word_psn(p, 1) || (opcode && strcmp(opcode, name)))
		return deviates(p, "expected %s psn=%s, got %s psn=%d",
				opcode ? opcode : "a request", p->word[1], name, psn);
	if (flag(p, "same") && r->hash != p->asked_hash)
		return deviates(p, "the retransmitted %s psn=%d has other contents", name, psn);
	if (r->at - answered < number(p, "after", 0) * 1000)
		return deviates(p, "%s was retransmitted after %u us, not %s", name,
				(unsigned)((r->at - answered) / 1000), value(p, "after"));
	if (!p->asked)
		p->asked_va = r->pkt.va;
	if (value(p, "va") && r->pkt.va - p->asked_va != number(p, "va", 0))
		return deviates(p, "%s names another address than %s from the first", name,
				value(p, "va"));
	if (value(p, "len") && r->pkt.dma_len != number(p, "len", 0) &&
	    (!value(p, "part") || r->pkt.dma_len != number(p, "part", 0)))
		return deviates(p, "%s names %u bytes, not %s", name, r->pkt.dma_len,
				value(p, "len"));
	p->asked = true;
	p->asked_read = r->pkt.op->family == RN_F_READ_REQ;
	p->asked_hash = r->hash;
	return PASSED;
}

static enum outcome do_norequest(struct play *p)
{
	uint64_t until = in_ms((unsigned)word_psn(p, 1));
	struct came *r = conn_take(p->c, &p->c->requests, until);

	if (r && repeats(p, r)) /* ignore one repetition, which may have been in flight */
		r = conn_take(p->c, &p->c->requests, until);
	if (r == NULL)
		return PASSED;
	return deviates(p, "expected no request, got %s psn=%d", r->pkt.op->name + 3,
			rn_psn_diff(r->pkt.psn, p->c->peer_psn));
}

static enum outcome do_set(struct play *p)
{
	/* nothing to do: first_psn() has already read the `set` command, before connecting */
	return PASSED;
}

static const struct {
	const char *word;
	enum outcome (*run)(struct play *p);
} commands[] = {
	{">", do_send},
	{"<", do_expect},
	{"until", do_expect},
	{"silent", do_silent},
	{"alive", do_alive},
	{"dead", do_dead},
	{"atomics", do_atomics},
	{"short", do_short},
	{"for-ever", do_for_ever},
	{"request", do_request},
	{"norequest", do_norequest},
	{"set", do_set},
};

enum outcome play_line(struct play *p, const char *line)
{
	static char empty[] = "", copy[256];

	snprintf(copy, sizeof(copy), "%s", line);
	p->nwords = 0;
	for (unsigned i = 0; i < RN_ARRAY_SIZE(p->word); i++)
		p->word[i] = empty;
	for (char *w = strtok(copy, " "); w && p->nwords < RN_ARRAY_SIZE(p->word);
	     w = strtok(NULL, " "))
		p->word[p->nwords++] = w;
	for (unsigned i = 0; i < RN_ARRAY_SIZE(commands); i++)
		if (strcmp(commands[i].word, p->word[0]) == 0)
			return commands[i].run(p);
	return deviates(p, "the script has no command %s", p->word[0]);
}

enum outcome play_script(struct play *p, const char *script)
{
	char line[256];
	enum outcome o = PASSED;

	while (*script && o == PASSED) {
		size_t n = strcspn(script, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)n, script);
		o = play_line(p, line);
		script += n + (script[n] == '\n');
	}
	return o;
}
