/* Access to the wire by a packet socket: sends frames that the tool built, returns parsed packets,
 * and logs the frames of both directions. Used by one thread.
 * This tool's IPv4 address must belong to no interface of this host, so that the host's own IP
 * stack does not answer. ARP requests for the tool's address are answered here. */
#ifndef RN_CONFORM_LINE_H
#define RN_CONFORM_LINE_H

#include <stdio.h>

#include "wire/frame.h"

#define LINE_NOTES 48u

struct line {
	int fd, index;
	struct rn_gid own, peer; /* IPv4-mapped addresses */
	uint8_t mac[6], peer_mac[6];
	uint64_t start;	    /* time of line_open(), in ns */
	uint64_t sent_at;   /* time of this tool's last RoCE frame, in ns */
	unsigned arps;	    /* number of ARP requests received for this tool's address */
	unsigned bad;	    /* number of RoCE frames of the peer that every NIC must drop */
	char bad_text[160]; /* the first frame that was counted in `bad`, as text */
	/* number of frames logged since line_clear_log(); the last LINE_NOTES frames are kept */
	unsigned notes;
	char note[LINE_NOTES][256];
	uint8_t frame[9216];
};

uint64_t line_now(void); /* monotonic time in ns */
/* Opens the socket on `interface`. Returns 0, or -1 after a message on stderr. */
int line_open(struct line *l, const char *interface, const char *own, const char *peer);
void line_close(struct line *l);
/* Finds the peer's MAC address by ARP. Returns false if the peer does not answer within a
 * second. */
bool line_resolve(struct line *l);
void line_send(struct line *l, const uint8_t *frame, unsigned len);
/* Receives the next RoCE packet for this tool into *pkt, valid until the next call. Returns false
 * when the time `until` has passed. */
bool line_next(struct line *l, struct rn_pkt *pkt, uint64_t until);
void line_clear_log(struct line *l);
void line_print(const struct line *l, FILE *f, const char *indent);

#endif
