"""Receives the bundles of the branches."""

import io
import pathlib
import zipfile

from intake import bundle

DAY = pathlib.Path("day")


def receive(request):
    """Takes in one upload and returns how many files came with it."""
    upload = io.BytesIO(request.body)
    with zipfile.ZipFile(upload) as archive:
        return bundle.unpack(archive, DAY / request.branch_id)


def reset():
    """Lays out an empty day from the templates that come with the program."""
    return bundle.lay_out(DAY)
