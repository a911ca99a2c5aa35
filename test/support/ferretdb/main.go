// FerretDB with the SQLite backend: a server for the tests of the MongoDB adapter. Arguments: TCP address, data directory;
// for TLS also TLS address, certificate, key.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	listener := ferretdb.ListenerConfig{TCP: os.Args[1]}
	if len(os.Args) > 3 {
		listener.TLS, listener.TLSCertFile, listener.TLSKeyFile = os.Args[3], os.Args[4], os.Args[5]
	}
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  listener,
		Handler:   "sqlite",
		SQLiteURL: "file:" + os.Args[2] + "/",
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := server.Run(ctx); err != nil {
		log.Fatal(err)
	}
}
