"""Oban (Python) as a queue of the workload jobs: docs/reference/queue-adapters.md describes its lines."""

import asyncio
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


def report(event, job):
    # CLOCK_MONOTONIC on Linux.
    send(event, id=job.args["id"], attempt=job.attempt, atMs=time.monotonic_ns() / 1e6)


def lifeline_of(start):
    """Options of the search for jobs of dead workers; the defaults unless the scenario names claim.lease."""
    lease = start["settings"].get("leaseMs")
    # https://oban.pro/docs/py/job_maintenance.html; the default interval is 60 s.
    return {} if lease is None else {"rescue_after": lease / 1000, "interval": min(lease / 1000, 60)}


def report_ready(start, **fields):
    lifeline = lifeline_of(start)
    if lifeline:
        fields["caveat"] = (f"claim.lease is rescue_after {lifeline['rescue_after']:g} s, "
                            f"and the leader searches every {lifeline['interval']:g} s")
    # "the job wasn't lost and it may be retried again": https://oban.pro/docs/py/job_maintenance.html
    send("ready", library="oban", version=version("oban"), promise="at-least-once", acknowledges=False, **fields)


async def open_pool(start):
    # Oban listens on a connection outside of its pool: https://oban.pro/docs/py/production.html. The pool has 10 by
    # default; "Raise pool_max_size if you enqueue at high volume from many concurrent requests".
    most = start["connections"] - 1
    if most < 1:
        raise Unusable(f"Oban needs 2 connections, one of them to listen, and may open {start['connections']}",
                       "Give each process 2 connections or more.")
    # The pool would try for 30 s and say nothing of the reason.
    await (await psycopg.AsyncConnection.connect(start["url"])).close()
    return await oban.Oban.create_pool(start["url"], max_size=most if start["profile"] == "tuned" else min(10, most))


def define_handler():
    @oban.worker()
    class Handler:
        async def process(self, job):
            report("started", job)
            await asyncio.sleep(job.args["ms"] / 1000)
            if job.attempt <= job.args["fails"]:
                report("failed", job)
                raise RuntimeError(f"attempt {job.attempt} fails, as the payload says")
            report("finished", job)

    return Handler


async def install(pool, schema):
    async with pool.connection() as connection:
        found = await connection.execute("SELECT to_regclass(%s)", [f"{schema}.oban_jobs"])
        if (await found.fetchone())[0] is not None:
            raise Unusable(f"schema {schema} has Oban's tables already", "Install it into an empty schema.")
    await oban.schema.install(pool, prefix=schema)
    return f"""SELECT args->>'id' AS id,
        CASE state::text WHEN 'executing' THEN 'running' WHEN 'completed' THEN 'done'
          WHEN 'discarded' THEN 'failed' WHEN 'cancelled' THEN 'failed' ELSE 'waiting' END AS state, args AS payload
      FROM {schema}.oban_jobs"""


async def answer(pool, queue, handler, schema, command):
    """Enqueues in a transaction, as `enqueue_many` does without a connection too."""

    def job_of(job):
        # Oban has ten priorities, the first of which is 0, its default. A job without a priority gets the last.
        delay = {"scheduled_in": job["delayMs"] / 1000} if "delayMs" in job else {}
        return handler.new(job["payload"], priority=max(0, min(9, 10 - job.get("priority", 1))), **delay)

    try:
        async with pool.connection() as connection:
            if command.get("transaction"):
                await connection.execute(f"INSERT INTO {schema}.callers (id) VALUES (%s)",
                                         [command["enqueue"][0]["payload"]["id"]])
            await queue.enqueue_many([job_of(job) for job in command["enqueue"]], conn=connection)
        send("enqueued", request=command["request"])
    except Exception as error:
        state = getattr(error, "sqlstate", None)
        send("refused", request=command["request"], message=str(error), **({"code": state} if state else {}))


async def commands_of(lines):
    """Commands until "stop" or the end of input."""
    while line := await lines.readline():
        command = json.loads(line)
        if "stop" in command:
            return
        yield command


async def main():
    lines = asyncio.StreamReader(limit=2**30)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    start = json.loads(await lines.readline())
    role, schema = start["role"], start["schema"]
    if role == "remove":
        return report_ready(start)  # All tables are in the schema.
    handler = define_handler()
    async with await open_pool(start) as pool:
        if role == "install":
            return report_ready(start, jobs=await install(pool, schema))
        queues = {"queues": {"default": start["concurrency"]}} if role == "work" else {}
        options = {"pool": pool, "prefix": schema, "lifeline": lifeline_of(start), **queues}
        async with oban.Oban(**options) as queue, asyncio.TaskGroup() as under_way:
            report_ready(start)
            async for command in commands_of(lines):
                under_way.create_task(answer(pool, queue, handler, schema, command))


try:
    import oban
    import oban.schema
    import psycopg

    asyncio.run(main())
except Exception as error:
    remedy = getattr(error, "remedy", "Correct the scenario or scenarios/queues/oban/adapter.py.")
    if isinstance(error, ImportError):
        remedy = "Install it: pip install -r scenarios/queues/oban/requirements.txt, with Python 3.12 or later."
    send("broken", message=str(error), remedy=remedy)
    sys.exit(1)
