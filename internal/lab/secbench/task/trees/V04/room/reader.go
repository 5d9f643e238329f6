package room

import (
	"path"
	"strconv"
)

// Rooms is where the folders of all readers are.
const Rooms = "/srv/rooms"

// Folder returns the folder of a reader.
func Folder(reader int) string { return path.Join(Rooms, strconv.Itoa(reader)) }

// File returns where a file of a reader is.
func File(reader int, name string) (string, error) { return Path(Folder(reader), name) }
