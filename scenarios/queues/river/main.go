// River (Go) as a queue of the workload jobs: docs/reference/queue-adapters.md describes the lines it reads and writes.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"golang.org/x/sys/unix"
)

type start struct {
	Role, Url, Schema, Profile string
	Connections                int32
	Concurrency                int
	// LeaseMs is 0 unless the scenario names claim.lease.
	Settings struct{ LeaseMs float64 }
}

// lease returns the values of RescueStuckJobsAfter and JobTimeout, which must not be longer; zero stands for the default.
func (s start) lease() (rescueAfter, timeout time.Duration) {
	rescueAfter = time.Duration(s.Settings.LeaseMs * float64(time.Millisecond))
	return rescueAfter, min(rescueAfter, river.JobTimeoutDefault)
}

// payload is the arguments of the only kind of job.
type payload struct {
	Id    string  `json:"id"`
	Ms    float64 `json:"ms"`
	Fails int     `json:"fails"`
	Text  string  `json:"text"`
}

func (payload) Kind() string { return "train_sim" }

type job struct {
	Payload  payload
	Priority int
	DelayMs  float64
}

type command struct {
	Enqueue     []job
	Request     int
	Transaction bool
	Stop        bool
}

type event map[string]any

// events are written by one goroutine, which flushes once no more of them wait.
var events = make(chan event, 1024)
var written = make(chan struct{})

func writeEvents() {
	out := bufio.NewWriter(os.Stdout)
	lines := json.NewEncoder(out)
	for next := range events {
		_ = lines.Encode(next)
		if len(events) == 0 {
			_ = out.Flush()
		}
	}
	_ = out.Flush()
	close(written)
}

func monotonicMs() float64 {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now)
	return float64(now.Sec)*1e3 + float64(now.Nsec)/1e6
}

func report(name, id string, attempt int) {
	events <- event{"event": name, "id": id, "attempt": attempt, "atMs": monotonicMs()}
}

type worker struct {
	river.WorkerDefaults[payload]
}

func (worker) Work(ctx context.Context, job *river.Job[payload]) error {
	report("started", job.Args.Id, job.Attempt)
	select {
	case <-time.After(time.Duration(job.Args.Ms * float64(time.Millisecond))):
	case <-ctx.Done():
		report("failed", job.Args.Id, job.Attempt)
		return ctx.Err()
	}
	if job.Attempt <= job.Args.Fails {
		report("failed", job.Args.Id, job.Attempt)
		return fmt.Errorf("attempt %d fails, as the payload says", job.Attempt)
	}
	return nil
}

// River's default logger writes to standard output, which belongs to the events here.
var logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))

func configure(s start) *river.Config {
	config := &river.Config{Schema: s.Schema, Logger: logger, Workers: river.NewWorkers()}
	river.AddWorker(config.Workers, worker{})
	config.RescueStuckJobsAfter, config.JobTimeout = s.lease()
	if s.Role == "work" {
		config.Queues = map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: s.Concurrency}}
	}
	if s.Profile == "tuned" {
		// "Throughput is limited by this value": https://pkg.go.dev/github.com/riverqueue/river#Config, FetchCooldown. Both
		// values are those of River's own benchmark (https://riverqueue.com/docs/benchmarks, cmd/river/riverbench).
		config.FetchCooldown = 2 * time.Millisecond
		config.FetchPollInterval = 20 * time.Millisecond
	}
	return config
}

// connect opens the pool that pgxpool makes by default; the profile tuned uses all connections that it may have.
func connect(ctx context.Context, s start) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(s.Url)
	if err != nil {
		return nil, err
	}
	limit := s.Connections
	if s.Role == "work" {
		limit-- // River takes its listener out of the pool.
	}
	if limit < 1 {
		return nil, fmt.Errorf("River's worker needs 2 connections, one of them to listen, and may open %d", s.Connections)
	}
	if s.Profile == "tuned" || config.MaxConns > limit {
		config.MaxConns = limit
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return pool, pool.Ping(ctx)
}

// River has four priorities, the first of which is 1, its default. A job without a priority gets the last, so that each
// job with a priority of 2 or more goes before it, up to 4.
func insertOptions(j job) *river.InsertOpts {
	options := &river.InsertOpts{Priority: 5 - max(1, min(4, j.Priority))}
	if j.DelayMs > 0 {
		options.ScheduledAt = time.Now().Add(time.Duration(j.DelayMs * float64(time.Millisecond)))
	}
	return options
}

type enqueuer struct {
	client *river.Client[pgx.Tx]
	pool   *pgxpool.Pool
	start  start
}

func (e enqueuer) insert(ctx context.Context, tx pgx.Tx, jobs []job) error {
	if len(jobs) == 1 {
		_, err := e.client.InsertTx(ctx, tx, jobs[0].Payload, insertOptions(jobs[0]))
		return err
	}
	many := make([]river.InsertManyParams, len(jobs))
	for i, j := range jobs {
		many[i] = river.InsertManyParams{Args: j.Payload, InsertOpts: insertOptions(j)}
	}
	var err error
	if e.start.Profile == "tuned" {
		// COPY in place of INSERT: https://riverqueue.com/docs/batch-job-insertion
		_, err = e.client.InsertManyFastTx(ctx, tx, many)
	} else {
		_, err = e.client.InsertManyTx(ctx, tx, many)
	}
	return err
}

