// What both halves know.
#pragma once

#ifndef LOG_KEYS
#define LOG_KEYS 9
#endif
#define MAX_KEYS (1 << LOG_KEYS)
