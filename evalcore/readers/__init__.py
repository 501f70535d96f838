"""Readers: from files, folders and uploads to checked, frozen `evalcore.data.Data`.

`evalcore.load` raises what is wrong, all of it at once; `evalcore.inspect` tells it, with a preview and the
mapping of columns.
"""

from evalcore.readers.inputs import Upload
from evalcore.readers.inspecting import Inspection, TableInspection

__all__ = ["Inspection", "TableInspection", "Upload"]
