import type { Place } from "../script/program.js";

export interface MetaCommand {
  readonly name: string;
  readonly place: Place;
  /** Text after the command's name; `valueAt` is its offset. */
  readonly value: string;
  readonly valueAt: number;
}

/** Pattern of a meta command to its end, over lines that end with a backslash. */
export const META_LINE = /\\(?:[^\\\n]|\\\r?\n|\\)*/y;
export const CONTINUATION = /\\\r?\n/g;
/** Steps of a pipeline by command. */
export const PIPELINE_STEPS: Readonly<Record<string, "start" | "sync" | "end">> = {
  startpipeline: "start",
  syncpipeline: "sync",
  endpipeline: "end",
};
export const COMMANDS = [
  "set",
  "sleep",
  "gset",
  "aset",
  "if",
  "elif",
  "else",
  "endif",
  ...Object.keys(PIPELINE_STEPS),
];
/** Reasons why commands are refused. */
export const REFUSED_COMMANDS: Readonly<Record<string, string>> = {
  shell: "runs a program of this machine",
  setshell: "runs a program of this machine",
};
