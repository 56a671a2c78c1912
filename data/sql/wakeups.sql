-- Who wakes whom, and who woke the waker before?
WITH wakeup AS MATERIALIZED (
	SELECT ts, utid, waker_utid, irq_context
	FROM thread_state WHERE waker_utid IS NOT NULL),
chain AS (
	SELECT utid, waker_utid, irq_context,
	       (SELECT w.waker_utid FROM wakeup w
	        WHERE w.utid = wakeup.waker_utid AND w.ts < wakeup.ts
	        ORDER BY w.ts DESC LIMIT 1) AS before_utid
	FROM wakeup)
SELECT b.name AS before, w.name AS waker, t.name AS woken, count(*) AS times,
       sum(irq_context) AS in_interrupts
FROM chain JOIN thread t USING (utid) JOIN thread w ON w.utid = chain.waker_utid
     LEFT JOIN thread b ON b.utid = chain.before_utid
GROUP BY before_utid, waker_utid, chain.utid
ORDER BY times DESC
LIMIT 20;
