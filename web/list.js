// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * list.js - all events in time order, as a table that only has the visible rows.
 *
 * Rows are identified by number; the program finds them at once in a trace of any length. A browser
 * cannot make an element of a hundred million rows (the limit is about 33 million pixels). So above
 * TALL pixels the scroll bar is a scale: its position selects the row, and wheel and keys move by
 * rows.
 *
 *	top        number of the first visible row (with a fraction)
 *	pages      fetched rows, PAGE at a time, at most PAGES
 *
 * The table lists all events, or only those of the visible time or of the range (without a range:
 * of the selection), as set by the switch above it (which). Rows keep their numbers: base is the
 * number of the first listed row, total the number of listed rows.
 */
import * as api from './api.js';
import { clock, count, absolute } from './units.js';
import { make_border } from './sizes.js';
import { el } from './table.js';

const ROW = 21, PAGE = 128, PAGES = 60, TALL = 6e6, FOLLOW_MS = 250;
const WHICH = [	/* id, words, title */
	['all', 'All', 'List all events'],
	['view', 'In sight', 'List the events of the time in sight'],
	['range', 'Range', 'List the events of the range; without a range, those of the selection'],
];
const COLUMNS = [	/* title, class, text of a row */
	['#', 'num dim', (r) => count(r.row)],	/* number among the events that pass the filter, if there is a filter */
	['Time', 'num', (r) => clock(r.ts)],
	['CPU', 'num', (r) => String(r.cpu)],
	['Task', '', (r) => r.comm],
	['PID', 'num', (r) => String(r.pid)],
	['Event', '', (r) => r.buffer && r.system !== 'user' ? `${r.event} @${r.buffer}` : r.event],
	['Info', 'info', (r) => (r.info || '').replace(/\s*\n\s*/g, '  ')],	/* stacks have several lines */
];

export class EventList {
	constructor(app) {
		this.app = app;
		this.root = el('div', 'panel list');
		this.scroll = el('div', 'scroll');
		this.spacer = el('div', 'spacer');
		this.head = el('table', 'data events');
		this.body = el('tbody', '');
		this.which = 'all';
		this.base = 0;
		this.total = 0;
		this.asks = 0;			/* requests for the number of rows; only the last answer counts */
		this.top = 0;
		this.moves = 0;			/* number of moves by the user */
		this.sel = undefined;
		this.pages = new Map();
		this.asked = new Map();		/* page → promise */
		this.selected = -1;		/* row number */
		this.absolute = false;
		this.build();
		app.on('selection', (options) => this.follow(options));
		app.on('filter', () => this.reset());
		app.on('info', () => this.grow());
		app.on('names', () => this.paint());
		app.on('view', () => this.which === 'view' ? this.bounds_later() : this.later());
		app.on('range', () => this.which === 'range' && this.bounds_later());
		app.on('selection', (options) => this.which === 'range' && !app.range && !options?.from_list && this.bounds_later());
		app.on('ready', () => this.later());
	}

	/* --- which events --- */

	/* Makes the switch for the bar above the table. */
	make_switch() {
		this.switch = el('span', 'which');
		this.switch.setAttribute('role', 'group');
		this.switch.setAttribute('aria-label', 'Which events are listed');
		for (const [id, words, title] of WHICH) {
			const b = el('button', 'small', words);
			b.type = 'button';
			b.title = `${title} (V)`;
			b.dataset.which = id;
			b.addEventListener('click', () => this.choose(id));
			this.switch.append(b);
		}
		this.show_switch();
		return this.switch;
	}

	show_switch() {
		for (const b of this.switch?.children || [])
			b.setAttribute('aria-pressed', String(b.dataset.which === this.which));
	}

	choose(id) {
		const wanted = WHICH.some(([name]) => name === id) ? id : 'all';
		if (wanted === this.which)
			return;
		this.which = wanted;
		this.show_switch();
		this.app.emit('listed');
		this.set_bounds(true).catch(api.quiet);
	}

	next_choice() {
		const ids = WHICH.map(([id]) => id);
		this.choose(ids[(ids.indexOf(this.which) + 1) % ids.length]);
	}

	/* Returns the time whose events are listed; null: all. */
	time() {
		const { app } = this, s = app.selection, { view } = app;
		if (this.which === 'view')
			return { from: Math.max(0, Math.floor(view.from)), to: Math.ceil(view.to) };
		if (this.which !== 'range')
			return null;
		return app.range || (s?.lane ? { from: s.start, to: s.end } : s?.event ? { from: s.event.ts, to: s.event.ts } : null);
	}

