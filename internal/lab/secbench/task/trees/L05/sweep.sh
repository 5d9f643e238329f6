#!/bin/sh
# Removes what the archive has had for long enough.
set -u

. ./lib.sh

cutoff=+$DAYS

find $STORE -name '*.gz' -mtime $cutoff -exec rm -- {} +
find $STORE -mindepth 1 -type d -empty -exec rmdir -- {} +
say "swept $STORE"
