"""What the letters say."""

GREETING = "Dear {name},"
CLOSING = "The loans desk"

LATE = "your book {title} was due {days} days ago."
LOST = "your book {title} is thought to be lost."


def soft(loan):
    return LATE.format(**loan)


def firm(loan):
    return LATE.format(**loan) + " Please bring it back this week."


def last(loan):
    return LOST.format(**loan)


def plural(days):
    return "day" if days == 1 else "days"


def frame(loan, text):
    return "\n".join([GREETING.format(**loan), text, CLOSING, ""])


# The oldest that fits is taken.
STEPS = [(60, last), (21, firm), (3, soft)]
