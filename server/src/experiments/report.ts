import { ByName, Count, Texts } from '@svc/core/schema'
import type { Static } from 'typebox'
import * as Type from 'typebox'

/** A figure; null where there is none, as where too few runs were made. */
const Figure = Type.Union([Type.Number(), Type.Null()])
const Interval = Type.Union([Type.Object({ low: Figure, high: Figure }), Type.Null()], {
  description: 'null with fewer than two families of tasks',
})
const Estimate = Type.Object({
  value: Figure,
  interval: Interval,
  interval90: Interval,
  families: Count('of tasks: what varies together counts as one'),
})
const Ratio = Type.Union([Estimate, Type.Null()], { description: 'arm by base; null where a figure is missing' })
const Failed = Type.Object({ runs: Count('that ended without an answer'), share: Type.Number() })
const RunLink = Type.Object({
  score: Figure,
  runId: Type.String(),
  evidence: Type.Optional(Type.String()),
  bundle: Type.Optional(Type.String({ description: "the run's file, from the folder of the experiment" })),
})
const Arm = Type.Object({
  id: Type.String(),
  factors: Texts('in which it differs from the base'),
  change: Type.String(),
  runs: Count('with a score'),
  outside: Count('left out, since a provider or the machine failed'),
  failed: Failed,
  quality: Estimate,
  successRate: Figure,
  tokens: Figure,
  estimated: Type.Boolean(),
  costUsd: Figure,
  latencyP50Ms: Figure,
  latencyP95Ms: Figure,
  modelCalls: Figure,
  toolCalls: Figure,
  failures: ByName(Type.Number(), { description: 'runs that did not complete, by status and code' }),
})
const Comparison = Type.Object({
  arm: Type.String(),
  tasks: Count('that both arms have'),
  leftOut: Count('that one of them lacks'),
  quality: Estimate,
  holmP: Figure,
  detectable: Figure,
  tokens: Ratio,
  costUsd: Ratio,
  latencyMs: Ratio,
  finding: Type.Enum(['better', 'worse', 'same', 'open', 'none']),
  verdict: Type.String(),
})

/** What the console shows of the `report.json` that `svc experiment` writes, each part checked. */
export const ReportShown = Type.Object({
  format: Type.Literal(1),
  name: Type.String(),
  designHash: Type.String(),
  versions: ByName(Type.String()),
  seeds: Type.Array(Type.Number()),
  scorer: Type.String(),
  replay: Type.String(),
  budget: Type.Object({ maxTokens: Type.Optional(Type.Number()), maxCostUsd: Type.Optional(Type.Number()) }),
  margin: Type.Number(),
  failureLimit: Type.Number(),
  sample: Type.Object({
    tasks: Count('tasks'),
    families: Count('of tasks'),
    seeds: Count('of each task'),
    setup: Type.Object({ tasks: Count('with set-up turns'), turns: Count('of them') }),
    cells: Count('runs that are made'),
    planned: Count('runs in all'),
    detectable: Type.Object({ effect: Figure, sd: Figure, assumed: Type.Boolean() }),
  }),
  arms: Type.Array(Arm),
  noise: Type.Union([
    Type.Object({ ...Comparison.properties, falseAlarm: Type.Boolean(), lost: Estimate }),
    Type.Null(),
  ]),
  comparisons: Type.Array(Comparison),
  frontier: Type.Object({
    by: Type.Enum(['costUsd', 'tokens']),
    arms: Type.Array(Type.Object({ id: Type.String(), cost: Estimate, onFront: Figure })),
    front: Texts('arms that no other beats, cheapest first'),
    dominated: Type.Array(Type.Object({ id: Type.String(), by: Type.String() })),
  }),
  regressions: Type.Array(
    Type.Object({
      arm: Type.String(),
      total: Count('tasks that scored less than with the base'),
      share: Estimate,
      worst: Type.Array(
        Type.Object({
          task: Type.String(),
          seed: Type.Number(),
          difference: Figure,
          interval: Interval,
          base: RunLink,
          arm: RunLink,
        }),
      ),
    }),
  ),
  notTested: Texts('sentences'),
})
export type ReportShown = Static<typeof ReportShown>
