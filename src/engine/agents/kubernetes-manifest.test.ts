import { expect, it } from "vitest";
import type { Job } from "kubernetes-types/batch/v1.js";
import { parseAllDocuments, stringify } from "yaml";
import { kubernetesManifest, type KubernetesObject } from "./kubernetes-manifest.js";

const objects = kubernetesManifest({
  name: "queue",
  image: "registry.example/train-sim:1",
  agents: 8,
  workers: 4,
  memory: "4Gi",
  token: "a token of more than sixteen characters",
  scenario: "name: s\n",
});

const jobs = objects.filter((object): object is Job => object.kind === "Job");
const jobOf = (component: string): Job => {
  const found = jobs.find(({ metadata }) => metadata?.name === `queue-${component}`);
  if (!found) throw new Error(`no job of the ${component}`);
  return found;
};

it("the manifest runs each agent once on a separate node and fails at the first failed or evicted agent", () => {
  const { spec } = jobOf("agent");
  expect(spec).toMatchObject({ completionMode: "Indexed", completions: 8, parallelism: 8, backoffLimit: 0 });
  expect(spec?.podFailurePolicy?.rules.map(({ action }) => action)).toEqual(["FailJob", "FailJob"]);
  expect(spec?.template.spec?.restartPolicy).toBe("Never");
  for (const { spec: each } of jobs) {
    const [container] = each?.template.spec?.containers ?? [];
    expect(container?.resources?.requests).toEqual(container?.resources?.limits);
    const [rule] =
      each?.template.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    expect(rule?.topologyKey).toBe("kubernetes.io/hostname");
  }
});

it("the manifest mounts only volumes that it defines or the user's TLS secret", () => {
  const names = objects.map(({ metadata }) => metadata?.name);
  for (const { spec } of jobs) {
    const pod = spec?.template.spec;
    const volumes = pod?.volumes ?? [];
    for (const { name } of pod?.containers[0]?.volumeMounts ?? [])
      expect(volumes.map((volume) => volume.name)).toContain(name);
    for (const { secret, configMap, persistentVolumeClaim } of volumes) {
      const source = secret?.secretName ?? configMap?.name ?? persistentVolumeClaim?.claimName;
      expect([...names, "queue-tls"]).toContain(source);
    }
  }
});

it("the manifest's service selects the coordinator's pod and has the name that agents dial", () => {
  const service = objects.find(({ kind }) => kind === "Service") as { spec: { selector: object } };
  expect(jobOf("coordinator").spec?.template.metadata?.labels).toMatchObject(service.spec.selector);
  expect(jobOf("agent").spec?.template.spec?.containers[0]?.args).toContain("wss://queue-coordinator:5670");
});

it("the manifest reads back unchanged from YAML", () => {
  const text = objects.map((object) => stringify(object)).join("---\n");
  expect(parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject)).toEqual(objects);
});
