// Package identity writes down what a run is made of, and compares it with what
// another one is: results of the one are not taken for results of the other.
package identity

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Text writes down a struct whose members, by their names in JSON, are what a run is
// made of. The same struct has the same text.
func Text(of any) ([]byte, error) {
	return json.Marshal(of, jsontext.Multiline(true), json.Deterministic(true))
}

// Is compares a text with the struct that it is to be of. The error names the first
// member that is another. Of maps it shows a part of each value, as they are digests.
func Is[T any](text []byte, want T) error {
	var got T
	if err := json.Unmarshal(text, &got, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("no run that can be read: %w", err)
	}
	a, b := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range a.NumField() {
		if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			return fmt.Errorf("another run: its %s are %s, not %s", a.Type().Field(i).Tag.Get("json"), part(a.Field(i)), part(b.Field(i)))
		}
	}
	return nil
}

// part words a member.
func part(v reflect.Value) string {
	digests, ok := v.Interface().(map[string]string)
	if !ok {
		return fmt.Sprint(v)
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(digests)) {
		all = append(all, name+" ("+digests[name][:min(len(digests[name]), 15)]+")")
	}
	return strings.Join(all, ", ")
}
