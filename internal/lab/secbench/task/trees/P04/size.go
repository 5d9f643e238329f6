package boxes

import (
	"errors"
	"io/fs"
)

// Size returns how many bytes are in a box.
func Size(all fs.FS, box string) (sum int64, err error) {
	err = fs.WalkDir(all, box, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return errors.Join(ErrName, err)
		}
		sum += info.Size()
		return nil
	})
	return sum, err
}
