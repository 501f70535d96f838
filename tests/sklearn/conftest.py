"""What of scikit-learn's checks is not run here."""

import pytest

NOT_RUN = "check_array_api_input"
"""It needs SCIPY_ARRAY_API set before anything loads scipy, and is nothing but skipped without it."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the check out."""
    left_out = [item for item in items if item.name.endswith(f"-{NOT_RUN}]")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