// enqueue opens a transaction, as Client.Insert and Client.InsertMany do too.
func (e enqueuer) enqueue(ctx context.Context, c command) error {
	return pgx.BeginFunc(ctx, e.pool, func(tx pgx.Tx) error {
		if c.Transaction {
			callers := pgx.Identifier{e.start.Schema, "callers"}.Sanitize()
			_, err := tx.Exec(ctx, "INSERT INTO "+callers+" (id) VALUES ($1)", c.Enqueue[0].Payload.Id)
			if err != nil {
				return err
			}
		}
		return e.insert(ctx, tx, c.Enqueue)
	})
}

func (e enqueuer) serve(ctx context.Context, commands <-chan command) {
	var underWay sync.WaitGroup
	for next := range commands {
		underWay.Go(func() {
			err := e.enqueue(ctx, next)
			if err == nil {
				events <- event{"event": "enqueued", "request": next.Request}
				return
			}
			refused := event{"event": "refused", "request": next.Request, "message": err.Error()}
			if postgres := new(pgconn.PgError); errors.As(err, &postgres) {
				refused["code"] = postgres.Code
			}
			events <- refused
		})
	}
	underWay.Wait()
}

// readCommands ends with "stop" or the end of input.
func readCommands(lines *json.Decoder) <-chan command {
	commands := make(chan command)
	go func() {
		defer close(commands)
		for {
			var next command
			if err := lines.Decode(&next); err != nil || next.Stop {
				if err != nil && err != io.EOF {
					logger.Error("line is no command", "err", err)
				}
				return
			}
			commands <- next
		}
	}()
	return commands
}

func ready(s start) event {
	version := "unknown"
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == "github.com/riverqueue/river" {
				version = strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	// "This at-least-once execution pattern": https://riverqueue.com/docs/reliable-workers
	found := event{"event": "ready", "library": "river", "version": version, "promise": "at-least-once", "acknowledges": true}
	if rescueAfter, timeout := s.lease(); rescueAfter > 0 {
		found["caveat"] = fmt.Sprintf("claim.lease is RescueStuckJobsAfter %v, with JobTimeout %v and a search every 30 s",
			rescueAfter, timeout)
	}
	return found
}

func install(ctx context.Context, s start, driver *riverpgxv5.Driver) (string, error) {
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Schema: s.Schema, Logger: logger})
	if err != nil {
		return "", err
	}
	result, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	if err != nil {
		return "", err
	}
	if len(result.Versions) == 0 {
		return "", fmt.Errorf("schema %s has River's tables already", s.Schema)
	}
	return `SELECT args->>'id' AS id, CASE state
	  WHEN 'running' THEN 'running' WHEN 'completed' THEN 'done'
	  WHEN 'cancelled' THEN 'failed' WHEN 'discarded' THEN 'failed' ELSE 'waiting' END AS state, args AS payload
	FROM ` + pgx.Identifier{s.Schema, "river_job"}.Sanitize(), nil
}

// work reports the end of a job once River has stored it, which its subscription says.
func work(ctx context.Context, s start, client *river.Client[pgx.Tx], commands <-chan command) error {
	// River drops events that find the channel full; its batches have up to 5000 jobs.
	completed, _ := client.SubscribeConfig(&river.SubscribeConfig{
		ChanSize: 100_000, Kinds: []river.EventKind{river.EventKindJobCompleted}})
	if err := client.Start(ctx); err != nil {
		return err
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for next := range completed {
			var done payload
			if err := json.Unmarshal(next.Job.EncodedArgs, &done); err != nil {
				logger.Error("job completed that has no payload", "err", err)
				continue
			}
			report("finished", done.Id, next.Job.Attempt)
		}
	}()
	events <- ready(s)
	for range commands {
	}
	err := client.Stop(ctx)
	<-drained
	return err
}

func run(ctx context.Context) error {
	lines := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<16))
	var s start
	if err := lines.Decode(&s); err != nil {
		return fmt.Errorf("first line: %w", err)
	}
	if s.Role == "remove" {
		events <- ready(s) // All tables are in the schema.
		return nil
	}
	pool, err := connect(ctx, s)
	if err != nil {
		return err
	}
	defer pool.Close()
	driver := riverpgxv5.New(pool)
	if s.Role == "install" {
		jobs, err := install(ctx, s, driver)
		if err != nil {
			return err
		}
		installed := ready(s)
		installed["jobs"] = jobs
		events <- installed
		return nil
	}
	client, err := river.NewClient(driver, configure(s))
	if err != nil {
		return err
	}
	commands := readCommands(lines)
	if s.Role == "work" {
		return work(ctx, s, client, commands)
	}
	events <- ready(s)
	enqueuer{client, pool, s}.serve(ctx, commands)
	return nil
}

func main() {
	go writeEvents()
	err := run(context.Background())
	if err != nil {
		events <- event{"event": "broken", "message": err.Error(),
			"remedy": "Correct the scenario or scenarios/queues/river, and build it again."}
	}
	close(events)
	<-written
	if err != nil {
		os.Exit(1)
	}
}
