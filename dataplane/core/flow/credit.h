/* End-to-end credits (docs/spec/rocev2.md 3.6): how many more messages may start, given the
 * receives that the peer has posted. Runs on the shard's thread.
 *
 * An acknowledgement carries the number of completed messages (MSN) and a code for the number of
 * posted receives. The LSN is the MSN plus the number of posted receives. It is the number of the
 * last message that has a receive.
 * - A SEND, or a WRITE with immediate data, may start if its number is at most LSN + 1. The
 *   acknowledgement of message LSN + 1 brings new credits.
 * - Any other message has a number but needs no receive, so its start increases the LSN by 1. The
 *   start of a large READ increases the LSN by the number of its READ requests.
 * - When nothing is in flight, any message may start, so a peer that counts wrong cannot stop a QP
 *   for ever.
 * - There is no limit before the first acknowledgement, and none after RN_CREDIT_NONE. */
#ifndef RN_CREDIT_H
#define RN_CREDIT_H

#include <stdbool.h>
#include <stdint.h>

#define RN_CREDIT_NONE 0x1F /* credit code of a peer that does not report credits */

enum rn_credit_mode { RN_CREDIT_OFF, RN_CREDIT_UNHEARD, RN_CREDIT_LIMITED };

struct rn_credit {
	uint8_t mode; /* enum rn_credit_mode */
	/* the next message waits for credits, and rn_credit_start() has reported the start of the
	 * wait in *first */
	bool waiting;
	uint32_t ssn; /* number of messages started, 24 bits */
	/* number of the last message that has a receive at the peer; only for RN_CREDIT_LIMITED */
	uint32_t lsn;
};

/* rn_credit_code() returns the largest code that stands for at most n receives. rn_credit_count()
 * returns the number of receives that a code stands for. */
uint8_t rn_credit_code(uint32_t n);
uint32_t rn_credit_count(uint8_t code);

/* Starts without a limit. If `on` is true, the first acknowledgement begins the limit. */
void rn_credit_init(struct rn_credit *c, bool on);
/* Returns true if the next message may start, and counts the message as started. Parameters:
 * - needs: the message uses a receive of the peer.
 * - n: the peer counts n messages for this message; above 1 for a large READ.
 * - idle: nothing is in flight.
 * - first: set to true when a wait begins, so that the caller counts each wait once. */
bool rn_credit_start(struct rn_credit *c, bool needs, uint32_t n, bool idle, bool *first);
/* Processes the credit code and the MSN of an acknowledgement. */
void rn_credit_take(struct rn_credit *c, uint8_t code, uint32_t msn);

#endif
