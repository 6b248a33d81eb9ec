/* The two roles of nd_xfer and what they share. */
#ifndef ND_XFER_H
#define ND_XFER_H

#include <openssl/evp.h>

#include "proto.h"
#include "common/session.h"
#include "common/stop.h"

struct xfer_options {
	struct sockaddr_storage local, peer;
	/* client: the file to send; server: the file to write, NULL = hash only */
	const char *file;
	enum xfer_via via;
	bool table; /* client: bandwidth and latency table instead of a file */
	bool progress, stats;
	uint32_t chunk, slots;
	unsigned count; /* server: connections to serve, 0 = for ever */
	int timeout_ms; /* longest wait for the peer */
};

int client_run(struct session *s, const struct xfer_options *o);
int server_run(struct session *s, const struct xfer_options *o);
/* Measures and prints the bandwidth and latency table, over a connection after HELLO and READY. */
int table_run(struct session *s, const struct xfer_options *o, uint64_t addr, uint32_t token);

/* Sends one message of the protocol; fills in magic and version. */
int send_msg(struct session *s, struct xfer_msg *msg);
/* Waits for the next control message; other completions only update the counters. */
int next_msg(struct session *s, const struct xfer_options *o, struct xfer_msg *msg);
/* The message in a receive completion, or NULL after an error message if it is not one. */
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

/* Packets that all adapters of this process have retransmitted so far. */
uint64_t retransmissions(void);

extern const char *const via_names[];

#endif
