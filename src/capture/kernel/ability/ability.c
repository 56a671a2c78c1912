// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ability.c - runs all checks and writes the results.
 *
 * The checks are rows of three tables: those of tracefs (tracefs.c), of functions of
 * programs (user.c) and all others (other.c). This file has the common part: it
 * finds the user and the environment, creates and removes the instance for trials, and writes the
 * messages about missing or refused features.
 *
 *	instances/sonde.doctor.PID      exists for some milliseconds, with tracing_on 0
 *
 * If an earlier run was killed during those milliseconds, its instance is still there: it is
 * removed if no process has that pid.
 *
 * A missing file has three possible causes, and the kernel's configuration distinguishes them: the
 * option is not set; the option is set, but the kernel is too old for the file; the configuration
 * is unknown.
 */
#include "capture/kernel/ability/ability_int.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/spelling.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/utsname.h>
#include <unistd.h>

#define INSTANCE_PREFIX "sonde.doctor."
#define README_MAX	(1u << 20)

/*
 * --- answers -----------------------------------------------------------------------------------
 */

static void add_text(char *to, const char *fmt, va_list args)
{
	vsnprintf(to, ABILITY_TEXT_MAX, fmt, args);
}

void ability_yes(struct ability *ret, const char *fmt, ...)
{
	va_list args;

	ret->answer = ABILITY_YES;
	va_start(args, fmt);
	add_text(ret->why, fmt, args);
	va_end(args);
}

void ability_no(struct ability *ret, const char *fmt, ...)
{
	va_list args;

	ret->answer = ABILITY_NO;
	va_start(args, fmt);
	add_text(ret->why, fmt, args);
	va_end(args);
}

void ability_remedy(struct ability *ret, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_text(ret->remedy, fmt, args);
	va_end(args);
}

void ability_absent(struct probing *p, const struct ability_row *row, const char *what,
		    struct ability *ret)
{
	char built = row->config ? kconfig_get(&p->config, row->config) : 'y';

	if (row->config && built == 'n') {
		ability_no(ret, "the kernel is built without %s", row->config);
		ability_remedy(ret, "a kernel with %s=y", row->config);
	} else if (row->config && built == '?' && !row->remedy) {
		ability_no(ret, "%s is missing; the kernel seems to be built without %s", what,
			   row->config);
		ability_remedy(ret, "a kernel with %s=y", row->config);
	} else if (row->remedy) {
		ability_no(ret, "%s is missing", what);
	} else {
		ability_no(ret, "%s is missing: this kernel is too old for it", what);
		ability_remedy(ret, "a newer kernel");
	}
	if (row->remedy && built != 'n')
		ability_remedy(ret, "%s", row->remedy);
}

void ability_locked(struct probing *p, const char *what, struct ability *ret)
{
	ability_no(ret, "%s: the kernel is locked down (%s)", what, p->lock.level);
	ability_remedy(ret, "%s", lockdown_remedy(&p->lock));
}

void ability_refused(struct probing *p, const char *what, int code, struct ability *ret)
{
	const struct abilities *a = p->a;
	/* if we can create instances, the container is not the reason */
	bool is_boxed = a->in_container && p->instance_code < 0;

	if (code == -EROFS) {
		ability_no(ret, "%s: the tracing directory is mounted read-only", what);
		ability_remedy(ret, "mount -o remount,rw %s", p->t.root);
		return;
	}
	if (code != -EPERM && code != -EACCES) {
		ability_no(ret, "%s: the kernel refuses it (%s)", what, strerror(-code));
		return;
	}
	if (!a->is_root) {
		ability_no(ret, "%s: only root may do this (%s)", what, strerror(-code));
		ability_remedy(ret, "run sonde as root");
	} else if (lockdown_forbids_tracing(&p->lock)) {
		ability_locked(p, what, ret);
	} else {
		ability_no(ret, "%s: the kernel refuses it even to root (%s)%s%s%s", what,
			   strerror(-code),
			   is_boxed ? "; this is a container"
				    : "; a security module or the maker of this kernel "
				      "forbids it",
			   p->lsm[0] ? "; active modules: " : "", p->lsm);
		ability_remedy(ret, is_boxed ? "run sonde on the host, or in a privileged container"
					     : "another kernel or security policy, which the "
					       "administrator of this machine decides; everything "
					       "else in sonde works without it");
	}
}

