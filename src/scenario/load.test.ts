// Loads by schedule in scenarios: the resolved settings of each executor, and mistakes with their
// messages.
import { describe, expect, test } from "vitest";
import { scenarioProblems } from "../../test/support/scenario-problems.js";
import { parseScenario } from "./loader.js";
import type { RoleSettings } from "../clients/settings.js";

const TIMED = "trial: { duration: 60s }\n";

function producersOf(load: string, rest = TIMED): RoleSettings | undefined {
  const yaml = `name: x\n${rest}actors: { producers: { load: ${load} } }\n`;
  return parseScenario(yaml, "x.yaml").treatments[0]?.settings.actors.producers;
}

const problemsOf = (role: string, rest = TIMED): string[] =>
  scenarioProblems(`name: x\n${rest}actors: ${role}\n`);

const loadProblems = (load: string, rest = TIMED): string[] =>
  problemsOf(`{ producers: { load: ${load} } }`, rest);

describe("an open-loop load", () => {
  test("has Poisson arrivals per second and no think time by default", () => {
    expect(producersOf("{ executor: constant-arrival-rate, rate: 200, maxClients: 16 }")?.load).toEqual({
      executor: "constant-arrival-rate",
      ratePerSecond: 200,
      clients: 16,
      distribution: "poisson",
      thinkTimeMs: { min: 0, max: 0 },
      rampUpMs: 0,
    });
  });

  test("takes rates per any unit of time, like k6", () => {
    const load = "executor: constant-arrival-rate, rate: 90, timeUnit: 1m, maxClients: 2, maxWait: 3s";
    expect(producersOf(`{ ${load}, distribution: uniform }`)?.load).toMatchObject({
      ratePerSecond: 1.5,
      maxWaitMs: 3000,
      distribution: "uniform",
    });
    const stages = "stages: [{ target: 120, duration: 30s }, { target: 0, duration: 10s }]";
    expect(
      producersOf(`{ executor: ramping-arrival-rate, startRate: 60, timeUnit: 1m, maxClients: 2, ${stages} }`)
        ?.load,
    ).toMatchObject({
      startRatePerSecond: 1,
      stages: [
        { target: 2, durationMs: 30_000 },
        { target: 0, durationMs: 10_000 },
      ],
    });
  });

  test("takes a rate with a unit, which takes precedence over timeUnit", () => {
    const load = "executor: constant-arrival-rate, rate: 3000/min, timeUnit: 1h, maxClients: 2";
    expect(producersOf(`{ ${load} }`)?.load).toMatchObject({ ratePerSecond: 50 });
    const stages = "stages: [{ target: 90/m, duration: 30s }, { target: 2, duration: 10s }]";
    expect(
      producersOf(`{ executor: ramping-arrival-rate, startRate: 50 / s, maxClients: 2, ${stages} }`)?.load,
    ).toMatchObject({ startRatePerSecond: 50, stages: [{ target: 1.5 }, { target: 2 }] });
  });

  test("has the clients of scenario or group as maxClients", () => {
    const load = "{ executor: constant-arrival-rate, rate: 5 }";
    expect(producersOf(load, `clients: 7\n${TIMED}`)?.load.clients).toBe(7);
    const yaml = `name: x\nactors: { producers: { clients: 9, load: ${load} } }\n`;
    expect(parseScenario(yaml, "x").treatments[0]?.settings.actors.producers?.load.clients).toBe(9);
  });

  test("has clients for the highest target of its ramping stages", () => {
    const stages = "[{ target: 12, duration: 5s }, { target: 3, duration: 5s }]";
    expect(
      producersOf(`{ executor: ramping-clients, startClients: 2, stages: ${stages} }`)?.load,
    ).toMatchObject({ clients: 12, startClients: 2, thinkTimeMs: { min: 100, max: 100 } });
  });

  test("compresses a simulated day to the window unless compressTo is set", () => {
    const daily = "executor: daily-arrival-rate, rate: 10, maxClients: 2";
    const profileOf = (load: string) => {
      const resolved = producersOf(load)?.load;
      return resolved && "profile" in resolved ? resolved.profile : undefined;
    };
    expect(profileOf(`{ ${daily} }`)).toMatchObject({
      name: "streaming-day",
      dayMs: 60_000,
      sizes: { small: 100, medium: 1000, large: 5000 },
    });
    const mix = "mix: { small: 0.5, large: 0.5 }";
    const hours = `[{ from: 0, to: 12, rate: 1, ${mix} }, { from: 12, to: 24, rate: 0, ${mix} }]`;
    expect(
      profileOf(`{ ${daily}, profile: { compressTo: 20s, sizes: { small: 3 }, hours: ${hours} } }`),
    ).toEqual({
      name: "custom",
      dayMs: 20_000,
      sizes: { small: 3, medium: 1000, large: 5000 },
      hours: [
        { fromHour: 0, toHour: 12, rateFactor: 1, mix: { small: 0.5, medium: 0, large: 0.5 } },
        { fromHour: 12, toHour: 24, rateFactor: 0, mix: { small: 0.5, medium: 0, large: 0.5 } },
      ],
    });
  });

  test("has a rate that can be a factor", () => {
    const yaml = `name: x
factors: { actors.producers.load.rate: [10, 20] }
actors: { producers: { load: { executor: constant-arrival-rate, maxClients: 2 } } }
`;
    expect(parseScenario(yaml, "x").treatments.map(({ id }) => id)).toEqual(["rate-10", "rate-20"]);
  });
});

