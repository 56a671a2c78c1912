// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pairs.js - tracks of spans between two events, written as text in the palette.
 *
 *	irq_handler_entry -> irq_handler_exit irq       from, to, the field that both share
 *	sched/sched_waking -> sched_switch pid next_pid  … with another name in the second
 *
 * An event is system/name, or its name if only one system has it. Instead of a field, pid and cpu
 * of the event itself are possible. Without a field, the palette offers every suitable one, the
 * most likely first, so that the user sees what matches the spans. While the name of an event is
 * incomplete, matching events are offered. Pairs with matching names (ENDS: NAME_entry and
 * NAME_exit, a probe and its return …) are offered among the tracks; a part of the name is enough.
 */
const ARROW = /\s*(?:->|→|=>)\s*/;
const OFFERED = 12;
/* suffix of the first event, suffix of the second; the rest of both names is the same */
const ENDS = [['_entry$', '_exit'], ['_enter$', '_exit'], ['^sys_enter_', 'sys_exit_'], ['_start$', '_end'], ['_begin$', '_end'], ['_start$', '_done'],
	['_start$', '_stop'], ['_issue$', '_complete'], ['_begin$', '_done'], ['$', '__return'], ['$', '_return'], ['_entry$', '_return']]
	.map(([begin, end]) => [new RegExp(begin), end]);
const OF_CPU = /^(irq|irq_vectors|ipi|nmi|cpuhp|power|kvm)$/;	/* systems whose events belong to the CPU, not to the task */
const OF_TASK = /^(probe|kprobes|uprobes|syscalls|raw_syscalls|exceptions|sdt_.*|probe_.*)$/;

export const PAIR_FORM = 'event -> event field';

/*
 * Returns the kinds of events with that name: none, one, or several if more than one system has it.
 */
export function kinds_called(kinds, name) {
	const seen = new Map();
	for (const k of kinds)
		if (k && (name === `${k.system}/${k.name}` || name === k.name))
			seen.set(`${k.machine || 0}:${k.system}/${k.name}`, k);
	const all = [...seen.values()], with_events = all.filter((k) => k.events);
	const list = with_events.length ? with_events : all;
	return list.every((k) => k.system === list[0].system) ? list.slice(0, 1) : list;
}

/*
 * Returns the fields that can pair events a with events b, the best first: [[field of a, field of
 * b]].
 */
export function keys_of(a, b) {
	const numbers = (k) => (k.fields || []).filter((f) => f.number && !f.name.startsWith('common_')).map((f) => f.name);
	const mine = numbers(a), other = numbers(b), out = mine.filter((name) => other.includes(name)).map((name) => [name, name]);
	for (const x of ['pid', 'tid'])		/* a task that is woken and then switched to, by its PID */
		for (const y of ['next_pid', 'child_pid', 'pid'])
			if (x !== y && mine.includes(x) && other.includes(y))
				out.unshift([x, y]);
	const own = [['pid', 'pid'], ['cpu', 'cpu']];	/* pid or cpu of the event itself, unless the event has a field of that name */
	return [...out, ...own.filter(([name]) => !mine.includes(name) && !other.includes(name))];
}

function spec_of(a, b, key, other) {
	return `pair:${a.machine || 0}:${a.system}/${a.name}:${b.system}/${b.name}:${key}${other && other !== key ? `:${other}` : ''}`;
}

function key_words(a, b, [key, other]) {
	const own = (k, name) => !(k.fields || []).some((f) => f.name === name);
	if (key === other && own(a, key) && own(b, other))
		return key === 'cpu' ? 'on the same CPU' : 'of the same task';
	return key === other ? `matched by ${key}` : `matched by ${key} = ${other}`;
}

/* Returns a message if an event has no numeric field of that name; otherwise nothing. */
function missing_key(kind, key) {
	if (['pid', 'cpu'].includes(key) || (kind.fields || []).some((f) => f.number && f.name === key))
		return '';
	return `${kind.name} has no number “${key}”`;
}

