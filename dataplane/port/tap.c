/* Which thread is interrupted when a frame arrives at a tap interface? The driver net_tap reads the
 * interface only after a signal, which the kernel sends to the process: by default any thread of
 * the application takes it. That would interrupt the system calls of the application, and if the
 * application has blocked all signals, as programs with signalfd() or sigwait() do, no frame would
 * ever be received. So a thread of softrnic takes the signal instead. Owns nothing. */
#include "port/tap.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <rte_ethdev.h>

/* Makes the calling thread the receiver of the signals of fd, the file descriptor of a receive
 * queue. */
static void take(int fd)
{
	struct f_owner_ex me = {.type = F_OWNER_TID, .pid = gettid()};
	int number = fcntl(fd, F_GETSIG);
	sigset_t set;

	if (number <= 0)
		return;
	sigemptyset(&set);
	sigaddset(&set, number);
	/* First the mask: then this thread also takes a signal that is pending for the process,
	 * because a frame has arrived already. */
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	fcntl(fd, F_SETOWN_EX, &me);
}

void rn_tap_take_signals(const struct rn_port *port)
{
	if (strcmp(port->driver, "net_tap") != 0 || atomic_load(&port->removed))
		return;
	for (uint16_t q = 0; q < port->nrxq; q++) {
		int fd = rte_eth_dev_rx_intr_ctl_q_get_fd(port->id, q);
		if (fd >= 0)
			take(fd);
	}
}
