package scan

// Thumb returns a picture of a page whose sides are shorter by a factor.
func Thumb(p Page, factor uint32) (Page, error) {
	if factor == 0 {
		return Page{}, ErrSize
	}
	width, height := uint64(p.Width)/uint64(factor), uint64(p.Height)/uint64(factor)
	size := width * height
	if size == 0 || size > MaxDots {
		return Page{}, ErrSize
	}
	small := Page{uint16(width), uint16(height), make([]byte, 0, size)}
	for y := range height {
		for x := range width {
			small.Dots = append(small.Dots, p.Dots[y*uint64(factor)*uint64(p.Width)+x*uint64(factor)])
		}
	}
	return small, nil
}
