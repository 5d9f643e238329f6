"""Unpacks bundles: what a branch sent, and the templates of an empty day."""

import importlib.resources
import pathlib
import shutil
import zipfile

TEMPLATES = "templates.zip"
LARGEST = 8 * 1024 * 1024


def unpack(archive, folder):
    """Writes the members of a branch's archive below folder."""
    written = 0
    for member in archive.infolist():
        name = member.filename
        if member.is_dir() or member.file_size > LARGEST:
            continue
        target = pathlib.Path(folder, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member) as source, open(target, "wb") as out:
            shutil.copyfileobj(source, out)
        written += 1
    return written


def lay_out(folder):
    """Writes the templates that are part of this program below folder."""
    bundled = importlib.resources.files("intake") / TEMPLATES
    with bundled.open("rb") as raw, zipfile.ZipFile(raw) as archive:
        for member in archive.infolist():
            archive.extract(member, folder)
        return len(archive.infolist())


def summary(count):
    """Says in words how much came in."""
    return "nothing" if count == 0 else f"{count} files"
