/* Closes descriptors that other processes have passed. close() may wait for as long as such a
 * process likes: a socket with unsent data lingers, and a file system in user space answers when
 * it wants. A separate thread calls close(), so that no other thread waits. */
#ifndef RN_CLOSER_H
#define RN_CLOSER_H

/* Starts the thread. To be called once, before rn_closer_give(). Returns 0 or -errno. */
int rn_closer_start(void);
/* Takes the descriptor, and closes it later. Does not wait. Any thread. */
void rn_closer_give(int fd);

#endif
