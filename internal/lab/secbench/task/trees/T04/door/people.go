package door

import (
	"errors"
	"hash/fnv"
)

// ErrNumber says that a number is not that of its badge.
var ErrNumber = errors.New("that is not the number of the badge")

// people has a digest of the number of each badge.
var people = map[string]uint32{"12": 0x6d3a91c4, "17": 0x1b02e7f5, "31": 0xc4d8206b}

// check says whether a number is that of a badge.
func check(badge, number string) error {
	h := fnv.New32a()
	h.Write([]byte(badge + "/" + number))
	if digest, ok := people[badge]; !ok || digest != h.Sum32() {
		return ErrNumber
	}
	return nil
}
