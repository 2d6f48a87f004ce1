package disktest

// At is a fault that gives an error to the operation with a number, see Op.N.
func At(n int, err error) Fault {
	return func(op Op) error {
		if op.N == n {
			return err
		}
		return nil
	}
}

// Nth is a fault that gives an error to the n-th operation of a kind from now on, counted from 1.
func Nth(kind Kind, n int, err error) Fault {
	return func(op Op) error {
		if op.Kind != kind {
			return nil
		}
		if n--; n == 0 {
			return err
		}
		return nil
	}
}

// Always is a fault that gives an error to every operation that changes the disk.
func Always(err error) Fault {
	return func(op Op) error {
		if op.Kind.Mutates() {
			return err
		}
		return nil
	}
}

// BadBlock is a fault that gives an error to every read of a file that touches a byte.
func BadBlock(name string, off int64, err error) Fault {
	return func(op Op) error {
		if op.Kind == Read && op.Name == name && op.Off <= off && off < op.Off+int64(op.Len) {
			return err
		}
		return nil
	}
}
