// Forms of a user's own workload in a scenario, as written and as loaded.
import * as z from "zod";
import { MigrateKey } from "./script/migrate-settings.js";

/** Pattern of the path of a workload's file in a scenario. */
export const WORKLOAD_FILE_PATTERN = /\.(sql|mjs|js)$/;
export const FILE_BYTES_MAX = 1024 * 1024;

const LABEL_RULE = "a letter, then letters, digits, - _ . only, at most 40";
export const LABEL = z.string().regex(/^[A-Za-z][\w.-]{0,39}$/, `expected a label: ${LABEL_RULE}`);

/** Keys of every form. */
const common = {
  label: LABEL.optional().meta({
    title: LABEL_RULE,
    description: "Name of the workload's treatments. Default: the name of its file.",
  }),
  migrate: MigrateKey.optional(),
};

const SqlFile = z.strictObject({
  ...common,
  file: z.string().default("workload.sql").meta({ description: "Name of the file, for messages." }),
  sql: z.string().max(FILE_BYTES_MAX).meta({ description: "Text of the file." }),
  syntax: z.literal("mysql").optional().meta({
    description:
      "mysql: the text has comments, quotes and backslashes of MySQL. A target of MySQL or MariaDB implies it.",
  }),
});

export const ModuleFile = z.strictObject({
  ...common,
  module: z
    .string()
    .meta({ description: "Absolute path of the module. A scenario that has one runs its code." }),
  hash: z.string().meta({ description: "SHA-256 of the file as it was when the scenario was loaded." }),
  declares: z
    .strictObject({
      name: z.string().meta({ description: "Its name." }),
      settings: z
        .record(z.string(), z.union([z.number(), z.string(), z.boolean()]))
        .meta({ description: "Its settings, with their values where the scenario has none." }),
      transactions: z.array(z.string()).meta({ description: "Names of its transactions." }),
    })
    .optional()
    .meta({ description: "What it declared then, for commands that read a result and do not load code." }),
});

export type ModuleDeclaration = NonNullable<z.output<typeof ModuleFile>["declares"]>;

const Script = z.union([
  z.string().meta({ description: "Path of a script, or builtin:tpcb-like; behind @ its weight." }),
  z.strictObject({
    script: z.string().meta({ description: "Name of the script, and behind @ its weight." }),
    sql: z.string().max(FILE_BYTES_MAX).meta({ description: "Text of the script." }),
  }),
]);

const Pgbench = z.strictObject({
  ...common,
  pgbench: z
    .array(Script)
    .min(1)
    .meta({
      description:
        "Scripts of pgbench, such as look.sql@9, and its built-in ones: builtin:tpcb-like, builtin:simple-update, " +
        "builtin:select-only. Each is an operation by its name; behind @ its weight, 1 if left out.",
    }),
  tables: z
    .union([
      z.string().meta({ description: "Path of the file." }),
      z.strictObject({
        file: z.string().meta({ description: "Name of the file, for messages." }),
        sql: z.string().max(FILE_BYTES_MAX).meta({ description: "Text of the file." }),
      }),
    ])
    .optional()
    .meta({
      description:
        "SQL of the scripts' own tables, such as a dump by pg_dump --schema-only; rows below -- preload, checks below " +
        "-- invariant:. Default: the tables of pgbench -i.",
    }),
  scale: z
    .int()
    .min(1)
    .default(1)
    .meta({ description: "Scale of the tables of pgbench -i, and :scale of scripts. Default 1." }),
  define: z
    .record(z.string().regex(/^[A-Za-z_]\w{0,62}$/), z.union([z.number(), z.string(), z.boolean()]))
    .default({})
    .meta({ description: "Variables of scripts, like pgbench -D. Each is a key of the scenario too." }),
});

/** Forms that the user's own workload has in a resolved scenario, in which file contents stand in place of paths. */
const OWN_FORMS = [SqlFile, Pgbench, ModuleFile] as const;
export const OwnForm = z.union(OWN_FORMS);
export type OwnForm = z.output<typeof OwnForm>;

const FilePath = z.string().regex(WORKLOAD_FILE_PATTERN, {
  error: "your own file, such as ./bank.sql, ./bank.mjs or ./bank.js",
  abort: true,
});

export const LabelledFile = z.strictObject({
  ...common,
  file: FilePath.meta({
    description: "Path of the file. In a stored scenario, which holds its text: its name.",
  }),
});

/**
 * Forms of the key `workload` for a user's own workload, as written in a scenario. The names of other workloads come in
 * addition.
 */
export const WrittenOwnForms = [
  FilePath,
  // Its text replaces its path before the schema reads it.
  LabelledFile as unknown as typeof SqlFile,
  ...OWN_FORMS,
] as const;
