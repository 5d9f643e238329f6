package rec

// Batch reads records that stand one behind the other. What is left over at the
// end is no record.
func Batch(stored []byte) ([]Reading, error) {
	var all []Reading
	for len(stored) > 0 {
		if len(stored) < 2 {
			return nil, ErrShort
		}
		size := int(stored[1])
		if len(stored) < 2+size {
			return nil, ErrShort
		}
		all = append(all, Reading{Meter: stored[0], Text: string(stored[2 : 2+size])})
		stored = stored[2+size:]
	}
	return all, nil
}
