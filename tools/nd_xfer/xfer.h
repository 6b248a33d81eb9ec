/* The two roles of nd_xfer, client and server, and the functions that both roles use. */
#ifndef ND_XFER_H
#define ND_XFER_H

#include <openssl/evp.h>

#include "proto.h"
#include "common/session.h"
#include "common/stop.h"

struct xfer_options {
	struct sockaddr_storage local, peer;
	/* client: the file to send. server: the file to write; with NULL, received data is only
	 * hashed. */
	const char *file;
	enum xfer_via via;
	bool table; /* client: measure a table instead of sending a file */
	bool progress, stats;
	uint32_t chunk, slots;
	unsigned count; /* server: number of connections to serve, 0: no limit */
	int timeout_ms; /* longest wait for a message from the peer */
};

int client_run(struct session *s, const struct xfer_options *o);
int server_run(struct session *s, const struct xfer_options *o);
/* Measures and prints the table of bandwidth and latency. HELLO and READY must have been exchanged
 * before. */
int table_run(struct session *s, const struct xfer_options *o, uint64_t addr, uint32_t token);

/* Sends one message of the protocol, with magic and version filled in. */
int send_msg(struct session *s, struct xfer_msg *msg);
/* Waits for the next message of the protocol and skips completions of other requests. */
int next_msg(struct session *s, const struct xfer_options *o, struct xfer_msg *msg);
/* Returns the message in a receive completion. If the bytes are not a message of nd_xfer's
 * protocol, prints an error on stderr and returns NULL. */
const struct xfer_msg *as_msg(const struct done *d);

double seconds_now(void);
struct progress {
	uint64_t size;
	double start, shown;
	bool on;
};
void progress_start(struct progress *p, uint64_t size, bool on);
void progress_show(struct progress *p, uint64_t at, bool last);
void sha_text(const uint8_t sha[XFER_SHA], char text[2 * XFER_SHA + 1]);

/* Returns the number of packets that all adapters of this process have retransmitted so far. */
uint64_t retransmissions(void);

extern const char *const via_names[];

#endif