	bounds_later() {
		clearTimeout(this.bounds_timer);
		this.bounds_timer = setTimeout(() => this.set_bounds().catch(api.quiet), FOLLOW_MS);
	}

	/* Finds the rows to list. anew: the user has just chosen them. */
	async set_bounds(anew = false) {
		const time = this.time(), n = ++this.asks, { sel } = this, rank = (t) => api.get('rank', { sel, t });
		if (!time && !anew && this.base === 0 && this.whole === this.total)
			return;
		const [first, end] = time ? await Promise.all([rank(time.from), rank(Math.max(0, time.to) + 1)])
			: [{ row: 0 }, { row: (await api.get('rows', { sel, row: 0, n: 1 })).total }];
		if (n !== this.asks || sel !== this.sel)
			return;
		this.base = first.row;
		this.total = Math.max(0, end.row - first.row);
		if (!time)
			this.whole = this.total;
		this.size();
		this.app.panels?.say_scope();
		const listed = this.selected >= this.base && this.selected < this.base + this.total;
		if (listed)
			this.reveal(this.selected, true);
		else
			this.go(this.app.live?.at_end ? this.base + this.total : time ? this.base : this.top);
	}

	/* "12 of 62 756 events" */
	words() {
		const { events } = this.app.info || {};
		return this.which === 'all' || !events ? '' : `${count(this.total)} of ${count(this.whole ?? events)} events`;
	}

	/*
	 * Scrolls to the start of the picture, if nothing is selected; in a followed recording, to
	 * its end.
	 */
	later(anyway = false) {
		const { moves } = this;

		clearTimeout(this.timer);
		this.timer = setTimeout(async () => {
			if (this.which === 'view' || this.moves !== moves || this.app.selection || this.root.hidden || !this.total || (!anyway && this.scroll.matches(':hover, :focus-within')))
				return;
			try {
				const { view, live } = this.app, at_end = live?.at_end;
				const answer = await api.get('rank', { sel: this.sel, t: Math.max(0, Math.ceil(at_end ? view.to : view.from)) }, 'follow');
				if (this.moves === moves)	/* if the counts differ, the user moved before the answer came */
					this.go(Math.max(0, at_end ? answer.row - this.seen : answer.row));
			} catch (error) {
				api.quiet(error);
			}
		}, FOLLOW_MS);
	}

	build() {
		const line = el('tr', '');
		COLUMNS.forEach(([title, cls], i) => {
			const th = el('th', cls, title);
			th.scope = 'col';
			if (title === 'Time') {
				th.title = 'Click: times on the trace\'s own clock, or since the start';
				th.addEventListener('click', () => {
					this.absolute = !this.absolute;
					this.paint();
				});
			}
			th.setAttribute('aria-colindex', String(i + 1));
			if (i < COLUMNS.length - 1)	/* the last column takes the remaining width */
				this.make_grip(th, title);
			line.append(th);
		});
		this.head.append(el('thead', '', line), this.body);
		this.head.setAttribute('aria-label', 'Events');
		this.scroll.tabIndex = 0;
		this.scroll.setAttribute('role', 'group');
		this.scroll.setAttribute('aria-label', 'Events in time order');
		this.spacer.append(this.head);
		this.scroll.append(this.spacer);
		this.root.append(this.scroll);
		this.scroll.addEventListener('scroll', () => this.scrolled());
		this.scroll.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
		this.scroll.addEventListener('keydown', (event) => this.key(event));
		this.body.addEventListener('click', (event) => {
			const row = event.target.closest('tr');
			if (row?.dataset.ref)
				this.app.select_event(Number(row.dataset.ref), { from_list: true }).catch(api.quiet);
		});
		this.body.addEventListener('contextmenu', (event) => {
			const ref = Number(event.target.closest('tr')?.dataset.ref), n = this.known(ref);
			if (n === undefined || !this.row(n))
				return;
			event.preventDefault();
			this.app.pointer.event_menu(this.row(n), event.clientX, event.clientY);
		});
		new ResizeObserver(() => this.paint()).observe(this.scroll);
	}

	/* Makes the border on the right of a column. */
	make_grip(th, title) {
		const grip = el('span', 'grip');
		grip.tabIndex = 0;
		grip.title = 'Drag, or arrow keys: width of the column; double click or Home: as it was';
		grip.setAttribute('role', 'separator');
		grip.setAttribute('aria-orientation', 'vertical');
		grip.setAttribute('aria-label', `Width of the column ${title}`);
		th.append(grip);
		make_border(grip, {
			name: `list-${title}`, least: 28, most: 900, upright: true,
			now: () => th.offsetWidth, from: (event) => event.clientX - th.getBoundingClientRect().left,
			apply: (px) => {
				th.style.width = px === null ? '' : `${px}px`;
			},
		});
	}

