// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * search.js - search for events: by text, regular expression, or an expression on fields.
 *
 * The program makes a selection of the hits (api/select). The hits are a separate lane at the top
 * (found:ID), lines in the overview, and places to step through: Enter goes to the next one after
 * the selection or the middle of the picture, Shift+Enter to the one before. After a hit the box
 * loses the focus, so that N means the next hit and not a letter; Escape leaves the box. If the
 * user types a time instead of a text, the page goes to that time (moments.js).
 *
 * Expressions are those of sonde-report(1), but the names of events in front are optional: without
 * names, the expression applies to all events with these fields. Errors are shown below the box.
 */
import * as api from './api.js';
import { go_to_time, parse_time } from './moments.js';
import { clock, count } from './units.js';

const MODES = ['text', 'regex', 'expression'];
const ALL = '.*: ';

/*
 * Converts "prev_pid == 0" to ".*: prev_pid == 0". A text that begins with names of events, or
 * consists of them, stays unchanged.
 */
export function whole_expression(text) {
	const names = text.includes(':') ? text.slice(0, text.indexOf(':')) : text;
	return /[=<>!&|"']/.test(names) ? ALL + text : text;
}

/* Returns the names of events in front of an expression; none: all events. */
function event_names(text) {
	const whole = whole_expression(text);
	return whole.startsWith(ALL) ? '' : whole.slice(0, Math.max(0, whole.indexOf(':'))).trim();
}

/*
 * Returns the kinds of the events that an expression names. It accepts the same patterns as the
 * program (decode/filter/filter.c).
 */
function named_kinds(text, kinds) {
	const names = event_names(text).split(',').map((name) => name.trim()).filter(Boolean);
	const matches = (pattern, word) => {
		try {
			return new RegExp(`^(?:${pattern})$`, 'i').test(word);
		} catch {
			return true;	/* the program explains what is wrong with the expression */
		}
	};
	const is_named = (kind) => names.some((name) => {
		const [system, event] = name.split('/');
		return event === undefined ? matches(name, kind.name) || matches(name, kind.system)
			: matches(system, kind.system) && matches(event, kind.name);
	});
	const found = names.length ? kinds.filter((kind) => kind && is_named(kind)) : [];
	return found.length ? found : kinds;
}

/* Returns the fields in an expression that none of its events has. */
export function unknown_fields(text, kinds) {
	const test = whole_expression(text).replace(/^[^:]*:?/, '').replace(/"(\\.|[^"])*"|'[^']*'/g, ' ');
	const known = new Set(['COMM', 'CPU']);
	for (const kind of named_kinds(text, kinds))
		kind?.fields?.forEach((field) => known.add(field.name));
	return [...new Set(test.match(/\b[A-Za-z_]\w*/g) || [])].filter((word) => !known.has(word) && !word.startsWith('common_'));
}

/* Returns the edit distance of two words. */
function distance(a, b) {
	let row = [...Array(b.length + 1).keys()];
	for (let i = 1; i <= a.length; i++) {
		const next = [i];
		for (let k = 1; k <= b.length; k++)
			next.push(Math.min(next[k - 1] + 1, row[k] + 1, row[k - 1] + (a[i - 1] === b[k - 1] ? 0 : 1)));
		row = next;
	}
	return row[b.length];
}

/*
 * Returns a message about a field that none of these events has, with the nearest name. Returns
 * nothing if all fields are known.
 */
export function field_trouble(text, kinds) {
	const [word] = unknown_fields(text, kinds), events = event_names(text);
	if (!word)
		return '';
	const names = [...new Set(named_kinds(text, kinds).flatMap((kind) => (kind?.fields || []).map((field) => field.name)))];
	const low = word.toLowerCase(), far = (name) => distance(low, name.toLowerCase());
	const best = names.sort((a, b) => far(a) - far(b))[0];
	const near = best && (far(best) <= Math.max(2, word.length / 3) || best.includes(low) || low.includes(best));
	return `${events ? `No event of “${events}”` : 'No event of this trace'} has a field “${word}”${near ? `; did you mean “${best}”?` : '.'}`;
}

/* Returns the program's message without advice about the command line. */
export function plain_words(message) {
	return message.replace(/; report -E lists them/, '; “Event counts” lists them').replace(`'${ALL}`, '\'');
}

/*
 * Returns the hits over the whole trace for the overview, from the coarsest tiles: [[from, to,
 * number]].
 */
export async function hit_places(spec, end) {
	const level = Math.max(0, Math.ceil(Math.log2(Math.max(end, 1) / 1024)));
	const [tile] = await api.tiles([[spec, level, 0]]);
	if (!tile || tile.kind !== 4)
		return null;
	const f = new Float32Array(tile.data), u = new Uint32Array(tile.data), out = [];
	for (let i = 0; i < tile.n; i++)
		out.push([f[i * 4] * 2 ** level, f[i * 4 + 1] * 2 ** level, u[i * 4 + 2]]);
	return out;
}

export class Search {
	constructor(app) {
		this.app = app;
		this.form = document.getElementById('search');
		this.input = document.getElementById('search-text');
		this.mode = document.getElementById('search-mode');
		this.out = document.getElementById('search-count');
		this.wrong = document.getElementById('search-wrong');
		this.sel = undefined;
		this.count = 0;
		this.asked = '';
		this.lane = null;
		this.whole = true;
		this.form.addEventListener('submit', (event) => event.preventDefault());
		this.input.addEventListener('keydown', (event) => this.key(event));
		this.input.addEventListener('search', () => !this.input.value && this.clear());
		this.input.addEventListener('input', () => this.complain(''));
		this.mode.addEventListener('change', () => {
			this.placeholder();
			this.complain('');
		});
		app.on('info', () => {	/* the index was not complete when the program made this selection */
			if (app.info.progress >= 1 && !app.info.live && this.sel !== undefined && !this.whole)
				this.run();
		});
		this.forward = document.getElementById('search-next');
		this.forward.addEventListener('click', (event) => this.next(event.shiftKey ? 'previous' : 'next'));
		document.getElementById('search-prev').addEventListener('click', () => this.next('previous'));
	}

