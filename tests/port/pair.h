/* Two processes, each with one adapter, that exchange messages: the test process, and its peer,
 * which sends every message back. The test process compares what it gets back with what it has
 * sent. Every helper fails the test on an error. */
#ifndef PAIR_H
#define PAIR_H

#include <sys/types.h>

#include "rig.h"

#define PAIR_QPS 4 /* the most QPs of an end */
#define PAIR_LEN \
	400000u /* size in bytes of the buffer, of which a message fills one part of PAIR_QPS */

struct pair_end {
	struct rn_link *link;
	struct rig_cq scq, rcq;
	struct rig_qp qp[PAIR_QPS]; /* share the two CQs */
	unsigned nqps;
	uint8_t *buf;
	uint32_t pd, lkey, rkey;
};

/* Opens the only adapter of the configuration at `path`, with nqps QPs that are not connected. */
void pair_open(struct pair_end *e, const char *path, unsigned nqps);
/* Replaces QPs and CQs by fresh ones, for a conversation with another peer. */
void pair_renew(struct pair_end *e);
void pair_close(struct pair_end *e);

/* Starts this program again with the arguments "peer PATH NQPS". Sets *fd to a socket to that
 * process. main() of the program must begin with pair_main(). */
pid_t pair_start(int *fd, const char *path, unsigned nqps);
/* In the peer process: echoes until a message of one byte has been echoed and the test process has
 * written a byte to the socket, then returns true. In other processes: returns false at once. */
bool pair_main(int argc, char **argv);

/* Connects the QPs with those of the peer process, and waits until the peer is ready. */
void pair_meet(struct pair_end *e, int fd);
/* Sends `len` bytes on QP i % nqps, and compares what comes back. */
void pair_round_trip(struct pair_end *e, uint32_t len, unsigned i);
/* Meets the peer and exchanges messages of many lengths. */
void pair_converse(struct pair_end *e, int fd);
/* Lets the peer end, and waits for its end. The peer must have ended without an error. */
void pair_part(struct pair_end *e, int fd, pid_t pid);

#endif
