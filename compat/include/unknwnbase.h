/* Provides IUnknown and the macros of COM by including combaseapi.h. */
#include "combaseapi.h"
