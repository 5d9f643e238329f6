package rec

// Append writes a frame behind b. A name of more than 255 bytes is none.
func Append(b []byte, f Frame) ([]byte, error) {
	if len(f.Badge) > 255 {
		return nil, ErrFrame
	}
	b = append(b, byte(len(f.Badge)))
	b = append(b, f.Badge...)
	return append(b, f.Door), nil
}
