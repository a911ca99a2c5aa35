// One statement of each kind of PostgreSQL's DDL in a user's file: nothing is left behind, and a statement whose object
// would stay is refused.
import { readFileSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { ownDatabase } from "../../../test/support/own-database.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import { dropNamespace, resetNamespace } from "../../../test/support/namespace.js";
import { readSqlFile } from "../sql-file/read-sql-file.js";
import { storeOf, workloadOf } from "../registry.js";

const own = ownDatabase("ddl");
const NAMESPACE = "ddl_test";

/** Dump by `pg_dump --schema-only` of PostgreSQL 15. */
function dumpOf(name: string): string {
  return readFileSync(new URL(`../../../test/support/dumps/${name}.sql`, import.meta.url), "utf8");
}

/** Schemas that are accepted, by the kind of object that they make. They also change and drop it if PostgreSQL can. */
const TAKEN: Readonly<Record<string, string>> = {
  "a trigger whose function stands below its table": `
    CREATE TABLE jobs (id int);
    CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE TRIGGER t AFTER INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION f();
    ALTER TRIGGER t ON jobs RENAME TO u;
    ALTER TABLE jobs DISABLE TRIGGER u`,
  "a constraint trigger and a statement trigger": `
    CREATE TABLE a (id int);
    CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER t AFTER INSERT ON a DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION f();
    CREATE TRIGGER s AFTER UPDATE ON a REFERENCING NEW TABLE AS n FOR EACH STATEMENT EXECUTE FUNCTION f();
    DROP TRIGGER s ON a`,
  "a view with an INSTEAD OF trigger": `
    CREATE TABLE a (id int);
    CREATE VIEW v AS SELECT id FROM a;
    CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN INSERT INTO a VALUES (NEW.id); RETURN NEW; END $f$;
    CREATE TRIGGER t INSTEAD OF INSERT ON v FOR EACH ROW EXECUTE FUNCTION f();
    INSERT INTO v VALUES (1)`,
  "a sequence that a column owns later": `
    CREATE SEQUENCE s START 10;
    CREATE TABLE a (id bigint);
    ALTER SEQUENCE s OWNED BY a.id;
    ALTER TABLE a ALTER COLUMN id SET DEFAULT nextval('s');
    ALTER SEQUENCE s RESTART 20;
    CREATE SEQUENCE other; DROP SEQUENCE other`,
  "tables of a function that executes text": `
    CREATE TABLE meta (name text PRIMARY KEY);
    CREATE FUNCTION make(name text) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      EXECUTE format('CREATE TABLE %I (id bigint GENERATED ALWAYS AS IDENTITY, LIKE meta)', 'q_' || name);
      EXECUTE format('CREATE VIEW %I AS SELECT * FROM %I', 'v_' || name, 'q_' || name);
      INSERT INTO meta VALUES (name);
    END $$;
    SELECT make('first');
    DO $$ BEGIN PERFORM make('second'); END $$`,
  "tables that refer to each other": `
    CREATE TABLE a (id int PRIMARY KEY, b int);
    CREATE TABLE b (id int PRIMARY KEY, a int REFERENCES a);
    ALTER TABLE a ADD CONSTRAINT a_b FOREIGN KEY (b) REFERENCES b DEFERRABLE`,
  "a table with every kind of column and constraint": `
    CREATE TABLE a (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n serial UNIQUE, k text COLLATE "C" DEFAULT ';' NOT NULL,
      twice int GENERATED ALWAYS AS (n * 2) STORED, tags text[] DEFAULT '{}' CHECK (array_length(tags[1:2], 1) < 3),
      at tstzrange, EXCLUDE USING gist (at WITH &&), CONSTRAINT b UNIQUE NULLS NOT DISTINCT (k, n) DEFERRABLE
    );
    ALTER TABLE a ALTER k TYPE varchar(9) USING k::varchar(9), ADD CHECK (k <> '') NOT VALID;
    ALTER TABLE a DROP CONSTRAINT b, ALTER twice DROP EXPRESSION`,
  inheritance: `
    CREATE TABLE parent (id int CHECK (id > 0));
    CREATE TABLE child (n int) INHERITS (parent);
    CREATE TABLE other (id int NOT NULL CONSTRAINT parent_id_check CHECK (id > 0));
    ALTER TABLE other INHERIT parent;
    ALTER TABLE other NO INHERIT parent;
    ALTER TABLE ONLY parent ALTER COLUMN id SET STATISTICS 100`,
  partitions: `
    CREATE TABLE p (id int, at date) PARTITION BY RANGE (at);
    CREATE TABLE p_1 PARTITION OF p FOR VALUES FROM ('2026-01-01') TO ('2027-01-01') PARTITION BY HASH (id);
    CREATE TABLE p_1_0 PARTITION OF p_1 FOR VALUES WITH (MODULUS 1, REMAINDER 0);
    CREATE TABLE p_rest PARTITION OF p DEFAULT;
    CREATE INDEX ON p (id);
    CREATE TABLE l (k text) PARTITION BY LIST (k);
    CREATE TABLE l_a (k text NOT NULL);
    ALTER TABLE l ATTACH PARTITION l_a FOR VALUES IN ('a');
    ALTER TABLE l DETACH PARTITION l_a`,
  "a table from a query, of a type, and renamed": `
    CREATE TABLE IF NOT EXISTS a AS SELECT 1 AS n WITH NO DATA;
    SELECT n INTO b FROM a;
    CREATE TYPE row AS (x int, y text);
    CREATE TABLE c OF row (PRIMARY KEY (x)) WITH (fillfactor = 70);
    CREATE UNLOGGED TABLE d (LIKE c INCLUDING ALL);
    ALTER TABLE d RENAME TO e;
    ALTER TABLE e RENAME COLUMN y TO z;
    ALTER TABLE e SET LOGGED, ADD COLUMN w numeric(10, 2) DEFAULT 0, DROP COLUMN z;
    ALTER TABLE IF EXISTS nowhere ADD n int;
    TRUNCATE a, b;
    DROP TABLE b;
    CREATE TEMPORARY TABLE scratch (id int) ON COMMIT DROP`,
  "names that need quotes": `
    CREATE TABLE "it's; a ""table"", x" (":id" int, "\u00fcber" int);
    CREATE FUNCTION "create"(int) RETURNS int LANGUAGE sql AS 'SELECT $1';
    CREATE FUNCTION "create"(text) RETURNS text LANGUAGE sql AS $_$SELECT $1 || ';'$_$;
    CREATE TABLE "Order" ("User" int DEFAULT "create"(1))`,
  indexes: `
    CREATE TABLE a (id int, k text, tags text[]);
    CREATE UNIQUE INDEX i ON a USING btree (id DESC NULLS LAST) INCLUDE (k) WITH (fillfactor = 80) WHERE k <> ';';
    CREATE INDEX ON a ((lower(k)));
    CREATE INDEX g ON a USING gin (tags);
    CREATE INDEX c ON a (k);
    ALTER INDEX i RENAME TO j;
    ALTER TABLE a ALTER id SET NOT NULL, REPLICA IDENTITY FULL;
    CLUSTER a USING c`,
  views: `
    CREATE TABLE a (id int, n int);
    CREATE OR REPLACE VIEW v (x) WITH (security_barrier) AS SELECT id FROM a WHERE n > 0 WITH CHECK OPTION;
    CREATE RECURSIVE VIEW r (n) AS VALUES (1) UNION ALL SELECT n + 1 FROM r WHERE n < 3;
    ALTER VIEW v RENAME TO w;
    DROP VIEW r`,
  "materialized views": `
    CREATE TABLE a (id int);
    CREATE MATERIALIZED VIEW m AS SELECT id FROM a WITH NO DATA;
    CREATE UNIQUE INDEX ON m (id);
    REFRESH MATERIALIZED VIEW m;
    ALTER MATERIALIZED VIEW m RENAME TO n`,
  "rules of several statements": `
    CREATE TABLE a (id int); CREATE TABLE log (id int, what text);
    CREATE RULE r AS ON INSERT TO a DO ALSO (INSERT INTO log VALUES (NEW.id, 'new;'); NOTIFY a;);
    CREATE OR REPLACE RULE n AS ON DELETE TO a DO INSTEAD NOTHING;
    ALTER RULE n ON a RENAME TO o;
    DROP RULE o ON a`,
  "functions in every form of body": `
    CREATE FUNCTION one(IN a int, OUT b int, VARIADIC c int[] DEFAULT '{}') LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
      COST 1 RETURN a + 1;
    CREATE FUNCTION two() RETURNS TABLE (x int) BEGIN ATOMIC
      SELECT CASE WHEN true THEN 1 ELSE 2 END;
      SELECT one(1);
    END;
    CREATE OR REPLACE FUNCTION three() RETURNS SETOF int LANGUAGE plpgsql AS $body$
      -- schema
      DECLARE n int := 1;
      BEGIN
        FOR i IN 1..n LOOP RETURN NEXT i; END LOOP;
        BEGIN PERFORM 1 / 0; EXCEPTION WHEN division_by_zero THEN NULL; END;
      END $body$;
    CREATE FUNCTION four() RETURNS text LANGUAGE sql AS E'SELECT \\'it\\'\\'s; \\'::text';
    ALTER FUNCTION three() SET work_mem = '8MB';
    ALTER FUNCTION four() RENAME TO five;
    ALTER ROUTINE five() STABLE;
    DROP FUNCTION five`,
  procedures: `
    CREATE TABLE a (id int);
    CREATE PROCEDURE p(n int) LANGUAGE sql BEGIN ATOMIC INSERT INTO a VALUES (n); DELETE FROM a WHERE id = n; END;
    CALL p(1);
    ALTER PROCEDURE p(int) SECURITY DEFINER;
    CREATE PROCEDURE q() LANGUAGE plpgsql AS 'BEGIN NULL; END';
    DROP PROCEDURE q()`,
  aggregates: `
    CREATE AGGREGATE total(int) (SFUNC = int4pl, STYPE = int, INITCOND = '0');
    CREATE AGGREGATE all_of(ORDER BY "any") (SFUNC = ordered_set_transition, STYPE = internal, FINALFUNC = mode_final, FINALFUNC_EXTRA);
    ALTER AGGREGATE total(int) RENAME TO sum_of;
    CREATE AGGREGATE gone(*) (SFUNC = int8inc, STYPE = bigint, INITCOND = '0');
    DROP AGGREGATE gone(*)`,
  types: `
    CREATE TYPE mood AS ENUM ('sad', 'ok');
    ALTER TYPE mood ADD VALUE 'happy' AFTER 'ok';
    CREATE TYPE pair AS (a int, b mood);
    ALTER TYPE pair ADD ATTRIBUTE c text CASCADE;
    CREATE TYPE span AS RANGE (SUBTYPE = float8, SUBTYPE_DIFF = float8mi);
    CREATE TYPE shell;
    CREATE TABLE a (m mood DEFAULT 'happy', p pair[], s span, t span_multirange);
    CREATE FUNCTION cheer(mood) RETURNS mood LANGUAGE sql AS $$ SELECT 'happy'::mood $$;
    ALTER TYPE mood RENAME TO humour;
    ALTER TYPE humour RENAME VALUE 'sad' TO 'low';
    DROP TYPE shell`,
  "a base type": `
    CREATE TYPE money2;
    CREATE FUNCTION money2_in(cstring) RETURNS money2 LANGUAGE internal STRICT IMMUTABLE AS 'int8in';
    CREATE FUNCTION money2_out(money2) RETURNS cstring LANGUAGE internal STRICT IMMUTABLE AS 'int8out';
    CREATE TYPE money2 (INPUT = money2_in, OUTPUT = money2_out, LIKE = int8);
    CREATE TABLE a (m money2)`,
  domains: `
    CREATE DOMAIN positive AS int DEFAULT 1 NOT NULL CONSTRAINT above CHECK (VALUE > 0);
    CREATE TABLE a (n positive);
    ALTER DOMAIN positive DROP CONSTRAINT above;
    ALTER DOMAIN positive RENAME TO natural_number;
    CREATE DOMAIN gone AS text; DROP DOMAIN gone`,
  "operators and operator classes of indexes": `
    CREATE FUNCTION near(int, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT abs($1 - $2) < 2';
    CREATE OPERATOR ~=~~ (FUNCTION = near, LEFTARG = int, RIGHTARG = int, COMMUTATOR = ~=~~);
    ALTER OPERATOR ~=~~ (int, int) SET (RESTRICT = NONE);
    CREATE OPERATOR FAMILY fam USING btree;
    CREATE OPERATOR CLASS cls FOR TYPE int USING btree FAMILY fam AS
      OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 btint4cmp(int, int);
    ALTER OPERATOR FAMILY fam USING btree ADD FUNCTION 1 (int, bigint) btint48cmp(int, bigint);
    ALTER OPERATOR CLASS cls USING btree RENAME TO klass;
    CREATE TABLE a (id int); CREATE INDEX ON a (id klass)`,
  "casts and transforms of its types and functions": `
    CREATE TYPE mood AS ENUM ('sad', 'ok');
    CREATE FUNCTION mood_of(int) RETURNS mood LANGUAGE sql IMMUTABLE AS $$ SELECT 'ok'::mood $$;
    CREATE CAST (int AS mood) WITH FUNCTION mood_of(int) AS ASSIGNMENT;
    CREATE CAST (mood AS int) WITH INOUT;
    DROP CAST (mood AS int);
    CREATE TRANSFORM FOR mood LANGUAGE sql (FROM SQL WITH FUNCTION prsd_lextype(internal));
    CREATE FUNCTION json_of(point) RETURNS json LANGUAGE sql IMMUTABLE AS 'SELECT to_json($1::text)';
    CREATE CAST (point AS json) WITH FUNCTION json_of(point)`,
  "collations and conversions": `
    CREATE COLLATION plain (PROVIDER = builtin, LOCALE = 'C.UTF-8');
    CREATE TABLE a (k text COLLATE plain);
    ALTER COLLATION plain RENAME TO simple;
    CREATE CONVERSION conv FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8;
    ALTER CONVERSION conv RENAME TO other`,
  policies: `
    CREATE TABLE a (id int, owner text);
    CREATE FUNCTION mine(text) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT $1 = current_user';
    ALTER TABLE a ENABLE ROW LEVEL SECURITY;
    CREATE POLICY p ON a FOR ALL TO PUBLIC USING (mine(owner)) WITH CHECK (id > 0);
    ALTER POLICY p ON a RENAME TO q;
    CREATE POLICY r ON a USING (true); DROP POLICY r ON a`,
  statistics: `
    CREATE TABLE a (x int, y int);
    CREATE STATISTICS s (dependencies, mcv) ON x, y FROM a;
    ALTER STATISTICS s SET STATISTICS 10;
    ANALYZE a`,
  "text search": `
    CREATE TEXT SEARCH DICTIONARY d (TEMPLATE = simple, STOPWORDS = english);
    CREATE TEXT SEARCH CONFIGURATION c (COPY = pg_catalog.simple);
    ALTER TEXT SEARCH CONFIGURATION c ALTER MAPPING FOR asciiword WITH d;
    ALTER TEXT SEARCH DICTIONARY d (STOPWORDS = english);
    CREATE TEXT SEARCH TEMPLATE t (LEXIZE = dsimple_lexize);
    CREATE TEXT SEARCH PARSER p (START = prsd_start, GETTOKEN = prsd_nexttoken, END = prsd_end, LEXTYPES = prsd_lextype);
    CREATE TABLE a (t text, v tsvector GENERATED ALWAYS AS (to_tsvector('simple', t)) STORED)`,
  "a foreign table of an existing server": `
    CREATE FOREIGN TABLE a (id int) SERVER elsewhere OPTIONS (x 'y');
    ALTER FOREIGN TABLE a ADD COLUMN n int`,
  "comments and rights": `
    CREATE TABLE a (id int); CREATE FUNCTION f() RETURNS int LANGUAGE sql RETURN 1;
    COMMENT ON TABLE a IS 'it''s; mine'; COMMENT ON COLUMN a.id IS NULL;
    COMMENT ON FUNCTION f() IS $$ ; $$;
    GRANT SELECT (id), INSERT ON a TO PUBLIC; REVOKE ALL ON FUNCTION f() FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION f() TO pg_monitor WITH GRANT OPTION;
    ALTER TABLE a ENABLE ROW LEVEL SECURITY; DROP FUNCTION f`,
  "blocks and statements that are no DDL": `
    CREATE TABLE a (id int);
    DO LANGUAGE plpgsql $do$ DECLARE i int; BEGIN FOR i IN 1..3 LOOP INSERT INTO a VALUES (i); END LOOP; END $do$;
    LOCK TABLE a IN EXCLUSIVE MODE;
    WITH d AS (DELETE FROM a RETURNING id) INSERT INTO a SELECT id + 10 FROM d;
    MERGE INTO a USING (VALUES (1)) AS s (n) ON id = n WHEN NOT MATCHED THEN INSERT VALUES (n);
    SELECT set_config('work_mem', '4MB', true); /* a /* nested */ comment; */ -- and; another
    REINDEX TABLE a`,
  "a dump of the schema public": dumpOf("shop"),
  "a dump of pg-boss 12": `${dumpOf("pg-boss")};
    SELECT pgboss.create_queue('letters', '{"policy": "standard", "partition": true}'::jsonb);
    INSERT INTO pgboss.job (name, state) VALUES ('letters', 'created'::pgboss.job_state)`,
  "a dump of graphile-worker 0.18": `${dumpOf("graphile-worker")};
    SELECT graphile_worker.add_jobs(ARRAY[json_populate_record(NULL::graphile_worker.job_spec, '{"identifier": "a"}')])`,
};

/**
 * Statements that are refused, with the refusal: by their text before anything runs, or by the server when they are tried.
 */
const REFUSED: readonly (readonly [string, string])[] = [
  ["CREATE SCHEMA x; CREATE SCHEMA y", "the dump makes x and y; a workload has one schema"],
  ["COPY a (id) FROM stdin;\n1\n\\.", "COPY takes data that is not there"],
  ["\\connect shop\nCREATE TABLE a (id int)", "\\connect is a command of psql"],
  ["CREATE DATABASE x", "CREATE DATABASE reaches beyond"],
  ["CREATE EXTENSION IF NOT EXISTS pgcrypto", "CREATE EXTENSION reaches beyond"],
  ["CREATE ROLE x", "CREATE ROLE reaches beyond"],
  ["CREATE USER MAPPING FOR PUBLIC SERVER elsewhere", "CREATE USER reaches beyond"],
  ["CREATE TABLESPACE x LOCATION '/x'", "CREATE TABLESPACE reaches beyond"],
  ["ALTER SYSTEM SET work_mem = '1GB'", "ALTER SYSTEM reaches beyond"],
  ["REASSIGN OWNED BY x TO y", "REASSIGN OWNED reaches beyond"],
  ["CREATE PUBLICATION p FOR ALL TABLES", "CREATE PUBLICATION reaches beyond"],
  ["CREATE SUBSCRIPTION s CONNECTION '' PUBLICATION p", "CREATE SUBSCRIPTION reaches beyond"],
  ["CREATE FOREIGN DATA WRAPPER w", "CREATE FOREIGN DATA WRAPPER reaches beyond"],
  ["CREATE SERVER s FOREIGN DATA WRAPPER w", "CREATE SERVER reaches beyond"],
  ["CREATE TRUSTED LANGUAGE l HANDLER plpgsql_call_handler", "CREATE TRUSTED LANGUAGE reaches beyond"],
  ["CREATE ACCESS METHOD m TYPE INDEX HANDLER bthandler", "CREATE ACCESS METHOD reaches beyond"],
  ["CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION f()", "CREATE EVENT TRIGGER reaches beyond"],
  [
    "CREATE FUNCTION pgmq.create() RETURNS int LANGUAGE sql RETURN 1",
    'pgmq.create names a schema; write "create"',
  ],
  ["CREATE INDEX i ON public.theirs (id)", "makes index public.i, which lies outside of the schema"],
  ["CREATE RULE r AS ON INSERT TO public.theirs DO NOTHING", "drops or alters table public.theirs"],
  ["CREATE STATISTICS public.s ON id, n FROM public.theirs", "makes statistics object public.s"],
  ["CREATE CAST (point AS json) WITH INOUT", "makes cast (pg_catalog.point AS json), which lies outside"],
  ["DO $$ BEGIN EXECUTE format('CREATE VIEW %s AS SELECT 1', 'public.w'); END $$", "makes view public.w"],
  [
    "CREATE TABLE a (id int); CREATE INDEX CONCURRENTLY ON a (id)",
    "CREATE INDEX CONCURRENTLY cannot run inside",
  ],
  ["CREATE TABLE a (id int;\nCREATE TABLE b (n int)", 'syntax error at or near ";"'],
  ["COMMENT ON nothing", 'syntax error at or near "nothing"'],
];

/** Query for the identifiers of all objects in the database that users have made: object ids from 16384 on. */
const OBJECTS = `SELECT classid, objid FROM pg_depend WHERE objid >= 16384 UNION
  SELECT 'pg_class'::regclass, oid FROM pg_class WHERE oid >= 16384 AND relnamespace::regnamespace::text !~ 'toast' UNION
  SELECT 'pg_proc'::regclass, oid FROM pg_proc WHERE oid >= 16384 UNION
  SELECT 'pg_cast'::regclass, oid FROM pg_cast WHERE oid >= 16384 UNION
  SELECT 'pg_namespace'::regclass, oid FROM pg_namespace WHERE oid >= 16384 AND nspname !~ 'temp' ORDER BY 1, 2`;

beforeAll(() =>
  own.admin.query(`CREATE TABLE public.theirs (id int, n int);
    CREATE FOREIGN DATA WRAPPER w; CREATE SERVER elsewhere FOREIGN DATA WRAPPER w`),
);
afterEach(() => own.admin.query(`DROP SCHEMA IF EXISTS ${NAMESPACE} CASCADE`));

function fileOf(schema: string): string {
  return `-- schema\n${schema};\n-- name: look\nSELECT 1;\n`;
}

function settingsOf(sql: string): TreatmentSettings {
  const settings = {
    workload: { file: "x.sql", sql },
    dialect: "postgres",
    namespace: NAMESPACE,
    values: {},
  };
  return settings as unknown as TreatmentSettings;
}

/** All refusals before a trial. */
async function refusalsOf(schema: string): Promise<readonly string[]> {
  const sql = fileOf(schema);
  const read = readSqlFile(sql, "x.sql");
  if ("problems" in read)
    return read.problems.map(({ place: { line, column }, message }) => `x.sql:${line}:${column}: ${message}`);
  const settings = settingsOf(sql);
  return (await workloadOf(settings).loading?.tryOut?.(storeOf(settings), own.admin, settings)) ?? [];
}

it.each(Object.entries(TAKEN))("creates, drops and creates again: %s", async (_, schema) => {
  expect(await refusalsOf(schema)).toEqual([]);
  const before = await own.admin.query(OBJECTS);
  for (const trial of [1, 2]) {
    await resetNamespace(own.admin, settingsOf(fileOf(schema)));
    expect((await own.admin.query(OBJECTS)).length, `trial ${trial}`).toBeGreaterThan(before.length);
  }
  expect(await dropNamespace(own.admin, NAMESPACE)).toBe(true);
  expect(await own.admin.query(OBJECTS)).toEqual(before);
});

describe("a schema section", () => {
  it.each(REFUSED)("is refused with file and line: %s", async (schema, words) => {
    const before = await own.admin.query(OBJECTS);
    expect((await refusalsOf(schema)).join("\n")).toMatch(/^x\.sql:[23]:\d+: /);
    expect((await refusalsOf(schema)).join("\n")).toContain(words);
    expect(await own.admin.query(OBJECTS)).toEqual(before);
  });
});

describe("a schema on which an outside object depends", () => {
  const OURS = `CREATE TABLE a (id int PRIMARY KEY, n int);
    CREATE TABLE p (id int) PARTITION BY LIST (id);
    CREATE TYPE mood AS ENUM ('sad');
    CREATE FUNCTION f() RETURNS int LANGUAGE sql RETURN 1;
    CREATE FUNCTION t() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`;
  it.each([
    ["a view", "CREATE VIEW public.v AS SELECT id FROM ddl_test.a", "view public.v"],
    [
      "a foreign key",
      "CREATE TABLE public.v (a int CONSTRAINT fk REFERENCES ddl_test.a)",
      "table constraint fk on public.v",
    ],
    ["a column's type", "CREATE TABLE public.v (m ddl_test.mood)", "table public.v"],
    ["a default", "CREATE TABLE public.v (n int DEFAULT ddl_test.f())", "default value for public.v.n"],
    ["a child", "CREATE TABLE public.v () INHERITS (ddl_test.a)", "table public.v"],
    [
      "a trigger",
      "CREATE TABLE public.v (); CREATE TRIGGER t AFTER INSERT ON public.v EXECUTE FUNCTION ddl_test.t()",
      "trigger t on public.v",
    ],
    [
      "a policy",
      "CREATE TABLE public.v (); CREATE POLICY p ON public.v USING (ddl_test.f() > 0)",
      "policy p on public.v",
    ],
    ["a partition", "CREATE TABLE public.v PARTITION OF ddl_test.p DEFAULT", "table public.v"],
  ])("is not dropped, and the message names the object: %s", async (_, theirs, name) => {
    await resetNamespace(own.admin, settingsOf(fileOf(OURS)));
    await own.admin.query(theirs);
    const refusal = dropNamespace(own.admin, NAMESPACE);
    await expect(refusal).rejects.toThrow(
      `objects that train-sim did not make, so it is not dropped: ${name}`,
    );
    await own.admin.query(/^CREATE (\w+ \S+)/.exec(theirs)?.[0].replace("CREATE", "DROP") ?? "");
    expect(await dropNamespace(own.admin, NAMESPACE)).toBe(true);
  });

  it("is not dropped, and the message names three objects and counts the others", async () => {
    await resetNamespace(own.admin, settingsOf(fileOf(OURS)));
    for (const n of [1, 2, 3, 4, 5])
      await own.admin.query(`CREATE VIEW public.v${n} AS SELECT id FROM ddl_test.a`);
    await expect(dropNamespace(own.admin, NAMESPACE)).rejects.toThrow(
      "view public.v1, view public.v2, view public.v3 and 2 more",
    );
    await own.admin.query("DROP VIEW public.v1, public.v2, public.v3, public.v4, public.v5");
  });
});

it("a schema is dropped together with objects that the load created in the schema", async () => {
  await resetNamespace(own.admin, settingsOf(fileOf("CREATE TABLE a (id int)")));
  await own.admin.query("CREATE TABLE ddl_test.made_later () INHERITS (ddl_test.a)");
  expect(await dropNamespace(own.admin, NAMESPACE)).toBe(true);
});

it("a statement that fails only when a trial creates the schema is named with file and line", async () => {
  const schema = "CREATE TABLE a (id int);\nINSERT INTO a SELECT 1 / count(*) FROM a";
  await expect(resetNamespace(own.admin, settingsOf(fileOf(schema)))).rejects.toThrow(
    "x.sql:3:1: division by zero",
  );
});
