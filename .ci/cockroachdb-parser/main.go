// Reads SQL files by CockroachDB's own parser: every statement must parse, and every file must hold one at least.
// It is no part of the product: it holds the DDL and the statements that train-sim writes for CockroachDB.
//
//	go run . file.sql...
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/cockroachdb/cockroachdb-parser/pkg/sql/parser"
)

// A golden listing states above each text which dialects have it, in lines that begin with this.
const heading = "--: "

// cockroachdbOnly leaves out texts whose headings do not name CockroachDB; a text without a heading stays.
func cockroachdbOnly(listing string) string {
	var kept strings.Builder
	keeps, wasHeading := true, false
	for line := range strings.Lines(listing) {
		isHeading := strings.HasPrefix(line, heading)
		if isHeading {
			keeps = keeps && wasHeading || strings.Contains(line, "cockroachdb")
		} else if keeps {
			kept.WriteString(line)
		}
		wasHeading = isHeading
	}
	return kept.String()
}

func main() {
	failed := false
	for _, path := range os.Args[1:] {
		text, err := os.ReadFile(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		statements, err := parser.Parse(cockroachdbOnly(string(text)))
		switch {
		case err != nil:
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			failed = true
		case len(statements) == 0:
			fmt.Fprintf(os.Stderr, "%s: no statement\n", path)
			failed = true
		default:
			fmt.Printf("%s: %d statements\n", path, len(statements))
		}
	}
	if failed || len(os.Args) == 1 {
		os.Exit(1)
	}
}