	placeholder() {
		this.input.placeholder = {
			text: 'Search events  ( / )', regex: 'Regular expression, any case',
			expression: 'prev_pid == 0 && next_prio < 100',
		}[this.mode.value];
	}

	focus(mode) {
		if (mode)
			this.mode.value = mode;
		this.placeholder();
		this.input.focus();
		this.input.select();
	}

	key(event) {
		if (event.key === 'Enter') {
			event.preventDefault();
			this.enter(event.shiftKey ? 'previous' : 'next');
		} else if (event.key === 'Escape') {
			event.preventDefault();
			this.complain('');
			this.input.blur();
		} else {
			return;
		}
		event.stopPropagation();
	}

	async enter(step) {
		const { app } = this, moment = this.mode.value === 'text' && parse_time(this.input.value, app.info);
		if (moment) {
			await go_to_time(app, moment).catch(api.quiet);
			this.say(`at ${clock(moment.t)}`);
			this.input.blur();
			return;
		}
		if ((this.text() !== this.asked || this.sel === undefined) && !(await this.run()))
			return;
		if (this.count && document.activeElement === this.input)
			this.forward.focus();
		await this.next(step);
	}

	say(text) {
		this.out.textContent = text;
		this.out.title = text;
	}

	/* Shows an error below the box, next to the typed text. */
	complain(text) {
		this.wrong.textContent = text;
		this.wrong.hidden = !text;
		const rect = this.form.getBoundingClientRect();
		this.wrong.style.left = `${rect.left}px`;
		this.wrong.style.top = `${rect.bottom + 3}px`;
		this.wrong.style.maxWidth = `${Math.max(rect.width, innerWidth - rect.left - 20)}px`;
	}

	body() {
		const text = this.input.value;
		if (this.mode.value === 'expression')
			return { expression: whole_expression(text.trim()) };
		return { text, regex: this.mode.value === 'regex' };
	}

	/* Returns true if there is a hit. */
	async run() {
		if (!this.input.value) {
			this.clear();
			this.app.hint('Nothing is searched for. Type a word into the box at the top (/).');
			return false;
		}
		this.say('…');
		this.complain('');
		const asked = this.text();
		try {
			const { app } = this, answer = await api.post('select', this.body(), 'search');
			app.jump();
			this.asked = asked;
			this.sel = answer.id;
			this.count = answer.count;
			this.whole = answer.whole !== false;
			this.say(count(answer.count));
			const unknown = this.mode.value === 'expression' ? field_trouble(this.input.value, app.kinds) : '';
			if (unknown || !answer.count)
				this.complain(unknown || 'Nothing is found: no event has this in its line.');
			this.show();
			app.emit('search');
			return answer.count > 0;
		} catch (error) {
			if (error.gone)
				return false;
			this.say('');
			this.complain(plain_words(error.message));
			const at = error.at - (whole_expression(this.input.value) === this.input.value ? 0 : ALL.length);
			if (at >= 0 && document.activeElement === this.input)
				this.input.setSelectionRange(at, at + 1);
			return false;
		}
	}

	show() {
		const { app } = this, spec = `found:${this.sel}`;
		if (this.lane && this.lane !== spec)
			app.lanes.remove(this.lane);
		this.lane = spec;
		if (this.count) {
			const lane = app.lanes.add(spec);
			lane.title = `“${this.input.value}”`;
			lane.note = `${count(this.count)} hits`;
			app.lanes.changed();
			hit_places(spec, app.view.end).then((hits) => {
				app.overview.hits = hits;
				app.redraw();
			}).catch(api.quiet);
		} else {
			app.overview.hits = null;
		}
		app.redraw();
	}

	async next(step) {
		const { app } = this;
		if (this.sel === undefined && !(await this.run()))
			return;
		const s = app.selection, middle = (app.view.from + app.view.to) / 2;
		const t = s ? (s.event ? s.event.ts : s.start) : step === 'next' ? Math.max(-1, app.view.from - 1) : middle;
		try {
			let hit = await api.get('hit', { sel: this.sel, t: Math.max(0, t), step }, 'hit');
			if (hit.none)	/* wrap around */
				hit = await api.get('hit', { sel: this.sel, t: step === 'next' ? 0 : app.view.end + 1, step }, 'hit');
			if (hit.none) {
				app.hint(`Nothing is found for “${this.input.value}”.`);
				return;
			}
			this.say(`${count(hit.row + 1)} of ${count(this.count)}`);
			await app.select_event(hit.ref, { from_search: true });
		} catch (error) {
			if (error.status === 404 || error.status === 400)	/* the selection has expired */
				this.sel = undefined;
			api.quiet(error);
		}
	}

	clear() {
		const { app } = this;
		if (this.asked)
			app.jump();
		this.input.value = '';
		this.sel = undefined;
		this.asked = '';
		this.say('');
		this.complain('');
		if (this.lane)
			app.lanes.remove(this.lane);
		this.lane = null;
		app.overview.hits = null;
		app.emit('search');
		app.redraw();
	}

	text() {
		return this.input.value ? `${this.mode.value}:${this.input.value}` : '';
	}

	async parse(text) {
		const at = text.indexOf(':'), mode = text.slice(0, at);
		if (!MODES.includes(mode) || text === this.asked)
			return;
		this.mode.value = mode;
		this.input.value = text.slice(at + 1);
		await this.run();
	}
}
