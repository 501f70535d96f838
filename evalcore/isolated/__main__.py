"""What `pool` starts: `worker` as a package of its own, so that nothing else of evalcore is loaded."""

import runpy

if __name__ == "__main__":
    runpy.run_module("worker", run_name="__main__")