describe("an invalid load", () => {
  const open = "executor: constant-arrival-rate, rate: 5, maxClients: 2";
  const daily = "executor: daily-arrival-rate, rate: 10, maxClients: 2";
  const day = (hours: string): string => `{ ${daily}, profile: { hours: [${hours}] } }`;
  test.each([
    [
      "without a rate",
      "{ executor: constant-arrival-rate, maxClients: 2 }",
      /load: executor constant-arrival-rate needs rate$/,
    ],
    [
      "without clients",
      "{ executor: constant-arrival-rate, rate: 5 }",
      /needs maxClients: the most arrivals/,
    ],
    [
      "with a rate of nothing",
      "{ executor: constant-arrival-rate, rate: 0, maxClients: 2 }",
      /load\.rate: must be at least/,
    ],
    [
      "with think time",
      `{ ${open}, thinkTime: 5ms }`,
      /load\.thinkTime: executor constant-arrival-rate takes no thinkTime; remove it, or use constant-clients/,
    ],
    [
      "with clients by another name",
      "{ executor: constant-arrival-rate, rate: 5, clients: 2, maxClients: 2 }",
      /load\.clients: executor constant-arrival-rate calls this maxClients/,
    ],
    ["with a budget", `{ ${open}, iterations: 5 }`, /has no budget; remove iterations/],
    [
      "with a rate in a closed loop",
      "{ rate: 5 }",
      /load\.rate: executor constant-clients takes no rate; remove it, or use constant-arrival-rate/,
    ],
    [
      "with a profile in a closed loop",
      "{ profile: streaming-day }",
      /takes no profile; remove it, or use daily-arrival-rate$/,
    ],
    ["with a misspelt distribution", `{ ${open}, distribution: poison }`, /did you mean poisson\?/],
    [
      "with a misspelt executor",
      "{ executor: constant-arival-rate }",
      /did you mean constant-arrival-rate\?/,
    ],
    [
      "with stages longer than the window",
      "{ executor: ramping-arrival-rate, startRate: 1, maxClients: 2, stages: [{ target: 5, duration: 2m }] }",
      /load\.stages: the stages take 2m, the window \(trial\.duration\) only 1m$/,
    ],
    [
      "with stages without any client",
      "{ executor: ramping-arrival-rate, startRate: 0, maxClients: 2, stages: [{ target: 0, duration: 1s }] }",
      /no client would do anything/,
    ],
    [
      "with half a client",
      "{ executor: ramping-clients, startClients: 1, stages: [{ target: 2.5, duration: 1s }] }",
      /stages\[0\]\.target: must be a whole number of clients/,
    ],
    ["without stages", "{ executor: ramping-clients, startClients: 1 }", /needs stages/],
    ["with an unknown profile", `{ ${daily}, profile: streaming-night }`, /load\.profile: .*streaming-day/],
    [
      "with a day longer than the window",
      `{ ${daily}, profile: { compressTo: 5m } }`,
      /profile\.compressTo: a day of 5m does not fit/,
    ],
    [
      "with a gap in its day",
      day("{ from: 0, to: 6, rate: 1, mix: { small: 1 } }, { from: 7, to: 24, rate: 1, mix: { small: 1 } }"),
      /hours\[1\]\.from: the day goes on at 6/,
    ],
    [
      "with a day that ends early",
      day("{ from: 0, to: 6, rate: 1, mix: { small: 1 } }"),
      /hours: the day ends at 24, not at 6/,
    ],
    [
      "with hours that end before they begin",
      day(
        "{ from: 0, to: 24, rate: 1, mix: { small: 1 } }, { from: 23, to: 22, rate: 1, mix: { small: 1 } }",
      ),
      /hours\[1\]\.to: must be later than from/,
    ],
    [
      "with a mix that does not add up to 1",
      day("{ from: 0, to: 24, rate: 1, mix: { small: 0.5, large: 0.4 } }"),
      /hours\[0\]\.mix: must add up to 1 \(it is 0\.9\)/,
    ],
    ["with a silent day", day("{ from: 0, to: 24, rate: 0, mix: { small: 1 } }"), /the rate is 0 all day/],
    [
      "with hours for a profile that has its own",
      `{ ${daily}, profile: { name: streaming-day, hours: [{ from: 0, to: 24, rate: 1, mix: { small: 1 } }] } }`,
      /profile\.name: streaming-day has its own hours/,
    ],
    [
      "with batches too large to send",
      `{ ${daily}, profile: { sizes: { large: 700000 } } }`,
      /sizes\.large: 700000 documents of 900 B make a transaction of 601 MB; at most 512 MB/,
    ],
  ])("is refused %s", (_, load, message) => {
    expect(
      loadProblems(load).some((problem) => message.test(problem)),
      loadProblems(load).join("\n"),
    ).toBe(true);
  });

  test("is refused if workers outnumber clients", () => {
    const problems = problemsOf(
      "{ producers: { workers: 3, load: { executor: constant-arrival-rate, rate: 5, maxClients: 2 } } }",
    );
    expect(problems[0]).toMatch(/producers\.workers: 3 workers for 2 clients/);
  });

  test("is refused for a profile of a group that adds nothing", () => {
    const problems = problemsOf(`{ consumers: { load: { ${daily} } } }`);
    expect(problems[0]).toMatch(/actors\.consumers\.load: a profile is about batches that are added/);
  });

  test("is refused if ramping clients have a number of clients as well", () => {
    const stages = "stages: [{ target: 2, duration: 1s }]";
    const problems = problemsOf(
      `{ producers: { clients: 3, load: { executor: ramping-clients, startClients: 1, ${stages} } } }`,
    );
    expect(problems[0]).toMatch(/producers\.clients: executor ramping-clients has its clients from/);
  });
});
