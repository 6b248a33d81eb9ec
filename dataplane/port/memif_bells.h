/* The doorbells of a memif connection: for each ring, the client creates an eventfd and a word of
 * flags, with which the receiver of the ring asks the sender to write the eventfd. The driver keeps
 * both to itself, but they are in the messages of the handshake (memif 2.0), which the relay passes
 * on (memif_relay.h). All functions must be called by the thread that runs the relay's callbacks.
 * Does not use DPDK. */
#ifndef RN_MEMIF_BELLS_H
#define RN_MEMIF_BELLS_H

#include "base/types.h"
#include "rn/link.h"
#include "port/wake.h"

struct rn_memif_bell {
	int fd;		      /* the ring's eventfd, owned; -1 if the ring is not known */
	uint32_t at;	      /* where the ring is in the region */
	uint8_t *map;	      /* the memory around the ring's flags, owned; NULL if not attached */
	size_t bytes;	      /* length of `map` */
	struct rn_wake *wake; /* where the bell is attached, or NULL */
};

struct rn_memif_bells {
	bool server;	       /* role of this end */
	int region;	       /* memory of the connection's region 0, owned; else -1 */
	uint64_t region_bytes; /* its length */
	struct rn_memif_bell bell[RN_MAX_SHARDS]; /* for each ring from which this end receives */
};

void rn_memif_bells_init(struct rn_memif_bells *b, bool server);
/* Forgets the connection. The bells must have been detached, and no shard may use the flags. */
void rn_memif_bells_fini(struct rn_memif_bells *b);

/* Takes what a message of the handshake says about the rings. `fd` comes with the message, or is
 * -1, and is duplicated if it is needed. A new connection takes the place of the former one. */
void rn_memif_bells_take(struct rn_memif_bells *b, const uint8_t *message, int fd);

/* Lets frames in receive ring q wake a shard. Returns false if that is not possible, for example
 * because the message about the ring had no eventfd. */
bool rn_memif_bells_attach(struct rn_memif_bells *b, unsigned q, struct rn_wake *wake);
/* Undoes all calls of rn_memif_bells_attach(). The memory of the flags stays mapped until
 * rn_memif_bells_fini(). */
void rn_memif_bells_detach(struct rn_memif_bells *b);

#endif
