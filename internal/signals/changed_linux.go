package signals

import "syscall"

// changed returns when an inode was changed last.
func changed(s *syscall.Stat_t) stamp { return stamp{uint32(s.Ctim.Sec), uint32(s.Ctim.Nsec)} }