/* Returns the length of the common prefix of two names. */
function alike(a, b) {
	let n = 0;
	while (n < a.length && a[n] === b[n])
		n++;
	return n;
}

/*
 * Returns the events that match an incomplete name; events with a name like that of the other end
 * come first.
 */
function offer(kinds, word, score, text, other = '') {
	const near = (k) => k.name === other ? 0 : alike(k.name, other);
	const found = kinds.filter((k) => k && k.events).map((k) => [k, score(`${k.system}/${k.name}`, word.toLowerCase())])
		.filter(([, points]) => points > 0).sort((x, y) => y[1] - x[1] || near(y[0]) - near(x[0]) || y[0].events - x[0].events);
	return found.slice(0, OFFERED).map(([k]) => ({ text: text(`${k.system}/${k.name}`), note: 'go on with this', fill: text(`${k.system}/${k.name}`) }));
}

/* Returns the events for the beginning of a pair, for a text without an arrow. */
export function first_items(text, kinds, score) {
	return pair_items(text, kinds, score) || offer(kinds, text.trim(), score, (name) => `${name} -> `);
}

/*
 * Returns the palette's offers for a text with an arrow: [{text, note, spec or fill}]; null if the
 * text has no arrow.
 */
export function pair_items(text, kinds, score) {
	if (!ARROW.test(text))
		return null;
	const [from, ...more] = text.trim().split(ARROW), rest = more.filter(Boolean).join(' ');	/* ignore extra arrows */
	const [to, key, other] = rest.trim().split(/[\s=]+/), a = kinds_called(kinds, from), b = kinds_called(kinds, to || '');
	if (a.length !== 1)
		return offer(kinds, from, score, (name) => `${name} -> ${rest}`);
	const first = `${a[0].system}/${a[0].name}`;
	if (b.length !== 1)
		return offer(kinds, to || '', score, (name) => `${first} -> ${name} `, a[0].name);
	const keys = keys_of(a[0], b[0]), given = key ? keys.filter(([k, o]) => k.startsWith(key) && (!other || o.startsWith(other))) : keys;
	if (key && !given.some(([k, o]) => k === key && o === (other || k))) {
		const wrong = missing_key(a[0], key) || missing_key(b[0], other || key);
		if (wrong && !given.length)
			return [{ text: wrong, note: `fields of both: ${keys.map(([k]) => k).join(', ')}`, fill: `${first} -> ${b[0].system}/${b[0].name} ` }];
		if (!wrong)
			given.unshift([key, other || key]);
	}
	const exact = key && given.find(([k, o]) => k === key && o === (other || k));
	const list = exact ? [exact, ...given.filter((k) => k !== exact)] : given;
	return list.map((k) => ({ text: `${a[0].name} → ${b[0].name}`, note: key_words(a[0], b[0], k), spec: spec_of(a[0], b[0], ...k) }));
}

/* Returns the field that most likely matches both ends of a pair. */
function best_key(a, b) {
	const keys = keys_of(a, b), own = (name) => [name, name];
	if (OF_CPU.test(a.system))
		return own('cpu');
	if (OF_TASK.test(a.system) || /_+return$/.test(b.name))
		return own('pid');
	return keys[0] || own('pid');
}

/*
 * Returns the tracks of pairs that follow from the names of the trace's events: [{text, note,
 * spec}].
 */
export function known_pairs(kinds) {
	const list = kinds.filter((k) => k && k.events), by_name = new Map(list.map((k) => [`${k.machine || 0}:${k.system}/${k.name}`, k])), out = [];
	for (const a of list)
		for (const [begin, end] of ENDS) {
			const b = begin.test(a.name) && by_name.get(`${a.machine || 0}:${a.system}/${a.name.replace(begin, end)}`);
			if (!b || b === a)
				continue;
			const key = best_key(a, b);
			out.push({ text: `${a.name} → ${b.name}`, note: `spans, ${key_words(a, b, key)}`, spec: spec_of(a, b, ...key) });
			break;
		}
	return out;
}
