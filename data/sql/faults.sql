-- Which code causes page faults? By task and, if stacks were recorded (-T), by stack.
SELECT e.comm AS task, e.name AS event, count(*) AS faults, s.stack
FROM event e LEFT JOIN stack s ON s.event_id = e.id
WHERE e.name IN ('page_fault_user', 'page_fault_kernel')
GROUP BY e.comm, e.name, s.stack
ORDER BY faults DESC
LIMIT 20;
