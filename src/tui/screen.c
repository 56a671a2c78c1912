// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * screen.c - the terminal, by ncurses with wide characters.
 *
 * newterm() is used instead of initscr(), which would end the process on failure. The size of the
 * window is asked for with ioctl() after SIGWINCH: the caller blocks that signal and reads it from
 * a descriptor, so the handler of ncurses never runs.
 *
 * A pair of colours gets a number when it is first used. If a terminal has fewer pairs than a
 * screen has (64 with 8 colours), the last ones are shown without colour: every colour only repeats
 * what a character or a name says.
 *
 * In a locale without UTF-8 the block characters become ASCII: see narrow().
 */
#include "tui/screen.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

#define ESCAPE_MS 25
#define PAIRS_MAX 4096
#define FAILS_MAX 3 /* reads in a row that gave nothing, though poll() promised a byte */

struct screen {
	SCREEN *term;
	FILE *out; /* stdout escapes what is not text (cli/screen/terminal.h) */
	bool is_wide;
	unsigned pointer_x, pointer_y;
	unsigned n_failed;
	int n_colours;
	struct {
		int16_t fg, bg;
	} pairs[PAIRS_MAX];
	int n_pairs, n_pairs_max;
};

/* --- what the terminal can do ----------------------------------------------------------------- */

static void find_size(int *ret_width, int *ret_height)
{
	struct winsize ws = {0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) < 0)
		ws = (struct winsize){0};
	*ret_width = ws.ws_col ? ws.ws_col : 80;
	*ret_height = ws.ws_row ? ws.ws_row : 24;
}

int screen_check(struct errmsg *err)
{
	const char *name = getenv("TERM"), *cup;
	int width, height, status = 0;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return errmsg_set(err, -ENOTTY,
				  "sonde tui needs a terminal for input and output; sonde report "
				  "and sonde states print text");
	if (!name || !name[0])
		return errmsg_set(err, -ENOTTY,
				  "TERM is not set, so it is unknown what this terminal can show; "
				  "set it, for example TERM=xterm-256color");
	if (setupterm(name, STDOUT_FILENO, &status) != OK)
		return errmsg_set(err, -ENOTTY,
				  "the terminal '%.40s' (TERM) is not in the terminfo database; "
				  "set TERM to one that is, for example xterm",
				  name);
	cup = tigetstr("cup");
	if (!cup || cup == (char *)-1)
		return errmsg_set(err, -ENOTTY,
				  "a terminal of type '%.40s' (TERM) cannot show screens; use "
				  "another one, or sonde report",
				  name);
	find_size(&width, &height);
	if (width < SCREEN_WIDTH_MIN || height < SCREEN_HEIGHT_MIN)
		return errmsg_set(err, -ENOTTY,
				  "the terminal has %d columns and %d lines; sonde tui needs %d "
				  "and %d",
				  width, height, SCREEN_WIDTH_MIN, SCREEN_HEIGHT_MIN);
	return 0;
}

static FILE *open_output(void)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f)
		scope_close(&fd);
	return f;
}

int screen_open(struct screen **ret, struct errmsg *err)
{
	struct screen *s = calloc(1, sizeof(*s));

	if (!s)
		return errmsg_set_errno(err, -ENOMEM, "cannot start the screen");
	setlocale(LC_CTYPE, "");
	s->is_wide = !strcmp(nl_langinfo(CODESET), "UTF-8");
	s->out = open_output();
	s->term = s->out ? newterm(NULL, s->out, stdin) : NULL;
	if (!s->term) {
		fclose_scoped(&s->out);
		free(s);
		return errmsg_set(err, -ENOTTY, "cannot start the screen on this terminal");
	}
	set_term(s->term);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	s->n_pairs = 1; /* pair 0 is the terminal's own */
	if (has_colors() && start_color() == OK) {
		use_default_colors();
		s->n_colours = COLORS;
		s->n_pairs_max = COLOR_PAIRS < PAIRS_MAX ? COLOR_PAIRS : PAIRS_MAX;
	}
	*ret = s;
	return 0;
}

void screen_close(struct screen *s)
{
	if (!s)
		return;
	endwin();
	delscreen(s->term);
	fclose(s->out);
	free(s);
}

int screen_n_colours(const struct screen *s)
{
	return s->n_colours;
}

bool screen_is_wide(const struct screen *s)
{
	return s->is_wide;
}

int screen_fit(struct screen *s, struct canvas *c)
{
	int width, height;

	find_size(&width, &height);
	if (width != COLS || height != LINES)
		resizeterm(height, width);
	clearok(curscr, TRUE);
	return canvas_resize(c, width, height);
}

/* --- showing ---------------------------------------------------------------------------------- */

/* Replaces block characters for terminals that have only ASCII. */
static wchar_t narrow(wchar_t ch)
{
	if (ch < 0x7f)
		return ch;
	if (ch >= 0x2581 && ch <= 0x2588) /* blocks of one to eight eighths */
		return L"__..--=##"[ch - 0x2580];
	switch (ch) {
	case 0x2500: /* line */
	case 0x2504:
		return '-';
	case 0x2502:
		return '|';
	case 0x2550: /* double line */
		return '=';
	case 0x2591: /* shades */
		return ':';
	case 0x2592:
		return '%';
	case 0x2593:
		return '&';
	case 0x25bc: /* triangle */
		return 'v';
	case 0x25b6:
		return '>';
	case 0x00b7:
	case 0x2026:
		return '.';
	default:
		return '?';
	}
}

