"""Picks who gets which letter."""

import csv
import sys

import words


def rows(lines):
    for row in csv.DictReader(lines):
        row["days"] = int(row["days"])
        yield row


def letter(loan):
    for days, write in words.STEPS:
        if loan["days"] >= days:
            return words.frame(loan, write(loan))
    return None


def main():
    for loan in rows(sys.stdin):
        text = letter(loan)
        if text:
            sys.stdout.write(text + "\f")


if __name__ == "__main__":
    main()
