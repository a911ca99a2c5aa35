import type { Command } from "commander";
import { register as registerAgent } from "./agent.js";
import { register as registerAgents } from "./agents.js";
import { register as registerBisect } from "./bisect.js";
import { register as registerCompare } from "./compare.js";
import { register as registerDoctor } from "./doctor.js";
import { register as registerHistory } from "./history.js";
import { register as registerImport } from "./import.js";
import { register as registerInit } from "./init.js";
import { register as registerJsonSchema } from "./json-schema.js";
import { register as registerLearn } from "./learn.js";
import { register as registerLogs } from "./logs.js";
import { register as registerRecommend } from "./recommend.js";
import { register as registerReport } from "./report.js";
import { register as registerRun } from "./run.js";
import { register as registerSchema } from "./schema.js";
import { register as registerValidate } from "./validate.js";

export const COMMANDS: readonly ((program: Command) => void)[] = [
  registerRun,
  registerRecommend,
  registerBisect,
  registerAgent,
  registerAgents,
  registerCompare,
  registerHistory,
  registerReport,
  registerLogs,
  registerValidate,
  registerInit,
  registerImport,
  registerLearn,
  registerJsonSchema,
  registerSchema,
  registerDoctor,
];
