// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_user.mjs - functions of programs: calls with arguments and return values (calling.c).
 *
 * covers: V04 V10
 */
import fs from 'node:fs';
import os from 'node:os';
import { same, ok } from './lib.mjs';

/* The recorded program ends when this file is there. */
const STOP = `${os.tmpdir()}/sonde-calling-${process.pid}`;

/* The track of the first task with calls, and its first call of a name: {lane, span}. */
const find = (t, name, row) => t.page.evaluate(async ([wanted, depth]) => {
	const a = window.sonde, lane = a.lanes.list.find((l) => l.type === 'calls').spec;
	for (let span = await a.span(lane, 0, depth, 'nearest'); span; span = await a.span(lane, span.start, depth, 'next'))
		if (span.label === wanted)
			return { lane, span };
	return null;
}, [name, row]);

/* The texts that the page has drawn in the boxes of a track. */
const texts = (t) => t.page.evaluate(() => {
	const { words } = window.sonde.stage, fill = words.ctx.fillText, seen = [];
	words.ctx.fillText = (text, ...rest) => {
		seen.push(text);
		fill.call(words.ctx, text, ...rest);
	};
	words.draw(window.sonde.stage.last, window.sonde.view, window.sonde.theme);
	words.ctx.fillText = fill;
	return seen;
});