/*
 * --- who and where -----------------------------------------------------------------------------
 */

static bool root_has(const struct probing *p, const char *path)
{
	char full[TRACEFS_PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", p->root, path);
	return !access(full, F_OK);
}

static void read_whole(const char *root, const char *path, char *buf, size_t n_bytes)
{
	char full[TRACEFS_PATH_MAX];
	FILE *file;
	size_t n = 0;

	snprintf(full, sizeof(full), "%s%s", root, path);
	file = fopen(full, "re");
	if (file) {
		n = fread(buf, 1, n_bytes - 1, file);
		fclose(file);
	}
	while (n && buf[n - 1] == '\n')
		n--;
	buf[n] = 0;
}

static void look_around(struct probing *p)
{
	struct abilities *a = p->a;
	struct utsname u;

	if (uname(&u))
		memset(&u, 0, sizeof(u));
	snprintf(a->kernel, sizeof(a->kernel), "%.60s %.60s %.60s", u.sysname, u.release,
		 u.machine);
	a->is_root = !geteuid();
	a->in_container = root_has(p, "/.dockerenv") || root_has(p, "/run/.containerenv") ||
			  root_has(p, "/run/systemd/container");
	lockdown_read(&p->lock, p->root);
	snprintf(a->lockdown, sizeof(a->lockdown), "%s", p->lock.level);
	read_whole(p->root, "/sys/kernel/security/lsm", p->lsm, sizeof(p->lsm));
	kconfig_read(&p->config, p->root, u.release);
	snprintf(a->config, sizeof(a->config), "%s", p->config.path);
}

static void open_tracefs(struct probing *p)
{
	struct errmsg err = {0};
	char file[TRACEFS_PATH_MAX];

	p->tracefs_code = tracefs_open(&p->t, &err);
	if (p->tracefs_code < 0) {
		snprintf(p->tracefs_why, sizeof(p->tracefs_why), "%.*s", ABILITY_TEXT_MAX - 1,
			 err.text);
		return;
	}
	if (access(tracefs_fmt_path(&p->t, "", "trace_clock", file), R_OK)) {
		p->tracefs_code = -errno;
		snprintf(p->tracefs_why, sizeof(p->tracefs_why),
			 "the tracing directory %.200s cannot be read", p->t.root);
		return;
	}
	snprintf(p->a->directory, sizeof(p->a->directory), "%s", p->t.root);
	tracefs_words(&p->t, "", "available_tracers", &p->tracers);
	tracefs_words(&p->t, "", "trace_clock", &p->clocks);
	tracefs_read(&p->t, "", "README", &p->readme);
	textbuf_add(&p->readme, "", 1);
}

/*
 * --- the instance for trying -------------------------------------------------------------------
 */

static void remove_left_behind(struct probing *p)
{
	struct errmsg err = {0};
	struct name_list list;

	if (tracefs_instances(&p->t, &list) < 0)
		return;
	for (size_t i = 0; i < list.n; i++) {
		const char *name = list.names[i];
		long pid = strncmp(name, INSTANCE_PREFIX, strlen(INSTANCE_PREFIX))
				   ? 0
				   : atol(name + strlen(INSTANCE_PREFIX));

		if (pid > 0 && kill(pid, 0) && errno == ESRCH)
			tracefs_remove_instance(&p->t, name, &err);
	}
	name_list_release(&list);
}

static void make_instance(struct probing *p)
{
	struct errmsg err = {0};
	char name[sizeof(p->instance)];

	p->instance_code = -ENOENT;
	if (p->tracefs_code < 0)
		return;
	remove_left_behind(p);
	snprintf(name, sizeof(name), "%s%d", INSTANCE_PREFIX, (int)getpid());
	p->instance_code = tracefs_add_instance(&p->t, name, &err);
	if (p->instance_code < 0)
		return;
	snprintf(p->instance, sizeof(p->instance), "%s", name);
	p->instance_is_real =
		tracefs_try_write(&p->t, p->instance, "tracing_on", "0", TRACEFS_SET) >= 0;
	if (p->instance_is_real)
		tracefs_words(&p->t, p->instance, "available_tracers", &p->instance_tracers);
}

static void remove_instance(struct probing *p)
{
	struct errmsg err = {0};

	if (p->instance[0])
		tracefs_remove_instance(&p->t, p->instance, &err);
}

/*
 * --- the door ----------------------------------------------------------------------------------
 */

static void ask(struct probing *p, const struct ability_row *rows, size_t n, bool needs_tracefs)
{
	for (size_t i = 0; i < n; i++) {
		struct ability *ret = &p->a->rows[p->a->n++];

		*ret = (struct ability){
			.name = rows[i].name, .group = rows[i].group, .what = rows[i].what};
		if (!needs_tracefs || p->tracefs_code >= 0 || !strcmp(rows[i].name, "tracefs")) {
			rows[i].probe(p, &rows[i], ret);
			continue;
		}
		if (rows[i].config && kconfig_get(&p->config, rows[i].config) == 'n') {
			ability_absent(p, &rows[i], rows[i].name, ret);
			continue;
		}
		if (p->tracefs_code == -EPERM && lockdown_forbids_tracing(&p->lock)) {
			ability_locked(p, "the tracing directory is not accessible", ret);
			continue;
		}
		ret->answer = ABILITY_UNKNOWN;
		snprintf(ret->why, sizeof(ret->why), "%s",
			 p->tracefs_code == -EACCES ? "this user cannot access the tracing "
						      "directory"
						    : "there is no tracing directory");
	}
}

int abilities_probe(struct abilities *a, const char *root, struct errmsg *err)
{
	struct probing p = {.a = a, .root = root, .function_code = 1};
	sigset_t held, before;

	memset(a, 0, sizeof(*a));
	a->rows = calloc(n_ability_rows_tracefs + n_ability_rows_user + n_ability_rows_other,
			 sizeof(*a->rows));
	if (!a->rows)
		return errmsg_set_errno(err, -ENOMEM, "cannot examine the kernel");
	sigemptyset(&held);
	for (size_t i = 0; i < 4; i++)
		sigaddset(&held, (int[]){SIGINT, SIGTERM, SIGHUP, SIGQUIT}[i]);
	pthread_sigmask(SIG_BLOCK, &held, &before);
	textbuf_init(&p.readme, README_MAX);
	look_around(&p);
	open_tracefs(&p);
	make_instance(&p);
	ask(&p, ability_rows_tracefs, n_ability_rows_tracefs, true);
	ask(&p, ability_rows_user, n_ability_rows_user, false);
	ask(&p, ability_rows_other, n_ability_rows_other, false);
	remove_instance(&p);
	if (p.t.is_ours) /* the directory was not mounted before */
		umount2(p.t.root, MNT_DETACH);
	name_list_release(&p.tracers);
	name_list_release(&p.instance_tracers);
	name_list_release(&p.clocks);
	textbuf_release(&p.readme);
	kconfig_release(&p.config);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return 0;
}

void abilities_release(struct abilities *a)
{
	free(a->rows);
	a->rows = NULL;
	a->n = 0;
}

const struct ability *abilities_find(const struct abilities *a, const char *name)
{
	return ARRAY_FIND(a->rows, a->n, i, !strcmp(a->rows[i].name, name));
}

int abilities_refuse(const struct abilities *a, const char *name, struct errmsg *err)
{
	struct spelling sp;

	spelling_init(&sp, name, strlen(name));
	for (size_t i = 0; i < a->n; i++)
		spelling_add(&sp, a->rows[i].name);
	return errmsg_set(err, -EINVAL, "unknown ability '%s'%s%s; 'sonde doctor' lists them all",
			  name, sp.nearest ? "; did you mean " : "", sp.nearest ? sp.nearest : "");
}
