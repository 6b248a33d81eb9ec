/* How many messages may start before the peer has posted more receives? This file converts numbers
 * of receives to credit codes and back, and applies the limit that credit.h describes. Runs on the
 * shard's thread. */
#include "flow/credit.h"

#include "wire/psn.h"
#include "base/types.h"

/* Returns the 5-bit credit code of the AETH. Codes 0 and 1 stand for 0 and 1 receives. The further
 * codes stand for the powers of two and the numbers half-way between: 2, 3, 4, 6, 8, 12 and so on,
 * up to 32768. */
uint8_t rn_credit_code(uint32_t n)
{
	unsigned k;

	if (n <= 1)
		return (uint8_t)n;
	n = RN_MIN(n, 32768u);
	k = 31 - (unsigned)__builtin_clz(n);
	return (uint8_t)(2 * k + (n >> (k - 1) & 1));
}

uint32_t rn_credit_count(uint8_t code)
{
	return code <= 1 ? code : (2u | (code & 1)) << (code / 2 - 1);
}

void rn_credit_init(struct rn_credit *c, bool on)
{
	*c = (struct rn_credit){.mode = on ? RN_CREDIT_UNHEARD : RN_CREDIT_OFF};
}

bool rn_credit_start(struct rn_credit *c, bool needs, uint32_t n, bool idle, bool *first)
{
	uint32_t next = rn_psn_add(c->ssn, n);

	*first = false;
	if (c->mode == RN_CREDIT_LIMITED) {
		/* One message beyond the peer's posted receives may start: the acknowledgement of
		 * that message brings new credits. */
		if (needs && !idle && rn_psn_diff(next, c->lsn) > 1) {
			*first = !c->waiting;
			c->waiting = true;
			return false;
		}
		c->lsn = rn_psn_add(c->lsn, needs ? 0 : n);
	}
	c->waiting = false;
	c->ssn = next;
	return true;
}

void rn_credit_take(struct rn_credit *c, uint8_t code, uint32_t msn)
{
	uint32_t lsn = rn_psn_add(msn, rn_credit_count(code));

	if (code == RN_CREDIT_NONE) {
		c->mode = RN_CREDIT_OFF;
	} else if (c->mode == RN_CREDIT_UNHEARD) {
		c->mode = RN_CREDIT_LIMITED;
		c->lsn = lsn;
		/* An acknowledgement that arrives late may give a lower LSN, which is ignored. */
	} else if (rn_psn_before(c->lsn, lsn)) {
		c->lsn = lsn;
	}
}