	get seen() {
		return Math.max(1, Math.floor((this.scroll.clientHeight - ROW - 2) / ROW));
	}

	get scaled() {
		return (this.total + 2) * ROW > TALL;
	}

	refresh() {
		if (!this.total)
			this.reset();
		else
			this.paint();
	}

	reset() {
		this.asks++;
		this.base = 0;
		this.pages.clear();
		this.asked.clear();
		this.sel = this.app.filters?.sel;
		this.head.querySelector('th').title = this.sel === undefined ? 'Number of the event' : 'Number among those that pass the filter';
		this.selected = -1;
		this.fetch(0, true).then(() => this.which === 'all' ? null : this.set_bounds(true))
			.then(() => this.app.selection ? this.follow({}) : this.later(true)).catch(api.quiet);
	}

	grow() {
		if (!this.app.filters.sel && this.app.info.events !== (this.whole ?? this.total)) {
			const last = Math.floor((this.whole ?? this.total) / PAGE);
			for (const page of this.pages.keys())
				if (page >= last || this.app.info.progress < 1)
					this.pages.delete(page);
			this.whole = this.app.info.events;
			if (this.which === 'all') {
				this.total = this.app.info.events;
				this.size();
				this.paint();
			} else {
				this.bounds_later();
			}
		}
	}

	size() {
		this.spacer.style.height = `${Math.min(TALL, (this.total + 2) * ROW)}px`;
		this.head.setAttribute('aria-rowcount', String(this.total + 1));
	}

	fetch(page, first = false) {
		if (!this.asked.has(page)) {
			const load = this.load(page, first).finally(() => {
				if (this.asked.get(page) === load)
					this.asked.delete(page);
				this.paint();
			});
			this.asked.set(page, load);
		}
		return this.asked.get(page);
	}

	async load(page, first) {
		const sel = this.sel, answer = await api.get('rows', { sel, row: page * PAGE, n: PAGE });
		if (sel !== this.sel)
			return;
		this.pages.set(page, answer.rows);
		while (this.pages.size > PAGES)
			this.pages.delete(this.pages.keys().next().value);
		if (first || answer.total !== this.whole) {
			this.whole = answer.total;
			if (this.which !== 'all' && !first)
				return this.bounds_later();
			this.total = answer.total;
			this.size();
			if (first)
				this.go(Math.min(this.top, Math.max(0, this.total - this.seen)));
		}
	}

	row(n) {
		return this.pages.get(Math.floor(n / PAGE))?.[n % PAGE];
	}

	/* --- moving --- */

	go(top) {
		this.top = this.base + Math.max(0, Math.min(top - this.base, Math.max(0, this.total - this.seen)));
		this.setting = true;
		const room = this.spacer.offsetHeight - this.scroll.clientHeight, passed = this.top - this.base;
		this.scroll.scrollTop = this.scaled ? room * passed / Math.max(1, this.total - this.seen) : passed * ROW;
		this.expected = this.scroll.scrollTop;
		this.paint();
	}

	scrolled() {
		if (Math.abs(this.scroll.scrollTop - this.expected) < 1)
			return;		/* this page caused the event */
		this.expected = this.scroll.scrollTop;
		this.moves++;
		const room = Math.max(1, this.spacer.offsetHeight - this.scroll.clientHeight);
		this.top = this.base + (this.scaled ? Math.round(this.scroll.scrollTop / room * Math.max(0, this.total - this.seen))
			: this.scroll.scrollTop / ROW);
		this.paint();
	}

	wheel(event) {
		if (!this.scaled || event.ctrlKey)
			return;
		event.preventDefault();
		this.moves++;
		this.go(this.top + event.deltaY * (event.deltaMode === 1 ? 1 : 1 / ROW));
	}

