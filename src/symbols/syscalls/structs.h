/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * structs.h - structures of structs.list that printers show by themselves.
 */
#ifndef SONDE_SYMBOLS_SYSCALLS_STRUCTS_H
#define SONDE_SYMBOLS_SYSCALLS_STRUCTS_H

#include "symbols/syscalls/types.h"

extern const struct sysstruct struct_timespec;
extern const struct sysstruct struct_timeval;
extern const struct sysstruct struct_timezone;
extern const struct sysstruct struct_itimerspec;
extern const struct sysstruct struct_itimerval;
extern const struct sysstruct struct_rlimit;
extern const struct sysstruct struct_rusage;
extern const struct sysstruct struct_sysinfo;
extern const struct sysstruct struct_tms;
extern const struct sysstruct struct_utsname;
extern const struct sysstruct struct_utimbuf;
extern const struct sysstruct struct_ustat;
extern const struct sysstruct struct_statfs;
extern const struct sysstruct struct_sched_param;
extern const struct sysstruct struct_sched_attr;
extern const struct sysstruct struct_sembuf;
extern const struct sysstruct struct_mq_attr;
extern const struct sysstruct struct_flock;
extern const struct sysstruct struct_f_owner_ex;
extern const struct sysstruct struct_stack;
extern const struct sysstruct struct_epoll_event;
extern const struct sysstruct struct_winsize;
extern const struct sysstruct struct_linger;
extern const struct sysstruct struct_ucred;
extern const struct sysstruct struct_capdata1;
extern const struct sysstruct struct_io_event;
extern const struct sysstruct struct_mount_attr;
extern const struct sysstruct struct_ip_mreq;
extern const struct sysstruct struct_ip_mreqn;
extern const struct sysstruct struct_ipv6_mreq;
extern const struct sysstruct struct_packet_mreq;
extern const struct sysstruct struct_loop_info64;
extern const struct sysstruct struct_fsxattr;
extern const struct sysstruct struct_hd_geometry;
extern const struct sysstruct struct_kvm_segment;
extern const struct sysstruct struct_kvm_userspace_memory_region;
extern const struct sysstruct struct_input_id;
extern const struct sysstruct struct_input_absinfo;
extern const struct sysstruct struct_cmsg_timestamp;

#endif
