// The endpoint that a client is sent to while others come and go, with a clock and background checks that the test
// controls.
import { describe, expect, it } from "vitest";
import { connectFailure } from "../database/postgres/connect-failure.js";
import type { Endpoint } from "../database/endpoint.js";
import { EndpointRoutes, skipStandbys } from "./endpoint-routes.js";

function setUp(endpoints: number) {
  const clock = { nowMs: 0 };
  const looks: { endpoint: number; answer: (isThere: boolean) => Promise<void> }[] = [];
  const look = (endpoint: number): Promise<boolean> =>
    new Promise((resolve) => {
      const answer = async (isThere: boolean): Promise<void> => {
        resolve(isThere);
        await new Promise(setImmediate);
      };
      looks.push({ endpoint, answer });
    });
  const routes = new EndpointRoutes(endpoints, look, () => clock.nowMs);
  return { routes, clock, looks };
}

describe("EndpointRoutes", () => {
  it("sends every client to its home endpoint while all endpoints are up", () => {
    const { routes } = setUp(3);
    expect([0, 1, 2].map((home) => routes.endpointForHome(home))).toEqual([0, 1, 2]);
  });

  it("sends clients to the next endpoint, cyclically, past endpoints that refused or lost a connection", () => {
    const { routes } = setUp(3);
    routes.recordContact(1, "lost");
    expect([0, 1, 2].map((home) => routes.endpointForHome(home))).toEqual([0, 2, 2]);
    routes.recordContact(2, "refused");
    expect([0, 1, 2].map((home) => routes.endpointForHome(home))).toEqual([0, 0, 0]);
  });

  it("tries the endpoint with the oldest failure if none is up", () => {
    const { routes, clock } = setUp(3);
    for (const endpoint of [1, 2, 0]) {
      clock.nowMs += 10;
      routes.recordContact(endpoint, "refused");
    }
    expect([0, 1, 2].map((home) => routes.endpointForHome(home))).toEqual([1, 1, 1]);
    clock.nowMs += 10;
    routes.recordContact(1, "refused");
    expect(routes.endpointForHome(1)).toBe(2);
    routes.recordContact(2, "connected");
    expect(routes.endpointForHome(0)).toBe(2);
  });

  it("checks a failed endpoint after a second, then less often, and sends clients home once it answers", async () => {
    const { routes, clock, looks } = setUp(2);
    routes.recordContact(0, "refused");
    clock.nowMs = 999;
    expect(routes.isUp(0)).toBe(false);
    expect(looks).toHaveLength(0);
    clock.nowMs = 1_000;
    for (let i = 0; i < 3; i++) expect(routes.endpointForHome(0)).toBe(1);
    expect(looks.map(({ endpoint }) => endpoint)).toEqual([0]);
    await looks[0]?.answer(false);
    clock.nowMs = 2_999;
    expect(routes.isUp(0)).toBe(false);
    expect(looks).toHaveLength(1);
    clock.nowMs = 3_000;
    expect(routes.isUp(0)).toBe(false);
    expect(looks).toHaveLength(2);
    await looks[1]?.answer(true);
    expect(routes.endpointForHome(0)).toBe(0);
  });

  it("always uses a single endpoint and never checks that endpoint", () => {
    const { routes, clock, looks } = setUp(1);
    routes.recordContact(0, "refused");
    clock.nowMs = 60_000;
    expect(routes.endpointForHome(0)).toBe(0);
    expect(looks).toHaveLength(0);
  });

  it("counts connections, refusals and losses by endpoint", () => {
    const { routes } = setUp(2);
    for (const event of ["connected", "connected", "lost", "refused"] as const)
      routes.recordContact(1, event);
    expect(routes.contacts).toEqual([
      { connects: 0, refused: 0, lost: 0 },
      { connects: 2, refused: 1, lost: 1 },
    ]);
  });
});

describe("pastStandbys", () => {
  const at: Endpoint = { scheme: "postgresql", host: "127.0.0.1", port: 1, user: "u", database: "d" };
  const refusal = (code: string): Error =>
    connectFailure(at, Object.assign(new Error(`refused by ${code}`), { code }));
  const STANDBY = "25006";

  /** The outcome and the number of attempts if the servers answer like this, in turn. */
  async function outcome(answers: readonly string[], takesWrites = true) {
    const left = [...answers];
    const end = await skipStandbys(
      answers.map(() => ({ ...at, takesWrites })),
      () => {
        const answer = left.shift() ?? "nothing";
        return answer === "ok" ? Promise.resolve(answer) : Promise.reject(refusal(answer));
      },
    ).catch((error: unknown) => (error as Error).message);
    return { end, tries: answers.length - left.length };
  }

  it("continues past standbys and unreachable servers to the server that takes writes", async () => {
    expect(await outcome([STANDBY, "ECONNREFUSED", "ok"])).toEqual({ end: "ok", tries: 3 });
  });

  it("reports an unreachable server before a standby if no endpoint can be used", async () => {
    const { end, tries } = await outcome([STANDBY, "ECONNREFUSED", STANDBY]);
    expect(tries).toBe(3);
    expect(end).toContain("ECONNREFUSED");
    expect((await outcome([STANDBY, STANDBY])).end).toContain(STANDBY);
  });

  it("stops at a server that refuses the user", async () => {
    expect(await outcome(["28P01", "ok"])).toMatchObject({
      end: expect.stringContaining("28P01") as string,
      tries: 1,
    });
  });

  it("tries a single endpoint if no server that takes writes is required", async () => {
    expect((await outcome(["ECONNREFUSED", "ok"], false)).tries).toBe(1);
  });
});
