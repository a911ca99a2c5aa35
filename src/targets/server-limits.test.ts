// Settings that the embedded server would refuse are refused when the scenario is loaded. `embedded/server-settings.test.ts`
// tests the same rules at the start of a server.
import { describe, expect, test } from "vitest";
import { scenarioProblems } from "../../test/support/scenario-problems.js";

const problemsOf = (yaml: string): string[] => scenarioProblems(`name: x\n${yaml}`);

describe("target.settings", () => {
  const settings = '{ listen_addresses: "*", archive_command: sh, work_mem: 4MB, max_connections: 5 }';

  test.each([
    ["an embedded server", `target: { settings: ${settings} }`],
    ["a container", `target: { kind: container, settings: ${settings} }`],
  ])("are refused all at once if %s would refuse them at its start", (_, yaml) => {
    expect(problemsOf(`${yaml}\nclients: 10`)).toEqual([
      expect.stringMatching(/target\.settings\.listen_addresses: cannot be set; the server listens on 127/),
      expect.stringMatching(
        /target\.settings\.archive_command: cannot be set; a scenario must not run programs/,
      ),
      expect.stringMatching(
        /target\.settings\.max_connections: is 5, but the scenario needs 51: 38 for its clients/,
      ),
    ]);
  });

  test("need max_connections for connections that reach the server, not for every client", () => {
    const target = "target: { settings: { max_connections: 30 } }\nclients: 10";
    expect(problemsOf(`${target}\npool: { strategy: pg-pool, size: 9 }`)).toEqual([]);
    expect(problemsOf(`${target}\npool: { strategy: pgbouncer, size: 9 }`)).toEqual([]);
    expect(problemsOf(`${target}\nfactors: { pool: [pgbouncer, { strategy: pgbouncer, size: 9 }] }`)).toEqual(
      [expect.stringMatching(/max_connections: is 30, but .* 41: .*\[in treatment pgbouncer\]$/)],
    );
  });

  test("are refused at the position of a factor's level", () => {
    expect(problemsOf("factors: { target.settings.max_connections: [5, 500] }")).toEqual([
      expect.stringMatching(/^x\.yaml:2:46 factors\."target\.settings\.max_connections"\[0\]: is 5, but/),
    ]);
  });

  test("accept the name of a JavaScript property as a setting", () => {
    expect(problemsOf("target: { settings: { constructor: 1 } }")).toEqual([]);
  });
});
