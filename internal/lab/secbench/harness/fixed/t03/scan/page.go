// Package scan reads the pages that the scanners send.
package scan

import (
	"encoding/binary"
	"errors"
)

// Errors of pages.
var (
	ErrHeader = errors.New("the page has no width and height")
	ErrSize   = errors.New("the page is empty or too large")
)

// MaxDots is how many dots a page may have.
const MaxDots = 1 << 14

// Page is a page in shades of grey, row by row.
type Page struct {
	Width, Height uint16
	Dots          []byte
}

// Read reads a page. Rows that are missing at its end stay black.
func Read(sent []byte) (Page, error) {
	if len(sent) < 4 {
		return Page{}, ErrHeader
	}
	width, height := binary.BigEndian.Uint16(sent), binary.BigEndian.Uint16(sent[2:])
	dots := int(width) * int(height)
	if width == 0 || height == 0 || dots > MaxDots {
		return Page{}, ErrSize
	}
	page := Page{width, height, make([]byte, dots)}
	left := sent[4:]
	for y := range int(height) {
		row := page.Dots[y*int(width) : (y+1)*int(width)]
		left = left[copy(row, left):]
	}
	return page, nil
}
