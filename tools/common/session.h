/* One ND2 connection with everything it needs: adapter, completion queue, queue pair, connector, and one registered block
 * of memory cut into slots. Used by one thread. Every function that fails has printed one sentence on stderr, unless the user
 * has asked to stop (stop.h): then all of them fail at once, and session_disconnect or session_close says so. */
#ifndef TOOLS_SESSION_H
#define TOOLS_SESSION_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ndspi.h"
#include "ndsupport.h"
#include "status.h"

struct session {
	IND2Adapter *adapter;
	ND2_ADAPTER_INFO info;
	HANDLE file, event;
	IND2CompletionQueue *cq;
	IND2QueuePair *qp;
	IND2SharedReceiveQueue *srq; /* NULL: the queue pair has receives of its own */
	IND2Connector *connector;
	IND2Listener *listener;
	IND2MemoryRegion *mr;
	uint32_t local_token, remote_token;
	uint8_t *mem;           /* data slots, then receive buffers, then message buffers */
	size_t mem_bytes;
	uint32_t chunk, slots;  /* data */
	uint32_t nrecv;         /* receive buffers, recv_bytes each */
	size_t recv_bytes;
	uint32_t next_msg;
	OVERLAPPED ov, notify;
	ULONG in_flight;        /* initiator requests that will complete */
	bool quiet;
	bool share;             /* receives go through a shared receive queue */
};

enum { SESSION_MSGS = 128, SESSION_MSG_BYTES = 128 };

extern const char *session_program; /* first word of every sentence */

/* What a completion was for, kept in its request context. */
enum done_kind { DONE_SEND, DONE_WRITE, DONE_READ, DONE_RECV };
struct done {
	enum done_kind kind;
	uint32_t index;   /* slot (read), receive buffer (recv) */
	uint32_t bytes;
	uint8_t *data;    /* recv */
};

int session_open(struct session *s, const struct sockaddr *local, size_t len);
/* Memory, queues, receives: before connecting. Set before, if at all: nrecv (else slots + 8), recv_bytes (else the chunk),
 * share. */
int session_prepare(struct session *s, uint32_t chunk, uint32_t slots);
int session_connect(struct session *s, const struct sockaddr_storage *local, const struct sockaddr_storage *peer);
int session_listen(struct session *s, const struct sockaddr_storage *at, uint16_t *port);
/* Without a listener of its own: at `listener`, which is another session's of the same adapter. */
int session_accept(struct session *s);
int session_accept_at(struct session *s, IND2Listener *listener);
/* Sends DREQ when connected and waits for its answer; not orderly = something failed: for a second only. */
void session_disconnect(struct session *s, bool orderly);
/* The peer goes first: wait for it, bounded in the same way. */
void session_wait_closed(struct session *s, bool orderly);
/* Ends one connection, keeps adapter and listener. */
void session_reset(struct session *s);
void session_close(struct session *s);

uint8_t *session_slot(const struct session *s, uint32_t slot);
/* Copies up to SESSION_MSG_BYTES and sends them. */
int session_send_msg(struct session *s, const void *msg, uint32_t length);
/* Sends bytes of a data slot as one message. */
int session_send_slot(struct session *s, uint32_t slot, uint32_t length);
int session_write_slot(struct session *s, uint32_t slot, uint32_t length, uint64_t addr, uint32_t token, bool silent);
int session_read_slot(struct session *s, uint32_t slot, uint32_t length, uint64_t addr, uint32_t token);
int session_repost(struct session *s, uint32_t index);
/* The next completion, waiting at most timeout_ms. 1 = got one, 0 = none in time, -1 = connection dead (printed), or the user
 * has asked to stop. */
int session_next(struct session *s, struct done *done, int timeout_ms);

/* arguments.c: 0 or -1 after one sentence on stderr. */
int session_parse_address(const char *text, uint16_t port, struct sockaddr_storage *out);
/* Ends the program with status 1 when text is no whole number from low to high. */
unsigned session_number(const char *text, unsigned low, unsigned high);
/* The own address from which a peer is reached. */
int session_find_local(const struct sockaddr_storage *peer, struct sockaddr_storage *local);

#endif
