"""Memory of the process that serves the pages."""

import subprocess
import sys

import pytest

USE = """
import numpy as np
from pages.server.serving import give_back_large_blocks

def held():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))

give_back_large_blocks()
np.ones(3_500_000), np.ones(3_500_000)  # as such blocks come and go
before = held()
large, small = [], []
for _ in range(10):
    large.append(np.ones(3_000_000))
    small.append(np.ones(10_000))
del large
print(held() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is read from /proc")
def test_arrays_that_are_let_go_of_leave_no_holes():
    ended = subprocess.run([sys.executable, "-c", USE], capture_output=True, text=True, check=True)
    assert float(ended.stdout) < 10  # MiB, of ten arrays of 23; glibc by itself keeps more than 100
