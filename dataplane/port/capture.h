/* Built-in packet capture: writes one pcap file, which contains every frame that a shard receives
 * or builds, with its time in nanoseconds. A shard copies frames into its own buffer and never
 * waits. The thread of the capture writes the file. */
#ifndef RN_CAPTURE_H
#define RN_CAPTURE_H

#include "base/types.h"

struct rn_capture_file;
struct rn_capture; /* a shard's buffer of captured frames */

/* Creates or truncates the capture file and starts the writer thread. A new file gets mode 0600; an
 * existing file keeps its mode. At most snaplen bytes of each frame are written. Called in the
 * control thread. Returns 0 or -errno. */
int rn_capture_open(struct rn_capture_file **file, const char *path, uint32_t snaplen);
/* Creates the buffer of one shard. To be called before the shard's thread starts. `now` is the
 * current time of the shard's clock. Returns NULL if there is no memory or there are too many
 * shards. rn_capture_close() frees the buffer. */
struct rn_capture *rn_capture_add(struct rn_capture_file *file, rn_time now);
/* Writes the remaining frames, stops the writer thread and frees everything. To be called after the
 * shards have stopped. Returns and logs the number of frames that are missing in the file because a
 * buffer or the disk was full. */
uint64_t rn_capture_close(struct rn_capture_file *file);

/* Records one frame, or counts the frame as lost if the buffer has no room. Called in the shard's
 * thread. */
void rn_capture_frame(struct rn_capture *c, const uint8_t *frame, uint32_t len, rn_time now);

#endif
