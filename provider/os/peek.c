/* Can this memory be read? Asks the kernel to copy it, who answers instead of raising a signal. Owns nothing; any
 * thread. */
#include "peek.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

bool os_peek(void *to, const void *from, size_t n)
{
	struct iovec local = {to, n}, remote = {(void *)(uintptr_t)from, n};
	ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	if (got >= 0)
		return (size_t)got == n;
	if (errno == EFAULT)
		return false;
	/* A sandbox without this call: believe the client. */
	memcpy(to, from, n);
	return true;
}
