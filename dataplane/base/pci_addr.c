/* Reads and writes addresses of PCI devices. Owns nothing. Any thread may call these functions. */
#include "base/pci_addr.h"

#include <stdio.h>

/* The largest values of the parts of an address (PCI Local Bus Specification 3.0, 3.2.2.3.2). Linux
 * numbers its domains beyond 16 bits behind some host bridges. */
#define MAX_BUS	     0xffu
#define MAX_DEVICE   0x1fu
#define MAX_FUNCTION 7u
#define MAX_DOMAIN   0xffffffu

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Reads a hexadecimal number of at most `max`, and moves *text behind it. Returns false if there is
 * no such number. */
static bool take_number(const char **text, uint32_t max, uint32_t *n)
{
	const char *begin = *text;

	*n = 0;
	while (digit_of(**text) >= 0) {
		*n = *n << 4 | (uint32_t)digit_of(**text);
		if (*n > max)
			return false;
		(*text)++;
	}
	return *text > begin;
}

static bool take_char(const char **text, char c)
{
	if (**text != c)
		return false;
	(*text)++;
	return true;
}

bool rn_pci_addr_parse(const char *text, struct rn_pci_addr *addr)
{
	uint32_t part[3], function; /* domain, bus, device */
	unsigned n = 0;

	do {
		if (n == 3 || !take_number(&text, MAX_DOMAIN, &part[n]))
			return false;
		n++;
	} while (take_char(&text, ':'));
	if (n < 2 || !take_char(&text, '.') || !take_number(&text, MAX_FUNCTION, &function) ||
	    (*text != '\0' && *text != ',') || part[n - 2] > MAX_BUS || part[n - 1] > MAX_DEVICE)
		return false;
	*addr = (struct rn_pci_addr){
		.domain = n == 3 ? part[0] : 0,
		.bus = (uint8_t)part[n - 2],
		.device = (uint8_t)part[n - 1],
		.function = (uint8_t)function,
	};
	return true;
}

void rn_pci_addr_print(const struct rn_pci_addr *a, char *text)
{
	snprintf(text, RN_PCI_ADDR_LEN, "%04x:%02x:%02x.%x", a->domain, a->bus, a->device,
		 a->function);
}
