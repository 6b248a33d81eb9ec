/* Sends a command to DPDK's telemetry and prints the answer.
 *
 *	ask SOCKET COMMAND */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	char answer[16384];

	if (argc != 3 || strlen(argv[1]) >= sizeof(un.sun_path)) {
		fprintf(stderr, "usage: ask SOCKET COMMAND\n");
		return 2;
	}
	strcpy(un.sun_path, argv[1]);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	if (connect(fd, (struct sockaddr *)&un, sizeof(un)) != 0 ||
	    read(fd, answer, sizeof(answer)) <= 0 || /* the greeting */
	    write(fd, argv[2], strlen(argv[2])) < 0) {
		perror("ask");
		return 1;
	}
	ssize_t n = read(fd, answer, sizeof(answer));
	close(fd);
	if (n <= 0)
		return 1;
	printf("%.*s\n", (int)n, answer);
	return 0;
}
