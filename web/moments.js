// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * moments.js - go to a time that was typed or pasted.
 *
 *	58297.437429      as report, dmesg and the list print it: seconds on the trace's own clock …
 *	0.005431440       … or since its start, if it is not within the trace on that clock
 *	12.5ms  +3 µs     since the start, with a unit; gaps and commas between digits are ignored
 *	@12               a number without point and unit needs the @
 *
 * Printed times are rounded, so an event is also found if it is earlier by half a unit of the last
 * digit. The first event from there on is selected and centered.
 */
import * as api from './api.js';
import { absolute, clock, duration } from './units.js';

const UNITS = { s: 9, ms: 6, us: 3, 'µs': 3, 'μs': 3, ns: 0 };
const FORM = /^([@+]*)(\d[\d\s',\u202f\u00a0]*)(?:\.(\d[\d\s\u202f\u00a0]*))?\s*(s|ms|us|µs|μs|ns)?:?$/;
const ROUNDED = 3;	/* digits that a printed time may lack */
const CLOSER = 40;	/* at most this fraction of the trace is visible: 1/40 */

export const TIME_FORM = '58297.437429, 1.25s, +12ms';

function digits(text) {
	return (text || '').replace(/\D/g, '');
}

/* "1", "25" → 1250000000n with nine places; further places are truncated */
function scaled(whole, part, places) {
	return BigInt(digits(whole) + digits(part).padEnd(places, '0').slice(0, places));
}

/*
 * Parses a text: {t: ns since the start, slack: how much earlier it may be}; null: not a time of
 * this trace.
 */
export function parse_time(text, info) {
	const [, flags, whole, part, unit] = text.trim().replace(/^\[\s*([\d.]+)\]$/, '$1').match(FORM) || [];	/* dmesg has brackets */
	if (whole === undefined || (!flags && part === undefined && !unit))
		return null;
	const counts = info.unit === 'count', places = counts ? 0 : UNITS[unit || 's'], size = BigInt(info.unit_ns || 1);
	const left = places - digits(part).length, value = scaled(whole, part, places) / size, slack = left > 0 && left <= ROUNDED ? .5 * 10 ** left / Number(size) : 0;
	const origin = BigInt(info.origin || 0), since = value - origin, inside = (t) => t >= -slack && t <= info.duration + slack;
	for (const t of unit || flags.includes('+') ? [value] : [since, value])
		if (inside(Number(t)))
			return { t: Math.max(0, Math.min(info.duration, Number(t))), slack };
	return null;
}

export function moment_words(t, info) {
	return info.unit === 'count' ? `${absolute(t, info.origin)}, ${duration(t)} after the start` : `${absolute(t, info.origin)} s, ${clock(t)} after the start`;
}

/* Goes to the first event at or after that time; zooms in so that something is visible. */
export async function go_to_time(app, { t, slack }) {
	const { view } = app, span = Math.min(view.span, Math.max(1000, view.end / CLOSER));
	const { row } = await api.get('rank', { t: Math.max(0, Math.ceil(t - slack)) }, 'moment');
	const { rows } = await api.get('rows', { row, n: 1 }, 'moment');
	const at = rows.length && Math.abs(rows[0].ts - t) < span / 2 ? rows[0].ts : t;
	view.glideTo(at - span / 2, at + span / 2);
	if (rows.length)
		await app.select_event(rows[0].ref, { still: true });
}
