package catalogue

import "fmt"

// Heading is what stands above a shelf's list.
func Heading(shelf string, books []Book) string {
	return fmt.Sprintf("%s: %d books on %d pages", shelf, len(books), pagesOf(len(books)))
}

// Newest returns the books that came out in or after a year.
func Newest(books []Book, year int) []Book {
	var newest []Book
	for i := 0; i < len(books); i++ {
		if books[i].Year >= year {
			newest = append(newest, books[i])
		}
	}
	return newest
}
