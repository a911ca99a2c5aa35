import { expect, it } from "vitest";
import { loadDriver } from "./optional-driver.js";

it("an installed driver is loaded, and a missing one is refused with the command that installs it", () => {
  expect(loadDriver("mongodb", "MongoDB")).toHaveProperty("MongoClient");
  expect(() => loadDriver("no-such-driver", "NoDB")).toThrow(
    expect.objectContaining({
      message: expect.stringContaining(
        "NoDB needs the driver no-such-driver, which is not installed in ",
      ) as string,
      hint: "Run: npm install no-such-driver",
      exitCode: 104,
    }) as Error,
  );
});
