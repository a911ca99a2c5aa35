import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, it } from "vitest";
import { commandStage } from "../../test/support/command-stage.js";
import { register } from "./agents.js";

const stage = commandStage();

async function manifestOf(scenario: string): Promise<void> {
  const [file, token] = [join(stage.directory, "s.yaml"), join(stage.directory, "token")];
  writeFileSync(file, scenario);
  writeFileSync(token, "a token of more than sixteen characters");
  const program = new Command();
  register(program);
  const options = ["--agents", "3", "--image", "registry.example/train-sim:1", "--token-file", token];
  await program.parseAsync(["agents", "manifest", file, ...options], { from: "user" });
}

it("the agents command prints the Kubernetes manifest's scenario without the password in its URL", async () => {
  await manifestOf("name: s\ntarget: postgresql://app:hunter2hunter2@db.example/app\n");
  expect(stage.output).toContain("postgresql://app@db.example/app");
  expect(stage.output).not.toContain("hunter2");
});

it("the agents command refuses a scenario whose server no pod can reach", async () => {
  await expect(manifestOf("name: s\n")).rejects.toThrow(/listens on loopback only/);
  expect(stage.output).toBe("");
});