export const user = [
	{
		name: 'user: a call shows its arguments and its return value', calls: ['--args'],
		async run(t) {
			const { lane, span } = await find(t, 'parse_line', 1), args = '"first <line> & \\"more\\"", 0';
			same(span.args, args, 'arguments');
			await t.go(span.start - 1000, span.end + 1000);
			await t.click(lane, (span.start + span.end) / 2, 1);
			const details = await t.details();
			same([details.title, details.Arguments, details.Returns], ['parse_line', args, span.ret], 'details');
			ok((await t.spoken()).includes(`parse_line(${args}) = ${span.ret}`), 'the sentence about the selection');
			const at = await t.place(lane, (span.start + span.end) / 2, 1);
			await t.page.mouse.move(at.x, at.y);
			await t.page.mouse.move(at.x + 2, at.y);
			await t.page.waitForFunction(() => !document.getElementById('tip').hidden);
			ok((await t.page.textContent('#tip')).startsWith(`parse_line(${args}) = ${span.ret}`), 'the box beside the pointer');
			await t.page.waitForFunction(() => window.sonde.values.n > 0);
			await t.settle();
			ok((await texts(t)).includes(`parse_line(${args}) = ${span.ret}`), `the box has its call: ${await texts(t)}`);
			await t.shot('user-call');
		},
	},
	{
		name: 'user: lists have the values of calls', calls: ['--args'],
		async run(t) {
			const { lane, span } = await find(t, 'parse_line', 1), inside = await find(t, 'read_word', 2);
			same(lane, inside.lane, 'the track');
			await t.go(span.start, span.end);
			await t.click(lane, (inside.span.start + inside.span.end) / 2, 2);
			await t.page.keyboard.press('k');
			await t.page.waitForFunction(() => [...document.querySelectorAll('#panel-spans thead th')].some((th) => th.textContent === 'Call'));
			const rows = await t.rows('#panel-spans table');
			same(rows.length, 8, 'calls of read_word');
			same(rows.map((r) => r.Call).sort(), [...Array(8).keys()].map((n) => `read_word("word", ${n}) = ${n * 2 + 1}`).sort(), 'calls');
			await t.shot('user-list');
			await t.panel('events');
			const info = await t.page.evaluate(async () => (await (await fetch('api/rows?row=0&n=9')).json()).rows.map((r) => r.info.trim()));
			ok(info.includes('parse_line("first <line> & \\"more\\"", 0) {'), `the list of events: ${info}`);
		},
	},
	{
		name: 'user: without --args the name alone', calls: [],
		async run(t) {
			const { lane, span } = await find(t, 'parse_line', 1);
			await t.go(span.start - 1000, span.end + 1000);
			await t.click(lane, (span.start + span.end) / 2, 1);
			const details = await t.details();
			same([details.title, details.Arguments, details.Returns], ['parse_line', undefined, undefined], 'details');
			await t.settle();
			ok((await texts(t)).includes('parse_line'), 'the name in the box');
		},
	},
	{
		name: 'user: only functions are recorded, and only they are shown', calls: ['--args'],
		async run(t) {
			const lanes = await t.page.evaluate(() => window.sonde.lanes.list.map((l) => [l.type, window.sonde.lanes.own_name(l).join(' ')]));
			same([...new Set(lanes.map(([type]) => type))], ['calls'], 'tracks');
			same(lanes.length, 2, 'a track of each thread');
			ok(lanes.every(([, name]) => name.startsWith('calling ') && !name.includes('buffer')), `names: ${lanes}`);
			same((await t.page.textContent('#panel-events')).includes('@user'), false, 'the list names the buffer');
			await t.shot('user-first');
		},
	},
	{
		name: 'user: search finds the calls of a function', calls: ['--args'],
		async run(t) {
			await t.page.fill('#search input', 'read_word');
			await t.page.keyboard.press('Enter');
			await t.page.waitForFunction(() => window.sonde.selection?.event?.info.includes('read_word'));
		},
	},
	{
		name: 'user: the flame graph and the table have the functions', calls: ['--args'],
		async run(t) {
			await t.panel('functions');
			const rows = await t.rows('#panel-functions table');
			ok(['main', 'parse_line', 'read_word', 'weigh', 'second_thread'].every((name) => rows.some((r) => Object.values(r).includes(name))), JSON.stringify(rows));
			await t.panel('flame');
			await t.page.waitForFunction(() => document.querySelector('#panel-flame').textContent.includes('parse_line') || document.querySelector('#panel-flame canvas'));
			await t.shot('user-flame');
		},
	},
	{
		name: 'user: live, calls come with names, arguments and the name of the task', live: (program) => ['-u', '--args', '--', program, STOP],
		async run(t) {
			try {
				await t.page.waitForFunction(() => window.sonde.lanes.list.some((l) => l.type === 'calls') &&
					window.sonde.tasks.some((task) => task?.comm === 'calling'), null, { timeout: 120000 });
				const { lane, span } = await find(t, 'parse_line', 1);
				same(span.args, '"first <line> & \\"more\\"", 0', 'arguments');
				const first = await t.page.evaluate(() => window.sonde.view.end);
				await t.page.waitForFunction((n) => window.sonde.view.end > n + 2e9, first, { timeout: 120000 });
				const late = await t.page.evaluate(async ([spec, from]) => window.sonde.span(spec, from, 1, 'next'), [lane, first]);
				same(late?.label, 'parse_line', 'a call that came since');
				ok(late.ret !== undefined, 'it has returned');
				const main = await t.page.evaluate((spec) => window.sonde.span(spec, window.sonde.view.end / 2, 0, 'at'), lane);
				same([main.label, main.ret], ['main', undefined], 'a call that still runs');
				const [name] = await t.page.evaluate((spec) => window.sonde.lanes.own_name(window.sonde.lanes.find(spec)), lane);
				same(name, 'calling', 'the name of the track');
				await t.shot('user-live');
				fs.writeFileSync(STOP, '');
				await t.page.waitForFunction(() => !window.sonde.live.on, null, { timeout: 120000 });
				const end = await t.page.evaluate(([spec]) => window.sonde.span(spec, 0, 0, 'nearest'), [lane]);
				same([end.label, end.ret], ['main', '0'], 'main, when it has ended');
				await t.settle();
				await t.page.waitForFunction((spec) => window.sonde.values.get(spec, 0, window.sonde.view.end / 2)?.ret === '0', lane, { timeout: 90000 });
				await t.settle();
				await t.shot('user-live-ended');
			} finally {
				fs.writeFileSync(STOP, '');
				setTimeout(() => fs.rmSync(STOP, { force: true }), 3000).unref();
			}
		},
	},
];
