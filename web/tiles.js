// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tiles.js - the tiles that are loaded, and the tiles that are requested.
 *
 * A tile is 1024 buckets of 2^level ns of one lane. In each frame the stage calls cover() and gets
 * at once the best available:
 *
 *	the tile itself
 *	the missing part of a coarser tile, stretched
 *	two or four finer tiles, squeezed
 *
 * and missing tiles are noted. flush(), at the end of a frame, requests them: visible ones first,
 * then neighbours and the next coarser level. A few requests run at a time (MANY), so that a lane
 * that must first be built does not block the others. A request is cancelled when none of its tiles
 * is needed any more. The memory of all tiles stays below CEILING; the least recently seen are
 * dropped first.
 */
import * as api from './api.js';

export const BUCKETS = 1024;
const CEILING = 80 << 20;
const EACH = 96;		/* tiles per request */
const MANY = 3;			/* concurrent requests; browsers allow six connections */
const STILL_MS = 70, AHEAD_MS = 250;	/* time for which the zoom must be stable */
const LONGEST_MS = 600000;	/* longest pause between two tries without an answer */
const AGAIN_MS = 350;		/* time after which an incomplete tile is requested again */
const HEAD_BYTES = 200;		/* memory of a tile besides its records */
const WIDE = 10;		/* buckets: a span of this length may have a label */
const EXACT = 1, MISSED = 2;

export function level_for(ns_per_px) {
	return Math.max(0, Math.min(38, Math.ceil(Math.log2(Math.max(ns_per_px, 1e-9)) - 1e-9)));
}

function key_of(spec, level, number) {
	return `${spec}|${level}|${number}`;
}

/*
 * Finds the records for text.js, so that text.js need not read all records: exact spans of some
 * length, which may have a name, and places where events were lost.
 */
function find_special(tile) {
	if (tile.kind < 1 || tile.kind > 4)
		return;
	const f = new Float32Array(tile.data), u = new Uint8Array(tile.data), wide = [], lost = [];
	for (let i = 0; i < tile.n; i++) {
		const flags = u[i * 16 + 15];
		if ((flags & EXACT) && f[i * 4 + 1] - f[i * 4] >= WIDE)
			wide.push(i);
		if (tile.kind === 4 && flags & MISSED)
			lost.push(i);
	}
	tile.wide = Uint32Array.from(wide);
	tile.lost = Uint32Array.from(lost);
}

const STACK = [4, 7, 8, 1, 2, 3, 5, 6, 0];	/* states from the back to the top of the stack */

/*
 * A bucket of a task's lane has a record for each state, with its share. The records are stacked:
 * activity (running, waiting …) from the bottom; sleep, a line at the bottom, is behind. The byte
 * of the row, which state lanes do not use, gets the height where a record begins, in 1/255.
 */
function pile_states(tile) {
	const f = new Float32Array(tile.data), u32 = new Uint32Array(tile.data), u16 = new Uint16Array(tile.data);
	const bytes = new Uint8Array(tile.data), order = new Int8Array(256).fill(9);
	STACK.forEach((s, i) => {
		order[s] = i;
	});
	for (let i = 0, to; i < tile.n; i = to) {
		for (to = i + 1; to < tile.n && f[to * 4] === f[i * 4] && !(bytes[to * 16 + 15] & EXACT); to++)
			;
		if ((bytes[i * 16 + 15] & EXACT) || to > tile.n)
			continue;
		const group = [];
		for (let k = i; k < to; k++)
			group.push([u32[k * 4 + 2], u16[k * 8 + 6], bytes[k * 16 + 15]]);
		group.sort((a, b) => order[a[0] & 255] - order[b[0] & 255]);
		let base = 0;
		group.forEach(([state, weight, flags], k) => {
			const at = i + k;
			u32[at * 4 + 2] = state;
			u16[at * 8 + 6] = weight;
			bytes[at * 16 + 15] = flags;
			bytes[at * 16 + 14] = Math.min(255, Math.round(base / 257));
			if (order[state & 255] > 2)
				base += weight;
		});
	}
}

