/* Functions that compare a frame of the shard (got) with the corresponding frame of the captured
 * host that the shard replaces (want). The first difference that matters fails the test. */
#ifndef RN_REPLAY_COMPARE_H
#define RN_REPLAY_COMPARE_H

struct record;
struct replay;

void compare_packet(struct replay *r, const struct record *want, const struct record *got);
/* Compares two CM messages. Also stores the ids that the shard chose itself (twin_add()). */
void compare_cm(struct replay *r, const struct record *want, const struct record *got);

#endif
