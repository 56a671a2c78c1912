// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * units.js - numbers as text: times, durations, counts, shares.
 *
 * Times are nanoseconds since the beginning of the trace, plain numbers (exact below 2^53). A
 * narrow non-breaking space separates groups of three digits, so that columns stay aligned with
 * tabular digits:
 *
 *	duration(36123)      36.123 µs
 *	exact(1234567)       1 234 567 ns
 *	clock(1234567890)    1.234 567 890 s
 */
const GAP = '\u202f';
let unit = 1;		/* nanoseconds per unit of the trace's clock; 0: the clock does not count time */
let counted = '';	/* the unit of a clock that does not count time */

/* info: from api/info */
export function set_unit(info) {
	unit = info.unit_ns ?? (info.unit === 'count' ? 0 : 1);
	counted = unit || !info.counted ? '' : `${GAP}${info.counted}`;
}

/* Converts to seconds; NaN if the clock does not count time. */
export function seconds(n) {
	return unit ? n * unit / 1e9 : NaN;
}

/* Formats a label without its unit, where the unit would repeat too often. */
export function bare(text) {
	return counted && text.endsWith(counted) ? text.slice(0, -counted.length) : text;
}

export function group(digits) {
	return digits.replace(/\B(?=(\d{3})+(?!\d))/g, GAP);
}

export function count(n) {
	return n === undefined || n === null || Number.isNaN(n) ? '–' : group(String(Math.round(n)));
}

/* "1 task", "3 tasks" */
export function some(n, word) {
	return `${count(n)} ${word}${n === 1 ? '' : 's'}`;
}

const STEPS = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']];

/* Formats a number with at most three decimals, and never with more digits than the number has. */
export function duration(ns) {
	if (ns === undefined || ns === null || Number.isNaN(ns))
		return '–';
	const sign = ns < 0 ? '−' : '', abs = Math.abs(ns) * (unit || 1);
	if (!unit)
		return sign + group(String(Math.round(abs))) + counted;
	for (const [size, unit] of STEPS)
		if (abs >= size) {
			const whole = Math.floor(abs / size);
			const rest = Math.round((abs - whole * size) / size * 1000);
			if (rest === 1000)
				return `${sign}${group(String(whole + 1))}${GAP}${unit}`;
			const tail = rest ? '.' + String(rest).padStart(3, '0') : '';
			return `${sign}${group(String(whole))}${tail}${GAP}${unit}`;
		}
	return `${sign}${abs < 10 && abs !== Math.round(abs) ? abs.toFixed(2) : Math.round(abs)}${GAP}ns`;
}

export function exact(ns) {
	return unit ? `${ns < 0 ? '−' : ''}${group(String(Math.abs(Math.round(ns * unit))))}${GAP}ns` : duration(ns);
}

/* Formats a moment to the nanosecond. */
export function clock(ns) {
	const sign = ns < 0 ? '−' : '';
	if (!unit)
		return duration(ns);
	const abs = Math.abs(Math.round(ns * unit)), s = Math.floor(abs / 1e9);
	const rest = String(abs - s * 1e9).padStart(9, '0');
	return `${sign}${group(String(s))}.${rest.slice(0, 3)}${GAP}${rest.slice(3, 6)}${GAP}${rest.slice(6)}${GAP}s`;
}

/*
 * Formats the same moment on the trace's own clock. origin is text, because it may not fit a
 * number.
 */
export function absolute(ns, origin) {
	const all = (BigInt(origin || '0') + BigInt(Math.round(ns))) * BigInt(unit || 1);
	const text = String(all).padStart(10, '0');
	if (!unit)
		return group(String(all));
	return `${text.slice(0, -9)}.${text.slice(-9)}`;
}

export function share(part, whole) {
	if (!whole)
		return '–';
	const p = part / whole * 100;
	return `${p >= 99.95 || p === 0 ? p.toFixed(0) : p >= 10 ? p.toFixed(1) : p.toFixed(2)}${GAP}%`;
}

export function bytes(n) {
	for (const [size, unit] of [[2 ** 30, 'GB'], [2 ** 20, 'MB'], [2 ** 10, 'KB']])
		if (n >= size)
			return `${(n / size).toFixed(n >= 10 * size ? 0 : 1)}${GAP}${unit}`;
	return `${n}${GAP}B`;
}

/* Formats a value of a counter with three significant digits. */
export function value(v) {
	const abs = Math.abs(v);
	if (!Number.isFinite(v))
		return '–';
	if (abs >= 1e15)
		return v.toExponential(2);
	return Number.isInteger(v) ? group(String(v)) : v.toPrecision(4);
}

const HIGH = { 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹', '-': '⁻' };

/*
 * Formats a value from a 32-bit float. Above 2^24 it is not exact, so only significant digits are
 * shown.
 */
export function rounded(v) {
	if (!Number.isFinite(v) || Math.abs(v) < 2 ** 24)
		return value(v);
	const [digits, power] = v.toExponential(5).split('e');
	return `${digits.replace(/\.?0+$/, '')}×10${[...power.replace('+', '')].map((c) => HIGH[c]).join('')}`;
}
