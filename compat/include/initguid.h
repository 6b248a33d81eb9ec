/* After this header DEFINE_GUID defines the constants that it otherwise declares. */
#ifndef INITGUID
#define INITGUID
#endif
#include "guiddef.h"
