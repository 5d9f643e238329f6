package mark

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrMark says that a text is no shelf mark.
var ErrMark = errors.New("that is no shelf mark")

// longest is how many bytes a mark may have.
const longest = 64

// parts are those of a mark.
type parts struct {
	rare     bool
	year     int
	language string
}

// parse takes a mark apart. The two digits at its end are the sum of the bytes
// before the dash that they are behind, by 97.
func parse(text string) (parts, error) {
	i := strings.LastIndexByte(text, '-')
	if i < 0 || len(text) > longest {
		return parts{}, ErrMark
	}
	sum := 0
	for _, b := range []byte(text[:i]) {
		sum += int(b)
	}
	if text[i+1:] != fmt.Sprintf("%02d", sum%97) {
		return parts{}, ErrMark
	}
	fields := strings.Split(text[:i], "-")
	if len(fields) != 3 || fields[0] != "R" && fields[0] != "S" || len(fields[2]) != 2 {
		return parts{}, ErrMark
	}
	year, err := strconv.Atoi(fields[1])
	if err != nil || year < 800 {
		return parts{}, ErrMark
	}
	return parts{fields[0] == "R", year, fields[2]}, nil
}
