import { expect, it } from "vitest";
import { Prng } from "../../../foundation/prng.js";
import type { TransactionPlan } from "../../../clients/transactor.js";
import type { Connection } from "../../../database/sql.js";
import { DISPATCHER_ONLY_WEIGHTS, READ_OPERATIONS, type ReadWeights } from "../settings.js";
import type { Question } from "../store.js";
import type { EventContext } from "./context.js";
import { readerClients } from "./reader.js";

const ID = "00000000-0000-4000-8000-000000000001";
const LIVE = [[ID, "2026-11-25 07:00:00+00", '{"eventType":"SIGNAL_CLEAR","authorityId":"a1"}']];

function readerOf(weights: Partial<ReadWeights>, seed = 1) {
  const plans: Pick<TransactionPlan<unknown>, "operation" | "isPoll">[] = [];
  const asked: Question[] = [];
  const calls: string[] = [];
  const context = {
    assignment: {
      role: "readers",
      trial: { seed: 5 },
      settings: {
        preload: 0,
        topology: "actors",
        ids: "uuidv7",
        documentBytes: 900,
        reads: { ...DISPATCHER_ONLY_WEIGHTS, dispatcher: 0, ...weights },
      },
    },
    prng: new Prng(seed),
    queue: {
      read: () => async () => ({ answers: [[], []] }),
      ask: (question: Question) => {
        asked.push(question);
        return async () => (question.kind === "id" && question.id !== ID ? [] : LIVE);
      },
      someLive: async () => LIVE,
    },
    transactor: {
      run: async (plan: TransactionPlan<unknown>) => {
        calls.push("run");
        plans.push(plan);
        const result = await plan.body({} as Connection, undefined as never);
        const isEmpty = plan.isPoll && plan.events(result) === 0;
        return { kind: isEmpty ? "empty" : "committed", result, finishedMs: 0 };
      },
    },
    checks: {
      read: async () => void calls.push("check"),
      answer: async () => void calls.push("check"),
    },
    lookAside: async (_: number, look: (connection: Connection) => Promise<unknown>) => {
      calls.push("look");
      return look({} as Connection);
    },
  } as unknown as EventContext;
  return { client: readerClients(context), plans, asked, calls };
}

it("a reader draws kinds of reads by their weights", async () => {
  const { client, plans } = readerOf({ newest: 3, byType: 1 });
  for (let i = 0; i < 400; i++) await client.iterate(0, 0);
  const newest = plans.filter(({ operation }) => operation === "readNewest").length;
  expect(new Set(plans.map(({ operation }) => operation))).toEqual(new Set(["readNewest", "readByType"]));
  expect(newest).toBeGreaterThan(260); // 300 are expected
  expect(newest).toBeLessThan(340);
});

it("a read is of the kind under which its arrival is counted, the same in every worker", async () => {
  const one = readerOf({ dispatcher: 1, id: 1, path: 1 }, 1);
  const other = readerOf({ dispatcher: 1, id: 1, path: 1 }, 2);
  for (let number = 0; number < 60; number++) {
    const arrival = { number, offsetMs: number };
    const booked = one.client.operationOf?.(arrival);
    expect(other.client.operationOf?.(arrival)).toBe(booked);
    one.client.prepare(0);
    one.client.prepare(0, arrival);
    await one.client.iterate(0, 0);
    expect(one.plans.at(-1)?.operation).toBe(booked);
  }
  expect(new Set(one.plans.map(({ operation }) => operation))).toEqual(
    new Set([READ_OPERATIONS.dispatcher, READ_OPERATIONS.id, READ_OPERATIONS.path]),
  );
});

it("a read is an empty poll until a look-up has found an event, and then reads that event", async () => {
  const { client, plans, asked, calls } = readerOf({ id: 1 });
  await client.iterate(0, 0);
  await client.iterate(0, 0);
  expect(plans.map(({ isPoll }) => isPoll)).toEqual([true, false]);
  expect(asked.map((question) => question.kind === "id" && question.id === ID)).toEqual([false, true]);
  expect(calls).toEqual(["run", "look", "run", "check"]);
});

it("a dispatcher's read makes no look-up", async () => {
  const { client, calls } = readerOf({ dispatcher: 1 });
  for (let i = 0; i < 3; i++) await client.iterate(0, 0);
  expect(calls).toEqual(["run", "check", "run", "check", "run", "check"]);
});
