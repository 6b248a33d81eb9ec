/* Reads a capture of two hosts into records, one record per frame. Derives QPs, PSNs and messages
 * from the records. */
#ifndef RN_REPLAY_CAPTURE_H
#define RN_REPLAY_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

struct record;
struct replay;
struct rn_pkt;

/* Parses a frame into a record. Fails the test if the frame is not valid. */
void capture_fill(struct record *rec, const uint8_t *frame, uint32_t len);
/* Reads the capture r->file. `host` is the last byte of the address of the captured host that the
 * shard replaces. Frames from this address are marked (record.ours). */
void capture_load(struct replay *r, uint8_t host);
/* Returns the type of the captured QPs (enum rn_qp_type). */
uint8_t capture_type(const struct replay *r);
/* Finds the pairs of connected QPs in the capture (r->pair). */
void capture_pairs(struct replay *r);
/* Copies to buf the payload of the message that begins with record i, and returns the payload's
 * length. Makes *end point to the last packet of the message, which carries the immediate data. */
uint32_t capture_gather(const struct replay *r, unsigned i, uint8_t *buf,
			const struct rn_pkt **end);
/* Returns the first PSN of the requests of one side, or 0 if this side sent none. ours: true for
 * the captured host that the shard replaces, false for its peer. */
uint32_t capture_first_psn(const struct replay *r, unsigned pair, bool ours);

#endif
