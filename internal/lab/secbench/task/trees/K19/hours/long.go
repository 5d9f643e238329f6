package hours

// Minutes returns how long times are that do not overlap.
func Minutes(times []Open) int {
	sum := 0
	for _, o := range times {
		sum += o.To - o.From
	}
	return sum
}
