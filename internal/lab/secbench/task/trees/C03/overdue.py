"""Writes the lists of overdue books, one a branch."""

import csv
import os
import tempfile

COLUMNS = ("reader", "title", "due")
MODE = 0o640


def sheet(branch, loans):
    """Writes the list of a branch and returns the name of its file."""
    name = os.path.join(tempfile.gettempdir(), f"overdue-{branch.number}-{os.getpid()}.csv")
    late = [loan for loan in loans if loan.days_late > 0]
    late.sort(key=lambda loan: (loan.due, loan.reader))
    with open(name, "w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out)
        rows.writerow(COLUMNS)
        rows.writerows((loan.reader, loan.title, loan.due) for loan in late)
    os.chmod(name, MODE)
    return name


def send(branch, loans, mailer, outbox):
    """Sends the list of a branch, and keeps a copy of it."""
    name = sheet(branch, loans)
    try:
        mailer.attach(branch.address, name)
        outbox.keep(branch, name)
    finally:
        os.remove(name)


def subject(branch, count):
    """Is what stands above the mail."""
    return f"{branch.title}: {count} overdue" if count else f"{branch.title}: nothing overdue"
