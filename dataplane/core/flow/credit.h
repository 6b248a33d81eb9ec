/* End-to-end credits (docs/spec/rocev2.md 3.6): how many receives the peer has for messages to come.
 *
 * An acknowledgement carries a code for the receives posted, and the number of messages done; together they name the
 * last message there is a receive for (LSN). A SEND or WRITE with immediate may start up to there, and one beyond, whose
 * answer brings news; other messages need no receive, and move the LSN on by one. When nothing is in flight anything
 * may start, so that no peer's arithmetic can stop a QP for good. Until the peer says something nothing is limited, and
 * nothing ever again once it said that it does not count. Shard thread. */
#ifndef RN_CREDIT_H
#define RN_CREDIT_H

#include <stdbool.h>
#include <stdint.h>

#define RN_CREDIT_NONE 0x1F /* the code of those who do not count */

enum rn_credit_mode { RN_CREDIT_OFF, RN_CREDIT_UNHEARD, RN_CREDIT_LIMITED };

struct rn_credit {
	uint8_t mode;  /* enum rn_credit_mode */
	bool waiting;  /* the next message was held back already */
	uint32_t ssn;  /* messages started, 24 bits */
	uint32_t lsn;  /* LIMITED: the last one that has a receive */
};

/* The largest code that promises no more than n receives, and what a code promises. */
uint8_t rn_credit_code(uint32_t n);
uint32_t rn_credit_count(uint8_t code);

void rn_credit_init(struct rn_credit *c, bool on);
/* May the next message start? Counts it then. needs: it takes a receive; n: as how many messages the peer counts it; idle:
 * nothing is in flight. *first: it may not, which was not asked before. */
bool rn_credit_start(struct rn_credit *c, bool needs, uint32_t n, bool idle, bool *first);
/* An acknowledgement says so. */
void rn_credit_take(struct rn_credit *c, uint8_t code, uint32_t msn);

#endif