export class Tiles {
	constructor(onArrive, onTrouble) {
		this.map = new Map();		/* key → tile */
		this.wanted = new Map();	/* key → [spec, level, number, urgency] of this frame */
		this.flying = new Set();	/* {control, keys} */
		this.pending = new Set();	/* keys in flight */
		this.bytes = 0;
		this.frame = 0;
		this.onArrive = onArrive;
		this.onTrouble = onTrouble;
		this.end = Infinity;
		this.silent = 0;		/* requests without any answer, in a row */
		this.until = 0;			/* no request before this time */
		this.count = { asked: 0, got: 0, dropped: 0 };
	}

	/* Starts a new frame, and collects the needed tiles again. */
	begin(end) {
		this.frame++;
		this.end = end;
		this.wanted.clear();
	}

	peek(spec, level, number) {
		return this.map.get(key_of(spec, level, number));
	}

	get(spec, level, number, urgency) {
		if (number < 0)
			return undefined;
		const key = key_of(spec, level, number), tile = this.map.get(key);
		if (tile)
			tile.seen = this.frame;
		if (!tile || (!tile.whole && !tile.refused && performance.now() > tile.again))
			this.wanted.set(key, [spec, level, number, urgency]);
		return tile;
	}

	/*
	 * Returns the pieces that cover [from, to) of a lane: [{tile, level, number, c0, c1}]. c0
	 * and c1 are buckets of the tile.
	 */
	cover(spec, level, from, to) {
		const size = BUCKETS * 2 ** level, out = [];
		const first = Math.max(0, Math.floor(from / size));
		const last = Math.floor(Math.min(to, this.end) / size);
		for (let n = first; n <= last; n++) {
			const tile = this.get(spec, level, n, 0);
			if (tile && tile.kind)
				out.push({ tile, level, number: n, c0: 0, c1: BUCKETS });
			else if (!tile)
				this.instead(spec, level, n, out);
			else if (tile.refused)
				return out;
		}
		this.around(spec, level, first, last);
		return out;
	}

	instead(spec, level, n, out) {
		for (let up = 1; up <= 12; up++) {
			const above = Math.floor(n / 2 ** up), tile = this.peek(spec, level + up, above);
			if (!tile || !tile.kind)
				continue;
			tile.seen = this.frame;
			const width = BUCKETS / 2 ** up, c0 = (n - above * 2 ** up) * width;
			const before = out[out.length - 1];
			if (before && before.tile === tile && before.c1 === c0)
				before.c1 = c0 + width;
			else
				out.push({ tile, level: level + up, number: above, c0, c1: c0 + width });
			return;
		}
		for (let down = 1; down <= 2; down++) {
			const parts = [];
			for (let i = 0; i < 2 ** down; i++) {
				const tile = this.peek(spec, level - down, n * 2 ** down + i);
				if (tile && tile.kind) {
					tile.seen = this.frame;
					parts.push({ tile, level: level - down, number: n * 2 ** down + i, c0: 0, c1: BUCKETS });
				}
			}
			if (parts.length) {
				out.push(...parts);
				return;
			}
		}
	}

	/* Requests what will be needed next: the neighbours, and the next coarser level. */
	around(spec, level, first, last) {
		this.get(spec, level, first - 1, 2);
		if ((last + 1) * BUCKETS * 2 ** level < this.end)
			this.get(spec, level, last + 1, 2);
		for (let n = Math.floor(first / 4); n <= Math.floor(last / 4); n++)
			this.get(spec, level + 2, n, 3);
	}

