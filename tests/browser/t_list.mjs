// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_list.mjs - the list of all events, its selection, search, filters.
 *
 * covers: K01 K04 K07 V01 V07 V11 Q08 Q09 Q18
 */
import fs from 'node:fs';
import { same, ok, digits } from './lib.mjs';

const listed = (t) => t.page.evaluate(() => [...document.querySelectorAll('#panel-events tbody tr')].map((tr) => ({
	row: Number(tr.getAttribute('aria-rowindex')) - 2, on: tr.classList.contains('on'), cells: [...tr.children].map((td) => td.textContent) })));

async function filled(t) {
	await t.page.waitForFunction(() => {
		const rows = [...document.querySelectorAll('#panel-events tbody tr')];
		return rows.length > 0 && rows.every((tr) => tr.children.length > 2 || tr.children.length === 1);
	}, null, { timeout: 90000 });
	return listed(t);
}

/* Until the list shows this row, whenever the browser finds the time to scroll. */
const shows = (t, row) => t.page.waitForFunction((index) => document.querySelector(`#panel-events tbody tr[aria-rowindex="${index}"]`),
	row + 2, { timeout: 90000 });

export const list = [
	{
		name: 'the list is the report, in order',
		async run(t) {
			const { events } = t.oracle;
			const check = async (what) => {
				for (const r of await filled(t)) {
					const e = events[r.row], [n, time, cpu, comm, pid, event, info] = r.cells;
					same([digits(n), digits(time), cpu, comm, pid, event], [r.row, e.t / 1e9, String(e.cpu), e.comm, String(e.pid), e.event], `${what}, row ${r.row}`);
					ok(info.length > 0 || !e.info, `row ${r.row} has no info`);
				}
			};
			await check('at the start');
			await t.page.evaluate(() => {
				const s = window.sonde.panels.list.scroll;
				s.scrollTop = s.scrollHeight / 2;
			});
			await shows(t, Math.floor(events.length / 2) + 3);
			await check('in the middle');
			await t.page.focus('#panel-events .scroll');
			await t.page.keyboard.press('End');
			await shows(t, events.length - 1);
			await check('at the end');
			const last = await listed(t);
			same(last[last.length - 1].row, events.length - 1, 'the last row');
			same(await t.page.getAttribute('#panel-events table', 'aria-rowcount'), String(events.length + 1), 'rows of the table');
			await t.shot('list');
		},
	},
	{
		name: 'the list follows what is in sight, or the range',
		async run(t) {
			const { events } = t.oracle, rows = () => t.page.getAttribute('#panel-events table', 'aria-rowcount').then((n) => Number(n) - 1);
			const within = (from, to) => events.filter((e) => e.t >= from && e.t <= to);
			const lists = async (wanted, what) => {
				await t.page.waitForFunction((n) => Number(document.querySelector('#panel-events table').getAttribute('aria-rowcount')) === n + 1, wanted.length, { timeout: 90000 })
					.catch(async () => same(await rows(), wanted.length, what));
				const first = events.indexOf(wanted[0]);
				await t.page.waitForFunction((n) => document.querySelector('#panel-events tbody td')?.textContent.replace(/\D/g, '') === String(n), first, { timeout: 90000 });
				for (const r of await filled(t))
					same(digits(r.cells[1]), events[first + r.row].t / 1e9, `${what}: row ${r.row}`);
			};
			await t.go(5e8, 6e8);
			await t.page.click('.which [data-which="view"]');
			await lists(within(5e8, 6e8), 'in sight');
			await t.go(7e8, 7.1e8);
			await lists(within(7e8, 7.1e8), 'in sight after a move');
			ok((await t.page.textContent('#scope')).includes('of'), 'how many of all');
			await t.shot('list-in-sight');
			await t.page.focus('#panel-events .scroll');
			await t.page.keyboard.press('End');
			const last = within(7e8, 7.1e8).at(-1);
			await t.page.waitForFunction((ts) => window.sonde.selection?.event?.ts === ts, last.t, { timeout: 90000 });
			await t.page.evaluate(() => window.sonde.select(null));
			/* V goes on to the range; the address keeps it */
			await t.page.evaluate(() => window.sonde.set_range(1e9, 1.02e9));
			await t.page.keyboard.press('v');
			await lists(within(1e9, 1.02e9), 'of the range');
			await t.page.waitForFunction(() => /[#&]e=range/.test(location.hash), null, { timeout: 90000 });
			await t.page.reload();
			await t.page.waitForFunction(() => window.sonde?.ready, null, { timeout: 90000 });
			await lists(within(1e9, 1.02e9), 'after a reload');
			await t.page.evaluate(() => window.sonde.set_range(1.1e9, 1.12e9));
			await lists(within(1.1e9, 1.12e9), 'of another range');
			/* without a range it is the selection */
			await t.page.evaluate(async () => {
				window.sonde.set_range(null);
				window.sonde.select(await window.sonde.span('task:0:127', 1.3e9));
			});
			const [from, to] = await t.page.evaluate(() => [window.sonde.selection.start, window.sonde.selection.end]);
			await lists(within(from, to), 'of the selection');
			await t.page.click('.which [data-which="all"]');
			await t.page.waitForFunction((n) => Number(document.querySelector('#panel-events table').getAttribute('aria-rowcount')) === n + 1, events.length, { timeout: 90000 });
		},
	},
	{
		name: 'names and columns can be resized, and keep their sizes',
		async run(t) {
			const width = (selector) => t.page.evaluate((s) => document.querySelector(s).offsetWidth, selector);
			const drag = async (selector, by) => {
				const box = await t.page.locator(selector).boundingBox();
				await t.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
				await t.page.mouse.down();
				await t.page.mouse.move(box.x + box.width / 2 + by, box.y + box.height / 2, { steps: 4 });
				await t.page.mouse.up();
			};
			const near = (a, b, what) => ok(Math.abs(a - b) <= 4, `${what}: ${a}, should be ${b}`);
			const task = '#panel-events th:nth-child(4)', grip = `${task} .grip`, first = { names: await width('#labels'), task: await width(task) };
			await drag('#label-split', 80);
			near(await width('#labels'), first.names + 80, 'names after a drag');
			same(await t.page.evaluate(() => window.sonde.view.width), await width('#paint'), 'the picture has the rest');
			/* also where the tracks are scrolled down */
			await t.page.evaluate(() => {
				window.sonde.tasks.filter((x) => x && x.pid > 0).forEach((x) => window.sonde.lanes.add(`task:${x.machine}:${x.pid}`));
				for (let cpu = 0; cpu < 2; cpu++)
					window.sonde.lanes.add(`all:0:${cpu}`);
			});
			await t.settle();
			await t.page.evaluate(() => {
				window.sonde.stage.box.scrollTop = 1e6;
			});
			await t.settle();
			ok(await t.page.evaluate(() => {
				const r = document.getElementById('label-split').getBoundingClientRect(), stage = document.getElementById('stage').getBoundingClientRect();
				return Math.abs(r.top - stage.top) < 2 && Math.abs(r.bottom - stage.bottom) < 2;
			}), 'the border reaches over all that is in sight');
			await drag(grip, 60);
			near(await width(task), first.task + 60, 'a column after a drag');
			await t.page.focus(grip);
			await t.page.keyboard.press('ArrowLeft');
			near(await width(task), first.task + 50, 'a column after a key');
			await t.shot('resized');
			await t.page.reload();
			await t.page.waitForFunction(() => window.sonde?.ready, null, { timeout: 90000 });
			near(await width('#labels'), first.names + 80, 'names at the next visit');
			near(await width(task), first.task + 50, 'the column at the next visit');
			await t.page.dblclick(grip);
			same(await width(task), first.task, 'the column after a double click');
			await t.page.focus('#label-split');
			await t.page.keyboard.press('Home');
			same(await width('#labels'), first.names, 'names after Home');
			ok(!await t.page.evaluate(() => window.sonde.panels.list.absolute), 'a click on a border is none on the title');
		},
	},
	{
		name: 'an event shows every field',
		async run(t) {
			const n = t.oracle.events.findIndex((e, i) => i > 1000 && e.event === 'sched_switch'), e = t.oracle.events[n];
			await t.page.evaluate((i) => window.sonde.panels.list.pick(i), n);
			await t.page.waitForFunction(() => window.sonde.selection?.event, null, { timeout: 90000 });
			const details = await t.details();
			for (const [name, value] of Object.entries(e.fields)) {
				const text = details[name]?.replace(/[⌁\u202f\s]/g, '');
				same(text, String(value).replace(/\s/g, ''), `field ${name}`);
			}
			same(details.title, 'sched_switch', 'event');
			same(digits(details.Time), e.t / 1e9, 'time');
			same(details['On its clock'].replace('.', ''), String(t.oracle.origin + BigInt(e.t)), 'time on the clock of the trace');
			await t.shot('event');
		},
	},
	{
		name: 'list and timeline select together',
		async run(t) {
			const sw = t.oracle.ran(0).filter((s) => s.known)[500];
			await t.go(sw.start - 1e6, sw.end + 1e6);
			await t.click('cpu:0:0', (sw.start + sw.end) / 2);
			await t.page.waitForFunction(() => document.querySelector('#panel-events tr.on'), null, { timeout: 90000 });
			let on = (await filled(t)).find((r) => r.on);
			same(t.oracle.events[on.row].t, sw.start, 'the row of the slice is in sight');
			await t.page.click(`#panel-events tr[aria-rowindex="${on.row + 3}"]`);
			await t.page.waitForFunction(() => window.sonde.selection?.event, null, { timeout: 90000 });
			same(await t.page.evaluate(() => window.sonde.selection.event.ts), t.oracle.events[on.row + 1].t, 'the event of the row');
			await t.page.focus('#panel-events .scroll');
			await t.page.keyboard.press('ArrowDown');
			await t.page.waitForFunction((ts) => window.sonde.selection?.event?.ts === ts, t.oracle.events[on.row + 2].t, { timeout: 90000 });
			on = (await filled(t)).find((r) => r.on);
			ok(on, 'the selected row is marked');
		},
	},
	{
		name: 'a list longer than a browser can make', grown: ['events-v7-none', 40],
		async run(t) {
			const total = await t.page.evaluate(() => window.sonde.info.events);
			ok(total * 21 > 6e6, `only ${total} events`);
			const check = async (what) => {
				await t.page.waitForTimeout(400);
				const rows = await filled(t);
				rows.forEach((r, i) => i && same(r.row, rows[i - 1].row + 1, `${what}: numbers`));
				rows.forEach((r, i) => i && ok(digits(r.cells[1]) >= digits(rows[i - 1].cells[1]), `${what}: times`));
				const wanted = await t.page.evaluate(async (n) => (await (await fetch(`api/rows?row=${n}&n=1`)).json()).rows[0].ts, rows[3].row);
				same(digits(rows[3].cells[1]), wanted / 1e9, `${what}: time of row ${rows[3].row}`);
				return rows;
			};
			await check('at the start');
			await t.page.evaluate(() => {
				const s = window.sonde.panels.list.scroll;
				s.scrollTop = (s.scrollHeight - s.clientHeight) / 2;
			});
			await t.page.waitForFunction((i) => Number(document.querySelector('#panel-events tbody tr').getAttribute('aria-rowindex')) > i,
				total / 4, { timeout: 90000 });
			const middle = await check('in the middle');
			ok(Math.abs(middle[0].row - total / 2) < total / 50, `the middle is row ${middle[0].row} of ${total}`);
			const box = await t.page.locator('#panel-events .scroll').boundingBox();
			await t.page.mouse.move(box.x + 200, box.y + 100);
			await t.page.mouse.wheel(0, 63);
			/* three rows that a turn of the wheel moves, be it in one step or in several */
			await t.page.waitForFunction((i) => Number(document.querySelector('#panel-events tbody tr').getAttribute('aria-rowindex')) >= i,
				middle[0].row + 2 + 3, { timeout: 90000 });
			const next = await check('a little further');
			same(next[0].row - middle[0].row, 3, 'rows that a turn of the wheel moves');
			await t.page.focus('#panel-events .scroll');
			await t.page.keyboard.press('End');
			await shows(t, total - 1);
			const last = await check('at the end');
			same(last[last.length - 1].row, total - 1, 'the last row');
			await t.shot('long-list');
		},
	},
	{
		name: 'stacks are told with their event', trace: 'stacks',
		async run(t) {
			const n = t.oracle.events.findIndex((e) => e.event === 'kernel_stack') - 1;
			const stack = t.oracle.events[n + 1].stack;
			await t.page.evaluate((i) => window.sonde.panels.list.pick(i), n);
			await t.page.waitForFunction(() => document.querySelector('#details .stack, #details dd'), null, { timeout: 90000 });
			await t.page.waitForFunction((symbol) => document.querySelector('#details').textContent.includes(symbol),
				stack[stack.length > 2 ? 2 : 0].symbol, { timeout: 90000 });
			await t.shot('stack');
		},
	},
	{
		name: 'search: text, regular expression, expression',
		async run(t) {
			const { events } = t.oracle;
			const hits = async (mode, text) => {
				await t.page.selectOption('#search-mode', mode);
				await t.page.fill('#search-text', text);
				await t.page.press('#search-text', 'Enter');
				await t.page.waitForFunction((m) => window.sonde.search.asked === m, `${mode}:${text}`, { timeout: 90000 });
				return t.page.evaluate(() => window.sonde.search.count);
			};
			same(await hits('text', 'virtio0-requests'), events.filter((e) => /virtio0-requests/i.test(`${e.event} ${e.comm} ${e.info}`)).length, 'hits of the text');
			await t.settle();
			const spec = await t.page.evaluate(() => window.sonde.search.lane);
			await t.go(0, t.oracle.end);
			same((await t.drawn(spec)).reduce((sum, d) => sum + d.value, 0), await t.page.evaluate(() => window.sonde.search.count), 'hits on the timeline');
			await t.shot('search');
			same(await hits('regex', 'prio=98|next_pid=9+'), events.filter((e) => /prio=98|next_pid=9+/i.test(`${e.event} ${e.comm} ${e.info}`)).length, 'hits of the regular expression');
			same(await hits('expression', 'sched/sched_switch: prev_pid == 127'), events.filter((e) => e.event === 'sched_switch' && e.fields.prev_pid === 127).length, 'hits of the expression');
		},
	},
	{
		name: 'expressions without an event, and what is wrong with one', expect_console: /^40[04] .*api\/select/,
		async run(t) {
			const { events } = t.oracle;
			const wrong = () => t.page.evaluate(() => [...document.querySelectorAll('#search-wrong:not([hidden]), #notes p')].map((p) => p.textContent));
			const ask = async (text) => {
				await t.page.fill('#search-text', text);
				await t.page.press('#search-text', 'Enter');
				await t.page.waitForFunction((m) => window.sonde.search.asked === m || !document.getElementById('search-wrong').hidden, `expression:${text}`, { timeout: 90000 });
				return t.page.evaluate(() => window.sonde.search.count);
			};
			await t.page.selectOption('#search-mode', 'expression');
			same(await ask('prev_pid == 127'), events.filter((e) => e.fields.prev_pid === 127).length, 'of all events that have the field');
			same(await ask('COMM == "ls" && CPU == 1'), events.filter((e) => e.comm === 'ls' && e.cpu === 1).length, 'name of the task and CPU');
			same(await ask('comm =~ "^kworker/0:"'), events.filter((e) => /^kworker\/0:/.test(e.fields.comm || '')).length, 'a colon in a text');
			same(await ask('sched_waking'), events.filter((e) => e.event === 'sched_waking').length, 'an event alone');
			same(await wrong(), [], 'complaints about what is right');
			for (const text of ['sched/sched_switch: prev_pid == == 3', 'no_such: x == 1', 'prev_pid == == 4']) {
				await ask(text);
				const said = await wrong();
				same(said.length, 1, `complaints about ${text}, at one place`);
				ok(said[0].length > 10 && !/report -|\.\*/.test(said[0]), `said: ${said[0]}`);
				same(await t.page.inputValue('#search-text'), text, 'what was typed');
			}
			await t.shot('wrong-expression');
			same(await ask('no_such_field == 3'), 0, 'hits of a field that is nowhere');
			ok((await wrong())[0].includes('no_such_field'), 'the field is named');
			await ask('prev_pid == 15');
			same(await wrong(), [], 'nothing is left of mistakes that were corrected');
			await t.page.click('#do-filter');
			await t.page.fill('#filter-expression', 'prev_pid == == 3');
			await t.page.click('#filter-box .main');
			await t.page.waitForFunction(() => document.querySelector('#filter-box .bad').textContent, null, { timeout: 90000 });
			same(await wrong(), [], 'the filter complains in its own box');
			await t.page.fill('#filter-expression', 'next_pid == 127');
			await t.page.click('#filter-box .main');
			await t.page.waitForFunction(() => window.sonde.filters.sel !== undefined, null, { timeout: 90000 });
			same(await t.page.evaluate(() => window.sonde.filters.count), events.filter((e) => e.fields.next_pid === 127).length, 'events that pass');
		},
	},
	{
		name: 'a filter in the address has names, and no characters that break links',
		async run(t) {
			const { events } = t.oracle, want = { tasks: ['0:127', '0:15'], cpus: ['0:0', '0:1'], kinds: ['sched/sched_switch'], expression: 'prev_comm == "ls" && (next_pid != 3)' };
			const wanted = events.filter((e) => [127, 15].includes(e.pid) && e.event === 'sched_switch' && e.fields.prev_comm === 'ls' && e.fields.next_pid !== 3);
			await t.page.evaluate((f) => window.sonde.filters.set(f), want);
			await t.page.waitForFunction(() => location.hash.includes('f='), null, { timeout: 90000 });
			const hash = await t.page.evaluate(() => location.hash), part = hash.match(/[#&]f=([^&]*)/)[1];
			same(part.split(';where:')[0], 'tasks:15,127;events:sched/sched_switch;cpus:0-1', 'the filter in words');
			ok(!/[{}"'[\]()<>\s|]/.test(hash), `in the address: ${hash}`);
			const open = async (link) => {	/* of another viewer, whose tasks may have other numbers */
				const page = await t.context.newPage();
				await page.goto(t.viewer.url + link);
				await page.waitForFunction(() => window.sonde?.ready && window.sonde.info.progress >= 1, null, { timeout: 90000 });
				const got = await page.evaluate(() => [window.sonde.filters.want, window.sonde.filters.count, document.getElementById('chips').textContent]);
				await page.close();
				return got;
			};
			const [same_want, n, chips] = await open(hash);
			same([same_want.tasks.sort(), same_want.cpus, same_want.kinds, same_want.expression], [want.tasks.sort(), want.cpus, want.kinds, want.expression], 'the filter, read again');
			same(n, wanted.length, 'events that pass');
			ok(chips.includes('ls 127') && chips.includes('rcu_preempt 15'), `chips: ${chips}`);
			const [, one] = await open('#f=tasks:126');
			same(one, events.filter((e) => e.pid === 126).length, 'a filter that was written by hand');
			const [, none, pid] = await open('#f=tasks:99999');
			same([none, pid.includes('99999')], [0, true], 'a task that is not there');
		},
	},
	{
		name: 'saved events are those that pass the filter, or all',
		async run(t) {
			const { events } = t.oracle, only = events.filter((e) => e.pid === 15 && e.event === 'sched_switch');
			const saved = async (text) => {
				await t.page.click('#do-save');
				await t.shot('save-menu');
				const [got] = await Promise.all([t.page.waitForEvent('download'), t.page.click(`#menu button:text-is("${text}")`)]);
				return fs.readFileSync(await got.path(), 'utf8').trim().split('\n');
			};
			await t.page.evaluate(() => window.sonde.view.go(0, window.sonde.view.end));
			same((await saved('All events of the trace, as CSV')).length - 1, events.length, 'all events, without a filter');
			await t.page.evaluate(() => window.sonde.filters.set({ tasks: ['0:15'], kinds: ['sched/sched_switch'] }));
			same((await saved('All events that pass the filter, as CSV')).length - 1, only.length, 'rows of CSV');
			same((await saved('All events that pass the filter, as JSON')).filter((line) => /"sched_switch"/.test(line)).length, only.length, 'objects of JSON');
			same((await saved('All events of the trace, as CSV')).length - 1, events.length, 'rows of CSV, of all events');
			await t.go(1e9, 1.5e9);
			const seen = only.filter((e) => e.t >= 1e9 && e.t <= 1.5e9).length;
			ok(seen > 0 && seen < only.length, 'a part is in sight');
			same((await saved('Events in sight that pass the filter, as CSV')).length - 1, seen, 'rows of CSV, of what is in sight');
			same((await saved('All events that pass the filter, as CSV')).length - 1, only.length, 'all is all, wherever one looks');
			await t.page.evaluate(() => window.sonde.set_range(1e9, 1.5e9));
			same((await saved('Events of the range that pass the filter, as CSV')).length - 1, seen, 'rows of CSV, of the range');
		},
	},
	{
		name: 'search: next and previous hit',
		async run(t) {
			const wanted = t.oracle.events.filter((e) => e.event === 'sched_switch' && e.fields.prev_pid === 15);
			await t.page.selectOption('#search-mode', 'expression');
			await t.page.fill('#search-text', 'sched/sched_switch: prev_pid == 15');
			await t.page.press('#search-text', 'Enter');
			const at = async (i) => {
				await t.page.waitForFunction((ts) => window.sonde.selection?.event?.ts === ts, wanted[i].t, { timeout: 90000 });
				await t.settle();
			};
			await at(0);
			await t.page.press('#search-text', 'Enter');
			await at(1);
			await t.page.press('#search-text', 'Enter');
			await at(2);
			await t.page.press('#search-text', 'Shift+Enter');
			await at(1);
			ok((await t.page.textContent('#search-count')).replace(/\s/g, '').startsWith('2of'), 'which hit it is');
			const [from, to] = await t.page.evaluate(() => [window.sonde.view.from, window.sonde.view.to]);
			ok(from <= wanted[1].t && wanted[1].t <= to, 'the hit is in sight');
		},
	},
	{
		name: 'filters by CPU, task, event, expression, in the address',
		async run(t) {
			const { events } = t.oracle;
			await t.page.click('#do-filter');
			await t.page.locator('#filter-box fieldset').nth(0).getByText('CPU 1', { exact: true }).click();
			await t.page.locator('#filter-box fieldset').nth(2).getByText('sched/sched_switch', { exact: true }).click();
			await t.shot('filter-box');
			await t.page.click('#filter-box .main');
			await t.page.waitForFunction(() => window.sonde.filters.sel !== undefined, null, { timeout: 90000 });
			const wanted = events.filter((e) => e.cpu === 1 && e.event === 'sched_switch');
			same(await t.page.evaluate(() => window.sonde.filters.count), wanted.length, 'events that pass');
			await t.page.waitForFunction((n) => window.sonde.panels.list.total === n, wanted.length, { timeout: 90000 });
			const rows = await filled(t);
			rows.forEach((r) => same([r.cells[2], r.cells[5], digits(r.cells[1])], ['1', 'sched_switch', wanted[r.row].t / 1e9], `row ${r.row}`));
			ok(!(await t.page.evaluate(() => window.sonde.lanes.rows.some((r) => r.lane?.spec === 'cpu:0:0'))), 'the lane of CPU 0 is hidden');
			await t.page.waitForFunction(() => location.hash.includes('f='), null, { timeout: 90000 });
			const link = await t.page.evaluate(() => location.href);
			await t.shot('filtered');
			const other = await t.context.newPage();
			await other.goto(link);
			await other.waitForFunction(() => window.sonde?.ready && window.sonde.filters.sel !== undefined, null, { timeout: 90000 });
			same(await other.evaluate(() => window.sonde.filters.count), wanted.length, 'events that pass, through the link');
			await other.close();
			await t.page.evaluate(() => window.sonde.filters.set({ expression: 'sched/sched_switch: next_pid == 127' }));
			same(await t.page.evaluate(() => window.sonde.filters.count), events.filter((e) => e.event === 'sched_switch' && e.fields.next_pid === 127).length, 'by expression');
			await t.page.evaluate(() => window.sonde.filters.set({ tasks: ['0:126'] }));
			same(await t.page.evaluate(() => window.sonde.filters.count), events.filter((e) => e.pid === 126).length, 'by task');
			await t.page.click('#chips > .small');
			await t.page.waitForFunction(() => window.sonde.filters.sel === undefined, null, { timeout: 90000 });
		},
	},
];
