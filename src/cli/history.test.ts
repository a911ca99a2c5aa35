import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { expect, it } from "vitest";
import { ExitCode } from "../foundation/errors.js";
import { commandStage } from "../../test/support/command-stage.js";
import { register } from "./history.js";

const stage = commandStage();

/** The error with which `history` refuses the directory. */
function refusalOf(directory: string): Promise<unknown> {
  const program = new Command();
  register(program);
  return program.parseAsync(["history", directory], { from: "user" }).then(
    () => undefined,
    (error: unknown) => error,
  );
}

it("refuses a directory without results and one that is not there", async () => {
  expect(await refusalOf(stage.directory)).toMatchObject({
    exitCode: ExitCode.invalid,
    message: `${stage.directory} holds no result that can be read`,
  });
  const missing = join(stage.directory, "none");
  expect(await refusalOf(missing)).toMatchObject({
    message: expect.stringContaining(`Cannot read ${missing}`) as unknown,
    hint: "Name a directory with results, such as results.",
  });
});

it("names every damaged result if no other is there", async () => {
  for (const name of ["one", "two"]) {
    await mkdir(join(stage.directory, name));
    await writeFile(join(stage.directory, name, "result.json"), "{");
  }
  const { message } = (await refusalOf(stage.directory)) as Error;
  for (const name of ["one", "two"]) expect(message).toContain(join(stage.directory, name, "result.json"));
});
