// A dialect that the server does not speak is refused before anything is made there.
import { UsageError } from "../../foundation/errors.js";
import type { ServerInfo } from "../../database/contract.js";
import { capabilitiesOf, DIALECTS, type DialectName } from "../../database/registry.js";
import { dialectProblems } from "../../scenario/rules-dialect.js";
import type { Treatment } from "../../scenario/settings.js";

/**
 * The dialect for a treatment. Throws a UsageError that lists every setting of the treatment that the dialect does not
 * support.
 */
export function dialectFor(
  { product, versionText, dialect }: Pick<ServerInfo, "product" | "versionText" | "dialect">,
  { id, settings }: Treatment,
): DialectName {
  const serverDialect = DIALECTS.find((name) => name === dialect);
  if (!settings.asksDialect) {
    if (serverDialect !== undefined && serverDialect !== settings.dialect)
      throw new UsageError(
        `treatment ${id} has dialect: ${settings.dialect}, and the server is ${product} (${versionText})`,
        `Use dialect: ${serverDialect}, or dialect: auto.`,
      );
    return settings.dialect;
  }
  if (serverDialect === undefined)
    throw new UsageError(
      `treatment ${id} has dialect: auto, and train-sim knows no server that calls itself "${versionText}"`,
      "Name the dialect that it speaks most like.",
    );
  const problems = dialectProblems(serverDialect, settings).map(({ message }) => message);
  if (problems.length > 0)
    throw new UsageError(
      `treatment ${id} cannot run on ${capabilitiesOf(serverDialect).label}: ${problems.join("; ")}`,
      "Change the levels that are named.",
    );
  return serverDialect;
}

/** The treatment, with its dialect set to `dialect`. */
export function treatmentInDialect(treatment: Treatment, dialect: DialectName): Treatment {
  return { ...treatment, settings: { ...treatment.settings, dialect, asksDialect: false } };
}
