-- Who waited for locks (futex) how long? In ns.
SELECT t.name AS task, t.tid, count(*) AS calls, sum(s.dur) AS total, max(s.dur) AS longest
FROM slice s JOIN thread t USING (utid)
WHERE s.category = 'syscall' AND s.name LIKE 'futex%'
GROUP BY s.utid
ORDER BY total DESC
LIMIT 20;
