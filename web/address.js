// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * address.js - the state of the page in its address, so that a link shows the same picture.
 *
 *	#v=from,to          the visible time, ns
 *	&l=spec,*spec,-spec lanes in their order; * pinned, - one depth only; absent: the program's choice
 *	&c=0/Tasks          closed sections
 *	&m=123,456          marks
 *	&r=from,to          range
 *	&s=e123             selected event (its reference), or s=lane@row@start
 *	&q=text:word        search (text, regex, expression)
 *	&f=tasks:127;…      filter, as text (filters.js)
 *	&p=why              panel in front
 *	&e=view             which events are listed: view, range; absent: all
 *	&n=lane@name        single spans of a name in the panel Spans (single.js)
 *
 * While something moves, the page rewrites the address without a new entry in the history. An
 * action that jumps (to a hit, a span, the whole trace) or changes tracks or filter calls jump()
 * first, and gets its own entry: the browser's Back returns to the previous state. If the user
 * changes the address by hand or through the history, the page reads the address again and drops
 * everything that the address does not name.
 */
import { single_parse, single_text } from './single.js';

const PARTS = 16384;	/* maximum length of a written address */

/* Escapes as few characters as possible, but all characters at which programs end a link. */
function escape(text) {
	return encodeURIComponent(text).replace(/['()!~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
		.replace(/%(3A|2F|2C|3B|40)/g, (code) => decodeURIComponent(code));
}

export class Address {
	constructor(app) {
		this.app = app;
		this.timer = null;
		this.written = '';
		this.preset = '';
		this.deep = 0;		/* number of this page's entries in the history after the first */
		this.deepest = 0;
		this.leaps = false;	/* the next write makes a new entry */
		this.kept = false;	/* writing has started */
	}

	/* Call it before a change that Back should undo. */
	jump() {
		if (!this.kept || this.leaps || this.reading)
			return;
		this.write();
		this.leaps = true;
		this.later();
	}

	back() {
		clearTimeout(this.timer);
		this.write();
		if (this.deep > 0)
			history.back();
		else
			this.app.hint('There is nothing to go back to: this is the first view.');
	}

	forward() {
		if (window.navigation ? window.navigation.canGoForward : this.deep < this.deepest)
			history.forward();
		else
			this.app.hint('There is nothing to go forward to: this is the last view.');
	}

	/*
	 * Applies the address, then starts writing it. Called once at the start, when names are
	 * known.
	 */
	async open() {
		const { app } = this;
		await this.read();
		app.on('info', () => {	/* not in a live view, where tracks must not move while the user reads */
			const settled = app.info.live && app.lanes.list.some((lane) => lane.type === 'task');
			if (!settled && app.lanes.text() === this.preset)
				this.choose();
		});
		for (const name of ['view', 'lanes', 'selection', 'range', 'marks', 'filter', 'search', 'panel', 'spans', 'listed'])
			app.on(name, () => this.later());
		this.deep = history.state?.deep || 0;
		this.kept = true;
		window.addEventListener('hashchange', () => {
			if (location.hash === this.written)
				return;
			clearTimeout(this.timer);
			this.leaps = false;
			this.deep = history.state?.deep || 0;
			this.written = location.hash;
			this.read().catch(() => 0);
		});
	}

	/* Shows the lanes that the program chose. Their number grows with the index. */
	choose() {
		const { app } = this, wanted = app.info.lanes || [];
		if (!wanted.every((spec) => app.lanes.find(spec)))
			app.lanes.parse(wanted.join(','));
		this.preset = app.lanes.text();
	}

	async read() {
		const parts = new Map();
		for (const part of location.hash.slice(1).split('&')) {
			const at = part.indexOf('=');
			if (at < 1)
				continue;
			try {
				parts.set(part.slice(0, at), decodeURIComponent(part.slice(at + 1)));
			} catch {
				/*
				 * a part of a truncated address is invalid; the other parts are
				 * still valid
				 */
			}
		}
		this.reading = true;
		try {
			await this.take(parts);
		} finally {
			this.reading = false;
		}
	}

	async take(parts) {
		const { app } = this, pair = (text) => (text || '').split(',').map(Number), [from, to] = pair(parts.get('v')), [a, b] = pair(parts.get('r'));
		app.lanes.closed = new Set((parts.get('c') || '').split(',').filter(Boolean));
		if (parts.has('l'))
			app.lanes.parse(parts.get('l'));
		else if (app.lanes.text() !== this.preset)
			app.lanes.parse(this.preset);
		if (to > from)
			app.view.go(from, to);
		else if (this.kept)
			app.view.go(0, app.view.end);
		app.set_range(b > a ? a : null, b);
		app.marks.parse(parts.get('m') || '');
		app.select(null);
		await app.filters.parse(parts.get('f') || '');
		if (parts.has('q'))
			await app.search.parse(parts.get('q'));
		else if (app.search.asked)
			app.search.clear();
		app.panels.list.choose(parts.get('e') || 'all');
		single_parse(app, parts.get('n') || '');
		app.panels.show(parts.get('p') || 'events');
		if (parts.has('s'))
			await this.read_selection(parts.get('s')).catch(() => 0);
		app.lanes.changed();
		app.panels.list.later(true);
		this.complain(parts.get('l'));
	}

	/* Reports tracks in the address that this trace does not have. */
	complain(lanes) {
		const { app } = this, strange = (lanes || '').split(',').map((word) => word.replace(/^[*-]*/, ''))
			.filter((spec) => spec && !app.lanes.is_known(spec));
		const tasks = (app.filters.want.tasks || []).filter((id) => !app.task_of(...id.split(':'))).map((id) => `task ${id.replace(/^0:/, '')}`);
		if ((strange.length || tasks.length) && app.info.progress >= 1 && !app.info.live)
			app.note(`The address names what this trace does not have: ${[...strange, ...tasks].slice(0, 5).join(', ')}${strange.length + tasks.length > 5 ? ' …' : ''}.`);
	}

	async read_selection(text) {
		const { app } = this;
		if (/^e\d+$/.test(text))
			return app.select_event(Number(text.slice(1)), { still: true });
		const [lane, row, start] = text.split('@');
		const span = await app.span(lane, Number(start), Number(row), 'nearest');
		if (span)
			app.select(span);
	}

	text() {
		const { app } = this, parts = [`v=${Math.round(app.view.from)},${Math.round(app.view.to)}`];
		const lanes = app.lanes.text(), s = app.selection;
		if (lanes !== this.preset)
			parts.push(`l=${escape(lanes)}`);
		if (app.lanes.closed.size)
			parts.push(`c=${escape([...app.lanes.closed].join(','))}`);
		if (app.marks.list.length)
			parts.push(`m=${escape(app.marks.text())}`);
		if (app.range)
			parts.push(`r=${Math.round(app.range.from)},${Math.round(app.range.to)}`);
		if (app.filters.text())
			parts.push(`f=${escape(app.filters.text())}`);
		if (app.search.asked)
			parts.push(`q=${escape(app.search.asked)}`);
		if (app.panels.current !== 'events')
			parts.push(`p=${app.panels.current}`);
		if (app.panels.list.which !== 'all')
			parts.push(`e=${app.panels.list.which}`);
		if (app.single)
			parts.push(`n=${escape(single_text(app))}`);
		if (s)
			parts.push(`s=${s.event ? `e${s.event.ref}` : escape(`${s.lane}@${s.row || 0}@${Math.round(s.start)}`)}`);
		return '#' + parts.join('&');
	}

	later() {
		if (this.reading)
			return;
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.write(), 200);
	}

	write() {
		const text = this.text();
		if (text === location.hash || text.length > PARTS)
			return;
		this.written = text;
		if (this.leaps)
			history.pushState({ deep: this.deepest = ++this.deep }, '', text);
		else
			history.replaceState({ deep: this.deep }, '', text);
		this.leaps = false;
	}
}
