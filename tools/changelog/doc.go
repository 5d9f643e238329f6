// Changelog rewrites the Unreleased section of CHANGELOG.md from the subjects
// of the commits since the last tag.
//
//	go run ./tools/changelog CHANGELOG.md
//
// A subject of the form "area: what changed" becomes a line under its area;
// subjects without an area, and those of the area changelog, are left out.
// Everything outside the Unreleased section is the maintainers' own words and
// stays byte for byte. The file has the shape of https://keepachangelog.com,
// with areas in the place of its kinds of change, because a subject says
// where something changed and not of which kind the change is.
package main
