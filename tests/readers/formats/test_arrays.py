"""Arrow arrays from and to NumPy: held to Arrow's own ways, which load pandas."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.readers.formats import arrays
from evalcore.readers.formats.arrays import NO_TEXT, arrow_array, arrow_texts, plain_array, texts_in

KINDS = {
    pa.bool_(): st.booleans(),
    pa.int8(): st.integers(-128, 127),
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.float16(): st.floats(width=16),
    pa.float32(): st.floats(width=32),
    pa.float64(): st.floats(),
}


@st.composite
def columns(draw):
    """Columns of one kind in any number of chunks, each perhaps a slice, with null where it may be."""
    kind = draw(st.sampled_from(list(KINDS)))
    cell = KINDS[kind] if pa.types.is_boolean(kind) else st.none() | KINDS[kind]
    chunks = draw(st.lists(st.lists(cell, max_size=12), max_size=3))
    return pa.chunked_array([pa.array(one, kind)[draw(st.integers(0, 2)) :] for one in chunks], kind)


@given(columns())
def test_numbers_and_truth_values_are_those_of_arrow(column):
    found, expected = plain_array(column), column.to_numpy()
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    for chunk in column.chunks:
        np.testing.assert_array_equal(plain_array(chunk), chunk.to_numpy(zero_copy_only=False))


@pytest.mark.parametrize("few", [0, 10])
@given(texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_texts_go_to_arrow_and_back(few, texts):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "FEW_TEXTS", few)
        made = arrow_texts(texts)
        made.validate(full=True)
        assert made.equals(pa.array(texts, pa.string()))
        assert texts_in(made).tolist() == texts


@given(st.lists(st.booleans()) | st.lists(st.integers(-(2**62), 2**62)))
def test_arrays_go_to_arrow(values):
    given_ = np.array(values, bool if all(isinstance(one, bool) for one in values) else np.int64)
    made = arrow_array(given_[::2])
    made.validate(full=True)
    assert made.equals(pa.array(given_[::2]))


def test_no_text_is_the_empty_text():
    assert NO_TEXT.equals(pa.scalar("", pa.string()))