	/*
	 * Requests the missing tiles, but none while the zoom changes: the user does not look at
	 * the levels in between. Tiles ahead are requested only when the zoom has been stable for a
	 * while.
	 */
	flush(level) {
		for (const request of this.flying)
			if (!request.keys.some((key) => this.wanted.has(key)))
				request.control.abort();
		const now = performance.now();
		if (level !== this.level) {
			this.level = level;
			this.since = this.since === undefined ? -Infinity : now;
		}
		const most = now - this.since > AHEAD_MS ? 9 : 0;
		if (now - this.since < STILL_MS || (!most && this.wanted.size))
			this.later(now - this.since < STILL_MS ? STILL_MS : AHEAD_MS);
		if (now - this.since < STILL_MS || now < this.until)
			return;
		const list = [...this.wanted].filter(([key, want]) => !this.pending.has(key) && want[3] <= most)
			.sort((a, b) => a[1][3] - b[1][3]);
		let at = 0;
		while (at < list.length && this.flying.size < MANY) {
			const urgency = list[at][1][3];
			if (urgency > 0 && this.flying.size > 0)
				break;		/* tiles ahead wait for visible ones */
			let to = at;
			while (to < list.length && to < at + EACH && (list[to][1][3] > 0) === (urgency > 0))
				to++;
			this.send(list.slice(at, to));
			at = to;
		}
	}

	later(wait) {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.onArrive(), wait);
	}

	get busy() {
		return this.flying.size > 0;
	}

	async send(list) {
		const request = { control: new AbortController(), keys: list.map(([key]) => key) };
		this.flying.add(request);
		request.keys.forEach((key) => this.pending.add(key));
		this.count.asked += list.length;
		try {
			const got = await api.tiles(list.map(([, want]) => want.slice(0, 3)), request.control.signal);
			got.forEach((tile, i) => this.put(request.keys[i], tile));
			this.trim();
			this.silent = 0;
		} catch (error) {
			api.quiet(error);
			this.count.dropped += list.length;
			if (!error.gone) {	/* do not send many requests to a program that has failed or ended */
				this.onTrouble(error);
				const wait = Math.min(LONGEST_MS, 1000 * 3 ** (error.status === undefined ? this.silent++ : 0));
				this.until = performance.now() + wait;
				await new Promise((done) => setTimeout(done, wait));
			}
		} finally {
			this.flying.delete(request);
			request.keys.forEach((key) => this.pending.delete(key));
			this.onArrive();
		}
	}

	/*
	 * Returns true if the trace has grown since the lane was read. This happens only in a live
	 * view. At the end of the trace, a difference of one bucket comes from rounding; before it a
	 * tile is complete, or a span that goes on would have a gap at the edge of the tile.
	 */
	is_behind(key, tile) {
		const [level, number] = key.split('|').slice(-2).map(Number), start = number * BUCKETS;
		if (tile.kind <= 0 || tile.kind >= 5)
			return false;
		return (start + BUCKETS) * 2 ** level <= this.end ? tile.high < BUCKETS : (start + tile.high + 1) * 2 ** level < this.end;
	}

	put(key, tile) {
		const old = this.map.get(key);
		if (old)
			this.bytes -= old.bytes;
		tile.key = key;
		tile.seen = this.frame;
		tile.bytes = HEAD_BYTES + (tile.data ? tile.data.byteLength : 0);
		tile.again = performance.now() + AGAIN_MS;
		if (this.is_behind(key, tile))
			tile.whole = false;
		if (tile.kind === 2)
			pile_states(tile);
		find_special(tile);
		this.bytes += tile.bytes;
		this.count.got++;
		this.map.set(key, tile);
	}

	trim() {
		if (this.bytes < CEILING)
			return;
		const old = [...this.map.values()].filter((t) => t.seen < this.frame - 1)
			.sort((a, b) => a.seen - b.seen);
		for (const tile of old) {
			if (this.bytes < CEILING * 0.75)
				break;
			this.map.delete(tile.key);
			this.bytes -= tile.bytes;
		}
	}

	/* Marks tiles at the old end of a trace as incomplete, because the trace has grown. */
	grown(old_end) {
		for (const tile of this.map.values()) {
			const [, level, number] = tile.key.split('|').map(Number);
			if ((number + 1) * BUCKETS * 2 ** level > old_end) {
				tile.whole = false;
				tile.again = 0;
			}
		}
	}

	forget(spec) {
		for (const [key, tile] of this.map)
			if (key.startsWith(spec + '|')) {
				this.map.delete(key);
				this.bytes -= tile.bytes;
			}
	}
}
