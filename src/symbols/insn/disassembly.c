// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * disassembly.c - runs objdump and parses its lines.
 *
 *	0000000000001136 <half>:
 *	    1136:	push   %rbp              ─▶ address, text
 *
 * Why a process: objdump's library changes its interface with every version, and few machines have
 * capstone; every machine with a compiler has objdump. The path is an argument that no shell
 * parses, and begins with "/", so that it is no option.
 */
#include "symbols/insn/disassembly.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEXT_MAX_BYTES (64u << 20)
#define LINES_MAX      (1u << 20)

extern char **environ;

static int add(struct disassembly *d, uint64_t address, const char *text, size_t len)
{
	char *copy;

	if (!ARRAY_ROOM(d->list, d->cap, d->n + 1, LINES_MAX))
		return -ENOMEM;
	copy = malloc(len + 1);
	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < len; i++)
		copy[i] = (char)((unsigned char)text[i] < ' ' ? ' ' : text[i]);
	copy[len] = '\0';
	d->list[d->n++] = (struct disassembled){address, copy};
	return 0;
}

/* "    1136:\tpush   %rbp"; other lines are heads. */
static int parse_line(struct disassembly *d, const char *line, size_t len)
{
	const char *end = line + len, *p = line;
	uint64_t address = 0;
	unsigned digits = 0;

	while (p < end && *p == ' ')
		p++;
	for (; p < end && digits < 17; p++, digits++) {
		char c = *p;

		if (c >= '0' && c <= '9')
			address = address << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			address = address << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	if (!digits || digits > 16 || end - p < 2 || p[0] != ':' || p[1] != '\t')
		return 0;
	p += 2;
	while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return end > p ? add(d, address, p, (size_t)(end - p)) : 0;
}

int disassembly_parse(struct disassembly *d, struct piece text)
{
	const char *p = (const char *)text.data, *end = p + text.len;

	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		size_t len = newline ? (size_t)(newline - p) : (size_t)(end - p);

		TRY(parse_line(d, p, len));
		p += len + (newline != NULL);
	}
	return 0;
}

/* Starts objdump; its output comes from *ret_fd. */
static int start(char *const argv[], pid_t *ret_pid, int *ret_fd)
{
	posix_spawn_file_actions_t actions;
	int fds[2], r;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	r = -posix_spawnp(ret_pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	if (r < 0)
		close(fds[0]);
	else
		*ret_fd = fds[0];
	return r;
}

int disassembly_read(struct disassembly *d, const char *path, uint64_t address, uint64_t end,
		     struct errmsg *err)
{
	char from[48], to[48];
	const char *argv[] = {"objdump", "-d", "-C", "--no-show-raw-insn", "-w", from,
			      to,	 path, NULL};
	TEXTBUF(text, TEXT_MAX_BYTES);
	int fd = -1, status = 0, r;
	pid_t pid;

	if (path[0] != '/')
		return errmsg_set(err, -EINVAL, "'%s' is no absolute path", path);
	snprintf(from, sizeof(from), "--start-address=0x%" PRIx64, address);
	snprintf(to, sizeof(to), "--stop-address=0x%" PRIx64, end);
	r = start((char *const *)argv, &pid, &fd);
	if (r == -ENOENT)
		return errmsg_set(err, r,
				  "instructions are shown by objdump, which is not installed "
				  "(package binutils)");
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot run objdump");
	r = textbuf_add_file(&text, fd);
	close(fd);
	if (TEMP_FAILURE_RETRY(waitpid(pid, &status, 0)) < 0 || status)
		return errmsg_set(err, -EIO, "objdump cannot read %s", path);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot read what objdump prints");
	if (disassembly_parse(d, PIECE_OF_TEXT(&text)) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot keep the instructions");
	return 0;
}

void disassembly_release(struct disassembly *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->list[i].text);
	free(d->list);
	*d = (struct disassembly){0};
}
