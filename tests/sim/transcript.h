/* Writes one line of text per frame, such as `12us a>b WRITE_FIRST psn=5`. PSNs are relative to the
 * run's first PSNs, so the text is the same near the PSN wrap. The line of a lost frame ends in `
 * LOST`. */
#ifndef SIM_TRANSCRIPT_H
#define SIM_TRANSCRIPT_H

#include "sim.h"

/* Writes the part of the line that describes the packet, such as `WRITE_FIRST psn=5 n=1024`,
 * without time and direction. */
void transcript_packet(const struct sim *sim, FILE *f, unsigned from, const struct rn_pkt *pkt);
void transcript_frame(struct sim *sim, unsigned from, const struct rn_pkt *pkt, bool kept);

#endif
