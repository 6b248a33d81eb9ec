/* Writes the frames that simulated shards send to pcap files. The timestamps are virtual time, in
 * microseconds. */
#ifndef SIM_RECORD_H
#define SIM_RECORD_H

#include <stdint.h>
#include <stdio.h>

#include "base/types.h"

/* Creates a capture file without frames. The caller closes the file with fclose(). If the file
 * cannot be created, returns NULL and prints the reason to standard error. */
FILE *record_open(const char *path);
void record_frame(FILE *out, rn_time now, const uint8_t *frame, uint32_t len);

#endif
