"""Readers: from files, folders and uploads to checked, frozen `evalcore.data.Data`.

`load` raises what is wrong, all of it at once; `inspect` tells it, with a preview and the mapping of columns.
"""

from evalcore.readers.inputs import Upload
from evalcore.readers.inspecting import Inspection, TableInspection, inspect
from evalcore.readers.loading import load

__all__ = ["Inspection", "TableInspection", "Upload", "inspect", "load"]
