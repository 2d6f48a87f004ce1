package file

import (
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// xattrs lists the attributes that this process may see. A file system without them has none.
func (h osHandle) xattrs() ([]xattr, error) {
	list, err := sized(func(b []byte) (int, error) { return unix.Flistxattr(h.fd(), b) })
	if is(err, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOSYS) {
		return nil, nil
	}
	if err != nil {
		return nil, h.wrap("list attributes", err)
	}
	var all []xattr
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		if name == "" {
			continue
		}
		v, err := sized(func(b []byte) (int, error) { return unix.Fgetxattr(h.fd(), name, b) })
		if is(err, errNoXattr) {
			continue // removed between the two calls
		}
		if err != nil {
			return nil, h.wrap("read attribute "+name, err)
		}
		all = append(all, xattr{name, v})
	}
	slices.SortFunc(all, func(a, b xattr) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

func (h osHandle) setXattr(x xattr) error {
	return h.wrap("set attribute "+x.name, unix.Fsetxattr(h.fd(), x.name, x.value, 0))
}

func (h osHandle) removeXattr(name string) error {
	return h.wrap("remove attribute "+name, unix.Fremovexattr(h.fd(), name))
}

// sized asks for the size, then for the value, and again when it grew in between.
func sized(get func([]byte) (int, error)) ([]byte, error) {
	for {
		n, err := get(nil)
		if n == 0 || err != nil {
			return nil, err
		}
		b := make([]byte, n)
		n, err = get(b)
		if is(err, syscall.ERANGE) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return b[:n], nil
	}
}
