// Set-up of every test file: its scratch directories go after its last test. Files of one process share their modules, so
// none of those could see to that for each file.
import { afterAll } from "vitest";
import { removeScratch } from "./train-sim.js";

afterAll(removeScratch);
