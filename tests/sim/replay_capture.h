/* Reads the records of a capture and derives facts from them. */
#ifndef RN_REPLAY_CAPTURE_H
#define RN_REPLAY_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

struct record;
struct replay;
struct rn_pkt;

/* Parses a frame into a record. The frame must be valid. */
void capture_fill(struct record *rec, const uint8_t *frame, uint32_t len);
/* Reads r->file. The frames whose source address ends in byte `host` are those of the replaced host
 * (`ours`). */
void capture_load(struct replay *r, uint8_t host);
/* The type of the captured QPs (enum rn_qp_type). */
uint8_t capture_type(const struct replay *r);
/* Finds the pairs of connected QPs in the capture. */
void capture_pairs(struct replay *r);
/* Copies the payload of the message that begins with record i to buf. Returns its length; *end: its
 * last packet, which carries the immediate data. */
uint32_t capture_gather(const struct replay *r, unsigned i, uint8_t *buf,
			const struct rn_pkt **end);
/* The first PSN of the requests of one side; 0 if there is none. */
uint32_t capture_first_psn(const struct replay *r, unsigned pair, bool ours);

#endif
