// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ask.mjs - answers queries with DuckDB, over Parquet files.
 *
 *	{"tables":{"sched":"/…/sched.parquet"},"queries":["SELECT …"]}     from standard input
 *	[[[1,"a"],[2,null]],…]                                            the rows, query by query
 *
 * A query that fails becomes a text instead of a list. Integers are {"n":"123"}, because DuckDB's have 64
 * and 128 bits.
 */
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

const { DuckDBInstance } = createRequire(path.join(process.env.WORK, 'package.json'))('@duckdb/node-api');
const { tables, queries } = JSON.parse(fs.readFileSync(0, 'utf8'));
const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
const db = await instance.connect();

await db.run("SET default_null_order = 'nulls_first'");	/* as SQLite orders */
for (const [name, file] of Object.entries(tables))
	await db.run(`CREATE VIEW "${name}" AS SELECT * FROM read_parquet('${file}')`);

const plain = (key, value) => typeof value === 'bigint' ? { n: String(value) } : value;
const answers = [];
for (const query of queries) {
	try {
		answers.push((await db.runAndReadAll(query)).getRows());
	} catch (error) {
		answers.push(String(error.message));
	}
}
process.stdout.write(JSON.stringify(answers, plain));
