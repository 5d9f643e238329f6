"""Remembers from one visit to the next what was chosen at the screen."""

import base64
import dataclasses
import pickle
import time

NAME = "shelves"
KEPT = 30 * 24 * 3600


@dataclasses.dataclass
class Choices:
    """What a visitor chose, and when."""

    branch: str = "north"
    shelves: list = dataclasses.field(default_factory=list)
    at: float = 0.0


def load(request):
    """Returns the choices that come with a request, or those of a first visit."""
    sent = request.cookies.get(NAME)
    if not sent:
        return Choices()
    packed = base64.urlsafe_b64decode(sent)
    choices = pickle.loads(packed)
    if time.time() - choices.at > KEPT:
        return Choices()
    return choices


def save(response, choices):
    """Sends the choices along with an answer."""
    choices.at = time.time()
    packed = base64.urlsafe_b64encode(pickle.dumps(choices))
    response.set_cookie(NAME, packed.decode(), max_age=KEPT, httponly=True, secure=True)


def heading(choices):
    """Says what the list of shelves is about."""
    return f"{len(choices.shelves)} shelves in branch {choices.branch}\n"
