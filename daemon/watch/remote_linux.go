package watch

import (
	"slices"

	"golang.org/x/sys/unix"
)

// remoteTypes are the file systems on which other machines, or a program in between, change files
// without the kernel's knowing.
var remoteTypes = []int64{unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, 0xff534d42 /* CIFS */, 0xfe534d42, /* SMB2 */
	unix.V9FS_MAGIC, unix.FUSE_SUPER_MAGIC, unix.AFS_SUPER_MAGIC, 0x00c36400 /* Ceph */, unix.CODA_SUPER_MAGIC}

// remote reports whether a directory is on such a file system.
func remote(path string) bool {
	var st unix.Statfs_t
	return unix.Statfs(path, &st) == nil && slices.Contains(remoteTypes, int64(st.Type))
}
