# Runs a command in a copy of this machine that is thrown away, under strace.
# Arguments: an empty folder, the workspace, the home, the file for the trace, the
# command. Runs in new namespaces for mounts, processes, network and so on; rights
# are given up last (unshare --user), when all is mounted.
set -eu
root=$1 workspace=$2 home=$3 trace=$4 command=$5
mount -t tmpfs -o size=128m,mode=755 none "$root"
cd "$root"
layer() { # NAME FOLDER: the folder, with what is written to it kept in memory
  mkdir -p "$1/up" "$1/work" "new$2"
  mount -t overlay -o "lowerdir=$2,upperdir=$1/up,workdir=$1/work" overlay "new$2"
}
layer system /
mount -t proc proc new/proc
for folder in sys sysrq-trigger irq bus fs acpi; do # what root may set through files
  [ ! -e "new/proc/$folder" ] || mount -o bind,ro "new/proc/$folder" "new/proc/$folder"
done
for folder in tmp root home run dev sys; do
  mount -t tmpfs -o size=16m,mode=755 none "new/$folder"
done
chmod 1777 new/tmp
for device in null zero full random urandom tty; do
  : >"new/dev/$device"
  mount --bind "/dev/$device" "new/dev/$device"
done
ln -s /proc/self/fd new/dev/fd
ln -s fd/0 new/dev/stdin
ln -s fd/1 new/dev/stdout
ln -s fd/2 new/dev/stderr
layer workspace "$workspace"
layer home "$home"
mkdir new/.trace
: >new/.trace/log
mount --bind "$trace" new/.trace/log
cd new
pivot_root . run
cd "$workspace"
umount -l /run
ulimit -t 5
ulimit -c 0
ulimit -f 65536
exec unshare --user --map-root-user strace -f -y -v -s 1000000 --seccomp-bpf -e signal=none \
  -e "trace=$TRACED" -o /.trace/log bash -c "$command"
