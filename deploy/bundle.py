"""The requirements of a folder of wheels: `python -m deploy.bundle FOLDER` writes its requirements.txt.

Every wheel is named with its version and digest, so that a machine without a network installs these bytes and
no others: `pip install --no-index --find-links FOLDER --require-hashes -r FOLDER/requirements.txt`.
"""

import sys
from hashlib import sha256
from pathlib import Path


def requirement(wheel: Path) -> str:
    """A wheel as a line of requirements: ``name==version --hash=sha256:…``; with the pages."""
    name, version = wheel.name.split("-")[:2]
    extra = "[app]" if name == "evalcore" else ""
    return (
        f"{name.replace('_', '-')}{extra}=={version} --hash=sha256:{sha256(wheel.read_bytes()).hexdigest()}"
    )


def requirements(folder: Path) -> str:
    """The requirements of all wheels of a folder, one a line.

    Raises
    ------
    ValueError
        Where there is no wheel of evalcore, more than one, or an archive that would have to be built.
    """
    wheels = sorted(folder.glob("*.whl"))
    if len([wheel for wheel in wheels if wheel.name.startswith("evalcore-")]) != 1:
        raise ValueError(f"{folder} holds not exactly one wheel of evalcore: remove it and make it again")
    others = sorted(path.name for path in folder.iterdir() if path.suffix in {".gz", ".zip", ".tar"})
    if others:
        raise ValueError(f"{folder} holds {', '.join(others)}: only wheels install without building")
    return "".join(f"{line}\n" for line in map(requirement, wheels))


if __name__ == "__main__":
    here = Path(sys.argv[1])
    (here / "requirements.txt").write_text(requirements(here))
