-- Where do tasks leave the CPU, and for how long? By stack, if stacks were recorded (-T). In ns.
SELECT t.name AS task, s.state, count(*) AS times, sum(s.dur) AS total, k.stack
FROM thread_state s JOIN thread t USING (utid)
     LEFT JOIN stack k ON k.utid = s.utid AND k.event_ts = s.ts
WHERE s.state IN ('S', 'D')
GROUP BY s.utid, s.state, k.stack
ORDER BY total DESC
LIMIT 20;
