package scans

// Scans are texts by their paths.
type Scans map[string]string

// Draft is the scan that still has to be checked.
const Draft = "harbour, sheet 4, second print\n"

// All are the scans of this house.
var All = Scans{
	"public/index.txt":          "city, harbour\n",
	"public/city/sheet-1.txt":   "city, sheet 1\n",
	"public/city/sheet-1..3":    "city, sheets 1 to 3\n",
	"public/harbour/sheet-4":    "harbour, sheet 4\n",
	"drafts/harbour/sheet-4":    Draft,
	"drafts/harbour/readme.txt": "ask the desk\n",
}