static int pair_of(struct screen *s, struct style style)
{
	if (style.fg == CANVAS_NO_COLOUR && style.bg == CANVAS_NO_COLOUR)
		return 0;
	for (int i = 1; i < s->n_pairs; i++)
		if (s->pairs[i].fg == style.fg && s->pairs[i].bg == style.bg)
			return i;
	if (s->n_pairs >= s->n_pairs_max || init_pair(s->n_pairs, style.fg, style.bg) != OK)
		return 0;
	s->pairs[s->n_pairs].fg = style.fg;
	s->pairs[s->n_pairs].bg = style.bg;
	return s->n_pairs++;
}

static attr_t attributes(struct style style)
{
	return (style.look & LOOK_BOLD ? A_BOLD : 0) | (style.look & LOOK_DIM ? A_DIM : 0) |
	       (style.look & LOOK_REVERSE ? A_REVERSE : 0) |
	       (style.look & LOOK_UNDERLINE ? A_UNDERLINE : 0);
}

void screen_show(struct screen *s, const struct canvas *c, int x, int y)
{
	erase();
	for (unsigned row = 0; row < c->height; row++)
		for (unsigned col = 0; col < c->width; col++) {
			const struct canvas_cell *cell = &c->cells[(size_t)row * c->width + col];
			wchar_t text[2] = {s->is_wide ? cell->ch : narrow(cell->ch), 0};
			cchar_t ch;

			if (!cell->ch || (cell->ch == L' ' && !cell->style.look &&
					  cell->style.bg == CANVAS_NO_COLOUR))
				continue;
			setcchar(&ch, text, attributes(cell->style), pair_of(s, cell->style), NULL);
			mvadd_wch(row, col, &ch);
		}
	curs_set(x >= 0);
	if (x >= 0)
		move(y, x);
	refresh();
}

/* --- keys ------------------------------------------------------------------------------------- */

static int read_mouse(struct screen *s)
{
	MEVENT ev;

	if (getmouse(&ev) != OK)
		return SCREEN_OTHER;
	s->pointer_x = ev.x;
	s->pointer_y = ev.y;
	return ev.bstate & BUTTON4_PRESSED   ? SCREEN_WHEEL_UP
	       : ev.bstate & BUTTON5_PRESSED ? SCREEN_WHEEL_DOWN
	       : ev.bstate & BUTTON1_PRESSED ? SCREEN_CLICK
					     : SCREEN_OTHER;
}

void screen_pointer(const struct screen *s, unsigned *ret_x, unsigned *ret_y)
{
	*ret_x = s->pointer_x;
	*ret_y = s->pointer_y;
}

static int special(struct screen *s, wint_t key)
{
	static const struct {
		int theirs, ours;
	} keys[] = {
		{KEY_LEFT, SCREEN_LEFT},
		{KEY_RIGHT, SCREEN_RIGHT},
		{KEY_UP, SCREEN_UP},
		{KEY_DOWN, SCREEN_DOWN},
		{KEY_SLEFT, SCREEN_SHIFT_LEFT},
		{KEY_SRIGHT, SCREEN_SHIFT_RIGHT},
		{KEY_PPAGE, SCREEN_PAGE_UP},
		{KEY_NPAGE, SCREEN_PAGE_DOWN},
		{KEY_HOME, SCREEN_HOME},
		{KEY_END, SCREEN_END},
		{KEY_BACKSPACE, SCREEN_BACKSPACE},
		{KEY_DC, SCREEN_DELETE},
		{KEY_ENTER, SCREEN_ENTER},
		{KEY_BTAB, SCREEN_BACK_TAB},
		{KEY_F(1), SCREEN_F1},
	};

	if (key == KEY_MOUSE)
		return read_mouse(s);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if ((int)key == keys[i].theirs)
			return keys[i].ours;
	return SCREEN_OTHER;
}

/* Tells an empty terminal from one that is gone: that one has always something to read, nothing. */
static int nothing(struct screen *s)
{
	struct pollfd fd = {.fd = STDIN_FILENO, .events = POLLIN};
	int n = poll(&fd, 1, 0);

	if (n > 0 && (fd.revents & (POLLHUP | POLLERR | POLLNVAL)))
		return SCREEN_CLOSED;
	if (n <= 0) {
		s->n_failed = 0;
		return SCREEN_NOTHING;
	}
	return ++s->n_failed >= FAILS_MAX ? SCREEN_CLOSED : SCREEN_NOTHING;
}

int screen_read(struct screen *s)
{
	wint_t key;
	int r = get_wch(&key);

	if (r == KEY_CODE_YES && key == KEY_RESIZE) /* screen_fit() did that already */
		return screen_read(s);
	if (r == ERR)
		return nothing(s);
	s->n_failed = 0;
	if (r == KEY_CODE_YES)
		return special(s, key);
	return key == '\r' || key == '\n' ? SCREEN_ENTER
	       : key == 8 || key == 127	  ? SCREEN_BACKSPACE
					  : (int)key;
}
