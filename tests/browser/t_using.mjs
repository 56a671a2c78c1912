// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_using.mjs - finding one's way: searching by what is seen, going to a time, back and forward, addresses, filters.
 *
 * covers: K01 K04 K07 V03
 */
import { same, ok } from './lib.mjs';

const view = (t) => t.page.evaluate(() => [Math.round(window.sonde.view.from), Math.round(window.sonde.view.to)]);
const lanes = (t) => t.page.evaluate(() => window.sonde.lanes.text());

/* Until the address says what is shown, so that the next step has an entry of its own in the history. */
async function written(t) {
	await t.settle();
	await t.page.waitForFunction(() => location.hash === window.sonde.address.text(), null, { timeout: 90000 });
}

async function back(t, key, deep) {
	await written(t);
	await t.page.keyboard.press(key);
	await t.page.waitForFunction((n) => window.sonde.address.deep === n && !window.sonde.address.reading, deep, { timeout: 90000 });
	await t.settle();
}

async function to_hash(t, hash) {
	await t.page.evaluate((text) => {
		location.hash = text;
	}, hash);
	await t.page.waitForFunction((text) => window.sonde.address.written === text && !window.sonde.address.reading, hash, { timeout: 90000 });
	await t.settle();
}

export const using = [
	{
		name: 'search finds names of system calls, and N goes on',
		async run(t) {
			const wanted = t.oracle.events.filter((e) => /^NR 257 /.test(e.info));
			ok(wanted.length > 3, 'the trace has such calls');
			await t.page.keyboard.press('/');
			await t.page.keyboard.type('nr 257 openat');
			await t.page.keyboard.press('Enter');
			await t.page.waitForFunction(() => window.sonde.selection?.event, null, { timeout: 90000 });
			same(await t.page.evaluate(() => window.sonde.search.count), wanted.length, 'hits');
			await t.page.keyboard.press('n');
			await t.page.waitForFunction(() => /^2 of/.test(document.getElementById('search-count').textContent), null, { timeout: 90000 });
			same(await t.page.inputValue('#search-text'), 'nr 257 openat', 'n is no letter of it');
			await t.page.keyboard.press('Enter');
			await t.page.waitForFunction(() => /^3 of/.test(document.getElementById('search-count').textContent), null, { timeout: 90000 });
			await t.page.keyboard.press('/');
			await t.page.keyboard.press('Escape');
			same(await t.page.inputValue('#search-text'), 'nr 257 openat', 'Escape leaves it');
			ok(await t.page.evaluate(() => window.sonde.lanes.list[0].type === 'found' && document.activeElement === document.body), 'its track stays, the box is left');
			await t.page.fill('#search-text', 'nothing is called so');
			await t.page.press('#search-text', 'Enter');
			await t.page.waitForSelector('#search-wrong:not([hidden])');
			ok(/Nothing is found/.test(await t.page.textContent('#search-wrong')), 'no hits, in words');
			same(await t.page.evaluate(() => document.activeElement.id), 'search-text', 'without hits the box keeps the keys');
		},
	},
	{
		name: 'go to a time',
		async run(t) {
			const { events } = t.oracle, origin = BigInt(await t.page.evaluate(() => window.sonde.info.origin));
			const e = events[Math.floor(events.length / 3)], all = String(origin + BigInt(e.t)).padStart(10, '0');
			const printed = `${all.slice(0, -9)}.${all.slice(-9, -3)}`;		/* as report prints it: rounded down or up */
			const words = [[`@${printed}`, 'absolute, microseconds', 1000], [`${all.slice(0, -9)}.${all.slice(-9)}`, 'absolute, exact', 0],
				[(e.t / 1e9).toFixed(9), 'since the start', 0], [`+${e.t} ns`, 'with a unit', 0]];
			for (const [text, what, off] of words) {
				await t.page.keyboard.press('0');
				await t.page.keyboard.press('Escape');
				await t.page.keyboard.press('g');
				await t.page.fill('#palette input', text);
				ok(/^Go to /.test(await t.page.textContent('#palette .item .name')), `${what}: offered`);
				await t.page.press('#palette input', 'Enter');
				await t.page.waitForFunction(([ts, d]) => Math.abs((window.sonde.selection?.event?.ts ?? -1e9) - ts) <= d, [e.t, off], { timeout: 90000 });
				await t.settle();
				const [from, to] = await view(t);
				ok(from < e.t && to > e.t && to - from < t.oracle.end / 20, `${what}: in the middle of the picture, and near`);
			}
			await t.shot('go-to-time');
			await t.page.keyboard.press('Escape');
			await t.page.fill('#search-text', (e.t / 1e9).toFixed(9));
			await t.page.press('#search-text', 'Enter');
			await t.page.waitForFunction((ts) => window.sonde.selection?.event?.ts === ts, e.t, { timeout: 90000 });
			await t.page.keyboard.press('g');
			await t.page.fill('#palette input', '@99999999');
			same(await t.page.evaluate(() => import('./moments.js').then(({ parse_time }) => {
				const of = (text, info = { origin: '5000000000', duration: 3e9 }) => parse_time(text, info)?.t ?? null;
				return [of('[    6.500000]'), of('6.500000:'), of('1.25'), of('1250ms'), of('+1 250 000 µs'), of('9.5'), of('7'), of('@7'), of('@1'), of('abc'), of('5.10.3'),
					of('@1234', { origin: '1000', duration: 500, unit: 'count' })];
			})), [1.5e9, 1.5e9, 1.25e9, 1.25e9, 1.25e9, null, null, 2e9, 1e9, null, null, 234], 'ways to write a time');
			ok(/lies between/.test(await t.page.textContent('#palette .item .name')), 'a time outside: told where the trace is');
		},
	},
	{
		name: 'back and forward: jumps and tracks, not every step of the wheel',
		async run(t) {
			const first = await lanes(t);
			await t.go(1e9, 2e9);
			await written(t);
			const deep = await t.page.evaluate(() => history.length);
			for (let i = 0; i < 3; i++) {
				await t.page.keyboard.press('d');
				await written(t);
			}
			same(await t.page.evaluate(() => history.length), deep, 'moving makes no entries');
			const before = await view(t);
			await t.page.keyboard.press('0');
			await written(t);
			await t.page.evaluate(() => window.sonde.lanes.remove('cpu:0:1'));
			await written(t);
			const without = await lanes(t);
			ok(without !== first, 'the track is gone');
			await back(t, 'Alt+ArrowLeft', 1);
			same(await lanes(t), first, 'back: the track is there');
			await back(t, 'u', 0);
			same(await view(t), before, 'back: the view before the jump');
			await back(t, 'Shift+U', 1);
			ok((await view(t))[1] > 3e9, 'forward: the whole trace');
			await back(t, 'u', 0);
			await t.page.keyboard.press('u');
			ok(/nothing to go back to/.test(await t.page.textContent('#notes')), 'the first view stays, and it is said');
		},
	},
	{
		name: 'an address is the whole picture, also in a tab in use',
		async run(t) {
			await to_hash(t, '#v=0,100000000&c=0/CPUs&f=tasks:131&r=10000000,20000000&m=A:5000000&q=text:sched&p=counts');
			ok(await t.page.evaluate(() => window.sonde.range && window.sonde.marks.list.length && window.sonde.filters.on), 'it is read');
			await to_hash(t, '#v=0,200000000');
			same(await t.page.evaluate(() => {
				const a = window.sonde;
				return [a.range, a.marks.list.length, a.panels.current, a.filters.on, a.selection, a.search.text(), a.lanes.closed.size, document.getElementById('search-text').value];
			}), [null, 0, 'events', false, null, '', 0, ''], 'nothing of the one before');
			await to_hash(t, '#v=0,200000000&l=task:0:9999,cpu:0:0,nonsense:0:1');
			ok(/does not have: task:0:9999, nonsense:0:1/.test(await t.page.textContent('#notes')), 'what it does not have is told');
		},
	},
	{
		name: 'a filter on a task without a track shows it',
		async run(t) {
			const pid = await t.page.evaluate(() => window.sonde.tasks.find((x) => x && x.pid && !window.sonde.lanes.find(`task:0:${x.pid}`)).pid);
			const before = await lanes(t), third = t.oracle.end / 3;
			await t.go(third, third + 5e8);
			await t.page.evaluate((n) => window.sonde.filters.only('tasks', `0:${n}`), pid);
			await t.settle();
			same(await t.page.evaluate(() => window.sonde.lanes.rows.filter((r) => r.lane?.type === 'task').map((r) => r.lane.id)), [String(pid)], 'its track alone');
			same(await lanes(t), before, 'the choice of tracks is as it was');
			const colours = await t.page.evaluate((n) => {
				const a = window.sonde, rgb = (x) => a.colours.rgb(x.n >> 8, x.n & 255), grey = ([r, g, b]) => Math.max(r, g, b) - Math.min(r, g, b) < 16;
				return { own: grey(rgb(a.task_of(0, n))), others: a.tasks.filter((x) => x && x.pid && x.pid !== n).every((x) => grey(rgb(x))) };
			}, pid);
			same(colours, { own: false, others: true }, 'on the CPUs the others step back');
			await t.shot('filter-task');
			await t.page.evaluate(() => window.sonde.filters.set({}));
			await t.settle();
			ok(await t.page.evaluate((n) => !window.sonde.lanes.find(`task:0:${n}`), pid), 'it goes with the filter');
		},
	},
	{
		name: 'pairs are offered by their names, and why knows whose span it is',
		async run(t) {
			await t.page.keyboard.press('t');
			await t.page.fill('#palette input', 'softirq_e');
			const found = await t.page.evaluate(() => window.sonde.palette.items.filter((i) => i.spec?.startsWith('pair:')).map((i) => [i.text, i.spec]));
			ok(found.some(([text, spec]) => text === 'softirq_entry → softirq_exit' && spec.endsWith(':cpu')), `offered: ${JSON.stringify(found)}`);
			await t.page.fill('#palette input', 'sys_enter sys_exit');
			const spec = await t.page.evaluate(() => window.sonde.palette.items.find((i) => /sys_enter:/.test(i.spec) && i.spec.startsWith('pair:'))?.spec);
			same(spec, 'pair:0:raw_syscalls/sys_enter:raw_syscalls/sys_exit:pid', 'of the same task');
			await t.page.keyboard.press('Escape');
			const call = t.oracle.pairs('sys_enter', 'sys_exit', (e) => e.pid).find((s) => s.pid === 128 && s.end - s.start > 1e5);
			await t.go(call.start - 1e5, call.end + 1e5);
			await t.add(spec);
			const span = await t.page.evaluate(([lane, at]) => window.sonde.span(lane, at, 0, 'nearest'), [spec, call.start]);
			await t.page.evaluate((s) => window.sonde.select(s), span);
			same(await t.page.evaluate(() => window.sonde.tasks[window.sonde.hot]?.pid), await t.page.evaluate((ref) =>
				fetch(`api/event?ref=${ref}`).then((r) => r.json()).then((e) => e.pid), span.first), 'whose event begins it');
			await t.page.keyboard.press('y');
			await t.page.waitForFunction(() => /waited for/.test(document.getElementById('panel-why').textContent), null, { timeout: 90000 });
		},
	},
	{
		name: 'a counter has the scale of what is in sight, and tells its value',
		async run(t) {
			const spec = 'field:0:raw_syscalls/sys_exit:ret', all = t.oracle.of('sys_exit');
			const e = all.find((x, i) => i > 100 && x.fields.ret > 0 && x.fields.ret < 1000 && all[i + 1]?.t - x.t > 20000);
			await t.add(spec);
			const scale = () => t.page.evaluate((s) => {
				const p = window.sonde.stage.last.pieces.find((x) => x.lane.spec === s);
				return [p.low, p.high];
			}, spec);
			const whole = await scale();
			await t.go(e.t - 5000, e.t + 15000);
			const [low, high] = await scale(), seen = all.filter((x) => x.t >= e.t - 5000 && x.t <= e.t + 15000).map((x) => x.fields.ret);
			ok(high < whole[1] && high >= Math.max(...seen) && low <= Math.min(...seen), `scale ${low} … ${high} of ${seen}, of the whole ${whole}`);
			const at = await t.place(spec, e.t + 8000);
			await t.page.mouse.move(at.x, at.y);
			await t.page.waitForSelector('#tip:not([hidden])');
			same(Number((await t.page.textContent('#tip b')).replace(/[^\d-]/g, '')), e.fields.ret, 'the value under the pointer');
			same(await t.page.evaluate(() => import('./units.js').then((u) => [u.rounded(140716567166976), u.rounded(12345), u.rounded(-2)])),
				['1.40717×10¹⁴', '12\u202f345', '-2'], 'digits that are true');
		},
	},
	{
		name: 'the overview of few events shows where there are none', trace: 'probes',
		async run(t) {
			await t.page.waitForFunction(() => window.sonde.overview.exact, null, { timeout: 90000 });
			const bare = await t.page.evaluate(() => {
				const { overview, view } = window.sonde, out = [];
				overview.values.forEach((v, i) => !v && out.push([i / overview.cells * view.end, (i + 1) / overview.cells * view.end]));
				return out;
			});
			const { events, end } = t.oracle;
			for (const [from, to] of bare)
				ok(!events.some((e) => e.t > from + 1 && e.t < to - 1), `there are events from ${from} to ${to}`);
			ok(bare.length > 300, `${bare.length} places without events in ${end} ns`);
			ok(await t.page.evaluate(() => window.sonde.lanes.find('cpu:0:0') && window.sonde.lanes.find('task:0:219')), 'tasks and CPUs, without switches');
			await t.shot('few-events');
		},
	},
	{
		name: 'times are in the units of the clock', trace: 'clock-tsc',
		async run(t) {
			const words = (info) => t.page.evaluate((i) => import('./units.js').then((u) => {
				u.set_unit(i);
				const out = [u.duration(20000), u.exact(20000), u.clock(20000), u.absolute(20000, '5000000'), u.seconds(20000), u.bare(u.duration(7))];
				u.set_unit(window.sonde.info);
				return out.map((x) => String(x).replace(/\u202f/g, ' '));
			}), info);
			same(await words({ unit: 'ns', unit_ns: 1, counted: '' }), ['20 µs', '20 000 ns', '0.000 020 000 s', '0.005020000', '0.00002', '7 ns'], 'boot');
			same(await words({ unit: 'ns', unit_ns: 1e7, counted: '' }), ['200 s', '200 000 000 000 ns', '200.000 000 000 s', '50200.000000000', '200', '70 ms'], 'uptime');
			same(await words({ unit: 'count', unit_ns: 0, counted: 'cycles' }), ['20 000 cycles', '20 000 cycles', '20 000 cycles', '5 020 000', 'NaN', '7'], 'x86-tsc');
			await t.panel('counts');
			await t.page.waitForSelector('#panel-counts table');
			ok(!(await t.page.textContent('#panel-counts thead')).includes('Per second'), 'nothing is per second on a clock that counts cycles');
			ok((await t.page.textContent('#ruler-label')).includes('cycles'), 'what the ruler counts');
		},
	},
	{
		name: 'what was not recorded is no accident', trace: 'events-v7-zstd',
		async run(t) {
			await t.page.waitForFunction(() => window.sonde.lost.known, null, { timeout: 90000 });
			await t.settle();
			same(await t.page.evaluate(() => window.sonde.lost.none), true, 'nothing was lost');
			for (const spec of ['cpu:0:0', 'cpu:0:1'])
				for (const box of (await t.drawn(spec)).filter((b) => b.value === 65535))
					ok(!(box.flags & 2), `${spec} lost something from ${box.start} to ${box.end}`);
		},
	},
	{
		name: 'lost events stay red', trace: 'lost-events',
		async run(t) {
			await t.page.waitForFunction(() => window.sonde.lost.known, null, { timeout: 90000 });
			await t.settle();
			same(await t.page.evaluate(() => window.sonde.lost.none), false, 'something was lost');
			/* red is where the events say that some were lost; a CPU's time before its first event is not */
			const { events } = t.oracle, red = (spec) => t.drawn(spec).then((boxes) => boxes.filter((b) => b.value === 65535));
			let lost = 0;
			for (const cpu of [0, 1]) {
				const first = events.find((e) => e.cpu === cpu);
				for (const box of await red(`cpu:0:${cpu}`)) {
					lost += Boolean(box.flags & 2);
					if (box.end <= first.t + 1 && !first.missed)
						ok(!(box.flags & 2), `CPU ${cpu} was not recorded before ${first.t}, and lost nothing`);
				}
			}
			ok(lost > 0, 'losses are red');
			await t.shot('lost-and-not-recorded');
		},
	},
	{
		name: 'off-CPU stacks of all tasks together',
		async run(t) {
			await t.panel('offcpu');
			await t.page.waitForSelector('#panel-offcpu .frame');
			const values = () => t.page.evaluate(() => [...document.querySelectorAll('#panel-offcpu .frame')].map((f) => f.title));
			const apart = await values();
			await t.page.click('#panel-offcpu button:text-is("All tasks together")');
			await t.page.waitForSelector('#panel-offcpu button:text-is("By task")');
			const together = await values();
			same(together[0], apart[0], 'the same sum');
			ok(together.length < apart.length && !together.some((x) => /^rcu_preempt-15:/.test(x)), 'fewer columns, none of a task');
			const sums = await t.page.evaluate(() => import('./flame.js').then(({ merged }) => {
				const leaf = (name, value) => ({ name, value });
				return merged({ name: 'all', value: 9, children: [{ name: 'a-1', value: 4, children: [{ name: 'f', value: 4, children: [leaf('g', 3)] }] },
					{ name: 'a-2', value: 5, children: [{ name: 'f', value: 2, children: [leaf('g', 1), leaf('h', 1)] }, leaf('k', 3)] }] });
			}));
			same(sums, { name: 'all', value: 9, children: [{ name: 'f', value: 6, children: [{ name: 'g', value: 4, children: [] }, { name: 'h', value: 1, children: [] }] },
				{ name: 'k', value: 3, children: [] }] }, 'sums of equal stacks');
		},
	},
	{
		name: 'tasks of one name are told apart',
		async run(t) {
			const colours = await t.page.evaluate(() => {
				const a = window.sonde, rgb = (pid) => String(a.colours.task_rgb('cc1', pid));
				return new Set(Array.from({ length: 11 }, (_, i) => rgb(23400 + i))).size;
			});
			same(colours, 11, 'colours of eleven compilers');
			const slice = t.oracle.ran(0).find((s) => s.end - s.start > 1e7 && s.pid);
			await t.go(slice.start, slice.end);
			const texts = await t.page.evaluate(() => {
				const { words, last } = window.sonde.stage, out = [], fill = words.ctx.fillText;
				words.ctx.fillText = (text, ...rest) => {
					out.push(text);
					return fill.call(words.ctx, text, ...rest);
				};
				words.draw(last, window.sonde.view, window.sonde.theme);
				words.ctx.fillText = fill;
				return out;
			});
			ok(texts.some((x) => x.endsWith(`-${slice.pid}`)), `the PID stands where there is room: ${texts}`);
		},
	},
	{
		name: 'a program that has ended is not asked for ever', expect_console: /Failed to fetch|ERR_/,
		async run(t) {
			let asked = 0;
			await t.page.route('**/api/tiles', (route) => {
				asked++;
				return route.abort();
			});
			await t.page.evaluate(() => {
				window.sonde.tiles.map.clear();
				window.sonde.view.go(1e9, 1.2e9);
			});
			await t.page.waitForFunction(() => window.sonde.tiles.silent >= 2, null, { timeout: 90000 });
			const before = asked;
			await t.page.waitForTimeout(2500);
			ok(asked - before <= 3, `asked ${asked - before} times in 2.5 s`);
			ok(await t.page.evaluate(() => window.sonde.tiles.silent < 5), 'each time it waits longer');
			ok(/does not answer any more/.test(await t.page.textContent('#notes')), 'it is told');
		},
	},
	{
		name: 'tables have the room of details that are empty',
		async run(t) {
			const wide = () => t.page.evaluate(() => document.getElementById('panels').clientWidth);
			const small = await wide();
			await t.panel('spans');
			ok(await wide() > small + 150, 'nothing is selected');
			const cut = await t.page.evaluate(() => {
				const box = document.getElementById('panel-spans');
				return box.scrollWidth - box.clientWidth;
			});
			ok(cut <= 0, `the table is ${cut} pixels too wide`);
			await t.page.evaluate(() => window.sonde.span('cpu:0:0', 1e9, 0, 'nearest').then((s) => window.sonde.select(s)));
			await t.page.waitForFunction((w) => document.getElementById('panels').clientWidth === w, small, { timeout: 90000 });
		},
	},
];
