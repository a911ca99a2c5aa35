// X(N) = lambda N / (1 + sigma (N-1) + kappa N (N-1)) (Gunther 2007), fitted by Levenberg-Marquardt without bounds.
import { mean } from "../statistics/statistics.js";

const ITERATIONS_MAX = 200;

export interface ThroughputPoint {
  readonly clients: number;
  readonly throughput: number;
}

export interface UslParameters {
  readonly lambda: number;
  readonly sigma: number;
  readonly kappa: number;
}

type Triple = readonly [number, number, number];

export function uslThroughput({ lambda, sigma, kappa }: UslParameters, clients: number): number {
  return (lambda * clients) / (1 + sigma * (clients - 1) + kappa * clients * (clients - 1));
}

/** Solves the symmetric system `a x = b` by Gaussian elimination; undefined if it is singular. */
function solve(a: readonly Triple[], b: Triple): Triple | undefined {
  const rows = a.map((row, i) => [...row, b[i] as number]);
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.NaN;
  for (let column = 0; column < 3; column++) {
    let pivot = column;
    for (let i = column + 1; i < 3; i++) if (Math.abs(at(i, column)) > Math.abs(at(pivot, column))) pivot = i;
    [rows[column], rows[pivot]] = [rows[pivot] ?? [], rows[column] ?? []];
    if (!(Math.abs(at(column, column)) > 0)) return undefined;
    for (let i = column + 1; i < 3; i++) {
      const factor = at(i, column) / at(column, column);
      rows[i] = (rows[i] ?? []).map((value, j) => value - factor * at(column, j));
    }
  }
  const z = at(2, 3) / at(2, 2);
  const y = (at(1, 3) - at(1, 2) * z) / at(1, 1);
  const x = (at(0, 3) - at(0, 1) * y - at(0, 2) * z) / at(0, 0);
  return [x, y, z].every(Number.isFinite) ? [x, y, z] : undefined;
}

/** Adds up J^T J and J^T r over rows of the Jacobian and residuals. */
function normalEquations(rows: readonly { readonly gradient: Triple; readonly residual: number }[]) {
  const sum = (term: (row: { gradient: Triple; residual: number }) => number): number =>
    rows.reduce((total, row) => total + term(row), 0);
  const product = (i: number, j: number): number =>
    sum(({ gradient }) => (gradient[i] ?? 0) * (gradient[j] ?? 0));
  const matrix = [0, 1, 2].map((i): Triple => [product(i, 0), product(i, 1), product(i, 2)]);
  const residualProduct = (i: number): number =>
    sum(({ gradient, residual }) => (gradient[i] ?? 0) * residual);
  return { matrix, right: [residualProduct(0), residualProduct(1), residualProduct(2)] as Triple };
}

/**
 * Start values of the fit: N / X is linear in 1/lambda, sigma/lambda and kappa/lambda, so least squares finds them
 * directly.
 */
function startParameters(points: readonly ThroughputPoint[]): UslParameters | undefined {
  const { matrix, right } = normalEquations(
    points.map(({ clients: n, throughput }) => ({
      gradient: [1, n - 1, n * (n - 1)],
      residual: n / throughput,
    })),
  );
  const solution = solve(matrix, right);
  if (!solution || solution[0] <= 0) return undefined;
  const [inverseLambda, sigma, kappa] = solution;
  return { lambda: 1 / inverseLambda, sigma: sigma / inverseLambda, kappa: kappa / inverseLambda };
}

function sumOfSquares(points: readonly ThroughputPoint[], parameters: UslParameters): number {
  return points.reduce(
    (sum, { clients, throughput }) => sum + (throughput - uslThroughput(parameters, clients)) ** 2,
    0,
  );
}

function jacobianRow({ lambda, sigma, kappa }: UslParameters, { clients: n, throughput }: ThroughputPoint) {
  const divisor = 1 + sigma * (n - 1) + kappa * n * (n - 1);
  const slope = (-lambda * n) / divisor ** 2;
  const gradient: Triple = [n / divisor, slope * (n - 1), slope * n * (n - 1)];
  return { gradient, residual: throughput - (lambda * n) / divisor };
}

/** Unbounded least squares by Levenberg and Marquardt; undefined if it does not converge. */
export function fitUsl(points: readonly ThroughputPoint[]): UslParameters | undefined {
  let currentParameters = startParameters(points) ?? {
    lambda: Math.max(...points.map(({ clients, throughput }) => throughput / clients)),
    sigma: 0.1,
    kappa: 0.001,
  };
  let error = sumOfSquares(points, currentParameters);
  let damping = 1e-3;
  for (let i = 0; i < ITERATIONS_MAX && Number.isFinite(error); i++) {
    const { matrix, right } = normalEquations(points.map((point) => jacobianRow(currentParameters, point)));
    const dampedMatrix = matrix.map(
      (row, j) => row.map((value, k) => (j === k ? value * (1 + damping) : value)) as unknown as Triple,
    );
    const step = solve(dampedMatrix, right);
    if (!step) return undefined;
    const nextParameters = {
      lambda: currentParameters.lambda + step[0],
      sigma: currentParameters.sigma + step[1],
      kappa: currentParameters.kappa + step[2],
    };
    const nextError = sumOfSquares(points, nextParameters);
    const hasConverged = Math.abs(error - nextError) <= 1e-13 * error || error === 0;
    if (nextError <= error) {
      currentParameters = nextParameters;
      error = nextError;
      damping = Math.max(damping / 10, 1e-12);
    } else damping *= 10;
    if (hasConverged || damping > 1e12) return currentParameters;
  }
  return undefined;
}

/** Number of clients at which throughput is highest; infinite if it never falls. */
export function peakOf({ sigma, kappa }: UslParameters): number {
  return kappa > 0 && sigma < 1 ? Math.sqrt((1 - sigma) / kappa) : Number.POSITIVE_INFINITY;
}

export function rSquared(points: readonly ThroughputPoint[], parameters: UslParameters): number {
  const centre = mean(points.map(({ throughput }) => throughput));
  const totalSquares = points.reduce((sum, { throughput }) => sum + (throughput - centre) ** 2, 0);
  return 1 - sumOfSquares(points, parameters) / totalSquares;
}
