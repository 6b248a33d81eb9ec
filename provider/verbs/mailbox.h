/* Events on their way to the program: those of completion channels and those of async_fd. A mailbox
 * has a descriptor that is readable while it holds notes. Each note belongs to one object and one
 * kind of event, and may be in the mailbox several times; so sending allocates nothing.
 *
 * A program must acknowledge each event that it takes; the destruction of the object waits for
 * that. Any thread may call these functions. */
#ifndef VERBS_MAILBOX_H
#define VERBS_MAILBOX_H

#include <pthread.h>
#include <stdint.h>

struct vb_note {
	struct vb_note *next; /* in the mailbox */
	void *object;
	uint32_t kind;			/* for the owner of the note */
	uint32_t waiting, taken, acked; /* how often; guarded by the lock of the mailbox */
};

struct vb_mailbox {
	int fd; /* an eventfd that counts notes; the program may make it non-blocking */
	pthread_mutex_t lock;
	pthread_cond_t acked;
	struct vb_note *first, *last;
	uint32_t debt; /* withdrawn notes for which a thread has lowered the count */
};

/* Returns 0 or an errno. */
int vb_mailbox_init(struct vb_mailbox *box);
void vb_mailbox_fini(struct vb_mailbox *box);
void vb_mailbox_send(struct vb_mailbox *box, struct vb_note *note);
/* Takes the first note; waits for one, unless the descriptor is non-blocking. The wait is a
 * cancellation point. Returns NULL and sets errno: EAGAIN, EINTR. */
struct vb_note *vb_mailbox_take(struct vb_mailbox *box);
void vb_mailbox_ack(struct vb_mailbox *box, struct vb_note *note, uint32_t n);
/* Takes the note out of the mailbox and waits until the program has acknowledged all that it has
 * taken. To be called before the object is freed, when nothing sends the note any more. */
void vb_mailbox_retire(struct vb_mailbox *box, struct vb_note *note);

#endif
