// Package mark says where books stand.
package mark

// Places.
const (
	Stacks = "stacks"
	Hall   = "hall"
	Cabin  = "cabinet"
	Vault  = "vault"
)

// Place returns where the book with a mark stands.
func Place(text string) (string, error) {
	m, err := parse(text)
	switch {
	case err != nil:
		return "", err
	case !m.rare && m.year >= 1990:
		return Hall, nil
	case !m.rare:
		return Stacks, nil
	}
	return Cabin, nil
}
