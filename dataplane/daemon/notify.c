/* What does the service manager want to know? */
#include "daemon/notify.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void rn_notify(const char *lines)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	size_t len = path != NULL ? strlen(path) : 0;

	if (len == 0 || len >= sizeof(un.sun_path))
		return;
	memcpy(un.sun_path, path, len);
	/* A leading '@' means an abstract socket, whose name begins with a zero byte. */
	if (un.sun_path[0] == '@')
		un.sun_path[0] = '\0';
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, lines, strlen(lines), MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&un,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close(fd);
}

rn_time rn_notify_watchdog(void)
{
	const char *us = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");

	if (us == NULL || (pid != NULL && atol(pid) != (long)getpid()))
		return 0;
	/* Half of the time after which the manager gives up, as sd_watchdog_enabled(3) advises. */
	return RN_US(strtoull(us, NULL, 10)) / 2;
}
