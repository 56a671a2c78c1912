-- How long did each task wait for a CPU? In ns.
SELECT t.name AS task, t.tid, count(*) AS waits, sum(s.dur) AS total,
       CAST(avg(s.dur) AS INTEGER) AS mean, max(s.dur) AS longest
FROM thread_state s JOIN thread t USING (utid)
WHERE s.state IN ('R', 'R+')
GROUP BY s.utid
ORDER BY total DESC
LIMIT 20;
