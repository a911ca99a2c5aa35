"""procrastinate (Python) as a queue of the workload jobs: docs/reference/queue-adapters.md describes its lines."""

import asyncio
import collections
import json
import sys
import time
from importlib.metadata import version


class Unusable(Exception):
    """A reason why the queue cannot be used, with a remedy."""

    def __init__(self, message, remedy):
        super().__init__(message)
        self.remedy = remedy


def send(event, **fields):
    sys.stdout.write(json.dumps({"event": event, **fields}) + "\n")
    sys.stdout.flush()


def report(event, job_id, attempt):
    # CLOCK_MONOTONIC on Linux.
    send(event, id=job_id, attempt=attempt, atMs=time.monotonic_ns() / 1e6)


def rescue_of(start):
    """Seconds without a heartbeat that make a worker stalled, and the cron of the search; None if nothing searches."""
    # As https://procrastinate.readthedocs.io/en/stable/howto/production/retry_stalled_jobs.html has it.
    seconds, cron = start["settings"].get("leaseMs", 30_000) / 1000, "*/10 * * * *"
    if "leaseMs" in start["settings"]:
        every = max(1, int(seconds))
        cron = f"* * * * * */{every}" if every < 60 else f"*/{min(10, every // 60)} * * * *"
    elif start["profile"] == "defaults":
        return None
    return seconds, cron


def report_ready(start, **fields):
    rescue = rescue_of(start)
    if rescue is None:
        fields["caveat"] = "A job whose worker was killed stays in the state doing: only profile tuned retries stalled jobs"
    elif "leaseMs" in start["settings"]:
        fields["caveat"] = (f"claim.lease is stalled_worker_timeout {rescue[0]:g} s, with three heartbeats in it and a "
                            f"search by cron {rescue[1]}")
    send("ready", library="procrastinate", version=version("procrastinate"), promise="at-least-once",
         acknowledges=False, **fields)


def make_app(start):
    # Its default pool has 4 connections; a worker listens on one more, outside of the pool.
    most = start["connections"] - (start["role"] == "work")
    if most < 1:
        raise Unusable("procrastinate's worker needs 2 connections, one of them to listen, and may open 1",
                       "Give each worker process 2 connections or more.")
    # "Having sub-workers wait for an available connection in the pool is suboptimal":
    # https://procrastinate.readthedocs.io/en/stable/discussions.html#mind-the-size-of-your-postgresql-pool
    size = {"max_size": most} if start["profile"] == "tuned" else {}
    connector = procrastinate.PsycopgConnector(
        conninfo=start["url"], min_size=min(4, most), **size,
        # https://procrastinate.readthedocs.io/en/stable/howto/production/schema.html
        kwargs={"options": f'-c search_path="{start["schema"]}"'})
    app = procrastinate.App(connector=connector)

    # Without a retry strategy the first failure would be the last. This one retries at once, as often as it must:
    # https://procrastinate.readthedocs.io/en/stable/howto/advanced/retry.html
    @app.task(name="train_sim", retry=True, pass_context=True)
    async def handle(context, **payload):
        attempt = context.job.attempts + 1
        report("started", payload["id"], attempt)
        await asyncio.sleep(payload["ms"] / 1000)
        if attempt <= payload["fails"]:
            report("failed", payload["id"], attempt)
            raise RuntimeError(f"attempt {attempt} fails, as the payload says")
        report("finished", payload["id"], attempt)

    if rescue := rescue_of(start):
        seconds, cron = rescue

        @app.periodic(cron=cron)
        @app.task(queueing_lock="retry_stalled_jobs", pass_context=True)
        async def retry_stalled_jobs(context, timestamp):
            for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=seconds):
                await app.job_manager.retry_job(job)

    return app


async def install(app, start):
    if await app.check_connection_async():
        raise Unusable(f"schema {start['schema']} has procrastinate's tables already", "Install it into an empty schema.")
    await app.schema_manager.apply_schema_async()
    return f"""SELECT args->>'id' AS id,
        CASE status WHEN 'todo' THEN 'waiting' WHEN 'doing' THEN 'running' WHEN 'succeeded' THEN 'done' ELSE 'failed' END
          AS state, args AS payload
      FROM "{start["schema"]}".procrastinate_jobs WHERE task_name = 'train_sim'"""


async def enqueue(app, start, command):
    """One call for each combination of priority and delay, all in one transaction if there are several."""
    groups = collections.defaultdict(list)
    for job in command["enqueue"]:
        groups[job.get("priority"), job.get("delayMs")].append(job["payload"])

    async def defer(connection):
        for (priority, delay_ms), payloads in groups.items():
            delay = {} if delay_ms is None else {"schedule_in": {"milliseconds": delay_ms}}
            task = app.tasks["train_sim"].configure(connection=connection, priority=priority, **delay)
            if len(payloads) == 1:
                await task.defer_async(**payloads[0])
            else:
                await task.batch_defer_async(*payloads)

    if len(groups) == 1 and not command.get("transaction"):
        return await defer(None)
    # https://procrastinate.readthedocs.io/en/stable/howto/production/external_connection.html
    async with app.connector.pool.connection() as connection:
        if command.get("transaction"):
            await connection.execute(f'INSERT INTO "{start["schema"]}".callers (id) VALUES (%s)',
                                     [command["enqueue"][0]["payload"]["id"]])
        await defer(connection)


async def answer(app, start, command):
    try:
        await enqueue(app, start, command)
        send("enqueued", request=command["request"])
    except Exception as error:
        cause = error.__cause__ or error
        state = getattr(cause, "sqlstate", None)
        send("refused", request=command["request"], message=str(cause), **({"code": state} if state else {}))


async def commands_of(lines):
    """Commands until "stop" or the end of input."""
    while line := await lines.readline():
        command = json.loads(line)
        if "stop" in command:
            return
        yield command


async def serve(app, start, lines):
    if start["role"] == "install":
        report_ready(start, jobs=await install(app, start))
    elif start["role"] == "enqueue":
        report_ready(start)
        async with asyncio.TaskGroup() as under_way:
            async for command in commands_of(lines):
                under_way.create_task(answer(app, start, command))
    else:
        options = {"concurrency": start["concurrency"], "install_signal_handlers": False}
        if "leaseMs" in start["settings"]:
            seconds, _ = rescue_of(start)
            options |= {"stalled_worker_timeout": seconds, "update_heartbeat_interval": seconds / 3}
        worker = asyncio.create_task(app.run_worker_async(**options))
        report_ready(start)
        stopping = asyncio.create_task(anext(commands_of(lines), None))
        await asyncio.wait([worker, stopping], return_when=asyncio.FIRST_COMPLETED)
        # https://procrastinate.readthedocs.io/en/stable/howto/advanced/shutdown.html
        worker.cancel()
        try:
            await worker
        except asyncio.CancelledError:
            pass


async def main():
    lines = asyncio.StreamReader(limit=2**30)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    start = json.loads(await lines.readline())
    if start["role"] == "remove":
        return report_ready(start)  # All tables are in the schema.
    app = make_app(start)
    # The pool would try for 30 s and say nothing of the reason.
    await (await psycopg.AsyncConnection.connect(start["url"])).close()
    async with app.open_async():
        await serve(app, start, lines)


try:
    import procrastinate
    import psycopg

    asyncio.run(main())
except Exception as error:
    remedy = getattr(error, "remedy", "Correct the scenario or scenarios/queues/procrastinate/adapter.py.")
    if isinstance(error, ImportError):
        remedy = "Install it: pip install -r scenarios/queues/procrastinate/requirements.txt."
    send("broken", message=str(error), remedy=remedy)
    sys.exit(1)
