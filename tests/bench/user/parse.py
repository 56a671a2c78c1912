"""A realistic program for the interpreter that is traced: prints the CPU time that it took, in ms."""
import json
import re
import time

START = time.thread_time()
DATA = {"list": [1, 2, 3, {"name": "c" * 10}] * 20, "map": {str(i): i for i in range(50)}}
for _ in range(8000):
    text = json.dumps(DATA)
    back = json.loads(text)
    re.sub("c+", "d", text)
    sorted(back["map"].items())
print(1, (time.thread_time() - START) * 1000)
