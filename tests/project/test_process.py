"""The command line as a process that is stopped, or whose output nobody reads to the end."""

import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "evalcore")


def test_stopped_process_leaves_no_half_file(tmp_path):
    running = subprocess.Popen(
        [*COMMAND, "sample", "--out", str(tmp_path), "--posts", "20000"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not list(tmp_path.glob(".*.part")):
        assert running.poll() is None, "it ended before it could be stopped"
        time.sleep(0.02)
    running.send_signal(signal.SIGTERM)
    assert running.communicate()[1] == "Interrupted; no half file was left behind.\n"
    assert running.returncode == 2
    assert list(tmp_path.iterdir()) == []


def test_reader_that_has_read_enough_is_no_failure():
    running = subprocess.Popen(
        [*COMMAND, "evaluate", "sample_data/small/ten_rows.csv"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    running.stdout.close()
    assert running.wait() == 0
    assert b"Broken pipe" not in running.stderr.read()
    running.stderr.close()


def test_no_command_waits_for_the_import_of_what_few_need():
    """SciPy's statistics take longer than most evaluations: only a threshold's outlook needs them.

    Only a cluster needs asyncio. Both are imported then.
    """
    modules = "evalcore.__main__, evalcore.report, evalcore.chunked"
    program = f"import sys; import {modules}; print({{'scipy.stats', 'asyncio'}} & set(sys.modules))"
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout == "set()\n"


def test_no_file_waits_for_the_import_of_pandas():
    """It takes a quarter of a small file's time: only a table of results needs it, and imports it then."""
    program = """
import sys
from evalcore.__main__ import main
for file in sys.argv[1:]:
    main(["check", f"sample_data/{file}"])
    print(file, "pandas" in sys.modules, file=sys.stderr)
"""
    files = ["queries.csv", "ranked_lists.csv", "candidates.parquet", "recommender"]
    ended = subprocess.run(
        [sys.executable, "-c", program, *files], cwd=ROOT, capture_output=True, text=True, check=True
    )
    told = [line for line in ended.stderr.splitlines() if line.endswith(("True", "False"))]
    assert told == [f"{file} False" for file in files]
