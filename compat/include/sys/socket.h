/*
 * <sys/socket.h> without the checking wrappers that _FORTIFY_SOURCE adds to recv() and similar
 * functions. Those wrappers would bypass the functions of this library.
 */
#include <features.h>
#pragma push_macro("__USE_FORTIFY_LEVEL")
#undef __USE_FORTIFY_LEVEL
#define __USE_FORTIFY_LEVEL 0
#include_next <sys/socket.h>
#pragma pop_macro("__USE_FORTIFY_LEVEL")
