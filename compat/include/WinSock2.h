/* Another spelling of winsock2.h. */
#include "winsock2.h"
