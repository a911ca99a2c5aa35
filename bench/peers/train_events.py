# The Train Events cycle in the style of dbworkload's users: a class with three transactions in `loop`, psycopg's
# cursors, rows inserted and updated by executemany, documents made by uuid4 and json.dumps. The claim is train-sim's own,
# since a plain join would sort the whole backlog and compare plans instead of programs.
import datetime as dt
import json
import random
from uuid import uuid4

import psycopg

EVENT_TYPES = [
    "ROUTE_AUTHORIZATION", "SIGNAL_CLEAR", "SPEED_RESTRICTION", "TRACK_OUT_OF_SERVICE", "TRAIN_POSITION_UPDATE",
    "SWITCH_POSITION_CHANGE", "WORK_ZONE_PROTECTION", "CROSSING_FAILURE", "POWER_OUTAGE", "DISPATCH_NOTE",
]
STATES = {"PENDING": "NEW", "PROCESSING": "IN_PROGRESS", "COMPLETE": "APPLIED", "FAILED": "CANCELLED"}
DOCUMENT_BYTES = 900


def hexadecimal():
    return f"{random.getrandbits(16):04x}"


def document():
    section = f"{random.randint(0, 99):02d}"
    segment = lambda: {
        "id": f"S{section}-{hexadecimal()}",
        "direction": random.choice(["EAST", "WEST"]),
        "trackSections": [f"{section}-{hexadecimal()}" for _ in range(3)],
    }
    made = {
        "eventType": random.choice(EVENT_TYPES),
        "authorityId": str(uuid4()),
        "deviceKey": str(uuid4()),
        "state": "NEW",
        "createdAt": dt.datetime.now(dt.timezone.utc).isoformat(),
        "route": {
            "segments": [segment() for _ in range(3)],
            "switches": [
                {"id": f"SW-{hexadecimal()}", "position": random.choice(["NORMAL", "REVERSE"])} for _ in range(2)
            ],
            "attributes": {
                name: random.random() < 0.5 for name in ("ALLOW_PASS", "REQUIRES_ACK", "SLOW_ORDER")
            },
            "signalId": f"SIG-{hexadecimal()}",
        },
        "metrics": {
            "flags": {"onTrack": random.random() < 0.5, "fleeted": random.random() < 0.5},
            "circuitIds": [f"TC-{hexadecimal()}" for _ in range(4)],
            "confidence": round(random.random(), 3),
        },
        "train": {
            "trainId": f"RR-{section}-{random.randint(10000, 99999)}-20260101",
            "withinLimits": random.random() < 0.5,
            "direction": random.choice(["EAST", "WEST"]),
        },
        "meta": {
            "userId": f"u-{random.randint(10000, 99999)}",
            "logicalPos": random.randint(0, 9999999),
            "sourceSystem": "CTC-NORTH",
            "remarks": "",
        },
    }
    missing = DOCUMENT_BYTES - len(json.dumps(made, separators=(",", ":")))
    made["meta"]["remarks"] = ("hold restricted milepost siding " * 10)[: max(0, missing)]
    return made


class TrainEvents:
    def __init__(self, args: dict):
        self.is_generated = args["payload"] in ("jsonb", "text-generated")
        self.column = "text" if args["payload"].startswith("text") else "jsonb"
        self.chances = (args["claim"], args["complete"], args["fail"])

    def loop(self):
        return [self.add, self.process, self.archive]

    def size(self):
        return random.randint(10, 100)

    def add(self, conn: psycopg.Connection):
        events = []
        for _ in range(self.size()):
            made = document()
            payload = json.dumps(made, separators=(",", ":"))
            flat = () if self.is_generated else (made["eventType"], made["authorityId"], made["train"]["trainId"])
            events.append((str(uuid4()), payload, *flat))
        columns = "id, payload" if self.is_generated else "id, payload, event_type, authority_id, train_id"
        values = ", ".join(["%s"] * len(events[0]))
        with conn.transaction(), conn.cursor() as cur:
            cur.executemany(f"INSERT INTO train_sim.events ({columns}) VALUES ({values})", events)
            cur.executemany(
                "INSERT INTO train_sim.event_status (event_id) VALUES (%s)", [(event[0],) for event in events]
            )

    def advance(self, status):
        claim, complete, fail = self.chances
        roll = random.random()
        if status == "PENDING":
            return "PROCESSING" if roll < claim else "PENDING"
        if roll < complete:
            return "COMPLETE"
        return "FAILED" if roll < complete + fail else "PROCESSING"

    def process(self, conn: psycopg.Connection):
        with conn.transaction(), conn.cursor() as cur:
            rows = cur.execute(
                """
                WITH claimed AS (
                  SELECT event_id, status FROM train_sim.event_status
                  WHERE (status IN ('PENDING', 'PROCESSING')) IS TRUE
                  ORDER BY updated_at LIMIT %s FOR UPDATE SKIP LOCKED
                )
                SELECT c.event_id, c.status, e.payload::text FROM claimed AS c
                CROSS JOIN LATERAL (
                  SELECT payload FROM train_sim.events WHERE id = c.event_id FOR NO KEY UPDATE
                ) AS e
                """,
                (self.size(),),
            ).fetchall()
            statuses, payloads = [], []
            for event_id, was, text in rows:
                status = self.advance(was)
                changed = json.loads(text)
                changed["state"] = STATES[status]
                changed["metrics"]["flags"]["fleeted"] = not changed["metrics"]["flags"]["fleeted"]
                statuses.append((status, event_id))
                payloads.append((json.dumps(changed, separators=(",", ":")), event_id))
            cur.executemany(
                "UPDATE train_sim.event_status SET status = %s, attempts = attempts + 1, updated_at = clock_timestamp()"
                " WHERE event_id = %s",
                statuses,
            )
            cur.executemany(f"UPDATE train_sim.events SET payload = %s::{self.column} WHERE id = %s", payloads)

    def archive(self, conn: psycopg.Connection):
        with conn.transaction(), conn.cursor() as cur:
            rows = cur.execute(
                "SELECT event_id FROM train_sim.event_status WHERE (status IN ('COMPLETE', 'FAILED')) IS TRUE"
                " ORDER BY updated_at LIMIT %s FOR UPDATE SKIP LOCKED",
                (self.size(),),
            ).fetchall()
            columns = "created_at, payload, event_type, authority_id, train_id, status, attempts"
            cur.executemany(
                f"INSERT INTO train_sim.events_archive (id, {columns}) SELECT id, {columns}"
                " FROM train_sim.events JOIN train_sim.event_status ON event_id = id WHERE id = %s",
                rows,
            )
            cur.executemany("DELETE FROM train_sim.event_status WHERE event_id = %s", rows)
            cur.executemany("DELETE FROM train_sim.events WHERE id = %s", rows)
