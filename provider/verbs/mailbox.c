/* Mailboxes of events. The count of the eventfd is the number of notes, except for a moment: the
 * count is raised after the note has been put in, and lowered before the note is taken out. If a
 * note is withdrawn in that moment, the next thread that comes for a note pays the `debt` by
 * waiting again. */
#include "verbs/mailbox.h"

#include "os/cancel.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

int vb_mailbox_init(struct vb_mailbox *box)
{
	box->first = box->last = NULL;
	box->debt = 0;
	box->fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	if (box->fd < 0)
		return errno;
	pthread_mutex_init(&box->lock, NULL);
	pthread_cond_init(&box->acked, NULL);
	return 0;
}

void vb_mailbox_fini(struct vb_mailbox *box)
{
	close(box->fd);
	pthread_cond_destroy(&box->acked);
	pthread_mutex_destroy(&box->lock);
}

/* Appends `note` to the list. A note that was sent several times is in the list once; note->waiting
 * counts how often. */
static void append(struct vb_mailbox *box, struct vb_note *note)
{
	note->next = NULL;
	if (box->last != NULL)
		box->last->next = note;
	else
		box->first = note;
	box->last = note;
}

static void remove_note(struct vb_mailbox *box, struct vb_note *note)
{
	struct vb_note *before = NULL, *at = box->first;

	while (at != note) {
		before = at;
		at = at->next;
	}
	if (before != NULL)
		before->next = note->next;
	else
		box->first = note->next;
	if (box->last == note)
		box->last = before;
}

void vb_mailbox_send(struct vb_mailbox *box, struct vb_note *note)
{
	OS_UNCANCELLED; /* write() is a cancellation point, and the thread holds locks here */
	const uint64_t one = 1;
	ssize_t n;

	pthread_mutex_lock(&box->lock);
	if (note->waiting++ == 0)
		append(box, note);
	/* Written under the lock, so that the mailbox is not freed before. The program cannot stop
	 * this: an eventfd takes 2^64 - 2 notes. */
	n = write(box->fd, &one, sizeof(one));
	(void)n;
	pthread_mutex_unlock(&box->lock);
}

static struct vb_note *take_first(struct vb_mailbox *box)
{
	struct vb_note *note;

	pthread_mutex_lock(&box->lock);
	note = box->debt > 0 ? NULL : box->first;
	box->debt -= box->debt > 0;
	if (note != NULL) {
		remove_note(box, note);
		note->taken++;
		if (--note->waiting > 0)
			append(box, note);
	}
	pthread_mutex_unlock(&box->lock);
	return note;
}

struct vb_note *vb_mailbox_take(struct vb_mailbox *box)
{
	struct vb_note *note;
	uint64_t one;

	do {
		if (read(box->fd, &one, sizeof(one)) != sizeof(one))
			return NULL;
		/* No note: its object was destroyed meanwhile. Wait for the next one. */
		note = take_first(box);
	} while (note == NULL);
	return note;
}

void vb_mailbox_ack(struct vb_mailbox *box, struct vb_note *note, uint32_t n)
{
	pthread_mutex_lock(&box->lock);
	note->acked += n;
	pthread_cond_broadcast(&box->acked);
	pthread_mutex_unlock(&box->lock);
}

/* Lowers the count of the descriptor by one for a note that is withdrawn, unless a thread that is
 * about to take a note has done so already: then that thread must wait again. */
static void forget_one(struct vb_mailbox *box)
{
	uint64_t one;
	const struct iovec to = {&one, sizeof(one)};

	if (preadv2(box->fd, &to, 1, -1, RWF_NOWAIT) != sizeof(one))
		box->debt++;
}

void vb_mailbox_retire(struct vb_mailbox *box, struct vb_note *note)
{
	OS_UNCANCELLED; /* preadv2() and pthread_cond_wait() are cancellation points */

	pthread_mutex_lock(&box->lock);
	if (note->waiting > 0) {
		remove_note(box, note);
		while (note->waiting > 0) {
			forget_one(box);
			note->waiting--;
		}
	}
	while (note->taken != note->acked)
		pthread_cond_wait(&box->acked, &box->lock);
	pthread_mutex_unlock(&box->lock);
}
