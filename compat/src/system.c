/*
 * What does a program learn about this machine (GetSystemInfo, GlobalMemoryStatusEx,
 * GetComputerName)? The functions return its processors, memory and names. This file keeps no
 * state. Any thread may call the functions.
 */
#include "last_error.h"
#include "text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <processclock.h>
#include <sysinfoapi.h>

#define GRANULARITY 0x10000
#define HIGHEST	    0x7FFFFFFEFFFFu
#define HOST_NAME   256

void GetSystemInfo(SYSTEM_INFO *info)
{
	DWORD_PTR mask;

	*info = (SYSTEM_INFO){
		.dwPageSize = (DWORD)sysconf(_SC_PAGESIZE),
		.lpMinimumApplicationAddress = (LPVOID)(uintptr_t)GRANULARITY,
		.lpMaximumApplicationAddress = (LPVOID)(uintptr_t)HIGHEST,
		.dwNumberOfProcessors = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS),
		.dwAllocationGranularity = GRANULARITY,
	};
	GetProcessAffinityMask(GetCurrentProcess(), &mask, &info->dwActiveProcessorMask);
#if defined(__x86_64__)
	info->wProcessorArchitecture = PROCESSOR_ARCHITECTURE_AMD64;
	info->dwProcessorType = PROCESSOR_AMD_X8664;
#elif defined(__aarch64__)
	info->wProcessorArchitecture = PROCESSOR_ARCHITECTURE_ARM64;
#else
	info->wProcessorArchitecture = PROCESSOR_ARCHITECTURE_UNKNOWN;
#endif
}

void GetNativeSystemInfo(SYSTEM_INFO *info)
{
	GetSystemInfo(info);
}

static DWORDLONG kilobytes(const char *all, const char *name)
{
	const char *at = strstr(all, name);

	return at ? strtoull(at + strlen(name), NULL, 10) * 1024 : 0;
}

BOOL GlobalMemoryStatusEx(MEMORYSTATUSEX *status)
{
	char text[4096];
	FILE *file = fopen("/proc/meminfo", "re");
	size_t n = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	if (file)
		fclose(file);
	text[n] = 0;
	if (!status || status->dwLength != sizeof(*status))
		return compat_fail(ERROR_INVALID_PARAMETER);
	*status = (MEMORYSTATUSEX){.dwLength = sizeof(*status),
				   .ullTotalVirtual = HIGHEST,
				   .ullAvailVirtual = HIGHEST};
	status->ullTotalPhys = kilobytes(text, "MemTotal:");
	status->ullAvailPhys = kilobytes(text, "MemAvailable:");
	status->ullTotalPageFile = status->ullTotalPhys + kilobytes(text, "SwapTotal:");
	status->ullAvailPageFile = status->ullAvailPhys + kilobytes(text, "SwapFree:");
	if (status->ullTotalPhys == 0)
		return compat_fail(ERROR_GEN_FAILURE);
	status->dwMemoryLoad = (DWORD)(100 - status->ullAvailPhys * 100 / status->ullTotalPhys);
	return TRUE;
}

/* ---- Host names ----------------------------------------------------------------------------- */

static BOOL give_name(const char *name, void *buffer, bool wide, DWORD *size, DWORD too_small)
{
	if (!size)
		return compat_fail(ERROR_INVALID_PARAMETER);
	size_t length = compat_copy_out(buffer, buffer ? *size : 0, wide, name);
	bool fits = buffer && length < *size;

	*size = (DWORD)(fits ? length : length + 1);
	return fits ? TRUE : compat_fail(too_small);
}

static void host_name(char name[HOST_NAME])
{
	if (gethostname(name, HOST_NAME - 1) != 0)
		strcpy(name, "localhost");
	name[HOST_NAME - 1] = 0;
}

static void short_name(char name[HOST_NAME], bool capitals)
{
	host_name(name);
	name[strcspn(name, ".")] = 0;
	if (!capitals)
		return;
	name[MAX_COMPUTERNAME_LENGTH] = 0;
	for (char *c = name; *c; c++)
		*c = (char)toupper((unsigned char)*c);
}

BOOL GetComputerNameA(LPSTR buffer, DWORD *size)
{
	char name[HOST_NAME];

	short_name(name, true);
	return give_name(name, buffer, false, size, ERROR_BUFFER_OVERFLOW);
}

BOOL GetComputerNameW(LPWSTR buffer, DWORD *size)
{
	char name[HOST_NAME];

	short_name(name, true);
	return give_name(name, buffer, true, size, ERROR_BUFFER_OVERFLOW);
}

static BOOL name_of_kind(COMPUTER_NAME_FORMAT kind, void *buffer, bool wide, DWORD *size)
{
	char name[HOST_NAME];

	switch (kind) {
	case ComputerNameNetBIOS:
	case ComputerNamePhysicalNetBIOS:
		short_name(name, true);
		break;
	case ComputerNameDnsHostname:
	case ComputerNamePhysicalDnsHostname:
		short_name(name, false);
		break;
	case ComputerNameDnsFullyQualified:
	case ComputerNamePhysicalDnsFullyQualified:
		host_name(name);
		break;
	case ComputerNameDnsDomain:
	case ComputerNamePhysicalDnsDomain:
		host_name(name);
		return give_name(strchr(name, '.') ? strchr(name, '.') + 1 : "", buffer, wide, size,
				 ERROR_MORE_DATA);
	default:
		return compat_fail(ERROR_INVALID_PARAMETER);
	}
	return give_name(name, buffer, wide, size, ERROR_MORE_DATA);
}

BOOL GetComputerNameExA(COMPUTER_NAME_FORMAT kind, LPSTR buffer, DWORD *size)
{
	return name_of_kind(kind, buffer, false, size);
}

BOOL GetComputerNameExW(COMPUTER_NAME_FORMAT kind, LPWSTR buffer, DWORD *size)
{
	return name_of_kind(kind, buffer, true, size);
}
