"""The pages of the shelf finder."""

import session

BRANCHES = ("north", "harbour", "mill")


def show(request, response):
    """Shows the shelves that were chosen before."""
    choices = session.load(request)
    response.write(session.heading(choices))
    for shelf in choices.shelves:
        response.write(f"shelf {shelf}\n")


def choose(request, response):
    """Takes a new choice from the form."""
    branch = request.form.get("branch", BRANCHES[0])
    if branch not in BRANCHES:
        response.status = 400
        return
    numbers = [n for n in request.form.get("shelves", "").split() if n.isdigit()]
    session.save(response, session.Choices(branch, [int(n) for n in numbers]))
