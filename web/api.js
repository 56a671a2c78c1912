// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * api.js - requests to the program; doc/VIEWER.md is the contract.
 *
 * The page's address ends in the token's directory, so relative addresses are enough.
 *
 *	get(name, params, slot)    JSON; slot: a name; cancels an older request with that name
 *	post(name, body, slot)     JSON in, JSON out
 *	file(url)                  a Blob
 *	tiles(list, signal)        binary: the tiles in the order of the request
 *
 * A cancelled request ends in an error with .gone set; callers ignore it with quiet().
 */
const MAGIC = 0x454c4954;
const running = new Map();	/* slot → AbortController */
let seq = 0;

export class Refused extends Error {
	constructor(message, status, at) {
		super(message);
		this.status = status;
		this.at = at;
	}
}

function given_up() {
	const error = new Error('given up');
	error.gone = true;
	return error;
}

let tell = (error) => console.warn(error.message);

/* Sets the function that reports errors to the user. */
export function on_trouble(act) {
	tell = act;
}

/*
 * Handles a promise whose request may be cancelled: ignores the cancellation and reports all other
 * errors.
 */
export function quiet(error) {
	if (!error.gone)
		tell(error);
}

/* the program does not answer at all, so it has ended */
export function is_silence(error) {
	return error instanceof TypeError && /fetch|network/i.test(error.message);
}

async function ask(url, options, slot) {
	let control = null;
	if (slot) {
		running.get(slot)?.abort();
		control = new AbortController();
		running.set(slot, control);
		options.signal = control.signal;
	}
	try {
		const answer = await fetch(url, options);
		if (!answer.ok) {
			const body = await answer.json().catch(() => ({}));
			throw new Refused(body.error || `The program answered ${answer.status}.`,
				answer.status, body.at);
		}
		const result = await answer.json();
		if (control && control.signal.aborted)
			throw given_up();
		return result;
	} catch (error) {
		throw error.name === 'AbortError' ? given_up() : error;
	} finally {
		if (slot && running.get(slot) === control)
			running.delete(slot);
	}
}

export function address(name, params = {}) {
	const query = new URLSearchParams();
	for (const [key, value] of Object.entries(params))
		if (value !== undefined && value !== null && value !== '')
			query.set(key, typeof value === 'number' ? String(Math.round(value)) : value);
	const text = query.toString();
	return `api/${name}${text ? '?' + text : ''}`;
}

/* Fetches a file, unchanged. */
export async function file(url) {
	const answer = await fetch(url);
	if (!answer.ok) {
		const body = await answer.json().catch(() => ({}));
		throw new Refused(body.error || `The program answered ${answer.status}.`, answer.status);
	}
	return answer.blob();
}

export function get(name, params, slot) {
	return ask(address(name, params), {}, slot);
}

export function post(name, body, slot) {
	return ask(`api/${name}`, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json' },
		body: JSON.stringify(body),
	}, slot);
}

/*
 * list: [[spec, level, number], …]. Resolves to [{kind, rows, whole, low, high, n, data} or
 * {refused}].
 */
export async function tiles(list, signal) {
	const mine = ++seq >>> 0;
	let answer;
	try {
		answer = await fetch('api/tiles', {
			method: 'POST',
			headers: { 'Content-Type': 'application/json' },
			body: JSON.stringify({ seq: mine, tiles: list }),
			signal,
		});
		if (!answer.ok) {
			const body = await answer.json().catch(() => ({}));
			throw new Refused(body.error || `The program answered ${answer.status}.`, answer.status);
		}
		return parse_tiles(await answer.arrayBuffer(), mine, list.length);
	} catch (error) {
		throw error.name === 'AbortError' ? given_up() : error;
	}
}

function parse_tiles(buffer, wanted_seq, wanted) {
	const view = new DataView(buffer);
	if (buffer.byteLength < 16 || view.getUint32(0, true) !== MAGIC ||
	    view.getUint32(4, true) !== wanted_seq)
		throw new Error('The answer does not match the request.');
	const n = Math.min(view.getUint32(8, true), wanted), out = [];
	let at = 16;
	for (let i = 0; i < n && at + 16 <= buffer.byteLength; i++) {
		const records = view.getUint32(at, true), kind = view.getUint8(at + 4);
		const head = {
			kind, n: records, rows: view.getUint8(at + 5), whole: view.getUint8(at + 6) !== 0,
			low: view.getFloat32(at + 8, true), high: view.getFloat32(at + 12, true),
		};
		at += 16;
		const size = kind === 0 ? Math.ceil(records / 16) * 16 : records * 16;
		if (at + size > buffer.byteLength)
			throw new Error('The answer is truncated.');
		if (kind === 0)
			head.refused = new TextDecoder().decode(new Uint8Array(buffer, at, records));
		else	/* a copy, because a view would keep the whole answer in memory */
			head.data = buffer.slice(at, at + size);
		out.push(head);
		at += size;
	}
	return out;
}
