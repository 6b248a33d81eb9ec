#ifndef RN_PERFTEST_RECORD_H
#define RN_PERFTEST_RECORD_H
/* Converts structs to the bytes that the ends of perftest 4.5 send each other, and back. The
 * parameters of a queue pair are sent as text over a socket, or in binary over a queue pair.
 * Results are sent as binary numbers. All functions are pure. */
#include <stdbool.h>
#include <stdint.h>

#include "rn/abi.h"

/* What an end tells the other end about one queue pair. */
struct pt_card {
	uint32_t lid;  /* LID; 0 on Ethernet */
	uint32_t outs; /* number of READs and atomics that this end serves at a time */
	uint32_t qpn, psn, rkey;
	uint64_t va;
	struct rn_gid gid;
	uint32_t srqn;
};

/* bytes of a struct pt_card as text: hexadecimal numbers, each followed by a colon, and a final
 * NUL */
#define PT_TEXT_BYTES 108u
/* bytes of a struct pt_card in binary: big endian, with the 64-bit address aligned */
#define PT_BINARY_BYTES 56u

void pt_card_to_text(const struct pt_card *card, char text[PT_TEXT_BYTES]);
/* Parses a text into *card. Returns false if the text has another format. */
bool pt_card_from_text(struct pt_card *card, const char text[PT_TEXT_BYTES]);
void pt_card_to_binary(const struct pt_card *card, uint8_t bytes[PT_BINARY_BYTES]);
void pt_card_from_binary(struct pt_card *card, const uint8_t bytes[PT_BINARY_BYTES]);

/* The bandwidth results of one end. */
struct pt_rates {
	uint64_t size, iters;
	double peak, average; /* in the unit of the report, MB/s or Gb/s */
	double mpps;
};

#define PT_RATES 5u /* a result is sent as five numbers of 8 bytes, big endian */

void pt_rates_to_words(const struct pt_rates *rates, uint64_t words[PT_RATES]);
void pt_rates_from_words(struct pt_rates *rates, const uint64_t words[PT_RATES]);

#endif
