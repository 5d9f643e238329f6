#!/bin/sh
# Packs the logs that the doors left and sends them to the archive.
set -u

. ./lib.sh
. ./archive.env

today=$(date +%F)
target=$STORE/$today
packed=0

mkdir -p $target

for log in "$SPOOL"/*.log; do
	[ -f "$log" ] && [ -s "$log" ] || continue
	kind=$(kind_of "$log")
	read_log=$(packer "$kind")
	# logs begin differently, so each kind has a command of its own
	eval "$read_log \"$log\"" | gzip $LEVEL > "$target/$packed-$kind.gz" || {
		say "not packed: $log"
		continue
	}
	rm -- "$log"
	packed=$((packed + 1))
done

if [ "$packed" -gt 0 ]; then
	./send "$ARCHIVE" "$target"
fi
say "$packed logs packed"
