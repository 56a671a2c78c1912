// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * address.js - the state of the page in its address, so that a link shows the same picture.
 *
 *	#v=from,to          what is in sight, ns
 *	&l=spec,*spec,-spec lanes in their order; * pinned, - one depth only; absent: the program's choice
 *	&c=0/Tasks          sections that are closed
 *	&m=123,456          marks
 *	&r=from,to          range
 *	&s=e123             selected event (its place in the file), or s=lane@row@start
 *	&q=text:word        search (text, regex, expression)
 *	&f=tasks:127;…      filter, in words (filters.js)
 *	&p=why              panel in front
 *
 * Written without a new entry in the history while something moves; an address that the user changes
 * by hand or through the history is read again.
 */
const PARTS = 16384;	/* longest address that is written */

/* As few codes as possible, but none of the characters at which programs that find links end one. */
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
	}

	/* Once, at the start, when names are known: what the address says; from then on it is kept. */
	async open() {
		const { app } = this;
		await this.read();
		app.on('info', () => {	/* not in a live view: tracks must not move under the eyes */
			const settled = app.info.live && app.lanes.list.some((lane) => lane.type === 'task');
			if (!settled && app.lanes.text() === this.preset)
				this.choose();
		});
		for (const name of ['view', 'lanes', 'selection', 'range', 'marks', 'filter', 'search', 'panel'])
			app.on(name, () => this.later());
		window.addEventListener('hashchange', () => {
			if (location.hash !== this.written)
				this.read().catch(() => 0);
		});
	}

	/* The program's choice of lanes; grows with the index. */
	choose() {
		const { app } = this, wanted = app.info.lanes || [];
		if (!wanted.every((spec) => app.lanes.find(spec)))
			app.lanes.parse(wanted.join(','));
		this.preset = app.lanes.text();
	}

	async read() {
		const { app } = this, parts = new Map();
		for (const part of location.hash.slice(1).split('&')) {
			const at = part.indexOf('=');
			if (at < 1)
				continue;
			try {
				parts.set(part.slice(0, at), decodeURIComponent(part.slice(at + 1)));
			} catch {
				/* an address that was cut off: its other parts still hold */
			}
		}
		const pair = (text) => (text || '').split(',').map(Number);
		if (parts.has('c'))
			app.lanes.closed = new Set(parts.get('c').split(','));
		if (parts.has('l'))
			app.lanes.parse(parts.get('l'));
		const [from, to] = pair(parts.get('v'));
		if (to > from)
			app.view.go(from, to);
		const [a, b] = pair(parts.get('r'));
		if (b > a)
			app.set_range(a, b);
		if (parts.has('m'))
			app.marks.parse(parts.get('m'));
		await app.filters.parse(parts.get('f') || '');
		if (parts.has('q'))
			await app.search.parse(parts.get('q'));
		if (parts.has('p'))
			app.panels.show(parts.get('p'));
		if (parts.has('s'))
			await this.read_selection(parts.get('s')).catch(() => 0);
		app.lanes.changed();
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
		if (app.search.text())
			parts.push(`q=${escape(app.search.text())}`);
		if (app.panels.current !== 'events')
			parts.push(`p=${app.panels.current}`);
		if (s)
			parts.push(`s=${s.event ? `e${s.event.ref}` : escape(`${s.lane}@${s.row || 0}@${Math.round(s.start)}`)}`);
		return '#' + parts.join('&');
	}

	later() {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.write(), 200);
	}

	write() {
		const text = this.text();
		if (text === location.hash || text.length > PARTS)
			return;
		this.written = text;
		history.replaceState(null, '', text);
	}
}
