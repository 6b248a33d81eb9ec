/* End-to-end credits (docs/spec/rocev2.md 3.6): how many more messages may be started because the
 * peer has posted receives for them.
 *
 * An acknowledgement carries two values: the number of messages completed (MSN), and a code that
 * says how many receives are posted. Their sum is the LSN: the number of the last message that has
 * a receive. A SEND or a WRITE with immediate data may start if its number is at most LSN + 1. The
 * message LSN + 1 has no receive yet, but its acknowledgement brings new credits. Other messages
 * need no receive: each increases the LSN by one, a large READ by one per READ request. When
 * nothing is in flight, any message may start, so that a wrong count of the peer cannot stop a QP
 * for ever. There is no limit before the first acknowledgement, and none after the peer has sent
 * RN_CREDIT_NONE. Runs on the shard's thread. */
#ifndef RN_CREDIT_H
#define RN_CREDIT_H

#include <stdbool.h>
#include <stdint.h>

#define RN_CREDIT_NONE 0x1F /* code of a peer that does not report credits */

enum rn_credit_mode { RN_CREDIT_OFF, RN_CREDIT_UNHEARD, RN_CREDIT_LIMITED };

struct rn_credit {
	uint8_t mode; /* enum rn_credit_mode */
	/* the next message waits for credits, and rn_credit_start() has reported this wait by
	 * *first, which happens once per wait */
	bool waiting;
	uint32_t ssn; /* number of messages started, 24 bits */
	/* RN_CREDIT_LIMITED: number of the last message for which the peer has a receive */
	uint32_t lsn;
};

/* rn_credit_code(): the largest code that stands for at most n receives. rn_credit_count(): the
 * number of receives that a code stands for. */
uint8_t rn_credit_code(uint32_t n);
uint32_t rn_credit_count(uint8_t code);

/* on: credits are configured. There is no limit until the first acknowledgement. */
void rn_credit_init(struct rn_credit *c, bool on);
/* Returns true if the next message may start, and counts it as started. `needs` says that the
 * message uses a receive. n is the number of messages that the peer counts for it (a large READ
 * counts once per READ request). `idle` says that nothing is in flight. *first is set when the
 * message begins to wait, so that the caller counts each wait once. */
bool rn_credit_start(struct rn_credit *c, bool needs, uint32_t n, bool idle, bool *first);
/* Processes the credit code and the MSN of an acknowledgement. */
void rn_credit_take(struct rn_credit *c, uint8_t code, uint32_t msn);

#endif
