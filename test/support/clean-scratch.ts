// Set-up of every test file: it removes the file's scratch directories after its last test. Files of one process share
// their modules, so a module cannot do this for each file.
import { afterAll } from "vitest";
import { removeScratch } from "./scratch.js";

afterAll(removeScratch);
