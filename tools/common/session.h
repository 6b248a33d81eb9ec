/* One ND2 connection with all its objects: adapter, completion queue, queue pair, connector, and
 * one registered block of memory divided into slots. One thread uses a session.
 * A function that fails prints one message on stderr. After the user has asked to stop (stop.h),
 * all functions fail at once without a message. session_disconnect or session_close then prints a
 * message. */
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
	IND2SharedReceiveQueue *srq; /* NULL: receives are posted to the queue pair */
	IND2Connector *connector;
	IND2Listener *listener;
	IND2MemoryRegion *mr;
	uint32_t local_token, remote_token;
	uint8_t *mem; /* slots for data, then receive buffers, then buffers of session_send_msg() */
	size_t mem_bytes;
	uint32_t chunk, slots; /* bytes of a data slot, number of data slots */
	uint32_t nrecv;	       /* number of receive buffers, each of recv_bytes */
	size_t recv_bytes;
	uint32_t next_msg;
	OVERLAPPED ov, notify;
	ULONG in_flight; /* Sends, Writes and Reads without a completion yet */
	bool quiet;
	bool share; /* receives are posted to a shared receive queue */
};

enum { SESSION_MSGS = 128, SESSION_MSG_BYTES = 128 };

extern const char *session_program; /* program name, with which every message begins */

/* The kind of a completed request, stored in the request's context. */
enum done_kind { DONE_SEND, DONE_WRITE, DONE_READ, DONE_RECV };
struct done {
	enum done_kind kind;
	uint32_t index; /* for DONE_READ: data slot; for DONE_RECV: number of the receive buffer */
	uint32_t bytes;
	uint8_t *data; /* DONE_RECV: the received bytes; else NULL */
};

int session_open(struct session *s, const struct sockaddr *local, size_t len);
/* Creates memory, completion queue and queue pair, and posts receives. Must be called before
 * connecting. Before this call the caller may set these fields:
 * - nrecv (default: slots + 8)
 * - recv_bytes (default: the chunk size, at least SESSION_MSG_BYTES)
 * - share */
int session_prepare(struct session *s, uint32_t chunk, uint32_t slots);
int session_connect(struct session *s, const struct sockaddr_storage *local,
		    const struct sockaddr_storage *peer);
int session_listen(struct session *s, const struct sockaddr_storage *at, uint16_t *port);
/* session_accept waits for a connection request at the session's own listener. session_accept_at
 * waits at another session's listener, on the same adapter. */
int session_accept(struct session *s);
int session_accept_at(struct session *s, IND2Listener *listener);
/* Disconnects and waits for the peer's answer. Waits up to 20 s if `orderly` is true. After a
 * failure callers set `orderly` to false, and the wait lasts up to 1 s. */
void session_disconnect(struct session *s, bool orderly);
/* Waits until the peer has disconnected, then disconnects too. Waits up to 20 s if `orderly` is
 * true, otherwise up to 1 s. After a signal this side disconnects without waiting for the peer. */
void session_wait_closed(struct session *s, bool orderly);
/* Is the port of the adapter gone for good (ND_DEVICE_REMOVED)? Connections then end as if the peer
 * had disconnected. Prints a message if so. */
bool session_port_is_gone(struct session *s);
/* Releases the objects of one connection; adapter and listener stay open. */
void session_reset(struct session *s);
void session_close(struct session *s);

uint8_t *session_slot(const struct session *s, uint32_t slot);
/* Sends a copy of `msg`, which has at most SESSION_MSG_BYTES. */
int session_send_msg(struct session *s, const void *msg, uint32_t length);
/* Sends `length` bytes of a data slot as one message. */
int session_send_slot(struct session *s, uint32_t slot, uint32_t length);
int session_write_slot(struct session *s, uint32_t slot, uint32_t length, uint64_t addr,
		       uint32_t token, bool silent);
int session_read_slot(struct session *s, uint32_t slot, uint32_t length, uint64_t addr,
		      uint32_t token);
int session_repost(struct session *s, uint32_t index);
/* Waits up to timeout_ms for the next completion. Returns 1 with a completion, 0 if no completion
 * came in time. Returns -1 if the connection failed (a message was printed) or the user has asked
 * to stop. */
int session_next(struct session *s, struct done *done, int timeout_ms);

/* Parses an IPv4 or IPv6 address. Returns 0, or -1 after a message on stderr. */
int session_parse_address(const char *text, uint16_t port, struct sockaddr_storage *out);
/* Converts text to a number. Ends the program with status 1 unless the text is a whole number from
 * low to high. */
unsigned session_number(const char *text, unsigned low, unsigned high);
/* Finds the local address from which a peer is reached. */
int session_find_local(const struct sockaddr_storage *peer, struct sockaddr_storage *local);

#endif
