/* The multimedia functions, of which only those for the clock exist. */
#ifndef COMPAT_MMSYSTEM_H
#define COMPAT_MMSYSTEM_H

#include "timeapi.h"

#endif
