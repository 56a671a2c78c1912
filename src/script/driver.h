/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.h - the text of driver.py inside the program. Made by tools/gen-bytes.
 */
#ifndef SONDE_SCRIPT_DRIVER_H
#define SONDE_SCRIPT_DRIVER_H

#include <stddef.h>

extern const unsigned char script_driver[]; /* ends with a zero */
extern const size_t script_driver_bytes;

#endif
