// The libraries that queues need on this machine, and whether they are there.
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Obstacle } from "../../database/contract.js";
import type { Facility } from "../workload.js";
import { installedPackage, LIBRARY_PACKAGES, type LibraryPackage } from "./adapters/library-package.js";
import type { Treatment } from "./settings.js";

/** The package of a library with an adapter; undefined for other queues. */
export const packageOf = (queue: string): LibraryPackage | undefined =>
  (LIBRARY_PACKAGES as Readonly<Record<string, LibraryPackage>>)[queue];

const installCommand = (name: string, version: string): string => `npm install ${name}@${version}`;

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** True if a command's program exists: a path from the directory, or a name in PATH. */
function exists(program: string, directory: string): boolean {
  if (isAbsolute(program)) return isExecutable(program);
  if (program.includes("/")) return isExecutable(join(directory, program));
  return (process.env["PATH"] ?? "").split(delimiter).some((each) => isExecutable(join(each, program)));
}

export function obstacles({ queue, commands, libraries }: Treatment): Obstacle[] {
  const unfit = (words: string, remedy: string): Obstacle[] => [{ kind: "unfit", words, remedy }];
  const [program] = commands[queue] ?? [];
  if (program !== undefined) {
    if (!existsSync(libraries))
      return unfit(`the directory ${libraries} of libraries does not exist`, "Correct `libraries`.");
    if (exists(program, libraries)) return [];
    return unfit(
      `the program ${program} of queue ${queue} is not in ${program.includes("/") ? libraries : "PATH"}`,
      "Correct `commands`, or install the program.",
    );
  }
  const library = packageOf(queue);
  if (!library || installedPackage(library.name, libraries)) return [];
  return unfit(
    `queue ${queue} needs the package ${library.name}, which is not installed`,
    `Run in ${libraries}: ${installCommand(library.name, library.tested)}`,
  );
}

export function facilities(directory: string): Facility[] {
  return Object.entries(LIBRARY_PACKAGES).map(([queue, { name, tested }]) => {
    const found = installedPackage(name, directory);
    return {
      name: queue,
      found:
        found && `${found.version}${found.version === tested ? "" : ` (tested: ${tested})`}, ${found.place}`,
      remedy: installCommand(name, tested),
    };
  });
}
