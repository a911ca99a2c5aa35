// The arguments of a container, and the messages if the package or a Docker engine is missing. The start of a container of the
// real image is not tested here: it needs an engine, which `doctor` looks for.
import { describe, expect, it, vi } from "vitest";
import { TargetError, UsageError } from "../../foundation/errors.js";
import { containerCommand, startContainer } from "./container.js";

const SETTINGS = { kind: "container", image: "postgres:18", settings: {} } as const;

// The test must not depend on whether this machine has an engine.
const { requireOptional } = vi.hoisted(() => ({ requireOptional: vi.fn<() => unknown>() }));
vi.mock("../../foundation/optional-package.js", () => ({ requireOptional }));
requireOptional.mockReturnValue({
  getContainerRuntimeClient: async () => {
    throw new Error("no engine, as far as this test goes");
  },
});

describe("containerCommand", () => {
  it("passes settings as arguments of the server, with the user's settings last", () => {
    const command = containerCommand({ work_mem: "64MB", shared_buffers: "1GB" }, 512);
    expect(command[0]).toBe("postgres");
    expect(command).toEqual(
      expect.arrayContaining(["work_mem=64MB", "shared_buffers=1GB", "max_connections=525"]),
    );
    expect(command.filter((argument) => argument.startsWith("shared_buffers="))).toHaveLength(1);
    expect(command.join(" ")).not.toMatch(/fsync|synchronous_commit/);
  });
});

describe("startContainer", () => {
  it("refuses settings that only train-sim may set before it looks for an engine", async () => {
    const attempt = startContainer({ ...SETTINGS, settings: { port: "1" } }, { maxConnectionsNeeded: 1 });
    await expect(attempt).rejects.toThrow(UsageError);
  });

  it("asks for the package, not for an engine, if testcontainers is not installed", async () => {
    const missing = new UsageError("target.kind: container needs the package testcontainers");
    requireOptional.mockImplementationOnce(() => {
      throw missing;
    });
    await expect(startContainer(SETTINGS, { maxConnectionsNeeded: 1 })).rejects.toBe(missing);
    expect(requireOptional).toHaveBeenCalledWith("testcontainers", "target.kind: container", {
      version: "11",
    });
  });

  it("reports that no Docker engine answers", async () => {
    const attempt = startContainer(SETTINGS, { maxConnectionsNeeded: 1 });
    await expect(attempt).rejects.toThrow(TargetError);
    await expect(attempt).rejects.toThrow(/no Docker engine answers: no engine, as far as this test goes/);
  });
});
