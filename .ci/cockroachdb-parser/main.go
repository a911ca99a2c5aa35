// Reads SQL files by CockroachDB's own parser: every statement must parse, and every file must hold one at least.
// It is no part of the product: it holds the DDL and the statements that train-sim writes for CockroachDB.
//
//	go run . file.sql...
package main

import (
	"fmt"
	"os"

	"github.com/cockroachdb/cockroachdb-parser/pkg/sql/parser"
)

func main() {
	failed := false
	for _, path := range os.Args[1:] {
		text, err := os.ReadFile(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		statements, err := parser.Parse(string(text))
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
