import { toTopology } from '@svc/core'
import { VERSION } from '@svc/core/version'
import type { ExperimentDesign } from '../run/record.ts'
import { type Arm, identityOf } from './arms.ts'
import { hashOf } from './canonical.ts'
import type { ReadExperiment } from './read-experiment.ts'

export const DEFAULT_SEEDS: readonly number[] = [1, 2, 3]

/**
 * What is to be measured, as it is written down before the first run.
 *
 * @param base hash of the project's config, its files and its default model
 * @param workspace hash of the files that each run gets a copy of
 */
export function toDesign(
  { name, tasks, input }: ReadExperiment,
  arms: readonly Arm[],
  { scorer, base, workspace }: { scorer: string; base: string; workspace: string | undefined },
): ExperimentDesign {
  const { seeds = DEFAULT_SEEDS, replay = 'fill', budget = {}, margin = 0.02, passMark = 1, strata: shown } = input
  const { failureLimit = 0.1 } = input
  const parts: Record<string, string> = {
    tasks: hashOf(tasks),
    seeds: hashOf(seeds),
    scorer: hashOf([input.scorer, scorer]),
    replay: hashOf(replay),
    'base and the project’s config': hashOf([base, input.base?.options ?? {}]),
    ...(workspace === undefined ? {} : { workspace }),
    'svc version': hashOf(VERSION),
  }
  for (const arm of arms) parts[`arm ${arm.id}`] = identityOf(arm)
  return {
    format: 1,
    name,
    hash: hashOf(parts),
    arms: arms.map((arm) => {
      const topology = toTopology(arm.options.topology ?? input.base?.options?.topology ?? 'AUTO')
      return {
        id: arm.id,
        factors: arm.factors,
        change: arm.change,
        ...(topology === undefined || topology === 'AUTO' ? {} : { topology }),
        configHash: hashOf([base, input.base?.options ?? {}, identityOf(arm)]),
      }
    }),
    tasks: tasks.map(({ id, family = id, strata = {}, setup }) => ({
      id,
      family,
      ...(setup && { setup: setup.length }),
      strata:
        shown === undefined
          ? strata
          : Object.fromEntries(Object.entries(strata).filter(([key]) => shown.includes(key))),
    })),
    seeds,
    scorer,
    replay,
    budget,
    margin,
    failureLimit,
    passMark,
    parts,
    versions: { svc: VERSION, node: process.versions.node },
  }
}

/** Names the parts in which two designs differ. */
export function findDifferences(before: ExperimentDesign, now: ExperimentDesign): string[] {
  const old = before.parts ?? {}
  const names = [...new Set([...Object.keys(old), ...Object.keys(now.parts)])]
  return names.filter((name) => old[name] !== now.parts[name])
}
