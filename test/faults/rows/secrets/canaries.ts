// Secrets in every setting that can contain one, every fault that can reveal one, and a search of every byte that was
// written.
import { createCanaryPlace } from "../../support/canary-place.js";
import { createPrograms, type Received } from "../../support/canary-programs.js";
import { createNeedles, scanBytes, scanFiles } from "../../support/canary-scan.js";
import { type Scenario, SCENARIOS } from "../../support/canary-scenarios.js";
import { createCanaries } from "../../support/canary-values.js";
import { createRandom } from "../../support/random.js";
import type { RowOptions, RowResult } from "../../support/row.js";

/** Share of all runs that must mention a redacted value; with fewer the search would prove nothing. */
const MIN_HIDDEN_SHARE = 0.3;

export interface CanaryOptions {
  readonly runs: number;
  readonly seed: number;
  /** The folder of the tested build. */
  readonly dist: string;
  readonly onProgress?: (text: string) => void;
}

export interface CanarySweep {
  readonly runs: number;
  readonly canaries: number;
  /** Where a value was found, in which form, and in which run. */
  readonly hits: readonly string[];
  /** Runs whose output contains a redacted value: a fault without output proves nothing. */
  readonly hidden: number;
  readonly bytes: number;
}

/** Each run is a different scenario with its own values, the same for the same seed. */
export async function runCanaries({ runs, seed, dist, onProgress }: CanaryOptions): Promise<CanarySweep> {
  const order = createRandom(seed).shuffle(SCENARIOS);
  const all: Run[] = [];
  for (let number = 0; number < runs; number += 1) {
    const scenario = order[number % order.length]!;
    onProgress?.(`${number + 1}/${runs} ${scenario.name}`);
    all.push(await runOne(scenario, seed + number, dist));
  }
  return {
    runs,
    canaries: all[0]?.canaries ?? 0,
    hits: all.flatMap(({ hits }) => hits),
    hidden: all.filter(({ isHidden }) => isHidden).length,
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

export async function canaries({ count, seed, dist, onProgress }: RowOptions): Promise<RowResult> {
  const sweep = await runCanaries({ runs: count, seed, dist, ...(onProgress === undefined ? {} : { onProgress }) });
  return {
    title: "secrets in every setting, a fault in every run",
    n: sweep.runs * sweep.canaries,
    injected: sweep.runs,
    violations: [
      ...sweep.hits,
      ...(sweep.hidden >= MIN_HIDDEN_SHARE * sweep.runs
        ? []
        : [`only ${sweep.hidden} of ${sweep.runs} runs printed a redacted value`]),
    ],
    figures: {
      canaries: sweep.canaries,
      runs: sweep.runs,
      "runs with redacted output": sweep.hidden,
      bytes: sweep.bytes,
    },
  };
}

interface Run {
  readonly canaries: number;
  readonly hits: readonly string[];
  readonly isHidden: boolean;
  readonly bytes: number;
}

async function runOne(scenario: Scenario, seed: number, dist: string): Promise<Run> {
  const values = createCanaries(seed);
  const place = createCanaryPlace(values);
  const programs = createPrograms(place, dist);
  const needles = createNeedles(values);
  try {
    await scenario.run({ place, programs, canaries: values });
    await programs.close();
    const { received } = programs;
    const hits = [
      ...received.flatMap(({ where, bytes }) => scanBytes(bytes, where, needles)),
      ...scanFiles(place.root, place.written, needles),
    ];
    return {
      canaries: Object.keys(values).length,
      hits: hits.map((hit) => `${scenario.name} (seed ${seed}): ${hit}`),
      isHidden: received.some(({ bytes }) => bytes.includes("***")),
      bytes: sumOf(received),
    };
  } finally {
    await programs.close();
    place.remove();
  }
}

function sumOf(received: readonly Received[]): number {
  return received.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
