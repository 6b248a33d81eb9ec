/* End-to-end credits (docs/spec/rocev2.md 3.6): how many receives the peer has for messages to
 * come.
 *
 * An acknowledgement carries a code for the number of receives posted, and the number of
 * messages completed (MSN). Together they give the last message that has a receive, the LSN. A
 * SEND or a WRITE with immediate data may start up to the LSN, and one beyond it, whose
 * acknowledgement brings new credits. Other messages need no receive and move the LSN on by one.
 * When nothing is in flight any message may start, so that a wrong count of the peer cannot stop
 * a QP for ever. Before the first acknowledgement nothing is limited, and nothing ever again
 * once the peer has reported that it does not count. Shard thread. */
#ifndef RN_CREDIT_H
#define RN_CREDIT_H

#include <stdbool.h>
#include <stdint.h>

#define RN_CREDIT_NONE 0x1F /* code of a peer that does not count */

enum rn_credit_mode { RN_CREDIT_OFF, RN_CREDIT_UNHEARD, RN_CREDIT_LIMITED };

struct rn_credit {
	uint8_t mode; /* enum rn_credit_mode */
	bool waiting; /* the next message has been held back already */
	uint32_t ssn; /* messages started, 24 bits */
	uint32_t lsn; /* LIMITED: the last message that has a receive */
};

/* The largest code that stands for no more than n receives, and the number a code stands for. */
uint8_t rn_credit_code(uint32_t n);
uint32_t rn_credit_count(uint8_t code);

/* on: credits are configured. Starts without a limit. */
void rn_credit_init(struct rn_credit *c, bool on);
/* May the next message start? If so, counts it. needs: it takes a receive. n: as how many
 * messages the peer counts it. idle: nothing is in flight. *first: it may not start, and is held
 * back for the first time (for the counter). */
bool rn_credit_start(struct rn_credit *c, bool needs, uint32_t n, bool idle, bool *first);
/* Takes the credit code and the MSN of an acknowledgement. */
void rn_credit_take(struct rn_credit *c, uint8_t code, uint32_t msn);

#endif
