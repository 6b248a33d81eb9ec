/*
 * The conversation between a test client and a test server over one RDMA connection.
 *
 *	client                                          server
 *	Connect, CALLER_BYTES of private data
 *	                                                Accept, CALLEE_BYTES of private data
 *	CompleteConnect
 *	SAY_HELLO
 *	                                                SAY_LENT: token and address of its region
 *	Write of the bulk, then SAY_WRITTEN
 *	Read of the other bulk, then SAY_READ
 *	                                                binds a window, SAY_WINDOW: token and
 *	                                                address of the window
 *	Write of exactly the window, then SAY_FILLED
 *	                                                invalidates the window, SAY_BYE
 *	Disconnect                                      NotifyDisconnect ends; Disconnect
 *
 * Each program of this folder implements both sides in its own language. Every client can talk to
 * every server. Each side checks every byte that it receives. Unused receives must
 * complete with ND_CANCELED. The exit status is 0 only if all checks passed.
 *
 * A side fetches results only after a Notify has ended. The side waits alternately for an event and
 * at a completion port. Numbers on the wire are little-endian. This file includes no header: the
 * program includes the NetworkDirect headers first.
 */
#ifndef CONVERSATION_H
#define CONVERSATION_H

enum {
	CALLER_BYTES = 40,
	CALLEE_BYTES = 100,
	/* Number of private data bytes that GetPrivateData returns: the bytes that the peer has
	 * sent, padded with zeros. */
	CALLER_FIELD = 56,
	CALLEE_FIELD = 196,

	/* Sizes and offsets in a memory region, the same on both sides. */
	BULK_BYTES = 64 * 1024,
	WINDOW_BYTES = 4096,
	SLOTS = 5, /* receives per side; the peer sends only 3 or 4 messages */
	AT_WRITTEN = 0,
	AT_READ = BULK_BYTES,
	AT_WINDOW = 2 * BULK_BYTES,
	AT_SLOTS = 3 * BULK_BYTES,
	REGION_BYTES = 4 * BULK_BYTES
};

/* SAY_ values are the message types. SEED_ values are the seeds from which byte_of() makes the
 * private data and the bulk data. The seed of a message's text is the message type. */
enum {
	SAY_HELLO = 1,
	SAY_LENT,
	SAY_WRITTEN,
	SAY_READ,
	SAY_WINDOW,
	SAY_FILLED,
	SAY_BYE,
	SEED_CALLER = 16,
	SEED_CALLEE,
	SEED_WRITTEN,
	SEED_READ,
	SEED_WINDOW
};

struct message {
	UINT32 says;
	UINT32 token; /* remote token, as the 4 bytes that GetRemoteToken returned */
	UINT64 address;
	UINT8 text[1000];
};

/* Byte number `at` of the test pattern of this seed. Each seed has a different pattern. A pattern
 * repeats after 64 KB. */
static inline UINT8 byte_of(UINT32 seed, UINT32 at)
{
	return (UINT8)((seed * 37u + at * 11u + (at >> 8) * 7u) & 0xff);
}

static inline void fill(UINT8 *bytes, UINT32 n, UINT32 seed)
{
	UINT32 i;

	for (i = 0; i < n; i++)
		bytes[i] = byte_of(seed, i);
}

/* Returns the index of the first byte that differs from the pattern, or n if there is none. */
static inline UINT32 first_wrong(const UINT8 *bytes, UINT32 n, UINT32 seed)
{
	UINT32 i;

	for (i = 0; i < n && bytes[i] == byte_of(seed, i); i++)
		;
	return i;
}

/* Returns the index of the first byte that is not zero, or n if there is none. */
static inline UINT32 first_set(const UINT8 *bytes, UINT32 n)
{
	UINT32 i;

	for (i = 0; i < n && bytes[i] == 0; i++)
		;
	return i;
}

#endif
