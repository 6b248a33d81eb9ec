/* Converts perftest's records (parameters of queue pairs, results) to bytes and back. Keeps no
 * state. Any thread may call these functions. */
#include "record.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pt_card_to_text(const struct pt_card *card, char text[PT_TEXT_BYTES])
{
	char line[PT_TEXT_BYTES + 64];
	int n = snprintf(line, sizeof(line),
			 "%04x:%04x:%06x:%06x:%08x:%016llx:", card->lid & 0xffff,
			 card->outs & 0xffff, card->qpn & 0xffffff, card->psn & 0xffffff,
			 card->rkey, (unsigned long long)card->va);

	for (unsigned i = 0; i < 16; i++)
		n += snprintf(line + n, sizeof(line) - (size_t)n, "%02x:", card->gid.b[i]);
	snprintf(line + n, sizeof(line) - (size_t)n, "%08x:", card->srqn);
	memcpy(text, line, PT_TEXT_BYTES);
}

/* Parses the hexadecimal number at *at and the colon behind the number, and moves *at past both.
 * Accepts fewer digits than pt_card_to_text() writes. */
static bool take(const char **at, uint64_t *value)
{
	char *end;

	if (**at == ':' || **at == '-' || **at == '+' || **at == ' ')
		return false;
	*value = strtoull(*at, &end, 16);
	if (end == *at || *end != ':')
		return false;
	*at = end + 1;
	return true;
}

bool pt_card_from_text(struct pt_card *card, const char text[PT_TEXT_BYTES])
{
	char line[PT_TEXT_BYTES + 1];
	const char *at = line;
	uint64_t head[6], byte, srqn;

	memcpy(line, text, PT_TEXT_BYTES);
	line[PT_TEXT_BYTES] = 0;
	for (unsigned i = 0; i < 6; i++)
		if (!take(&at, &head[i]) || (i < 5 && head[i] > UINT32_MAX))
			return false;
	*card = (struct pt_card){.lid = (uint32_t)head[0],
				 .outs = (uint32_t)head[1],
				 .qpn = (uint32_t)head[2],
				 .psn = (uint32_t)head[3],
				 .rkey = (uint32_t)head[4],
				 .va = head[5]};
	for (unsigned i = 0; i < 16; i++) {
		if (!take(&at, &byte) || byte > UINT8_MAX)
			return false;
		card->gid.b[i] = (uint8_t)byte;
	}
	if (!take(&at, &srqn) || srqn > UINT32_MAX)
		return false;
	card->srqn = (uint32_t)srqn;
	return card->qpn <= 0xffffff && card->psn <= 0xffffff;
}

/* Offsets in bytes of the fields in perftest's binary structure. The fields are five 32-bit
 * numbers, a gap, the 64-bit address, the GID, and two 32-bit numbers (SRQN and one unused). */
enum { LID = 0, OUTS = 4, QPN = 8, PSN = 12, RKEY = 16, VA = 24, GID = 32, SRQN = 48 };

static void put32(uint8_t *at, uint32_t v)
{
	v = htobe32(v);
	memcpy(at, &v, 4);
}

static uint32_t get32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, 4);
	return be32toh(v);
}

void pt_card_to_binary(const struct pt_card *card, uint8_t bytes[PT_BINARY_BYTES])
{
	uint64_t va = htobe64(card->va);

	memset(bytes, 0, PT_BINARY_BYTES);
	put32(bytes + LID, card->lid);
	put32(bytes + OUTS, card->outs);
	put32(bytes + QPN, card->qpn);
	put32(bytes + PSN, card->psn);
	put32(bytes + RKEY, card->rkey);
	memcpy(bytes + VA, &va, 8);
	memcpy(bytes + GID, card->gid.b, 16);
	put32(bytes + SRQN, card->srqn);
}

void pt_card_from_binary(struct pt_card *card, const uint8_t bytes[PT_BINARY_BYTES])
{
	uint64_t va;

	memcpy(&va, bytes + VA, 8);
	*card = (struct pt_card){.lid = get32(bytes + LID),
				 .outs = get32(bytes + OUTS),
				 .qpn = get32(bytes + QPN) & 0xffffff,
				 .psn = get32(bytes + PSN) & 0xffffff,
				 .rkey = get32(bytes + RKEY),
				 .va = be64toh(va),
				 .srqn = get32(bytes + SRQN)};
	memcpy(card->gid.b, bytes + GID, 16);
}

static uint64_t word_of(double v)
{
	uint64_t w;

	memcpy(&w, &v, 8);
	return htobe64(w);
}

static double number_of(uint64_t w)
{
	double v;

	w = be64toh(w);
	memcpy(&v, &w, 8);
	return v;
}

void pt_rates_to_words(const struct pt_rates *rates, uint64_t words[PT_RATES])
{
	words[0] = htobe64(rates->size);
	words[1] = htobe64(rates->iters);
	words[2] = word_of(rates->peak);
	words[3] = word_of(rates->average);
	words[4] = word_of(rates->mpps);
}

void pt_rates_from_words(struct pt_rates *rates, const uint64_t words[PT_RATES])
{
	rates->size = be64toh(words[0]);
	rates->iters = be64toh(words[1]);
	rates->peak = number_of(words[2]);
	rates->average = number_of(words[3]);
	rates->mpps = number_of(words[4]);
}
