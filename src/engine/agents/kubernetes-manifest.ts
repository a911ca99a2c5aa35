// Nothing is started again: an agent that is gone fails the trial.
import type { Job } from "kubernetes-types/batch/v1.js";
import type {
  ConfigMap,
  Container,
  PersistentVolumeClaim,
  PodSpec,
  Secret,
  Service,
  Volume,
  VolumeMount,
} from "kubernetes-types/core/v1.js";

export interface ManifestOptions {
  readonly name: string;
  readonly image: string;
  readonly agents: number;
  /** Number of worker threads that each agent has room for, with a processor for each. */
  readonly workers: number;
  readonly token: string;
  /** Text of the scenario, as YAML. */
  readonly scenario: string;
  readonly memory: string;
}

export type KubernetesObject = ConfigMap | Job | PersistentVolumeClaim | Secret | Service;

const AGENT_PORT = 5670;
const SCENARIO_FILE = "scenario.yaml";
const RESULTS_VOLUME_SIZE = "10Gi";
/** Time that agents wait for the coordinator: longer than scheduling a pod and pulling its image take. */
const JOIN_WAIT_DURATION = "10m";

export function kubernetesManifest(options: ManifestOptions): KubernetesObject[] {
  const { name, token, scenario } = options;
  const labels = { "app.kubernetes.io/name": "train-sim", "app.kubernetes.io/instance": name };
  const metadataOf = (suffix: string) => ({ name: `${name}-${suffix}`, labels });
  return [
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: metadataOf("token"),
      type: "Opaque",
      stringData: { token },
    },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: metadataOf("scenario"),
      data: { [SCENARIO_FILE]: scenario },
    },
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: metadataOf("results"),
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: RESULTS_VOLUME_SIZE } } },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: metadataOf("coordinator"),
      // Agents connect before a readiness probe could succeed, so there is no probe.
      spec: {
        clusterIP: "None",
        publishNotReadyAddresses: true,
        selector: { ...labels, "app.kubernetes.io/component": "coordinator" },
        ports: [{ name: "agents", port: AGENT_PORT }],
      },
    },
    job(options, labels, {
      component: "coordinator",
      count: 1,
      processors: 2,
      args: [
        "run",
        `/scenario/${SCENARIO_FILE}`,
        "--out",
        "/results",
        "--agents",
        String(options.agents),
        "--agents-wait",
        JOIN_WAIT_DURATION,
        "--token-file",
        "/token/token",
        "--listen",
        `0.0.0.0:${AGENT_PORT}`,
        "--cert",
        "/tls/tls.crt",
        "--key",
        "/tls/tls.key",
      ],
      mounts: [
        { name: "scenario", mountPath: "/scenario", readOnly: true },
        { name: "results", mountPath: "/results" },
      ],
      volumes: [
        { name: "scenario", configMap: { name: `${name}-scenario` } },
        { name: "results", persistentVolumeClaim: { claimName: `${name}-results` } },
      ],
    }),
    job(options, labels, {
      component: "agent",
      count: options.agents,
      processors: options.workers,
      args: [
        "agent",
        "--join",
        `wss://${name}-coordinator:${AGENT_PORT}`,
        "--wait",
        JOIN_WAIT_DURATION,
        "--token-file",
        "/token/token",
        "--ca",
        "/tls/ca.crt",
        "--workers",
        String(options.workers),
        "--name",
        "agent-$(JOB_COMPLETION_INDEX)",
      ],
      mounts: [],
      volumes: [],
    }),
  ];
}

interface Part {
  readonly component: "agent" | "coordinator";
  readonly count: number;
  readonly processors: number;
  readonly args: string[];
  readonly mounts: readonly VolumeMount[];
  readonly volumes: readonly Volume[];
}

function job({ name, image, memory }: ManifestOptions, labels: Record<string, string>, part: Part): Job {
  const { component, count, processors } = part;
  const componentLabels = { ...labels, "app.kubernetes.io/component": component };
  // Requests equal to limits give the pod whole processors, if the node's CPU manager is static.
  const resources = { cpu: String(processors), memory };
  const container: Container = {
    name: component,
    image,
    args: part.args,
    resources: { requests: resources, limits: resources },
    // The secret holds PGPASSWORD; it may be missing, because the scenario's URL may hold the password.
    envFrom: [{ secretRef: { name: `${name}-database`, optional: true } }],
    volumeMounts: [
      { name: "token", mountPath: "/token", readOnly: true },
      { name: "tls", mountPath: "/tls", readOnly: true },
      ...part.mounts,
    ],
  };
  const spec: PodSpec = {
    restartPolicy: "Never",
    automountServiceAccountToken: false,
    // Agents avoid each other's nodes: other work on a node disturbs the measurement, and another agent disturbs it
    // most.
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: labels }, topologyKey: "kubernetes.io/hostname" },
        ],
      },
    },
    containers: [container],
    volumes: [
      { name: "token", secret: { secretName: `${name}-token` } },
      { name: "tls", secret: { secretName: `${name}-tls` } },
      ...part.volumes,
    ],
  };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: `${name}-${component}`, labels: componentLabels },
    spec: {
      completionMode: "Indexed",
      completions: count,
      parallelism: count,
      backoffLimit: 0,
      podFailurePolicy: {
        rules: [
          { action: "FailJob", onExitCodes: { operator: "NotIn", values: [0] } },
          { action: "FailJob", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
        ],
      },
      template: { metadata: { labels: componentLabels }, spec },
    },
  };
}
