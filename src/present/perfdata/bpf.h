/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf.h - the BPF programs that a perf.data lists, as lines of perf's --header.
 *
 *	# bpf_prog_info 42: bpf_prog_cbf643e7e6c01230_name addr 0xffffffffc0025b98 size 108
 *	# btf info of id 7
 */
#ifndef SONDE_PRESENT_PERFDATA_BPF_H
#define SONDE_PRESENT_PERFDATA_BPF_H

struct perfdata;
struct textbuf;

/* Adds the lines; none if the file has no such features. A damaged list ends early. */
void perfbpf_add_lines(const struct perfdata *pd, struct textbuf *tb);

#endif
