import { AGAIN, BASE, type Cell, type ExperimentDesign } from '../run/record.ts'
import { detectableEffect, holm } from '../statistics/index.ts'
import { compareArms, estimateDifference, type OpenComparison, testsOf, toNoise } from './compare-arms.ts'
import type { ArmReport, Comparison, ExperimentReport, StratumReport } from './experiment-report.ts'
import { findGaps } from './find-gaps.ts'
import { toArmFrontier } from './frontier.ts'
import { CellTable, isCompared, mean, meanOf, type TaskPair } from './pair-tasks.ts'
import { toRegressions } from './regressions.ts'
import { summariseArm } from './summarise-arm.ts'
import { toVerdict } from './verdict.ts'

/** What the cells of an experiment show. Pure: the same design and cells give the same report, in whatever order they are. */
export function toReport(design: ExperimentDesign, cells: readonly Cell[]): ExperimentReport {
  const table = new CellTable(design, cells)
  const arms = design.arms.map((arm) => summariseArm(design, arm, table))
  const pairsOf = new Map(design.arms.map(({ id }) => [id, table.pairs(BASE, id)]))
  const pairs = (arm: string): readonly TaskPair[] => pairsOf.get(arm) ?? []
  const compared = design.arms.filter(isCompared)
  const comparisons = close(
    design,
    arms,
    compared.map((arm) => compareArms(design, arm, pairs(arm.id))),
  )
  const again = design.arms.find(({ id }) => id === AGAIN)
  const [noise] = close(design, arms, again === undefined ? [] : [compareArms(design, again, pairs(AGAIN))])
  const noiseReport = noise === undefined ? null : toNoise(noise, pairs(AGAIN))
  const families = new Set(design.tasks.map(({ family }) => family)).size
  return {
    format: 1,
    name: design.name,
    designHash: design.hash,
    versions: design.versions,
    seeds: design.seeds,
    scorer: design.scorer,
    replay: design.replay,
    budget: design.budget,
    margin: design.margin,
    failureLimit: design.failureLimit,
    sample: {
      tasks: design.tasks.length,
      families,
      seeds: design.seeds.length,
      setup: {
        tasks: design.tasks.filter(({ setup = 0 }) => setup > 0).length,
        turns: design.tasks.reduce((total, { setup = 0 }) => total + setup, 0),
      },
      cells: cells.length,
      planned: design.arms.length * design.tasks.length * design.seeds.length,
      detectable:
        noiseReport?.detectable == null || noiseReport.sd === null
          ? detectableEffect({ tasks: families, seeds: design.seeds.length, tests: testsOf(design) })
          : { effect: noiseReport.detectable, sd: noiseReport.sd, assumed: false },
    },
    arms,
    noise: noiseReport,
    comparisons,
    frontier: toArmFrontier(design, table, arms),
    strata: toStrata(design, pairs),
    regressions: compared.map(({ id }) => toRegressions(id, pairs(id), noiseReport)),
    notTested: findGaps(design, table),
  }
}

const scoreOf = ({ score }: Cell): number => score

/** Holm's adjustment over every comparison's quality and tokens, and the verdict by it. */
function close(design: ExperimentDesign, arms: readonly ArmReport[], open: readonly OpenComparison[]): Comparison[] {
  const known = open.flatMap(({ p, tokens }) => [p, tokens?.p ?? null]).filter((p) => p !== null)
  const adjusted = holm(known)
  let next = 0
  const take = (p: number | null): number | null => (p === null ? null : (adjusted[next++] ?? null))
  return open.map((comparison) => {
    const holmP = take(comparison.p)
    const tokensP = take(comparison.tokens?.p ?? null)
    return {
      ...comparison,
      holmP,
      tokens: comparison.tokens === null ? null : { ...comparison.tokens, holmP: tokensP },
      ...toVerdict(design, comparison, {
        holmP,
        tests: known.length,
        failed: arms.filter(({ id }) => id === BASE || id === comparison.arm),
      }),
    }
  })
}

function toStrata(design: ExperimentDesign, pairs: (arm: string) => readonly TaskPair[]): StratumReport[] {
  const names = [...new Set(design.tasks.flatMap(({ strata }) => Object.keys(strata)))].sort()
  return names.flatMap((stratum) => {
    const values = [...new Set(design.tasks.flatMap(({ strata }) => strata[stratum] ?? []))].sort()
    return values.map((value) => {
      const inside = ({ task }: TaskPair): boolean => task.strata[stratum] === value
      const scores = pairs(BASE)
        .filter(inside)
        .map(({ base }) => meanOf(base, scoreOf))
      return {
        stratum,
        value,
        tasks: design.tasks.filter(({ strata }) => strata[stratum] === value).length,
        base: scores.length === 0 ? Number.NaN : mean(scores),
        arms: design.arms.filter(isCompared).map(({ id }) => {
          const shared = pairs(id).filter(inside)
          return { arm: id, tasks: shared.length, quality: estimateDifference(shared, { samples: 2000 }) }
        }),
      }
    })
  })
}
