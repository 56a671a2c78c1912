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
			await t.settle();
			const [from, to] = await view(t), x = await t.page.evaluate(() => window.sonde.view.t(document.querySelector('#paint').clientWidth * .25));
			ok(to - from < 9e8, 'it zooms in');
			ok(Math.abs(x - 1.25e9) < 5e6, `what is under the pointer stays: ${x}`);
			await t.page.keyboard.down('Shift');
			await t.page.mouse.wheel(0, 200);
			await t.page.keyboard.up('Shift');
			await t.settle();
			ok((await view(t))[0] > from, 'Shift and wheel move');
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
];
