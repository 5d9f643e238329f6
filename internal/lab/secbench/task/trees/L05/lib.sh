# What the scripts share. It is read, not run.

SPOOL=spool
STORE=store

# How packed logs are kept, and for how many days.
LEVEL=-9
DAYS=30

# say writes a line to the journal.
say() {
	printf '%s\n' "$*" >&2
}

# kind_of names the kind of a door by the first line of its log.
kind_of() {
	case $(head -n 1 "$1") in
	turnstile*) echo turnstile ;;
	gate*) echo gate ;;
	*) echo plain ;;
	esac
}

# packer is the command that packs logs of a kind.
packer() {
	case $1 in
	turnstile) echo "sed -e 1d -e 's/;/,/g'" ;;
	gate) echo "tail -n +2" ;;
	plain) echo "cat" ;;
	esac
}
