"""What needs MLflow runs where it is installed: `make mlflow` has it in an environment of its own."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("mlflow") else ["test_runs.py"]
