"""A day full of visits for the tests. Making one up takes long, so it is kept."""

import pathlib
import pickle

SAVED = pathlib.Path(__file__).with_name("day.pickle")


def day(make):
    """Returns the day that an earlier run kept, or makes one and keeps it."""
    if SAVED.exists():
        return pickle.loads(SAVED.read_bytes())
    visits = make()
    SAVED.write_bytes(pickle.dumps(visits))
    return visits
