/* A fake struct rn_shard that records calls. With this fake the modules of dataplane/port are
 * tested without the core. */
#ifndef FAKE_SHARD_H
#define FAKE_SHARD_H

#include "shard/core.h"

#define FAKE_MAX 65536

struct rn_shard {
	unsigned nposted, nrx, ninbox, nrefused;
	struct rn_wqe posted[FAKE_MAX]; /* the first slot of each work request */
	uint64_t digest[FAKE_MAX];	/* a hash of all slots of each work request */
	char order[FAKE_MAX]; /* one letter per arrival, in order: 'p' packet, 'm' message */
	unsigned norder;
	uint32_t rx_psn[FAKE_MAX];
	struct rn_msg outbox[64];
	unsigned noutbox;
	/* to_send: number of frames that rn_shard_tx() still has to make.
	 * sent: number of frames made. Each frame has 64 bytes, with its number at byte 60. */
	unsigned to_send, sent;
	uint8_t dmac[6];
	/* result of the last rn_shard_detour(), which counts on if it is not 0 */
	uint32_t detours;
	unsigned ahead; /* result of rn_ahead_what() */
	/* the calls of rn_ahead_*(), in order, and of rn_shard_post(): their step 1, 2 or 3, the
	 * QPN and the L_Key. The functions get the shard as const, so they reach this by a
	 * pointer. */
	struct fake_ahead {
		unsigned n;
		struct {
			unsigned step, what;
			uint32_t qpn, lkey;
		} call[128];
	} * seen;
};

uint64_t fake_digest(const struct rn_wqe *wqe);
struct rn_shard *fake_shard_create(void);

#endif
