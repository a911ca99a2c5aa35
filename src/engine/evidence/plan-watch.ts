// Plans of the workload's statements at the end of the window, so that trials with another plan are found. EXPLAIN
// runs no statement, and no measured session waits; sessions of the load may keep other plans (docs/reference/evidence.md).
import type { AdminSession } from "../../database/contract.js";
import { databaseOf } from "../../database/registry.js";
import type { Statement } from "../../database/sql.js";
import { digest } from "../../foundation/digest.js";
import { codeOf, messageOf } from "../../foundation/errors.js";
import { firstOf } from "../../foundation/text/numbers.js";
import type { NotAssessed, StatementPlan } from "../../results/result-schema.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import { storeOf, workloadOf } from "../../workloads/registry.js";

export interface PlansReading {
  readonly plans: readonly StatementPlan[];
  readonly notAssessed: readonly NotAssessed[];
}

export const NO_PLANS: PlansReading = { plans: [], notAssessed: [] };

/** Matches statements that have a plan, possibly behind comments: neither COPY nor transaction control. */
const PLANNABLE_STATEMENT =
  /^(?:\s|\(|--[^\n]*\n|\/\*[^]*?\*\/)*(?:SELECT|INSERT|UPDATE|DELETE|MERGE|VALUES|WITH|TABLE)\b/i;
const SENT_AS_TEXT_REASON = "sent as text, perhaps several statements in one message";
const NAMED_MAX = 3;

const plansNotAssessed = (reason: string): PlansReading => ({
  plans: [],
  notAssessed: [{ what: "plans of statements", reason }],
});

function plansText(names: readonly string[]): string {
  return `plans of ${firstOf(names, NAMED_MAX)}`;
}

export async function readPlans(admin: AdminSession, settings: TreatmentSettings): Promise<PlansReading> {
  try {
    return await readStatementPlans(admin, settings);
  } catch (error) {
    return plansNotAssessed(messageOf(error));
  }
}

async function readStatementPlans(admin: AdminSession, settings: TreatmentSettings): Promise<PlansReading> {
  const { dialect, namespace } = settings;
  const { plans: source } = databaseOf(admin.endpoint);
  const workload = workloadOf(settings);
  const all = storeOf(settings).statements(settings);
  const statements = new Map<string, Statement>(
    all.filter(({ text }) => PLANNABLE_STATEMENT.test(text)).map((statement) => [statement.name, statement]),
  );
  if (all.length === 0) return plansNotAssessed("the workload's statements are known only when it runs");
  const obstacle = await source.obstacle(admin, dialect);
  if (obstacle !== undefined) return plansNotAssessed(obstacle);
  const within = workload.isUnqualified && namespace;
  const plans: StatementPlan[] = [];
  const refused = new Map<string, string[]>();
  const recordRefusal = (name: string, reason: string): unknown =>
    refused.set(reason, [...(refused.get(reason) ?? []), name]);
  for (const { name, text, isText } of statements.values()) {
    if (isText) {
      recordRefusal(name, SENT_AS_TEXT_REASON);
      continue;
    }
    try {
      const plan = await source.read(admin, text, dialect, within);
      plans.push({ statement: name, hash: digest(plan), plan });
    } catch (error) {
      if (codeOf(error) === undefined) throw error; // the connection
      recordRefusal(name, messageOf(error));
    }
  }
  return { plans, notAssessed: [...refused].map(([reason, names]) => ({ what: plansText(names), reason })) };
}
