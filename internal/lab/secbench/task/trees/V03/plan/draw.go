package plan

// Put draws a shelf at a place and reports whether the place is on the plan.
func (p *Plan) Put(x, y, floor uint16, shelf byte) bool {
	if x >= p.Width || y >= p.Height || floor >= p.Floors {
		return false
	}
	p.Dots[(int(floor)*int(p.Height)+int(y))*int(p.Width)+int(x)] = shelf
	return true
}
