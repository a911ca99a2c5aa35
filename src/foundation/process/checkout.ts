// The files of a commit in a private directory, for commands that run there. The reaper removes it when train-sim ends.
import { existsSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { UsageError } from "../errors.js";
import { Repository } from "./git.js";
import { makePrivateDirectory } from "./private-directory.js";

const DEPENDENCIES = "node_modules";

export interface CommitPlace {
  /** Root of the repository's working tree. */
  readonly repository: string;
  readonly commit: string;
}

const checkouts = new Map<string, Promise<string>>();

/**
 * The directory of the commit that corresponds to `directory` of the working tree. It has links to the working tree's
 * `node_modules`, which no commit has. All calls of a process share one checkout of a commit.
 */
export async function directoryAt(place: CommitPlace, directory: string): Promise<string> {
  const { repository, commit } = place;
  const key = JSON.stringify([repository, commit]);
  const made = checkouts.get(key) ?? checkOut(place);
  checkouts.set(key, made);
  const root = await made;
  const at = join(root, relative(repository, directory));
  if (!existsSync(at))
    throw new UsageError(
      `${relative(repository, directory)} is not there at ${commit}`,
      "Name a directory that both revisions have.",
    );
  for (let path = directory; ; path = dirname(path)) {
    const [link, target] = [join(root, relative(repository, path), DEPENDENCIES), join(path, DEPENDENCIES)];
    if (existsSync(target) && !existsSync(link)) symlinkSync(target, link, "dir");
    if (path === repository || path === dirname(path)) return at;
  }
}

async function checkOut({ repository, commit }: CommitPlace): Promise<string> {
  const { path } = await makePrivateDirectory("checkout");
  const root = join(path, "files");
  new Repository(repository).checkOut({ hash: commit }, root);
  return root;
}
