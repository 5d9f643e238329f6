package form

// kinds of parts.
const (
	kindLine  = 1
	kindGroup = 2 // parts that belong together
	kindTimes = 3 // a number, and parts that are ordered as often if they have none of their own
)

// parts reads parts that stand one behind the other.
func (f *Form) parts(b []byte, depth int) error {
	f.Depth = max(f.Depth, depth)
	for len(b) > 0 {
		if len(b) < 2 || len(b) < 2+int(b[1]) {
			return ErrShort
		}
		end := 2 + int(b[1])
		if err := f.part(b[0], b[2:end], depth); err != nil {
			return err
		}
		b = b[end:]
	}
	return nil
}

// part reads one part.
func (f *Form) part(kind byte, inside []byte, depth int) error {
	switch kind {
	case kindLine:
		f.Lines = append(f.Lines, Line{Text: string(inside)})
		return nil
	case kindGroup:
		if depth >= Deepest {
			return ErrDeep
		}
		return f.parts(inside, depth+1)
	case kindTimes:
		return f.times(inside, depth)
	}
	return ErrKind
}

// times reads parts that are ordered more than once.
func (f *Form) times(inside []byte, depth int) error {
	if len(inside) == 0 {
		return ErrShort
	}
	first, number := len(f.Lines), int(inside[0])
	if err := f.parts(inside[1:], depth+1); err != nil {
		return err
	}
	for i := first; i < len(f.Lines); i++ {
		if f.Lines[i].Times == 0 {
			f.Lines[i].Times = number
		}
	}
	return nil
}
