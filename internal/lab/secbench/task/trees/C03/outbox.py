"""Keeps what was sent for a week."""

import datetime
import pathlib
import shutil

DAYS = 7


class Outbox:
    """A folder that belongs to this program alone."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(mode=0o700, exist_ok=True)

    def keep(self, branch, name):
        """Copies a list into the folder, under the branch's number and the day."""
        day = datetime.date.today().isoformat()
        shutil.copyfile(name, self.folder / f"{int(branch.number):04d}-{day}.csv")

    def sweep(self):
        """Removes what is older than a week."""
        oldest = datetime.date.today() - datetime.timedelta(days=DAYS)
        for kept in self.folder.glob("????-????-??-??.csv"):
            if kept.stem[5:] < oldest.isoformat():
                kept.unlink()