	key(event) {
		const page = this.seen - 1, last = this.base + this.total - 1;
		const at = this.selected >= this.base && this.selected <= last ? this.selected : Math.floor(this.top);
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page,
			Home: this.base, End: last }[event.key];
		if (to === undefined || event.altKey || event.metaKey || !this.total)
			return;
		this.moves++;
		event.preventDefault();
		event.stopPropagation();
		this.pick(Math.max(this.base, Math.min(last, to)));
	}

	/* Selects a row by number. */
	async pick(n) {
		this.selected = n;
		this.reveal(n);
		try {
			if (!this.row(n))
				await this.fetch(Math.floor(n / PAGE));
			const row = this.row(n);
			if (row && this.selected === n)
				await this.app.select_event(row.ref, { from_list: true });
		} catch (error) {
			api.quiet(error);
		}
	}

	reveal(n, anyway = false) {
		const listed = n >= this.base && n < this.base + this.total;
		if (listed && (anyway || n < this.top + 1 || n > this.top + this.seen - 2))
			this.go(n - Math.floor(this.seen / 2));
		else
			this.paint();
	}

	/* The selection has changed: scrolls to its row. */
	async follow(options = {}) {
		const s = this.app.selection;
		if (!s) {
			this.selected = -1;
			return this.paint();
		}
		try {
			const ref = s.event ? s.event.ref : s.first;
			if (options && options.from_list && s.event) {
				const row = this.known(s.event.ref);
				if (row !== undefined)
					this.selected = row;
				return this.paint();
			}
			const valid = ref !== undefined && ref !== null && ref >= 0 && ref < 2 ** 53;
			const answer = valid && s.event && !this.sel && s.event.row >= 0 && s.event.row !== undefined && options?.row
				? { row: s.event.row } : valid ? await api.get('row', { sel: this.sel, ref }, 'follow').catch((e) => {
					if (e.gone)
						throw e;
					return null;
				}) : null;
			const found = answer && answer.row !== undefined && answer.row >= 0 && !answer.none;
			const row = found ? answer.row : (await api.get('rank', { sel: this.sel, t: s.event ? s.event.ts : s.start }, 'follow')).row;
			this.selected = row;
			this.reveal(row);
		} catch (error) {
			api.quiet(error);
		}
	}

	known(ref) {
		for (const rows of this.pages.values())
			for (const row of rows)
				if (row.ref === ref)
					return row.row;
		return undefined;
	}

	/* --- drawing --- */

	paint() {
		if (this.root.hidden || !this.scroll.clientHeight)
			return;
		const first = Math.floor(this.top), n = Math.min(this.seen + 1, this.base + this.total - first);
		const wanted = new Set();
		const rows = [];
		for (let i = first; i < first + n; i++) {
			const row = this.row(i);
			if (!row)
				wanted.add(Math.floor(i / PAGE));
			rows.push(this.line(i, row));
		}
		this.body.replaceChildren(...rows);
		if (!this.total && this.app.ready)
			this.body.replaceChildren(el('tr', '', this.across(this.none_words())));
		wanted.forEach((page) => this.fetch(page).catch(api.quiet));
	}

	none_words() {
		const where = this.time() ? this.which === 'view' ? ' in sight' : this.app.range ? ' of the range' : ' of the selection' : '';
		return this.sel ? `No event${where} passes the filter.` : `No events${where}.`;
	}

	across(text) {
		const td = el('td', 'dim', text);
		td.colSpan = COLUMNS.length;
		return td;
	}

	/* Returns the machine of a task; nothing if there is a single machine. */
	where(machine) {
		const { machines } = this.app.info, hosts = machines.filter((m) => m.guest_of === undefined || m.guest_of < 0);
		return hosts.length > 1 || !hosts.some((m) => m.n === machine) ? ` @${this.app.machine_name(machine)}` : '';
	}

	line(i, row) {
		const tr = el('tr', i === this.selected ? 'on' : '');
		tr.setAttribute('aria-rowindex', String(i - this.base + 2));
		if (!row) {
			tr.append(el('td', 'num dim', count(i)), el('td', 'dim', '…'));
			return tr;
		}
		tr.dataset.ref = row.ref;
		tr.setAttribute('aria-selected', String(i === this.selected));
		for (const [title, cls, text] of COLUMNS) {
			const words = title === 'Time' && this.absolute ? absolute(row.ts, this.app.info.origin)
				: title === 'Task' ? row.comm + this.where(row.machine) : text(row);
			const td = el('td', cls, words);
			if (title === 'Task') {
				const dot = el('span', 'dot');
				dot.style.background = row.pid ? this.app.colours.task(row.task) : 'transparent';
				td.prepend(dot);
			}
			tr.append(td);
		}
		if (row.missed) {
			tr.classList.add('missed');
			tr.lastChild.prepend(el('span', 'lost', row.missed < 0 ? 'events were lost before this ' : `${count(row.missed)} events were lost before this `));
		}
		return tr;
	}
}
