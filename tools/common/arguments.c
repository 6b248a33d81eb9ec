/* Parses addresses and numbers of the tools' command lines. A wrong argument causes one message on
 * stderr. */
#include <stdio.h>
#include <stdlib.h>

#include "address.h"
#include "session.h"

int session_parse_address(const char *text, uint16_t port, struct sockaddr_storage *out)
{
	if (address_parse_ip(text, port, out))
		return 0;
	fprintf(stderr, "%s: '%s' is neither an IPv4 nor an IPv6 address\n", session_program, text);
	return -1;
}

unsigned session_number(const char *text, unsigned low, unsigned high)
{
	char *end;
	unsigned long v = strtoul(text, &end, 0);
	if (*text == 0 || *end || v < low || v > high) {
		fprintf(stderr, "%s: '%s': must be a whole number from %u to %u\n", session_program,
			text, low, high);
		exit(1);
	}
	return (unsigned)v;
}

int session_find_local(const struct sockaddr_storage *peer, struct sockaddr_storage *local)
{
	SIZE_T cb = sizeof(*local);
	HRESULT hr = NdResolveAddress((const struct sockaddr *)peer, sizeof(*peer),
				      (struct sockaddr *)local, &cb);
	if (FAILED(hr))
		fprintf(stderr, "%s: no adapter reaches this address: %s\n", session_program,
			nd_text(hr));
	return FAILED(hr) ? -1 : 0;
}
