import { describe, expect, test } from "vitest";
import { codeOf, ExitCode, messageOf, TargetError, TrainSimError, TrialError, UsageError } from "./errors.js";

describe("an error that a user can cause", () => {
  test.each([
    [UsageError, ExitCode.invalid, 104],
    [TargetError, ExitCode.targetUnreachable, 111],
    [TrialError, ExitCode.unexpected, 107],
  ] as const)("ends the program with its own exit code: %o", (ErrorClass, name, code) => {
    const cause = new Error("below");
    const error = new ErrorClass("what was seen", "what to do", { cause });
    expect(error).toBeInstanceOf(TrainSimError);
    expect(error).toBeInstanceOf(Error);
    expect([error.exitCode, error.exitCode]).toEqual([name, code]);
    expect([error.message, error.hint, error.cause, error.name]).toEqual([
      "what was seen",
      "what to do",
      cause,
      ErrorClass.name,
    ]);
  });

  test("has no hint unless a hint is given", () => {
    expect(new UsageError("no such file").hint).toBe("");
  });

  test("has an exit code that no other cause has", () => {
    const codes = Object.values(ExitCode);
    expect(new Set(codes).size).toBe(codes.length);
    expect(ExitCode).toMatchObject({
      done: 0,
      thresholdFailed: 99,
      interrupted: 105,
      integrityViolation: 110,
    });
  });
});

describe("messageOf", () => {
  test.each([
    [new Error("refused"), "refused"],
    [new TypeError(""), "TypeError"],
    [
      new AggregateError([new Error("::1 refused"), new Error("127.0.0.1 refused")]),
      "::1 refused; 127.0.0.1 refused",
    ],
    [new AggregateError([], "nothing inside"), "nothing inside"],
    ["a string", "a string"],
    [undefined, "undefined"],
  ])("describes %o as %s", (thrown, expected) => {
    expect(messageOf(thrown)).toBe(expected);
  });
});

describe("codeOf", () => {
  test("returns the SQLSTATE or the system's code, and of an aggregate the first error's code", () => {
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    expect(codeOf(refused)).toBe("ECONNREFUSED");
    expect(codeOf({ code: "40001" })).toBe("40001");
    expect(codeOf(new AggregateError([refused]))).toBe("ECONNREFUSED");
    expect(codeOf(Object.assign(new AggregateError([refused]), { code: "EOWN" }))).toBe("EOWN");
  });

  test.each([
    [undefined],
    [null],
    ["40001"],
    [{}],
    [{ code: 7 }],
    [new Error("plain")],
    [new AggregateError([])],
  ])("returns undefined for %o without a code", (thrown) => {
    expect(codeOf(thrown)).toBeUndefined();
  });
});
