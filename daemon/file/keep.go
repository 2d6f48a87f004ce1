package file

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"syscall"
)

// unkept says what of the old file a new inode can't have. It is no failure: it means in place.
type unkept struct {
	text  string
	cause error // nil if it follows from the file itself
}

func (u unkept) Error() string { return u.text }
func (u unkept) Unwrap() error { return u.cause }

// cantKeep turns a refusal into unkept. A full or failing disk stays the error that it is: the
// same disk would not take the text in place either.
func cantKeep(what string, err error) error {
	if err == nil || is(err, syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EROFS) {
		return err
	}
	var number syscall.Errno
	if !errors.As(err, &number) {
		return err
	}
	return unkept{fmt.Sprintf("%s can't be kept: %v", what, number), err}
}

// keep gives h the owner, extended attributes and mode of an old file, and then looks whether it
// took them. Called after the text is written: writing takes setuid bits and capabilities away.
// Owner before attributes before mode: each step may reset the next.
func keep(h handle, old status, attrs []xattr) error {
	got, err := h.status()
	if err != nil {
		return err
	}
	owner := fmt.Sprintf("owner %d:%d", old.uid, old.gid)
	if got.uid != old.uid || got.gid != old.gid {
		if err := h.chown(old.uid, old.gid); err != nil {
			return cantKeep(owner, err)
		}
	}
	if err := keepXattrs(h, attrs); err != nil {
		return err
	}
	if err := h.chmod(old.mode); err != nil {
		return cantKeep("mode "+old.mode.String(), err)
	}
	if got, err = h.status(); err != nil {
		return err
	}
	switch {
	case got.uid != old.uid || got.gid != old.gid:
		return unkept{text: owner + " can't be kept"}
	case got.mode != old.mode:
		return unkept{text: "mode " + old.mode.String() + " can't be kept"}
	}
	return nil
}

// keepXattrs makes the attributes of h equal to want. The directory may have given h some of its
// own (a default access control list), which are removed.
func keepXattrs(h handle, want []xattr) error {
	have, err := h.xattrs()
	if err != nil {
		return cantKeep("attributes", err)
	}
	for _, x := range have {
		if indexXattr(want, x.name) < 0 {
			if err := h.removeXattr(x.name); err != nil {
				return cantKeep("absence of attribute "+x.name, err)
			}
		}
	}
	for _, x := range want {
		if i := indexXattr(have, x.name); i >= 0 && bytes.Equal(have[i].value, x.value) {
			continue
		}
		if err := h.setXattr(x); err != nil {
			return cantKeep("attribute "+x.name, err)
		}
	}
	return nil
}

func indexXattr(all []xattr, name string) int {
	return slices.IndexFunc(all, func(x xattr) bool { return x.name == name })
}
