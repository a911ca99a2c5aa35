import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Program } from "../script/program.js";
import { readSqlFile } from "./read-sql-file.js";

function programOf(text: string): Program {
  const read = readSqlFile(text, "x.sql");
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return read.program;
}

const squeezed = (text: string): string => text.replace(/\s+/g, " ");
const textsOf = (all: Program["schema"]): string[] => all.map(({ pieces }) => squeezed(pieces.join(":")));

const DUMP = `--
-- PostgreSQL database dump
--
\\restrict 7Qx
SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
CREATE SCHEMA shop;
ALTER SCHEMA shop OWNER TO me;
CREATE EXTENSION IF NOT EXISTS plpgsql WITH SCHEMA pg_catalog;
CREATE FUNCTION shop.create(k text) RETURNS shop.item
    LANGUAGE sql
    SET search_path TO 'shop', 'pg_temp'
    AS $$ SELECT format('DROP TABLE shop.%I', 'shop.x'), "shop".item.id FROM shop.Item $$;
ALTER FUNCTION shop.create(k text) OWNER TO "me";
CREATE TABLE shop.item (
    id integer DEFAULT nextval('shop.item_seq'::regclass),
    note text DEFAULT 'see shop.item'
);
COMMENT ON TABLE shop.item IS 'it''s all';
GRANT ALL ON TABLE shop.item TO clerk;
ALTER DEFAULT PRIVILEGES FOR ROLE me GRANT SELECT ON TABLES TO clerk;
\\unrestrict 7Qx
`;

it("reads a dump as it is: names without the schema that it makes, at their places", () => {
  const { schema, transactions } = programOf(
    `-- schema\n${DUMP}-- name: t\n-- param: a = 1\nSELECT shop.create(:a::text), myshop.x, 'shop.item', shop.item.id FROM shop."Item"`,
  );
  expect(textsOf(schema)).toEqual([
    "SET check_function_bodies = false",
    `CREATE FUNCTION "create"(k text) RETURNS "item" LANGUAGE sql AS $$ SELECT format('DROP TABLE {{namespace}}.%I', '{{namespace}}.x'), {{namespace}}.item.id FROM {{namespace}}.Item $$`,
    `CREATE TABLE "item" ( id integer DEFAULT nextval(' "item_seq"'::regclass), note text DEFAULT 'see shop.item' )`,
  ]);
  expect(schema.map(({ place }) => place.line)).toEqual([8, 12, 17]);
  const [step] = transactions[0]?.steps ?? [];
  expect(step?.kind === "sql" && squeezed(step.pieces.join(":"))).toBe(
    `SELECT "create"(:::text), myshop.x, ' "item"', "item".id FROM "Item"`,
  );
});

it("takes public as the namespace for names that the schema makes, and leaves others", () => {
  const { schema, preload } = programOf(`-- schema
CREATE DOMAIN public.year AS int;
CREATE TABLE public.film (y public.year, v public.vector(3));
ALTER TABLE ONLY public.film ADD CONSTRAINT film_key PRIMARY KEY (y);
CREATE INDEX film_v ON public.film (v);
ALTER TABLE public.film ATTACH PARTITION public.theirs DEFAULT;
-- preload
INSERT INTO public.film SELECT y FROM public.theirs;
-- name: t
SELECT 1`);
  expect(textsOf(schema)).toEqual([
    'CREATE DOMAIN "year" AS int',
    'CREATE TABLE "film" (y "year", v public.vector(3))',
    'ALTER TABLE ONLY "film" ADD CONSTRAINT film_key PRIMARY KEY (y)',
    'CREATE INDEX film_v ON "film" (v)',
    'ALTER TABLE "film" ATTACH PARTITION public.theirs DEFAULT',
  ]);
  expect(textsOf(preload)).toEqual(['INSERT INTO "film" SELECT y FROM public.theirs']);
});

it("reads a dump of tables without a schema", () => {
  const text =
    "-- schema\nSELECT pg_catalog.set_config('search_path', '', false);\nGRANT ALL ON public.film TO clerk;\nCREATE TABLE film (id int);\n-- name: t\nSELECT public.f(1)";
  const { schema, transactions } = programOf(text);
  expect(textsOf(schema)).toEqual(["CREATE TABLE film (id int)"]);
  expect(transactions[0]?.steps).toMatchObject([{ pieces: ["SELECT public.f(1)"] }]);
});

it("leaves names of a file without a dump as they are", () => {
  const text =
    "-- schema\nSELECT set_config('work_mem', '4MB', true);\nCREATE TABLE film (id int);\nGRANT ALL ON film TO clerk;\n-- name: t\nSELECT public.f(film.id) FROM film";
  expect(textsOf(programOf(text).schema)).toEqual([
    "SELECT set_config('work_mem', '4MB', true)",
    "CREATE TABLE film (id int)",
    "GRANT ALL ON film TO clerk",
  ]);
});

it.each([["shop"], ["pg-boss"], ["graphile-worker"]])(
  "leaves no qualified name and no owner of the dump of %s",
  (name) => {
    const dump = readFileSync(new URL(`../../../test/support/dumps/${name}.sql`, import.meta.url), "utf8");
    const texts = textsOf(programOf(`-- schema\n${dump}\n-- name: t\nSELECT 1`).schema);
    expect(texts.length).toBeGreaterThan(20);
    expect(texts.join("\n")).not.toMatch(/\b(public|pgboss|graphile_worker)"?\.|OWNER TO|^GRANT|^COMMENT/m);
  },
);
