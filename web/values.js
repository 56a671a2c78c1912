// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * values.js - arguments and return values of calls, as far as they were recorded; the page requests
 * them for calls that are wide enough to show them.
 *
 * A tile has no values. get() returns those of the call at a place (lane, row, time) at once or
 * notes that they are missing; the missing ones of a frame are requested together, one request per
 * lane. A call is known by its begin and end, so it is found at any zoom. At most CEILING calls are
 * kept. The end of a call that is open in a growing trace is not known yet: it is requested again.
 */
import * as api from './api.js';

const CEILING = 20000, EACH = 128, AGAIN_MS = 2000, OPEN_END = 16;

/* Formats a call: "read(3, 4096) = 100"; just the name if nothing else was recorded. */
export function call_text(name, { args, ret } = {}) {
	return args === undefined && ret === undefined ? name : `${name}(${args ?? ''})${ret === undefined ? '' : ` = ${ret}`}`;
}

export class Values {
	constructor(app, onArrive) {
		this.app = app;
		this.onArrive = onArrive;
		this.missing = new Map();	/* spec → Set('row:time') */
		this.waiting = new Set();	/* 'spec row:time' that are requested */
		this.clear();
	}

	clear() {
		this.rows = new Map();	/* 'spec row' → calls {start, end, …}, sorted by start */
		this.n = 0;
	}

	/* Returns the place of the first call that begins after t. */
	after(calls, t) {
		let low = 0, high = calls.length;
		while (low < high) {
			const middle = low + high >> 1;
			if (calls[middle].start <= t)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	get(spec, row, t) {
		if (!this.app.info.has.values)
			return null;
		const calls = this.rows.get(`${spec} ${row}`), call = calls?.[this.after(calls, t) - 1];
		const known = call && t <= call.end ? call : null, place = `${row}:${Math.max(0, Math.round(t))}`;
		const is_old = known?.flags & OPEN_END && known.live && (!this.app.live?.on || performance.now() > known.at + AGAIN_MS);
		if ((!known || is_old) && !this.waiting.has(`${spec} ${place}`)) {
			if (!this.missing.has(spec))
				this.missing.set(spec, new Set());
			this.missing.get(spec).add(place);
		}
		return known;
	}

	flush() {
		for (const [spec, places] of this.missing)
			this.ask(spec, [...places].slice(0, EACH));
		this.missing.clear();
	}

	put(spec, row, call) {
		const key = `${spec} ${row}`;
		if (!this.rows.has(key))
			this.rows.set(key, []);
		const calls = this.rows.get(key), i = this.after(calls, call.start);
		if (calls[i - 1]?.start === call.start) {
			calls[i - 1] = call;
			return;
		}
		calls.splice(i, 0, call);
		this.n++;
	}

	async ask(spec, places) {
		const keys = places.map((place) => `${spec} ${place}`), live = Boolean(this.app.live?.on);
		if (this.n > CEILING)
			this.clear();
		keys.forEach((key) => this.waiting.add(key));
		try {
			const { values } = await api.get('values', { lane: spec, at: places.join(',') });
			places.forEach((place, i) => {
				const [row, t] = place.split(':').map(Number);
				/* a place without a call is not requested again */
				this.put(spec, row, { ...(values[i] || { start: t, end: t, flags: 0 }), at: performance.now(), live });
			});
			this.onArrive();
		} catch (error) {
			api.quiet(error);
		} finally {
			keys.forEach((key) => this.waiting.delete(key));
		}
	}
}
