import { MongoNetworkError, MongoServerError, MongoServerSelectionError } from "mongodb";
import { describe, expect, it } from "vitest";
import { TargetError } from "../../foundation/errors.js";
import { InDoubtError, StatementError } from "../errors.js";
import { classifyFailure, isConflict, isWriteInDoubt } from "./error-codes.js";
import { explain, obstacleOf, remedyOf } from "./remedies.js";

const ofServer = (code: number, errmsg = "m"): MongoServerError =>
  new MongoServerError({ code, errmsg, message: errmsg });
const ofNetwork = (code: string): MongoNetworkError =>
  new MongoNetworkError("connection closed", {
    cause: Object.assign(new Error(code), { code }),
  });

describe("failures of MongoDB", () => {
  it.each([
    [11000, "fatal", "DuplicateKey"],
    [112, "retry", "WriteConflict"],
    [50, "retry", "MaxTimeMSExpired"],
    [11601, "retry", "Interrupted"],
    [91, "reconnect", "ShutdownInProgress"],
    [189, "reconnect", "PrimarySteppedDown"],
    [10107, "reconnect", "NotWritablePrimary"],
    [13435, "reconnect", "NotPrimaryNoSecondaryOk"],
    [64, "in-doubt", "WriteConcernTimeout"],
    [18, "fatal", "AuthenticationFailed"],
    [13, "fatal", "Unauthorized"],
    [99_999, "fatal", "99999"],
  ])("have a treatment and a name: code %d, %s, %s", (code, kind, sqlstate) => {
    expect(classifyFailure(ofServer(code))).toEqual({ kind, sqlstate });
    expect(classifyFailure(new StatementError("update", ofServer(code)))).toEqual({ kind, sqlstate });
  });

  it("need another connection and have the system's code if the network fails", () => {
    expect(classifyFailure(ofNetwork("ECONNRESET"))).toEqual({ kind: "reconnect", sqlstate: "ECONNRESET" });
    const ofSocket = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
    expect(classifyFailure(new StatementError("update", ofSocket))).toEqual({
      kind: "reconnect",
      sqlstate: "EPIPE",
    });
    expect(classifyFailure(new MongoNetworkError("closed"))).toEqual({
      kind: "reconnect",
      sqlstate: "MongoNetworkError",
    });
  });

  it("repeat if a certificate is refused", () => {
    expect(classifyFailure(ofNetwork("DEPTH_ZERO_SELF_SIGNED_CERT")).kind).toBe("fatal");
  });

  it.each([
    ["the connection was lost", ofNetwork("ECONNRESET"), true],
    ["the server shut down", ofServer(91), true],
    ["the primary stepped down", ofServer(189), true],
    ["the write concern was not reached in time", ofServer(64), true],
    ["the server is no primary", ofServer(10107), false],
    ["another write was under way", ofServer(112), false],
    ["the key exists", ofServer(11000), false],
    ["no server was found", new MongoServerSelectionError("none", {} as never), false],
  ])("leave a write in doubt if %s: %o", (_, error, isInDoubt) => {
    expect(isWriteInDoubt(new StatementError("insert", error))).toBe(isInDoubt);
  });

  it("leave no write in doubt that failed during the log-in", () => {
    const error = ofNetwork("ECONNRESET");
    error.addErrorLabel("HandshakeError");
    expect(isWriteInDoubt(error)).toBe(false);
  });

  it("keep the code of their cause if a commit is in doubt", () => {
    const error = new InDoubtError(new StatementError("insert", ofNetwork("EPIPE")));
    expect(classifyFailure(error)).toEqual({ kind: "in-doubt", sqlstate: "EPIPE" });
  });

  it("are conflicts only between operations", () => {
    expect(["WriteConflict", "DuplicateKey"].map(isConflict)).toEqual([true, false]);
  });

  it("are explained with the way out, and errors of others are not", () => {
    expect(explain(ofServer(13, "not authorized"))).toMatchObject({
      message: "the server refused an operation: not authorized (Unauthorized)",
      hint: expect.stringContaining("readWrite") as string,
    });
    expect(explain(ofNetwork("ECONNRESET"))).toBeInstanceOf(TargetError);
    expect(explain(Object.assign(new Error("x"), { code: "40001" }))).toBeUndefined();
    expect(remedyOf(ofServer(10107))).toContain("replicaSet");
    expect(obstacleOf(ofServer(13, "no"))).toMatchObject({
      kind: "evidence",
      words: expect.stringContaining("no") as string,
    });
  });
});
