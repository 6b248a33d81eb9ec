/*
 * Which library is loaded, and where are its functions (LoadLibrary, GetProcAddress)? The functions
 * call dlopen() and dlsym(). For Windows' own libraries (kernel32, ws2_32 and so on) a program gets
 * libsoftrnic-compat.
 *
 * This file keeps no state: the dynamic loader counts references. Any thread may call the
 * functions.
 */
#include "last_error.h"
#include "text.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <libloaderapi.h>

static const char *const ours[] = {"kernel32", "kernelbase", "ntdll", "ws2_32",
				   "msvcrt",   "ucrtbase",   "winmm", "mswsock"};

static bool is_ours(const char *name)
{
	size_t n = strlen(name);

	if (n > 4 && strcasecmp(name + n - 4, ".dll") == 0)
		n -= 4;
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (strlen(ours[i]) == n && strncasecmp(name, ours[i], n) == 0)
			return true;
	return false;
}

static HMODULE open_module(const char *name, int how)
{
	Dl_info self;
	void *module = NULL;

	if (name && is_ours(name) && dladdr((void *)(uintptr_t)open_module, &self))
		module = dlopen(self.dli_fname, how);
	else if (name)
		module = dlopen(name, how);
	if (!module)
		compat_fail(ERROR_MOD_NOT_FOUND);
	return (HMODULE)module;
}

HMODULE LoadLibraryExA(LPCSTR name, HANDLE file, DWORD flags)
{
	(void)file;
	if (!name || (flags & LOAD_LIBRARY_AS_DATAFILE)) {
		compat_fail(ERROR_INVALID_PARAMETER);
		return NULL;
	}
	return open_module(name, RTLD_NOW);
}

HMODULE LoadLibraryExW(LPCWSTR name, HANDLE file, DWORD flags)
{
	char *narrow = compat_narrow(name);
	HMODULE module = LoadLibraryExA(narrow, file, flags);

	free(narrow);
	return module;
}

HMODULE LoadLibraryA(LPCSTR name)
{
	return LoadLibraryExA(name, NULL, 0);
}

HMODULE LoadLibraryW(LPCWSTR name)
{
	return LoadLibraryExW(name, NULL, 0);
}

/*
 * Returns the dynamic loader's record of a module, or NULL for a value that is no handle. Callers
 * check handles with this function, because dlclose() and dlsym() may crash on other values.
 */
static struct link_map *map_of(HMODULE module)
{
	struct link_map *map = NULL;
	void *program = dlopen(NULL, RTLD_NOW);

	if (program && dlinfo(program, RTLD_DI_LINKMAP, &map) != 0)
		map = NULL;
	/* In glibc the handle that dlopen() returns is the address of the library's link_map. */
	while (map && (void *)map != (void *)module)
		map = map->l_next;
	if (program)
		dlclose(program);
	return map;
}

BOOL FreeLibrary(HMODULE module)
{
	if (!module || !map_of(module) || dlclose(module) != 0)
		return compat_fail(ERROR_INVALID_HANDLE);
	return TRUE;
}

FARPROC GetProcAddress(HMODULE module, LPCSTR name)
{
	/*
	 * On Windows a `name` of at most 0xFFFF is an ordinal. Functions have no ordinals here, so
	 * the function is not found.
	 */
	void *address = NULL;

	if (module && !map_of(module)) {
		compat_fail(ERROR_INVALID_HANDLE);
		return NULL;
	}
	if ((uintptr_t)name > 0xFFFF)
		address = dlsym(module ? (void *)module : RTLD_DEFAULT, name);
	if (!address)
		compat_fail(ERROR_PROC_NOT_FOUND);
	return (FARPROC)(uintptr_t)address;
}

HMODULE GetModuleHandleA(LPCSTR name)
{
	HMODULE module =
		name ? open_module(name, RTLD_NOW | RTLD_NOLOAD) : (HMODULE)dlopen(NULL, RTLD_NOW);

	/*
	 * GetModuleHandle takes no reference, so dlclose() releases the reference that dlopen()
	 * took. The library was loaded before this call and stays loaded.
	 */
	if (module)
		dlclose(module);
	return module;
}

HMODULE GetModuleHandleW(LPCWSTR name)
{
	char *narrow = compat_narrow(name);
	HMODULE module = GetModuleHandleA(narrow);

	free(narrow);
	return module;
}

static DWORD file_name(HMODULE module, void *buffer, DWORD size, bool wide)
{
	char path[PATH_MAX] = "";
	struct link_map *map = module ? map_of(module) : NULL;

	if (module && !map)
		return (DWORD)compat_fail(ERROR_INVALID_HANDLE);
	if (map && *map->l_name) {
		if (!realpath(map->l_name, path))
			return (DWORD)compat_fail(ERROR_MOD_NOT_FOUND);
	} else if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0) {
		return (DWORD)compat_fail(ERROR_MOD_NOT_FOUND);
	}
	if (!buffer || size == 0)
		return (DWORD)compat_fail(ERROR_INSUFFICIENT_BUFFER);
	size_t length = compat_copy_out(buffer, size, wide, path);

	if (length < size)
		return (DWORD)length;
	/* Removes bytes from the end of the path until the rest fits into the buffer. */
	for (size_t n = strlen(path); n > 0 && compat_copy_out(buffer, size, wide, path) >= size;)
		path[--n] = 0;
	SetLastError(ERROR_INSUFFICIENT_BUFFER);
	return size;
}

DWORD GetModuleFileNameA(HMODULE module, LPSTR buffer, DWORD size)
{
	return file_name(module, buffer, size, false);
}

DWORD GetModuleFileNameW(HMODULE module, LPWSTR buffer, DWORD size)
{
	return file_name(module, buffer, size, true);
}

BOOL DisableThreadLibraryCalls(HMODULE module)
{
	return map_of(module) ? TRUE : compat_fail(ERROR_INVALID_HANDLE);
}
