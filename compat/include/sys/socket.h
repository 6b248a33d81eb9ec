/*
 * <sys/socket.h>, without the checking wrappers of recv and its like: they would call the native
 * functions.
 */
#include <features.h>
#pragma push_macro("__USE_FORTIFY_LEVEL")
#undef __USE_FORTIFY_LEVEL
#define __USE_FORTIFY_LEVEL 0
#include_next <sys/socket.h>
#pragma pop_macro("__USE_FORTIFY_LEVEL")
