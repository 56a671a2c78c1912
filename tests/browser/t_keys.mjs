// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_keys.mjs - keys alone, the palette, help, and the twin for screen readers.
 */
import { same, ok } from './lib.mjs';

const view = (t) => t.page.evaluate(() => [window.sonde.view.from, window.sonde.view.to]);

export const keys = [
	{
		name: 'keys move and zoom',
		async run(t) {
			await t.go(1e9, 2e9);
			await t.page.mouse.move(10, 10);
			const steps = [['w', (a, b) => b[1] - b[0] < a[1] - a[0], 'w zooms in'], ['s', (a, b) => b[1] - b[0] > a[1] - a[0], 's zooms out'],
				['d', (a, b) => b[0] > a[0], 'd goes right'], ['a', (a, b) => b[0] < a[0], 'a goes left'],
				['ArrowRight', (a, b) => b[0] > a[0], 'the arrow goes right'], ['+', (a, b) => b[1] - b[0] < a[1] - a[0], '+ zooms in']];
			for (const [key, good, what] of steps) {
				const before = await view(t);
				await t.page.keyboard.press(key, { delay: 60 });
				await t.settle();
				ok(good(before, await view(t)), what);
			}
			await t.page.keyboard.press('0');
			await t.settle();
			const [from, to] = await view(t);
			ok(Math.abs(from) < 1e6 && Math.abs(to - t.oracle.end) < 1e6, '0 shows everything');
		},
	},
	{
		name: 'wheel: zoom at the pointer, move',
		async run(t) {
			await t.go(1e9, 2e9);
			const at = await t.place('cpu:0:0', 1.25e9);
			await t.page.mouse.move(at.x, at.y);
			await t.page.keyboard.down('Control');
			await t.page.mouse.wheel(0, -300);
			await t.page.keyboard.up('Control');
			await t.page.waitForFunction(() => window.sonde.view.span < 9e8, null, { timeout: 90000 });
			await t.settle();
			const [from] = await view(t), x = await t.page.evaluate(() => window.sonde.view.t(document.querySelector('#paint').clientWidth * .25));
			ok(Math.abs(x - 1.25e9) < 5e6, `what is under the pointer stays: ${x}`);
			await t.page.keyboard.down('Shift');
			await t.page.mouse.wheel(0, 200);
			await t.page.keyboard.up('Shift');
			await t.page.waitForFunction((at) => window.sonde.view.from > at, from, { timeout: 90000 });	/* Shift and wheel move */
			await t.settle();
			await t.page.keyboard.down('Shift');
			await t.page.mouse.down();
			await t.page.mouse.move(at.x + 200, at.y, { steps: 4 });
			await t.page.mouse.up();
			await t.page.keyboard.up('Shift');
			await t.settle();
			same(await t.page.evaluate(() => window.sonde.range), null, 'Shift and drag choose nothing');
		},
	},
	{
		name: 'everything without a mouse',
		async run(t) {
			await t.page.keyboard.press('l');
			await t.page.keyboard.press('Home');
			same(await t.page.evaluate(() => document.activeElement.getAttribute('role')), 'treeitem', 'focus is in the tree');
			await t.page.keyboard.press('ArrowDown');
			same(await t.page.evaluate(() => document.activeElement.dataset.id), 'cpu:0:0', 'the first track');
			await t.page.keyboard.press('ArrowRight');
			await t.page.waitForFunction(() => window.sonde.selection?.lane === 'cpu:0:0', null, { timeout: 90000 });
			await t.settle();
			const first = await t.page.evaluate(() => window.sonde.selection.start);
			const said = await t.spoken();
			ok(/^CPU 0 .*: .+ for .+ from /.test(said), `said: ${said}`);
			await t.page.keyboard.press('ArrowRight');
			await t.page.waitForFunction((s) => window.sonde.selection?.start > s, first, { timeout: 90000 });
			const slices = t.oracle.ran(0).map((s) => s.start), now = await t.page.evaluate(() => window.sonde.selection.start);
			ok(slices.includes(now), 'the next slice');
			same(slices.indexOf(now) - slices.indexOf(first), 1, 'one slice further');
			await t.page.keyboard.press('Enter');
			await t.settle();
			const [from, to] = await view(t);
			ok(from < now && to > now && to - from < 1e9, 'Enter shows it');
			await t.page.keyboard.press('m');
			same(await t.page.evaluate(() => window.sonde.marks.list.map((m) => m.t)), [now], 'm marks it');
			await t.page.keyboard.press('Shift+R').catch(() => 0);
			await t.page.keyboard.press('r');
			ok(await t.page.evaluate(() => window.sonde.range !== null), 'r makes it the range');
			await t.page.keyboard.press('3');
			same(await t.page.getAttribute('#tab-tasks', 'aria-selected'), 'true', '3 shows the time by task');
			await t.page.keyboard.press('Escape');
			same(await t.page.evaluate(() => window.sonde.range), null, 'Escape clears the range');
			await t.page.keyboard.press('ArrowDown');
			await t.page.keyboard.press('/');
			same(await t.page.evaluate(() => document.activeElement.id), 'search-text', '/ searches');
			await t.page.keyboard.press('Escape');
			await t.shot('keyboard');
		},
	},
	{
		name: 'command palette',
		async run(t) {
			await t.page.keyboard.press('Control+Shift+P');
			await t.page.waitForSelector('#palette[open]');
			await t.page.keyboard.type('event cou');
			await t.shot('palette');
			await t.page.keyboard.press('Enter');
			same(await t.page.getAttribute('#tab-counts', 'aria-selected'), 'true', 'the command runs');
			await t.page.keyboard.press('Shift+Period');
			ok(await t.page.evaluate(() => document.getElementById('palette').open), '> opens it');
			await t.page.keyboard.press('Escape');
			await t.page.keyboard.press('Control+P');
			await t.page.keyboard.type('sysloop');
			await t.page.keyboard.press('Enter');
			ok(await t.page.evaluate(() => window.sonde.lanes.find('task:0:128')), 'finds a track');
		},
	},
	{
		name: 'help names every key',
		async run(t) {
			await t.page.keyboard.press('?');
			await t.page.waitForSelector('#help[open]');
			const text = await t.page.textContent('#help');
			for (const word of ['Zoom in', 'Mark here', 'Search events', 'Why: the critical path', 'lost', 'runnable'])
				ok(text.includes(word), `"${word}" is not in the help`);
			await t.shot('help');
			await t.page.keyboard.press('Escape');
			ok(!(await t.page.evaluate(() => document.getElementById('help').open)), 'Escape closes it');
		},
	},
	{
		name: 'the twin for screen readers',
		async run(t) {
			const facts = await t.page.evaluate(() => ({
				items: document.querySelectorAll('#tree [role=treeitem]').length,
				tabbable: document.querySelectorAll('#tree [role=treeitem][tabindex="0"]').length,
				nameless: [...document.querySelectorAll('button, input, select, [role=treeitem]')].filter((e) => e.offsetParent !== null &&
					!e.textContent.trim() && !e.getAttribute('aria-label') && !e.title).map((e) => e.outerHTML.slice(0, 80)),
				live: document.querySelector('#spoken').getAttribute('aria-live'),
				rows: window.sonde.lanes.rows.length,
				hidden: [...document.querySelectorAll('canvas')].every((c) => c.getAttribute('aria-hidden') === 'true'),
			}));
			same(facts.items, facts.rows, 'an item for each row');
			same(facts.tabbable, 1, 'one takes the focus');
			same(facts.nameless, [], 'elements without a name');
			same([facts.live, facts.hidden], ['polite', true], 'what is read');
		},
	},
	{
		name: 'stepping along a wakeup with brackets',
		async run(t) {
			const waking = t.oracle.of('sched_waking').find((e) => e.fields.pid === 15 && e.pid === 127 && e.t > 139e6);
			await t.go(waking.t - 5e5, waking.t + 5e5);
			await t.click('task:0:127', waking.t);
			await t.page.waitForFunction(() => window.sonde.arrows.list.length > 0, null, { timeout: 90000 });
			await t.page.keyboard.press(']');
			await t.page.waitForFunction(() => window.sonde.selection?.lane === 'task:0:15', null, { timeout: 90000 });
			ok((await t.spoken()).includes('rcu_preempt'), 'the woken task is selected');
		},
	},
	{
		name: 'keys are the characters they give, on any layout',
		async run(t) {
			const press = (key, code, flags = {}) => t.page.evaluate(([k, c, f]) => {
				(document.activeElement || document.body).dispatchEvent(new KeyboardEvent('keydown', { key: k, code: c, bubbles: true, cancelable: true, ...f }));
			}, [key, code, flags]);
			const focus = () => t.page.evaluate(() => document.activeElement.id);
			const leave = () => t.page.evaluate(() => document.activeElement.blur());
			const panel = () => t.page.evaluate(() => window.sonde.panels.current);
			await press('/', 'Digit7', { shiftKey: true });			/* German */
			same([await focus(), await panel()], ['search-text', 'events'], '/ above the 7');
			await leave();
			await press(':', 'Period', { shiftKey: true });
			same([await focus(), await t.page.inputValue('#search-mode')], ['search-text', 'expression'], ': on the full stop');
			await leave();
			const waking = t.oracle.of('sched_waking').find((e) => e.fields.pid === 15 && e.pid === 127 && e.t > 139e6);
			await t.go(waking.t - 5e5, waking.t + 5e5);
			for (const [how, flags] of [['AltGr', { modifierAltGraph: true }], ['Ctrl+Alt', { ctrlKey: true, altKey: true }]]) {
				await t.page.evaluate(() => window.sonde.select(null));
				await t.click('task:0:127', waking.t);
				await t.page.waitForFunction(() => window.sonde.arrows.list.length > 0, null, { timeout: 90000 });
				await press(']', 'Digit9', flags);
				await t.page.waitForFunction(() => window.sonde.selection?.lane === 'task:0:15', null, { timeout: 90000 });
				same(await panel(), 'events', `${how}+9 is no command`);
			}
			await press('@', 'KeyQ', { modifierAltGraph: true });
			ok(!(await t.page.evaluate(() => document.body.classList.contains('no-drawer'))), 'AltGr+Q is a character, no command');
			await press('3', 'Digit3', { shiftKey: true });			/* French digits need Shift */
			same(await panel(), 'tasks', '3 typed with Shift');
			await press('\u0446', 'KeyQ');					/* Cyrillic: by the place */
			ok(await t.page.evaluate(() => document.body.classList.contains('no-drawer')), 'the place of Q where there is no Q');
			await press('q', 'KeyA');					/* AZERTY */
			ok(!(await t.page.evaluate(() => document.body.classList.contains('no-drawer'))), 'Q in the place of A');
		},
	},
	{
		name: 'the key after Escape is not lost',
		async run(t) {
			for (const key of ['?', 't', 'i']) {
				await t.page.keyboard.press(key);
				await t.page.waitForSelector('dialog[open]');
				await t.page.evaluate(() => {
					const send = (k, c) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: k, code: c, bubbles: true, cancelable: true }));
					send('Escape', 'Escape');
					send('t', 'KeyT');
				});
				ok(await t.page.evaluate(() => document.getElementById('palette').open), `T after Escape in ${key}`);
				await t.page.keyboard.press('Escape');
				ok(!(await t.page.evaluate(() => document.querySelector('dialog[open]'))), 'Escape closes it');
			}
		},
	},
	{
		name: 'pairs of events, by hand and offered',
		async run(t) {
			const items = () => t.page.evaluate(() => [...document.querySelectorAll('#palette .item')].map((i) => [...i.children].map((c) => c.textContent).join(' | ')));
			const specs = () => t.page.evaluate(() => window.sonde.lanes.list.filter((l) => l.type === 'pair').map((l) => l.spec));
			await t.page.keyboard.press('t');
			await t.page.fill('#palette input', 'pair');
			ok((await items()).some((text) => text.includes('->')), 'the palette tells the form');
			await t.page.fill('#palette input', 'sched_waking -> sched_switch');
			const offered = await items();
			ok(/pid = next_pid/.test(offered[0]), `the best field comes first: ${offered}`);
			ok(offered.some((text) => /of the same task|matched by pid/.test(text)), `and the task's own: ${offered}`);
			await t.shot('pair');
			await t.page.keyboard.press('Enter');
			same(await specs(), ['pair:0:sched/sched_waking:sched/sched_switch:pid:next_pid'], 'the track');
			await t.page.keyboard.press('t');
			await t.page.fill('#palette input', 'sched_waki -> ');
			await t.page.keyboard.press('Enter');
			same(await t.page.inputValue('#palette input'), 'sched/sched_waking -> ', 'an event that is half typed');
			await t.page.keyboard.type('sched_switch prio prev_prio');
			await t.page.keyboard.press('Enter');
			same((await specs())[1], 'pair:0:sched/sched_waking:sched/sched_switch:prio:prev_prio', 'a field that was chosen');
			await t.page.keyboard.press('t');
			await t.page.fill('#palette input', 'irq_handler_entry ->');
			ok((await items())[0].includes('irq_handler_exit'), `what belongs together comes first: ${(await items())[0]}`);
			await t.page.keyboard.press('Enter');
			ok(/matched by irq/.test((await items())[0]), `its field: ${(await items())[0]}`);
			await t.page.keyboard.press('Escape');
			const labels = await t.page.evaluate(() => [...document.querySelectorAll('#tree .lane.pair')].map((l) => l.getAttribute('aria-label')));
			ok(await t.page.evaluate(() => [...document.querySelectorAll('#tree .lane.pair .sub')].every((s) => s.scrollWidth <= s.clientWidth)), 'the fields are not cut');
			same(labels, ['sched_waking → sched_switch by pid = next_pid', 'sched_waking → sched_switch by prio = prev_prio'], 'names that differ');
			await t.settle();
			const wake = t.oracle.of('sched_waking').find((e) => e.fields.pid === 15 && e.t > 139e6);
			const ran = t.oracle.of('sched_switch').find((e) => e.fields.next_pid === 15 && e.t > wake.t);
			const span = await t.page.evaluate((x) => window.sonde.span('pair:0:sched/sched_waking:sched/sched_switch:pid:next_pid', x, 0, 'at'), wake.t + 1);
			same([span.start, span.end], [wake.t, ran.t], 'ends where the woken task is switched to');
			await t.shot('pairs');
		},
	},
];
