// Package catalogue lists what stands on the shelves.
package catalogue

// Book is one book.
type Book struct {
	Title string
	Year  int
}

// PageSize is how many books one page shows.
const PageSize = 20

// Page is one page of a list.
type Page struct {
	Books []Book
	Of    int // how many pages there are
	Next  int // number of the next page; 0 = this is the last
}

// PageOf returns page number n, counted from 1.
func PageOf(books []Book, n int) Page {
	first := (n - 1) * PageSize
	last := lastOf(first, len(books))
	if n < 1 || first >= last {
		return Page{}
	}
	page := Page{Books: books[first:last], Of: pagesOf(len(books))}
	if first+PageSize < len(books) {
		page.Next = n + 1
	}
	return page
}

// lastOf returns where a page that begins at first ends.
func lastOf(first, all int) int {
	if first+PageSize < all {
		return first + PageSize
	}
	return all - 1
}

// pagesOf returns how many pages a list has.
func pagesOf(all int) int {
	return (all + PageSize - 1) / PageSize
}
