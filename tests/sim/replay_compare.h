/* Compares a frame of the replaced host with the shard's frame. The first relevant difference fails
 * the test. */
#ifndef RN_REPLAY_COMPARE_H
#define RN_REPLAY_COMPARE_H

struct record;
struct replay;

void compare_packet(struct replay *r, const struct record *want, const struct record *got);
/* Also records the values that the shard chose itself (twin_add()). */
void compare_cm(struct replay *r, const struct record *want, const struct record *got);

#endif
