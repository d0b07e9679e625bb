// What both halves know.
#pragma once

#define MAX_KEYS 2048
